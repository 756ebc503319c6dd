// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/device_copy.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

/// @file
/// Which copy brought a version to a memory of a rank, and what is copied at a time.

namespace deed::viewer {

/// Cost: sorts the copies of a run.
class copies_of_versions {
 public:
  explicit copies_of_versions(const model& of);
  /// The last one that had ended by a moment; null: there was none.
  [[nodiscard]] const device_copy* last(std::uint32_t handle, std::uint32_t version,
                                        memory_of_rank to, std::int64_t until) const;

 private:
  std::vector<device_copy> all_;  // By what and where to, then by their end.
};

/// Cost: as `copies_of_versions`; a search looks at the copies of a datum that meet its time, and
/// at those between them.
class copies_of_data {
 public:
  explicit copies_of_data(const model& of);
  /// That goes on in this time, on this rank; null: there is none.
  [[nodiscard]] const device_copy* longest(std::uint32_t handle, int rank,
                                           const time_range& during) const;

 private:
  std::vector<device_copy> all_;     // By datum and rank, then by their begin.
  std::vector<std::int64_t> until_;  // Of each: the last end of those of its datum up to it.
};

/// "a[3,1] v3 from rank 1 gpu0 to rank 1 host, 2.1 MB".
[[nodiscard]] std::string say_copy(const model& of, std::uint32_t event);

}  // namespace deed::viewer
