// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// @file
/// What 1 to 4 ranks do when they run one function: the calls that each of them makes, with the
/// numbers in them. Where a rank meets what cannot be known, its list ends.

namespace deed::check {

/// A datum as one rank knows it. `name` is equal on all ranks for the same datum.
struct datum {
  std::string name;           // empty: not known which
  std::string registered_as;  // the registration, "#3", and the part of it
  std::optional<std::int64_t> owner;
  bool per_rank = false;
  const event* registration = nullptr;
  std::vector<std::optional<std::int64_t>> extents;  // numbers among the options
};

struct datum_use {
  const operand* token = nullptr;
  mode access = mode::none;
  datum what;
  std::vector<std::string> listed;  // of a token of a list: the names of the data in it
};

/// One modelled call on one rank.
struct occurrence {
  const event* call = nullptr;
  int block = -1;
  std::vector<datum_use> uses;
  std::optional<std::int64_t> owner, tag, message_tag, place;
  std::optional<std::int64_t> peer;                  // among all ranks
  std::vector<std::optional<std::int64_t>> extents;  // numbers among the options
  std::vector<std::optional<std::int64_t>> lengths;  // of the lists of data
  bool of_members = false;                           // of a group: others need not make it
  bool has_place = false;
  bool on_each = false;
  bool taken_back = false;  // perhaps: a request that the program cancels
  datum made;               // of a registration
  std::string request;      // the name of the request that it makes or waits for
};

/// Where a rank could not be followed further, or not all is known of what it does, and why.
struct stop {
  span at;
  const char* why = "";
  int block = -1;
};

struct rank_run {
  std::vector<occurrence> calls;
  std::vector<std::vector<datum_use>> skipped;  // what `relevant` recorded here, where it said no
  bool complete = false;                        // it reached the end
  bool guessed = false;           // a condition was open, and all ranks took the same way
  const event* left = nullptr;    // the return or throw that it ended with, if not the last line
  const event* thrown = nullptr;  // if it ended with a throw
  std::set<int> own_ways;         // blocks behind which ranks may go different ways
  int open = -1;                  // the branch where it ends, which this rank decides by itself
  stop gave_up;                   // the first reason why it is not complete; nowhere after a throw
};

struct rank_runs {
  std::map<int, std::vector<rank_run>> by_ranks;  // by number of ranks, from 1 to 4
  const control* decisions = nullptr;
  const function* opened = nullptr;

  [[nodiscard]] bool guessed() const;
};

/// Whether a function can be run on its own: it takes a session, perhaps the
/// arguments of the program, and nothing that could differ.
[[nodiscard]] bool is_closed(const program& all, const function& f);

/// Runs `opened`. `open_ways`: which way an open condition goes that is equal on all ranks.
[[nodiscard]] rank_runs run_on_ranks(const program& all, const function& opened,
                                     const control& decisions, bool open_ways);

/// Whether two ranks have to agree about this call, and it is worth looking at.
[[nodiscard]] bool matters_across_ranks(const event& e);

/// The ranks that own data of a task, or run it. Nothing where one is not known.
[[nodiscard]] std::optional<std::vector<int>> participants(const occurrence& task);
[[nodiscard]] std::optional<int> runner(const occurrence& task);

}  // namespace deed::check
