// SPDX-License-Identifier: MIT
#pragma once

#include "exercise.hpp"
#include "machine.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// From what was seen to what is well, what is to be known, and what is wrong.

namespace deed::doctor {

enum class health : unsigned char { well, note, wrong };

struct finding {
  health how;
  std::string subject;
  std::string text;
  std::string help = "";
};

/// `ranks[r]` is what rank r sees.
[[nodiscard]] std::vector<finding> judge_machines(std::span<const machine_facts> ranks);
/// Of MPI, if this is a job of it, and of this build. Threads: one that may call MPI.
[[nodiscard]] std::vector<finding> judge_build();
/// `way`: `session::way_to_network`.
[[nodiscard]] finding judge_network(std::string_view way);
[[nodiscard]] std::vector<finding> judge_exercise(const exercise_result& result, int ranks);

/// "1 rank", "2 ranks"
[[nodiscard]] std::string count_of(std::size_t count, const char* what);

}  // namespace deed::doctor
