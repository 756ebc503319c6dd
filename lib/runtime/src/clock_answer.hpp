// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

/// @file
/// What a rank knows of another one's clock.

namespace deed::runtime {

/// To a rank whose clock is asked for, and back with what it said.
struct clock_reading {
  std::uint64_t number = 0;  ///< Of the question.
  std::uint64_t stamp = 0;   ///< Of the answering rank's recorder.
};

/// The questions of one rank. Threads: the program's asks; any thread brings an answer.
struct clock_answer {
  std::uint64_t asked = 0;
  std::uint8_t measurement = 0;  ///< The last one stays at 255.
  std::chrono::nanoseconds last{};
  std::atomic<std::uint64_t> stamp{0};   ///< Of the last answer,
  std::atomic<std::uint64_t> number{0};  ///< and its question.
};

}  // namespace deed::runtime
