// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/options.hpp>
#include <deed/transport/fault_plan.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// What a user may set from outside: each setting is a variable `DEED_X` and an option `--deed-x`.

namespace deed::runtime {

enum class world_kind : std::uint8_t { automatic, threads, simulated };

struct settings {
  world_kind world = world_kind::automatic;
  int ranks = 4;
  std::uint64_t seed = 1;
  transport::fault_plan faults{};  // Of virtual ranks.
  session_options session;
  bool help = false;
  bool progress = false;
  std::vector<std::string> rest;  // The program's own arguments.
};

/// Reads the environment, then the command line.
/// @throws deed::error D007 for a setting that does not exist or has no such value.
[[nodiscard]] settings read_settings(int argc, char** argv, char** environment);

/// One line per setting: name, type, default, sentence.
[[nodiscard]] std::string describe_settings();

}  // namespace deed::runtime
