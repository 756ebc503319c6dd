// SPDX-License-Identifier: MIT
#include "flow/path.hpp"

#include <algorithm>
#include <set>

namespace deed::check {

std::string key(const path& p) {
  if (p.root == 0) return {};
  std::string text = "v" + std::to_string(p.root);
  for (const part& step : p.parts) {
    switch (step.what) {
      case part::kind::field:
        text += "." + step.name;
        break;
      case part::kind::element:
        return {};
      case part::kind::index:
        text += "[" + index_name(step);
        for (const value_ref& index : step.indices) {
          const std::string one = key(index);
          if (one.empty()) return {};
          text += "," + one;
        }
        text += "]";
    }
  }
  return text;
}

path element_of(const value& v) {
  const auto& given = v.arguments;
  if (v.what != value::kind::operation || given.empty() || !given[0] ||
      given[0]->what != value::kind::variable)
    return {};
  path element = given[0]->where;
  if (v.text == "std operator*" && given.size() == 1)
    element.parts.push_back({part::kind::element, "*", {}});
  else if ((v.text == "std operator[]" || v.text == "std at") && given.size() == 2)
    element.parts.push_back({part::kind::index, "operator[]", {given[1]}});
  else
    return {};
  return element;
}

std::string lent_member(const path& through) {
  std::string name;
  for (std::size_t i = 1; i < through.parts.size(); ++i) {
    if (through.parts[i].what != part::kind::field || through.parts[i].name == "*") break;
    name += (name.empty() ? "" : ".") + through.parts[i].name;
  }
  return name;
}

bool reads_content(const value_ref& v) {
  return v && (v->what == value::kind::content || std::ranges::any_of(v->arguments, reads_content));
}

bool asks_for_length(const value& v) {
  static const std::set<std::string> names{"std size", "std ssize",  "std empty", "std begin",
                                           "std end",  "std cbegin", "std cend"};
  return v.what == value::kind::operation && v.arguments.size() == 1 && names.contains(v.text) &&
         v.arguments[0] && v.arguments[0]->what == value::kind::variable;
}

std::string key(const value_ref& v) {
  if (!v) return {};
  std::string text;
  switch (v->what) {
    case value::kind::constant:
      return std::to_string(v->number);
    case value::kind::text:
      return '"' + v->text + '"';
    case value::kind::variable:
    case value::kind::owner_of:
      text = key(v->where);
      if (text.empty()) return {};
      return (v->what == value::kind::variable ? "" : "owner ") + text;
    case value::kind::rank:
      return "rank";
    case value::kind::ranks:
      return "ranks";
    case value::kind::guard:
      text = "guard " + v->text;
      for (const token_use& token : v->tokens) {
        const std::string one = key(token.datum);
        if (one.empty()) return {};
        text += " " + one;
      }
      return text;
    case value::kind::call:
    case value::kind::operation:
      text = "(" + v->text;
      for (const value_ref& argument : v->arguments) {
        const std::string one = key(argument);
        if (one.empty()) return {};
        text += " " + one;
      }
      return text + ")";
    default:
      return {};
  }
}

}  // namespace deed::check
