// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <string>

/// @file
/// In which phases of the program something happened.

namespace deed::viewer {

/// Of a thread behind an event, the innermost first: "exchange, in step 3"; empty: in none.
[[nodiscard]] std::string phases_of_thread(const model& of, std::uint32_t lane,
                                           std::uint32_t event);
/// Of the program of a rank, behind all that happened by a moment; of one that an error leaves
/// then, those that end with it, "step 3, or just left" where it may have come after them.
[[nodiscard]] std::string phases_of_program(const model& of, int rank, std::int64_t when);
/// Of the program that inserted a task, when it did: ", in step 3"; empty: in none.
[[nodiscard]] std::string in_phase_of_task(const model& of, std::uint32_t task);

/// Of all programs at a moment: "step 3, on ranks 0, 2; step 4, on rank 1", "step 3, on every
/// rank"; empty where none is in a phase then.
[[nodiscard]] std::string say_phases_at(const model& of, std::int64_t when);

}  // namespace deed::viewer
