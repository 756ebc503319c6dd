// SPDX-License-Identifier: MIT
#pragma once

#include "flow/event.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Functions as graphs of blocks of events, and the program that they make.

namespace deed::check {

/// Why control splits at the end of a block.
enum class split { none, branch, loop, other };

struct block {
  std::vector<event> events;
  value_ref condition;  // of a branch or loop
  span condition_at;
  split how = split::none;
  std::vector<int> successors;  // of a branch or loop: where it holds first; -1: never taken
  std::string unordered;        // of a loop over a container without an order: its type
  bool ends_job = false;        // after inlining: ends with a throw that nobody here catches, or
                                // leaves the process as failed
};

struct function {
  std::string usr;
  std::string name;
  span at;
  std::vector<variable_id> parameters;
  variable_id self = 0;    // `this`
  variable_id result = 0;  // what it returns, if that is an object
  std::vector<block> blocks;
  int entry = 0, exit = 0;
  bool body_of_lambda = false;
  bool in_root = true;  // findings in it are reported
  bool address_taken = false;
};

struct variable {
  std::string name;
  span at;
  noun kind = noun::none;
  noun optional = noun::none;  // of a `std::optional`: what it may hold
  std::string type;            // of a handle: what it holds; else as the user wrote it
  bool parameter = false;
  bool reference = false;
  bool constant = false;    // its value cannot change
  bool global = false;      // namespace scope
  bool persistent = false;  // a static local, or thread_local
  bool guarded = false;     // atomic, a mutex, or thread_local
  bool used = false;
  bool view = false;  // a span, tile or pointer: a copy reaches the same memory
  bool ends_with_scope = false;
  bool unsteady = false;  // changes where no event says so
  std::string each;       // of the iterator of a range-based loop: what the loop calls an element
};

/// A class that is saved and loaded by two functions: its members in the order of each.
struct archived {
  using members = std::vector<std::pair<std::string, span>>;
  std::string name;
  members saved, loaded;
};

/// A task body with its contract.
struct codelet {
  std::string name;
  span at, name_at;
  std::vector<std::string> bodies;  // USRs
};

struct program {
  file_table files;
  std::vector<variable> variables{1};
  std::map<std::pair<std::string, span>, variable_id> globals;  // by name and place
  std::map<std::string, std::unique_ptr<function>> functions;   // by USR
  std::vector<codelet> codelets;
  std::vector<archived> archives;

  /// What a unit defines, also what others define as well.
  struct share {
    std::vector<function*> functions;
    std::vector<int> codelets;
  };
  std::vector<share> units;
  std::map<std::string, std::set<const function*>> several;  // of one USR, besides the first

  [[nodiscard]] const variable& var(variable_id id) const { return variables[id]; }
  [[nodiscard]] const function* find(const std::string& usr) const {
    const auto it = functions.find(usr);
    return it == functions.end() ? nullptr : it->second.get();
  }
  variable_id add(variable v) {
    variables.push_back(std::move(v));
    return static_cast<variable_id>(variables.size() - 1);
  }
  /// The global that another unit met before, or one more variable.
  variable_id meet(variable v) {
    if (!v.global) return add(std::move(v));
    const auto [known, first] = globals.try_emplace({v.name, v.at}, 0);
    if (first) known->second = add(std::move(v));
    return known->second;
  }
};

/// The path as the user would write it: `now(i, j)`.
[[nodiscard]] std::string spelling(const program& all, const path& p);
/// "a.b", and "a->b" of `*a`.
[[nodiscard]] std::string member_spelling(const std::string& object, const std::string& member);
[[nodiscard]] std::string spelling(const program& all, const value_ref& v);

}  // namespace deed::check
