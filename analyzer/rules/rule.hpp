// SPDX-License-Identifier: MIT
#pragma once

#include "flow/effects.hpp"
#include "flow/function.hpp"
#include "flow/messages.hpp"
#include "flow/ranks.hpp"
#include "flow/sequence.hpp"
#include "flow/state.hpp"
#include "flow/taint.hpp"
#include "report/diagnostic.hpp"

#include <functional>
#include <string_view>
#include <vector>

/// @file
/// A rule turns what the solvers found into diagnostics. One rule per file; none sees Clang.

namespace deed::check {

using sink = std::function<void(diagnostic)>;

/// One event of a function, and what is known before it.
struct moment {
  const program& all;
  const function& in;
  const event& now;
  const state& before;
};

/// A function with the calls in it opened up.
struct whole_function {
  const program& all;
  const function& own;       // as written
  const function& opened;    // with the bodies of its callees
  const control& decisions;  // of `opened`
  const taint& ranks;        // its values
};

/// What 2 to 4 ranks do in a function that can be run, compared; by number of ranks.
struct across_ranks {
  const program& all;
  const function& own;
  const rank_runs& runs;
  std::map<int, matching> messages;
  std::map<int, std::vector<disagreement>> steps, tasks;
};

/// A codelet with what one of its bodies does.
struct codelet_view {
  const program& all;
  const codelet& what;
  const function& body;
  const body_effects& does;
};

/// A codelet where a task is made of it: which token feeds which parameter.
struct insertion {
  const codelet_view& codelet;
  const event& call;
  std::vector<std::pair<const operand*, const parameter_effects*>> fed;
};

/// What a rule looks at; what it does not need stays empty.
struct rule {
  int code = 0;
  const char* title = "";  // one line for --list-checks
  const char* explanation = "";
  void (*at_event)(const moment&, const sink&) = nullptr;
  void (*at_function)(const whole_function&, const sink&) = nullptr;
  void (*across)(const across_ranks&, const sink&) = nullptr;
  void (*at_codelet)(const codelet_view&, const sink&) = nullptr;
  void (*at_insertion)(const insertion&, const sink&) = nullptr;
  void (*at_program)(const program&, const sink&) = nullptr;
};

[[nodiscard]] const std::vector<const rule*>& all_rules();

/// Runs every rule over every function. One diagnostic for each code, cause and primary place, in
/// the order of the places; report/grouping.hpp has what makes one of several places.
[[nodiscard]] std::vector<diagnostic> run_rules(const program& all);

// Words that several rules use.
[[nodiscard]] std::string name_of(const moment& m, const path& p);
[[nodiscard]] severity certainty(const fact& f);
[[nodiscard]] diagnostic found(int code, severity how, const moment& m, std::string headline,
                               label primary);
/// "`bump`", or "this task" where the codelet has no name.
[[nodiscard]] std::string task_name(const event& insertion);
/// Where the token of `datum` stands in the call; the call itself if it has none.
[[nodiscard]] span token_at(const event& call, const std::string& datum);
/// The same, also of the element that a loop is at.
[[nodiscard]] span token_at(const event& call, const path& datum);
/// Whether a registration keeps a piece of a container, and not all of it.
[[nodiscard]] bool keeps_a_piece(const event& registration);
/// Where a global's memory is made a datum; null if it is none.
[[nodiscard]] const event* registration_of(const program& all, variable_id memory);

}  // namespace deed::check
