// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Tasks of two runs, or of a part of them, found again by name: the first version that a task
/// writes, which no other task writes. One that writes nothing goes by its codelet and what it
/// uses; of several such, the first is the first, and so on. Data go by name, for their numbers may
/// differ.

namespace deed::viewer {

class same_tasks {
 public:
  /// Cost: sorts the names of all tasks of both runs.
  same_tasks(const model& a, const model& b, const part_of_both& part = {});

  /// The same task in the other run; `none` if it is not there, or not in the part.
  [[nodiscard]] std::uint32_t in_b(std::uint32_t task_of_a) const { return in_b_[task_of_a]; }
  [[nodiscard]] std::uint32_t in_a(std::uint32_t task_of_b) const { return in_a_[task_of_b]; }
  /// Whether it is in the part, here or there.
  [[nodiscard]] bool has_a(std::uint32_t task_of_a) const { return has_a_[task_of_a]; }
  [[nodiscard]] bool has_b(std::uint32_t task_of_b) const { return has_b_[task_of_b]; }
  [[nodiscard]] std::uint64_t both() const { return both_; }
  [[nodiscard]] std::uint64_t only_a() const { return only_a_; }
  [[nodiscard]] std::uint64_t only_b() const { return only_b_; }

 private:
  std::vector<std::uint32_t> in_b_, in_a_;
  std::vector<bool> has_a_, has_b_;
  std::uint64_t both_ = 0, only_a_ = 0, only_b_ = 0;
};

/// "gemm"; "task" where it was not recorded.
[[nodiscard]] std::string codelet_of(const model& of, const task& t);
/// What a task writes first, "A[3,2] v4"; empty if nothing.
[[nodiscard]] std::string written_by(const model& of, const task& t);

/// What a task did otherwise in the second run.
struct task_difference {
  std::uint32_t a = none;
  std::uint32_t b = none;
  std::string what;  ///< "rank 0 / rank 2; A[1,0] v2 / v1".
};
/// In the order of submission of the first run.
[[nodiscard]] std::vector<task_difference> differing_tasks(const model& a, const model& b,
                                                           const same_tasks& same);
/// The tasks whose time changed most, at most `limit`; the biggest change first.
[[nodiscard]] std::vector<task_difference> changed_times(const model& a, const model& b,
                                                         const same_tasks& same, std::size_t limit);

}  // namespace deed::viewer
