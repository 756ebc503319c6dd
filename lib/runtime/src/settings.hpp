// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/options.hpp>
#include <deed/transport/fault_plan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What a user may set from outside: each setting is a variable `DEED_X` and an option `--deed-x`.

namespace deed::runtime {

class value_log;

enum class world_kind : std::uint8_t { automatic, threads, simulated };

/// A setting that somebody gave, in its table's spelling.
struct given_setting {
  std::string_view name;
  std::string value;
  std::string origin;  ///< "environment", "--deed-window", "rank 0".
};

struct settings {
  world_kind world = world_kind::automatic;
  int ranks = 4;
  std::uint64_t seed = 1;
  transport::fault_plan faults{};  // Of virtual ranks.
  int dry_ranks = 0;               // 0: no dry run.
  int dry_shown = -1;              // The rank that is told in detail; -1: none.
  session_options session;
  std::uint64_t every = 1;  // Epochs between checkpoints, where DEED_CHECKPOINT names none.
  std::vector<value_log>* values = nullptr;  // Of each rank, where the run is compared.
  bool help = false;
  std::optional<bool> progress;      // Empty: if somebody looks.
  std::vector<std::string> rest;     // The program's own arguments.
  std::vector<given_setting> given;  // Each name once, in the order of the table.
  std::vector<std::string> aside;    // "DEED_DRY=1": given, and of no effect here.
};

/// Over what the code says, the environment; over that, the command line.
/// @throws deed::error D007 for a setting that does not exist or has no such value.
[[nodiscard]] settings read_settings(int argc, char** argv, char** environment,
                                     const session_options& code = {});
/// Of a session that the program makes itself: what concerns the whole run is left aside.
[[nodiscard]] settings read_session_settings(char** environment, const session_options& code);

/// A line for each that was given, "window=8"; the same on ranks that were started alike.
[[nodiscard]] std::string text_of(const settings& all);
/// The settings that `text` tells of, over what the code says: how a rank adopts those of rank 0.
[[nodiscard]] settings adopt_settings(const settings& mine, std::string_view text,
                                      const session_options& code);
/// "DEED_WINDOW=8 there, 4096 on rank 0", of each that differs; between them `; `.
[[nodiscard]] std::string settings_difference(std::string_view first, std::string_view other);

/// `DEED_HELP=1`: name, type, default, value and its origin, sentence.
[[nodiscard]] std::string describe_settings(const settings& now, const session_options& code = {});
/// The manual's page, docs/settings.md.
[[nodiscard]] std::string settings_page();

}  // namespace deed::runtime
