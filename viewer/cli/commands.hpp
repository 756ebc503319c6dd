// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What the commands of deed-trace take: one list for the check of a command line and for its
/// help.

namespace deed::viewer {

/// Which part of a run a command can look at: the whole alone, a range and ranks, or any query.
enum class part_taken : std::uint8_t { whole, range_and_ranks, any };

struct command {
  std::string_view name;
  std::string_view words;     ///< "RUN [HANDLE]".
  std::string_view does;      ///< A line.
  std::string_view options;   ///< Of its own: "[--rule NAME --list-rules]".
  std::string_view examples;  ///< A line each, without the name of the program.
  part_taken part = part_taken::whole;
  bool asks = true;  ///< Its answer is a text; the others make or change a run.
};

[[nodiscard]] std::span<const command> commands();
/// Null: there is none of this name.
[[nodiscard]] const command* find_command(std::string_view name);
/// How many words may follow the name of the command.
[[nodiscard]] std::size_t most_words(const command& of);
/// Whether the command does something with `--option`.
[[nodiscard]] bool takes(const command& of, std::string_view option);
/// Of its own.
[[nodiscard]] std::vector<std::string> own_options(const command& of);

/// What `deed-trace --help` and `deed-trace COMMAND --help` print.
[[nodiscard]] std::string usage();
[[nodiscard]] std::string usage_of(const command& of);

}  // namespace deed::viewer
