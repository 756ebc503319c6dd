// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// @file
/// New runs from recorded ones. No event is invented or changed, but that a slice begins with
/// records of the state of the data.

namespace deed::viewer {

/// What `repair` did, or would do: a sentence for each file.
struct repairs {
  std::vector<std::string> done;
  std::vector<std::string> left;  ///< What is wrong and cannot be mended.
  bool unwritten = false;         ///< Something of it for want of a place to write.
  /// What lies in shared memory of this machine and is no part of the run's folder; it is as it
  /// was.
  std::vector<std::string> elsewhere;
  std::uint64_t files = 0;
};
/// What `repair` did to a run before, one line each: it makes what was lost look as if it had never
/// been.
[[nodiscard]] std::vector<std::string> repaired_before(const std::string& path);
/// Whether one of these lines is about a rank.
[[nodiscard]] bool is_repaired(const std::vector<std::string>& before, int rank);
/// A copy of some ranks of a run says what was repaired of them, too; what it says it says once.
/// @throws unwritable
void copy_repairs(const std::string& from, const std::string& to, const std::set<int>& ranks);

/// Makes a run valid for any CTF reader: packets that were cut off are filled up behind their last
/// whole event, what is no packet is cut off, prepared packets that hold nothing are dropped, and
/// files that were not ready go.
/// @throws unreadable if there is no run.
repairs repair(const std::string& path, bool dry_run);

/// What packing did, in bytes.
struct packing {
  std::uint64_t files = 0, before = 0, after = 0;
};

/// Each stream of a run becomes FILE.zst, which `deed-trace` and `deed-view` read as it is; the
/// original goes when the packed one was unpacked again and is the same. With `keep` it stays
/// beside it, and is what is read. @throws unreadable, unwritable
packing pack(const std::string& run, int level, bool keep = false);
/// The exact files again. @throws unreadable if one is damaged; it stays. @throws unwritable
packing unpack_run(const std::string& run);

/// What `collect` did, by the numbers of ranks.
struct collected {
  std::set<int> copied;  ///< Or what had been left of them in shared memory.
  std::set<int> there;   ///< All of it, before.
  /// By folder: it has other files of them than those that are there, which stay.
  std::map<std::string, std::set<int>> differ;
};
/// Ranks that several folders hold, of one run, in one folder: ranks that are there already stay.
/// What a rank that was killed left in shared memory comes with it, from below `root`; also of one
/// that is there already.
/// @throws unreadable if a folder holds another run, or none. @throws unwritable.
collected collect(const std::string& run, const std::vector<std::string>& from,
                  const std::string& root = "");

/// What a slice keeps; definitions are kept whole.
struct slice_options {
  std::optional<time_range> range;
  std::set<int> ranks;  ///< Empty: all.
};

/// When the first error or fatal signal was recorded.
[[nodiscard]] std::optional<std::int64_t> first_error(const run& of);
/// The time of about `events` events around a moment: nine tenths of them before it.
[[nodiscard]] time_range around(const run& of, std::int64_t when, std::uint64_t events);

/// A run of its own that holds the chosen events, byte by byte as they were. A range also has what
/// is needed to answer as the whole run does: the tasks, transfers, waits and borrows that began
/// before it and go on, who wrote each datum last, and where its copies were.
/// Returns how many events it has. @throws unwritable, also if `to` is there already.
std::uint64_t slice(const run& from, const std::string& to, const slice_options& wanted);

}  // namespace deed::viewer
