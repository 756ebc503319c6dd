// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// What somebody wrote about a run: `notes.json` and `view.json` beside its ranks, which the
/// recorder never touches.

namespace deed::viewer {

struct note {
  std::int64_t time = 0;
  std::string text;
  friend bool operator==(const note&, const note&) = default;
};

/// Marks and pinned lanes of one run.
struct run_notes {
  std::vector<note> marks;          ///< In time order.
  std::vector<std::string> pinned;  ///< Lanes, "rank 0 w00".
  friend bool operator==(const run_notes&, const run_notes&) = default;
};

/// Empty where there are no notes, or files that are none.
[[nodiscard]] run_notes read_notes(const std::string& run);

/// Writes both files, each whole or not at all. False if the folder cannot be written.
[[nodiscard]] bool write_notes(const std::string& run, const run_notes& notes);

}  // namespace deed::viewer
