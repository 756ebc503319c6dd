// SPDX-License-Identifier: MIT
#pragma once

#include "flow/source.hpp"

#include <string>
#include <vector>

/// @file
/// One finding, before anybody prints it.

namespace deed::check {

/// error: on every path and for every number of ranks looked at. warning: on some path.
/// performance: slower than it need be. doubtful: a check that has not yet earned its place.
enum class severity { error, warning, performance, doubtful };

struct label {
  span at;
  std::string text;
};

/// A change to the program. Only `sure` ones are for a machine to apply.
struct edit {
  span at;
  std::string
      text;  // Empty: the statement at `at` goes. With a line break behind: one comes before.
  bool sure = false;
  std::string replaces{};  // What stands there; in a macro it is something else. Empty: anything.
  std::string last_use{};  // A name that must not be used behind it.
};

struct diagnostic {
  int code = 0;  // 306 for D306
  severity how = severity::error;
  std::string headline;  // without the code
  label primary;
  std::vector<label> secondary;
  std::vector<std::string> notes;
  std::string help;
  std::vector<edit> edits;
  span origin{};  // the cause, if it is not the primary place; see report/grouping.hpp
  std::vector<span>
      behind{};               // where ranks disagree before: told if what is found there is allowed
  int depth = 0;              // how many calls away from the function
  std::string function;       // USR of the function that it was found in
  std::string fingerprint{};  // see report/fingerprint.hpp
};

/// What the tool says of a code.
struct rule_text {
  int code = 0;
  std::string title, explanation;
};

[[nodiscard]] std::string code_name(int code);              // "D306"
[[nodiscard]] const char* severity_name(severity s);        // "error"
[[nodiscard]] std::string quoted(const std::string& name);  // `name`
[[nodiscard]] const span& cause_of(const diagnostic& d);

}  // namespace deed::check
