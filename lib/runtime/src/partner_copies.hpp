// SPDX-License-Identifier: MIT
#pragma once

#include "checkpoint_store.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Copies of ranks' checkpoint files on other ranks, so that a machine may be lost with its disk.

namespace deed::runtime {

class core;

/// Which rank keeps the copies of each rank: one of another machine, unless a machine has more than
/// half of all ranks. Every rank keeps those of one.
[[nodiscard]] std::vector<std::uint32_t> partners_of(std::span<const int> machines);

/// A rank's part in moving files; an empty path: it gives or takes none.
struct file_passage {
  int to;
  std::string given;
  int from;
  std::string folder, taken;
};
/// Gives one file to a rank, and writes the one that another gives. Where there is no file to give,
/// none is written there. Both ends come to an end also if one of them cannot go on.
/// @return why this end failed, or nothing.
[[nodiscard]] std::string pass_file(core& home, disk& on, const file_passage& mine);

/// Commits the manifest at the rank that keeps the copies of the first, before the first does.
/// All ranks may call it, or those two. @return at the first: why it failed, or nothing.
[[nodiscard]] std::string commit_copy(core& home, disk& on, std::string_view folder,
                                      std::uint64_t generation, std::string_view text, int keeper);

}  // namespace deed::runtime
