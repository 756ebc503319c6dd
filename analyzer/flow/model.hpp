// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The vocabulary of DEED_MODEL: nouns sit on types, verbs on functions. It is closed.

namespace deed::check {

/// What a type is to deed.
enum class noun {
  none,
  handle,
  token,
  value,
  codelet,
  request,
  borrow,
  gate,
  session,
  view,
  owner,
  tag,
  message_tag,
  peer,
  rank,
  options,
  right,      // to enqueue, for the time of one task body
  arguments,  // of the program: equal on all ranks, and perhaps none
  pattern,    // an element by value: of each pair of indices
  within,     // a group whose members alone make the call, in whose ranks it counts
  among,      // a group whose members alone give or take parts of a call that every rank makes
};

/// Whether it is a number of a kind of its own.
[[nodiscard]] constexpr bool is_number(noun kind) {
  return kind == noun::owner || kind == noun::tag || kind == noun::message_tag ||
         kind == noun::peer || kind == noun::rank;
}

/// What a function does.
enum class verb {
  type,
  registers,
  accesses,
  submits,
  lends,
  keeps,
  copies,
  consumes,
  releases,
  posts,
  moves,
  splits,
  joins,
  closes,
  waits,
  step,
  awaits,
  opens,
  places,
  calls,
  rank_source,
  rank_local,
  uniform,
  owner_of,
  guards,
  pure,
  blocks,
  owner_context,
  extent,  // of `this`: its number, or "all" of it, or whether rows follow each other
  index,   // what it is given is one, of the dimension of `this` with this number
  environment,
  reaches,  // the memory of `this` or of an argument, by what it returns
};

/// What a task, a borrow or a message may do with a datum.
enum class mode { none, read, write, read_write, commute, reduce, scratch };

[[nodiscard]] std::optional<noun> noun_named(std::string_view word);
[[nodiscard]] std::optional<verb> verb_named(std::string_view word);
[[nodiscard]] std::optional<mode> mode_named(std::string_view word);

/// Whether the datum may have another value afterwards.
[[nodiscard]] constexpr bool writes(mode m) { return m != mode::none && m != mode::read; }
/// Whether the old value is looked at.
[[nodiscard]] constexpr bool reads(mode m) {
  return m == mode::read || m == mode::read_write || m == mode::commute;
}

/// One verb with its operand, as it stands on a declaration.
struct word {
  verb what;
  std::string operand;  // "read", "this", or a number; empty when there is none.
};

/// All that the attributes say about one function or type.
struct model {
  std::vector<word> words;

  [[nodiscard]] bool empty() const { return words.empty(); }
  [[nodiscard]] const word* find(verb wanted) const {
    for (const word& w : words) {
      if (w.what == wanted) return &w;
    }
    return nullptr;
  }
  [[nodiscard]] bool has(verb wanted) const { return find(wanted) != nullptr; }
  [[nodiscard]] bool has(verb wanted, std::string_view operand) const {
    for (const word& w : words) {
      if (w.what == wanted && w.operand == operand) return true;
    }
    return false;
  }
};

}  // namespace deed::check
