// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What the facts consist of, for all that goes through every field of them.

namespace deed::check {

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

/// One list of the fields of each type: for what writes facts, reads them or changes names in them.
template <class Archive>
class format {
 public:
  explicit format(Archive& archive) : to_(archive) {}

  template <class T>
  void operator()(T& x) {
    using plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<plain, span>) {
      to_.file(x.file);
      all(x.line, x.column, x.end_line, x.end_column);
    } else if constexpr (std::is_same_v<plain, part>) {
      all(x.what, x.name, x.indices, x.pointer);
      to_.function(x.function);
    } else if constexpr (std::is_same_v<plain, path>) {
      to_.variable(x.root);
      all(x.parts);
    } else if constexpr (std::is_same_v<plain, token_use>) {
      all(x.access, x.datum, x.at);
    } else if constexpr (std::is_same_v<plain, value>) {
      all(x.what, x.number, x.where);
      if (x.what == value::kind::call)
        to_.function(x.text);
      else
        all(x.text);
      all(x.arguments, x.tokens, x.at);
      to_.variable(x.session);
    } else if constexpr (std::is_same_v<plain, word>) {
      all(x.what, x.operand);
    } else if constexpr (std::is_same_v<plain, model>) {
      all(x.words);
    } else if constexpr (std::is_same_v<plain, operand>) {
      all(x.kind, x.where, x.access, x.value, x.storage, x.partial, x.moved, x.by_value, x.view,
          x.of_options, x.resizes, x.parameter, x.type, x.name);
      to_.function(x.callable);
      all(x.address);
      to_.codelet(x.codelet);
      all(x.words, x.use, x.at);
    } else if constexpr (std::is_same_v<plain, held_layout>) {
      all(x.bytes, x.padding, x.address, x.address_at);
    } else if constexpr (std::is_same_v<plain, event>) {
      all(x.kind, x.at, x.name_at, x.name);
      to_.function(x.function);
      all(x.words, x.receiver, x.arguments, x.result, x.result_kind, x.result_type, x.object,
          x.other, x.object_at, x.result_value, x.use, x.thrown, x.anew, x.keeps_view, x.gives_up,
          x.standard, x.ends_process, x.keeps_state, x.starts_thread, x.ends_block, x.layout,
          x.depth, x.called_from);
    } else if constexpr (std::is_same_v<plain, block>) {
      all(x.events, x.condition, x.condition_at, x.how, x.successors, x.unordered);
    } else if constexpr (std::is_same_v<plain, function>) {
      all(x.usr, x.name, x.at);
      to_.variables(x.parameters);
      to_.variable(x.self);
      to_.variable(x.result);
      all(x.blocks, x.entry, x.exit, x.body_of_lambda, x.in_root, x.address_taken);
    } else if constexpr (std::is_same_v<plain, variable>) {
      all(x.name, x.at, x.kind, x.optional, x.type, x.parameter, x.reference, x.constant, x.global,
          x.persistent, x.guarded, x.used, x.view, x.ends_with_scope, x.unsteady, x.each);
    } else if constexpr (std::is_same_v<plain, codelet>) {
      all(x.name, x.at, x.name_at);
      to_.functions(x.bodies);
    } else if constexpr (std::is_same_v<plain, archived>) {
      all(x.name, x.saved, x.loaded);
    } else {
      to_.basic(x, *this);
    }
  }

 private:
  template <class... T>
  void all(T&... fields) {
    ((*this)(fields), ...);
  }
  Archive& to_;
};

}  // namespace deed::check
