// SPDX-License-Identifier: MIT
#pragma once

#include "flow/path.hpp"

#include <algorithm>
#include <string>
#include <vector>

/// @file
/// What happens in a function, as far as deed is concerned.

namespace deed::check {

enum class event_kind {
  call,       // of a function with words, or of one that may be looked into
  use,        // a token of `object` is made
  assign,     // `object` = `result_value`
  bind,       // `object`, a reference member, stands for `other`
  move,       // `object` is moved into `other`, which may be unknown
  swap,       // `object` and `other` change places
  scope_end,  // `object` ends
  access,     // memory of `object` is read or written
  leave,      // return or throw
  hand_back,  // after inlining: `object`, or `result_value`, is returned and becomes `other`; of a
              // value that no object takes, `name_at` is the call
};

/// What an access, or the passing of an argument, may do with memory.
enum class effect { none, read, write, read_write, grow, address, unknown };

/// One argument of a call, or the object that it is called on.
struct operand {
  noun kind = noun::none;
  path where;  // the object itself, or the datum of a token
  mode access = mode::none;
  value_ref value;       // of an owner, tag, peer, rank, value, plain number or extents; of a token
                         // of a list, its length
  path storage;          // what the argument keeps a reference to
  bool partial = false;  // and only to a piece of it
  bool moved = false;    // given away with `std::move`
  bool by_value = false;
  bool view = false;        // it reaches memory of others, and the receiver keeps it
  bool of_options = false;  // a field in the braces of the options
  bool resizes = false;     // a container of the session, which takes the length of what arrives
  int parameter = -1;       // which parameter it is
  std::string type;         // of a handle: what it holds
  std::string name;         // of a codelet: its text; of an option: the field; of an operation of
                            // the standard library: `minus`
  std::string callable;     // of a function or lambda: its USR
  std::string address;      // of a value: the member of its type that holds an address
  int codelet = -1;         // number in program::codelets
  model words;              // of the call that made the argument: `behind(gate)`, `opens(gate)`
  effect use = effect::none;
  span at;
};

/// What the type of a registered datum is to a message.
struct held_layout {
  std::int64_t bytes = 0, padding = 0;
  std::string address;  // the member that holds one
  span address_at;
};

struct event {
  event_kind kind = event_kind::call;
  span at;               // the whole expression
  span name_at;          // the name in it that a message points to
  std::string name;      // of the callee, as the user wrote it: "wait"
  std::string function;  // the callee's USR: what its body is found by
  model words;
  operand receiver;  // what a member function is called on
  std::vector<operand> arguments;
  path result;  // the variable that the result initialises, or a temporary; leave: whose memory
                // a view reaches that is returned
  noun result_kind = noun::none;
  std::string result_type;
  path object, other;
  span object_at;          // where the object's name stands
  value_ref result_value;  // assign, leave
  effect use = effect::none;
  bool thrown = false;         // leave
  bool anew = false;           // assign: `object` is there already, and another one from now on
  bool keeps_view = false;     // assign: what `object` becomes reaches memory of others; call: the
                               // receiver keeps views that it is given
  bool gives_up = false;       // hand_back: `object` is the callee's own, and ends with it
  bool standard = false;       // the callee is of the standard library
  bool ends_process = false;   // the callee does not return
  bool keeps_state = false;    // the callee remembers between calls
  bool starts_thread = false;  // the callee runs what it is given on another thread
  bool ends_block = false;     // scope_end: of a block within the function
  held_layout layout;          // of a registration
  int depth = 0;               // how many calls deep it was found, after inlining
  span called_from;            // the outermost call that led here
};

/// Whether a call has an argument of this kind.
[[nodiscard]] inline bool takes(const event& call, noun kind) {
  return std::ranges::any_of(call.arguments, [&](const operand& o) { return o.kind == kind; });
}

/// Whether it is with a communicator of some ranks, or of one: others need not hear of it.
[[nodiscard]] inline bool with_other_communicator(const event& call) {
  return std::ranges::any_of(call.arguments, [](const operand& o) {
    return o.kind == noun::session && o.name == "other";
  });
}

/// Whether others need not make the call: it is of a communicator of some ranks, or of a group.
[[nodiscard]] inline bool is_of_some_ranks(const event& call) {
  return takes(call, noun::within) || with_other_communicator(call);
}

/// Whether what is received comes from one rank, the same for all who receive it: what that has
/// said to all by messages is no different from a broadcast.
[[nodiscard]] inline bool is_from_one_rank(const event& call) {
  return call.words.has(verb::posts, "receive") &&
         std::ranges::any_of(call.arguments, [](const operand& o) {
           return o.kind == noun::peer && o.value && o.value->what == value::kind::constant;
         });
}

/// Whether a collective leaves the same on all ranks in what it writes.
[[nodiscard]] inline bool agrees(const event& call) {
  const word* step = call.words.find(verb::step);
  return step && (step->operand == "all_gather" || step->operand == "all_reduce" ||
                  step->operand == "broadcast");
}

}  // namespace deed::check
