// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// What a slice has to know of the time before it, so that it answers as the whole run does.

namespace deed::viewer {

/// A copy that a rank had, or, without one, who owned the datum.
struct former_state {
  enum class kind : std::uint8_t { copy, owner };
  kind what = kind::copy;
  int rank = 0;  ///< That has the copy, or owned it.
  std::uint32_t handle = 0;
  std::uint32_t version = 0;
  std::uint32_t owner = 0;
};

struct slice_start {
  /// Of the events before it, those that are needed: what began and goes on, with what it is about,
  /// and who wrote last. In time order.
  std::vector<std::uint32_t> events;
  /// The data that were there, as far as that is known; of each datum its owner comes last.
  std::vector<former_state> states;
};

/// Of `[from, to]`. Cost: one pass over the events before, and the state of each datum.
[[nodiscard]] slice_start start_of_slice(const model& of, std::int64_t from, std::int64_t to);

/// The bytes of a record of such a state: where its fields are, and what lies before them.
struct made_event {
  std::vector<std::byte> bytes;
  std::size_t fields = 0;
};
/// Nothing where the stream has no such record. `time`: since the epoch; the stamp is no earlier
/// than `after`.
[[nodiscard]] made_event record_of(const former_state& state, const rank_layout& layout,
                                   std::uint64_t stream, std::int64_t time, std::uint64_t after);

}  // namespace deed::viewer
