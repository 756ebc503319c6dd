// SPDX-License-Identifier: MIT
#include "flow/function.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace deed::check {
namespace {

std::string of_index(const program& all, const part& step) {
  std::string inside;
  for (const value_ref& index : step.indices) {
    inside += (inside.empty() ? "" : ", ") + spelling(all, index);
  }
  if (step.name == "operator[]") return "[" + inside + "]";
  if (step.name == "operator()") return "(" + inside + ")";
  return "." + step.name + "(" + inside + ")";
}

/// How tightly an operator of the language binds, as its place in their table: less is tighter.
/// Null for what is spelled as one piece.
int precedence(const value_ref& v) {
  if (!v || v->what != value::kind::operation) return 0;
  if (v->arguments.size() == 1) return v->text == "neg" || v->text == "!" ? 3 : 0;
  if (v->arguments.size() != 2) return 0;
  static const std::map<std::string_view, int> table{
      {"*", 5},   {"/", 5},  {"%", 5},  {"+", 6},  {"-", 6},   {"<<", 7},
      {">>", 7},  {"<", 9},  {"<=", 9}, {">", 9},  {">=", 9},  {"==", 10},
      {"!=", 10}, {"&", 11}, {"^", 12}, {"|", 13}, {"&&", 14}, {"||", 15}};
  const auto it = table.find(v->text);
  return it == table.end() ? 0 : it->second;
}

/// An operand of an operator, in parentheses where it binds less tightly than `most`.
std::string operand_spelling(const program& all, const value_ref& v, int most) {
  const std::string text = spelling(all, v);
  return precedence(v) > most ? "(" + text + ")" : text;
}

}  // namespace

std::string member_spelling(const std::string& object, const std::string& member) {
  if (object.empty()) return member;
  return object[0] == '*' ? object.substr(1) + "->" + member : object + "." + member;
}

std::string spelling(const program& all, const path& p) {
  if (!p.known()) return {};
  const variable& root = all.var(p.root);
  std::string text = root.name == "this" ? "" : root.name;
  for (const part& step : p.parts) {
    const bool of_loop = &step == p.parts.data() && !root.each.empty();
    switch (step.what) {
      case part::kind::field:
        if (step.name == "*") {
          text = of_loop ? root.each : "*" + text;
        } else if (step.name.starts_with("std::get<")) {
          text = step.name + "(" + text + ")";
        } else if (!step.is_piece()) {
          text = member_spelling(text, step.name);
        }
        break;
      case part::kind::element:
        if (step.name == "*" && of_loop)
          text = root.each;
        else if (step.name == "*")
          text = root.name.starts_with("__") ? "" : "*" + text;
        else if (!step.name.empty())
          text = step.name;
        break;
      case part::kind::index:
        text += of_index(all, step);
    }
  }
  return text;
}

std::string spelling(const program& all, const value_ref& v) {
  if (!v) return "?";
  switch (v->what) {
    case value::kind::constant:
      return std::to_string(v->number);
    case value::kind::text:
      return '"' + v->text + '"';
    case value::kind::variable:
      return spelling(all, v->where);
    case value::kind::rank:
      return "rank()";
    case value::kind::ranks:
      return "size()";
    case value::kind::owner_of:
      return "owner of " + spelling(all, v->where);
    case value::kind::guard:
    case value::kind::uniform:
    case value::kind::rank_local:
      return v->text.empty() ? "?" : v->text + "()";
    case value::kind::content:
      return v->text.empty() ? "*" + spelling(all, v->where)
                             : member_spelling("*" + spelling(all, v->where), v->text);
    case value::kind::operation:
      if (v->arguments.size() == 1) {
        return (v->text == "neg" ? "-" : v->text) +
               operand_spelling(all, v->arguments[0], precedence(v));
      }
      if (v->arguments.size() == 2) {
        // From the left: `a - (b - c)` keeps its parentheses, `(a - b) - c` does not need them.
        const int own = precedence(v);
        return operand_spelling(all, v->arguments[0], own) + " " + v->text + " " +
               operand_spelling(all, v->arguments[1], std::max(own - 1, 0));
      }
      return "?";
    default:
      return "?";
  }
}

}  // namespace deed::check
