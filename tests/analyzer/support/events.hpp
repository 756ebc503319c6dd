// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <initializer_list>
#include <string>
#include <utility>

/// @file
/// Functions written as events, without a compiler.

namespace deed::check::testing {

class writer {
 public:
  program all;

  path variable(const std::string& name, noun kind) {
    return {all.add({.name = name, .at = next(), .kind = kind, .type = {}, .each = {}}), {}};
  }
  static operand token(mode access, const path& datum) {
    operand o;
    o.kind = noun::token;
    o.access = access;
    o.where = datum;
    return o;
  }
  static operand number(noun kind, std::int64_t n) {
    operand o;
    o.kind = kind;
    o.value = constant(n);
    return o;
  }
  event call(const std::string& name, std::initializer_list<word> words,
             std::vector<operand> arguments, const path& result = {}) {
    event e;
    e.name = name;
    e.at = e.name_at = next();
    e.words.words = words;
    e.receiver.kind = noun::session;
    e.arguments = std::move(arguments);
    for (operand& o : e.arguments) o.at = next();
    e.result = result;
    return e;
  }
  event of_kind(event_kind kind, const path& object, const path& other = {}) {
    event e;
    e.kind = kind;
    e.at = e.object_at = next();
    e.object = object;
    e.other = other;
    return e;
  }
  /// A function of blocks; block 0 is the entry, the last one the exit.
  static function of(std::vector<block> blocks) {
    function f;
    f.usr = f.name = "f";
    f.blocks = std::move(blocks);
    f.entry = 0;
    f.exit = static_cast<int>(f.blocks.size()) - 1;
    return f;
  }
  static block straight(std::vector<event> events, std::vector<int> successors) {
    block b;
    b.events = std::move(events);
    b.successors = std::move(successors);
    return b;
  }

 private:
  span next() {
    ++line_;
    return {0, line_, 1, line_, 5};
  }
  std::uint32_t line_ = 0;
};

inline value_ref operation(const std::string& text, std::vector<value_ref> arguments) {
  value v;
  v.what = value::kind::operation;
  v.text = text;
  v.arguments = std::move(arguments);
  return std::make_shared<const value>(std::move(v));
}
inline value_ref of_kind(value::kind kind) {
  value v;
  v.what = kind;
  return std::make_shared<const value>(std::move(v));
}
inline value_ref variable_value(const path& where) {
  value v;
  v.what = value::kind::variable;
  v.where = where;
  return std::make_shared<const value>(std::move(v));
}

}  // namespace deed::check::testing
