// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// @file
/// What failed in two runs, and the tasks that one of them alone has.

namespace deed::viewer {

/// What ended a run, or a part of it.
struct failure {
  std::uint32_t event = none;  ///< An error or a signal; none: the end of its task alone tells.
  std::uint32_t task = none;   ///< In which it happened, where that is known.
};
/// Those of a run, or of a part of it.
class failures {
 public:
  failures(const model& of, const run_part& part);
  /// In time order, and behind them tasks whose bodies threw without an error that says so.
  [[nodiscard]] const std::vector<failure>& all() const { return all_; }
  /// The first one in a task; null: none is known there.
  [[nodiscard]] const failure* in_task(std::uint32_t task) const;
  /// The task that threw before any error was recorded, where none names it: under
  /// `on_exception::propagate` the error is of the `wait()` that throws it on; `none`: no such one.
  [[nodiscard]] std::uint32_t first_thrown(const model& of) const;

 private:
  void add(failure each);

  std::vector<failure> all_;
  std::unordered_map<std::uint32_t, std::size_t> of_tasks_;
};
/// "the second run failed at 12.3 ms, in gemm#5 on rank 1, which writes A[3,2] v4: rank 1 reports
/// deed[D404] …": of the first of them. Empty: there is none.
[[nodiscard]] std::string say_failed(const char* which, const model& of, const failures& failed,
                                     bool with_time);
/// Whether the same failed in both, at whatever time.
[[nodiscard]] bool failed_alike(const model& a, const failures& of_a, const model& b,
                                const failures& of_b);

/// "ended", "not begun", or the error that ended it.
[[nodiscard]] std::string how_it_ended(const model& of, std::uint32_t task, const failures& failed);

/// Tasks of one of two runs that the other has not: those that failed first, the others as they
/// were submitted.
[[nodiscard]] std::vector<std::uint32_t> only_in_a(const model& a, const same_tasks& same,
                                                   const failures& failed);
[[nodiscard]] std::vector<std::uint32_t> only_in_b(const model& b, const same_tasks& same,
                                                   const failures& failed);
/// "in the second run only: gemm#5 on rank 1, which writes A[3,2] v4, and 2 tasks more".
[[nodiscard]] std::string say_alone(const char* which, const model& of,
                                    const std::vector<std::uint32_t>& tasks);
/// Adds a row for each of them, at most a hundred; how many are left out stands in the last.
void add_alone(table& into, const char* which, const model& of,
               const std::vector<std::uint32_t>& tasks, const failures& failed);

}  // namespace deed::viewer
