// SPDX-License-Identifier: MIT
#include "flow/print.hpp"

namespace deed::check {
namespace {

std::string named(const program& all, const path& p) {
  if (!p.known()) return "?";
  const std::string text = spelling(all, p);
  return text.empty() ? "#" + std::to_string(p.root) : text;
}

const char* name(mode m) {
  switch (m) {
    case mode::read:
      return "read";
    case mode::write:
      return "write";
    case mode::read_write:
      return "read_write";
    case mode::commute:
      return "commute";
    case mode::reduce:
      return "reduce";
    case mode::scratch:
      return "scratch";
    case mode::none:
      return "none";
  }
  return "";
}

const char* name(effect use) {
  switch (use) {
    case effect::none:
      return "none";
    case effect::read:
      return "read";
    case effect::write:
      return "write";
    case effect::read_write:
      return "read_write";
    case effect::grow:
      return "grow";
    case effect::address:
      return "address";
    case effect::unknown:
      return "unknown";
  }
  return "";
}

std::string of_argument(const program& all, const operand& o) {
  std::string text;
  if (o.kind == noun::token) return std::string(name(o.access)) + "(" + named(all, o.where) + ")";
  if (o.kind == noun::codelet) return "codelet " + o.name;
  if (o.where.known()) text = named(all, o.where);
  if (o.storage.known()) text += " in " + named(all, o.storage);
  if (o.moved) text = "moved " + text;
  if (o.value) text += "=" + spelling(all, o.value);
  return text.empty() ? "_" : text;
}

std::string of_event(const program& all, const event& e) {
  switch (e.kind) {
    case event_kind::call: {
      std::string text = "call " + e.name + "(";
      if (e.receiver.where.known())
        text = "call " + named(all, e.receiver.where) + "." + e.name + "(";
      bool first = true;
      for (const operand& o : e.arguments) {
        text += (first ? "" : ", ") + of_argument(all, o);
        first = false;
      }
      text += ")";
      if (e.result.known()) text += " -> " + named(all, e.result);
      if (e.receiver.use == effect::grow) text += " grows";
      return text + (e.words.empty() ? " unmodelled" : "");
    }
    case event_kind::use:
      return "use " + of_argument(all, e.arguments.front());
    case event_kind::assign:
      return "assign " + named(all, e.object) + " = " + spelling(all, e.result_value);
    case event_kind::bind:
      return "bind " + named(all, e.object) + " to " + named(all, e.other);
    case event_kind::move:
      return "move " + named(all, e.object) + " -> " + named(all, e.other);
    case event_kind::swap:
      return "swap " + named(all, e.object) + " " + named(all, e.other);
    case event_kind::scope_end:
      return "end " + named(all, e.object);
    case event_kind::access:
      return "access " + named(all, e.object) + " " + name(e.use);
    case event_kind::hand_back:
      return "hand back " + named(all, e.object) + " as " + named(all, e.other);
    case event_kind::leave:
      return e.thrown ? "throw" : "return " + named(all, e.object);
  }
  return {};
}

}  // namespace

std::string printed(const program& all, const function& f) {
  std::string text = "function " + f.name + "\n";
  for (std::size_t i = f.blocks.size(); i-- > 0;) {
    const block& b = f.blocks[i];
    text += "  block " + std::to_string(i);
    if (b.how != split::none) text += " if " + spelling(all, b.condition);
    text += " ->";
    for (const int next : b.successors) text += " " + std::to_string(next);
    text += "\n";
    for (const event& e : b.events) {
      text += "    " + std::to_string(e.at.line) + ": " + of_event(all, e) + "\n";
    }
  }
  return text;
}

}  // namespace deed::check
