// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// @file
/// What programs did by themselves: between which of their calls.

namespace deed::viewer {

/// Time of the program of a rank between two lines that call for something, each time it went from
/// one to the other.
struct time_between_calls {
  int rank = 0;
  std::uint32_t from = none;  ///< The line of the call before; none: the first is behind it.
  std::uint32_t to = none;    ///< None: the last is before it.
  const phase_span* phase = nullptr;  ///< In which it lies, the innermost; null: in none.
  bool in_one = true;                 ///< In others of the name, too.
  std::uint64_t times = 0;
  std::int64_t time = 0;
};

/// The calls of programs of which the line is recorded, rank by rank.
///
/// Keeps: a reference to the model.
/// Cost: a pass over the events to make; 16 bytes for each call.
class program_calls {
 public:
  explicit program_calls(const model& of);
  /// Most time first. Of each rank its times; one that is there twice counts twice.
  [[nodiscard]] std::vector<time_between_calls> between(
      const std::map<int, std::vector<time_range>>& when) const;
  /// Of a time, what lies between two calls that are far apart: a call of deed takes microseconds,
  /// so that the program did something else.
  [[nodiscard]] std::int64_t between_far_calls(int rank, time_range when) const;
  /// "between heat.cpp:40 and heat.cpp:47, in step 3".
  [[nodiscard]] std::string say(const time_between_calls& of) const;
  /// The same, most time first; `most` rows at most.
  [[nodiscard]] table say_all(const std::string& title, const std::vector<time_between_calls>& all,
                              std::size_t most) const;

 private:
  struct call {
    std::int64_t time = 0;
    std::uint32_t loc = none;
  };
  struct of_rank {
    std::uint32_t lane = none;
    std::vector<call> calls;           // In the order of time.
    std::vector<std::uint32_t> waits;  // Their lines, of those that have not ended.
  };

  [[nodiscard]] std::uint32_t line_of(const event& e, of_rank& mine) const;
  template <class Piece>
  void for_each_gap(const of_rank& mine, time_range when, Piece&& piece) const;
  [[nodiscard]] const phase_span* phase_at(std::uint32_t lane, std::int64_t moment) const;
  [[nodiscard]] std::string say_phase(const time_between_calls& of) const;

  const model& of_;
  std::map<int, of_rank> ranks_;
};

}  // namespace deed::viewer
