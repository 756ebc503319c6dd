// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/state_at.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// In which memories of a rank a datum lies: of the host, and of devices.

namespace deed::viewer {

/// In which of its memories the thread or device of a lane works.
[[nodiscard]] memory_of_rank memory_of(const run& of, std::uint32_t lane);
/// "rank 1 host", "rank 1 gpu0": as the lanes of the timeline are called.
[[nodiscard]] std::string say_memory(const run& of, const memory_of_rank& which);

struct memory_copy {
  std::uint32_t version = 0;
  std::int64_t since = 0;
};

/// Where the versions of one datum lie, from the start of the run on; goes forward only. Nobody
/// records it: it follows from where writers ran, from copies and from memory that is given back.
///
/// Keeps: a reference to the model.
/// Cost: O(n log n), n the events and writes of this datum.
class memory_walk {
 public:
  memory_walk() = default;  ///< Nowhere.
  memory_walk(const model& of, std::uint32_t handle);
  /// To `when`, which is not before the last one.
  void advance(std::int64_t when);
  [[nodiscard]] const std::map<memory_of_rank, memory_copy>& copies() const noexcept {
    return copies_;
  }
  /// Whether a device of the rank has one now.
  [[nodiscard]] bool is_on_device_of(int rank) const;
  /// Those of devices that have one at some time.
  [[nodiscard]] std::vector<memory_of_rank> devices() const;
  /// When something changes, in order.
  [[nodiscard]] std::vector<std::int64_t> times() const;

 private:
  struct change {
    std::int64_t time = 0;
    memory_of_rank where;
    std::uint32_t version = none;  // What comes, if nothing newer is there.
    bool goes = false;             // That version, and what is older; with none, any.
  };
  void add_records(const model& of, std::uint32_t handle);
  void add_writes(const model& of, std::uint32_t handle);

  std::vector<change> changes_;  // By time.
  std::size_t next_ = 0;
  std::map<memory_of_rank, memory_copy> copies_;
};

/// Nowhere, at no cost, where no rank has a device: each has one memory then.
[[nodiscard]] memory_walk memories_beside_devices(const model& of, std::uint32_t handle);

/// What such a copy is, by what its rank has.
[[nodiscard]] copy_at copy_in(const datum_state& of, const memory_of_rank& where,
                              const memory_copy& has);

/// Of ranks that have it on a device, or of one: the memories with a valid copy, or with a stale
/// one, "rank 1 gpu0, since 3 ms; rank 1 host (v2), since 1 ms". Empty: there is none.
[[nodiscard]] std::string say_memories(const run& of, const datum_state& state, copy_kind kind,
                                       const memory_walk& memories, std::optional<int> rank = {});

}  // namespace deed::viewer
