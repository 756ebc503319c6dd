// SPDX-License-Identifier: MIT
#pragma once

#include "generate.hpp"
#include "worlds.hpp"

#include <chrono>
#include <cstdint>
#include <string>

/// @file
/// Many programs after each other; the first that fails is shrunk and printed.

namespace oracle {

struct campaign {
  world where = world::simulated;
  range from{};
  std::uint64_t first = 1;  ///< The seed of the first program.
  std::uint64_t programs = 100;
  std::chrono::seconds patience{20};  ///< For one program.
  bool twice = false;                 ///< Each program runs twice and must give the same events.
};

/// Reads `--first=N --programs=N --most-tasks=N --ranks=A-B --plan=FILE --show=SEED
/// --reproducer=SEED` into `wanted`, runs, and returns what `main` returns.
int run_campaign(int argc, char** argv, campaign wanted);

}  // namespace oracle
