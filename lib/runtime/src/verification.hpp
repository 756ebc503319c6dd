// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/registrar.hpp>
#include <deed/runtime/options.hpp>
#include <deed/runtime/task_description.hpp>

#include "leaks.hpp"
#include "message_ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

/// @file
/// What a session in verify mode keeps beside what every session does.

namespace deed::runtime {

struct known_codelet;

struct submitted_access {
  std::uint64_t tag = 0;
  std::uint32_t version = 0;  ///< That the task sees.
  access_mode mode = access_mode::read;
};

/// A call of `insert_task`, with all that ranks compare.
struct submission {
  const known_codelet* codelet = nullptr;
  place where;
  std::uint64_t number = 0;
  std::uint32_t executor = 0;
  bool alone = true;  ///< No other rank has to do with it.
  std::vector<submitted_access> accesses;
};

/// Threads: the submitter; others while it waits for them, but for the leaks.
class verification {
 public:
  explicit verification(const verify_options& wanted) : on(wanted) {}

  const verify_options on;
  std::deque<submission> submissions;  ///< By number, which only grows.
  message_ledger messages;
  leak_list leaks;

  /// What a task that all ranks run gets by value. @return a hash of it; 0 if that is nothing.
  [[nodiscard]] std::uint64_t keep_values(std::uint64_t step, const task_description& task);
  [[nodiscard]] std::vector<std::string> values_of(std::uint64_t step) const {
    const auto known = values_.find(step);
    return known == values_.end() ? std::vector<std::string>{} : known->second;
  }

  [[nodiscard]] const submission* find(std::uint64_t number) const noexcept {
    const auto at = std::ranges::lower_bound(submissions, number, {}, &submission::number);
    return at == submissions.end() || at->number != number ? nullptr : &*at;
  }
  /// Whether the place was not told of before.
  [[nodiscard]] bool first_time(place where) {
    const bool fresh = std::ranges::none_of(told_, [&](const place& known) {
      return known.line() == where.line() && known.file_name() == where.file_name();
    });
    if (fresh) told_.push_back(where);
    return fresh;
  }

 private:
  std::map<std::uint64_t, std::vector<std::string>> values_;  // By the number of the step.
  std::vector<place> told_;
};

}  // namespace deed::runtime
