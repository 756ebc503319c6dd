// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// @file
/// Bugs that are built in on purpose, to see that the tests find them: `DEED_PLANTED_BUGS=ON`, in a
/// build for that alone. Without it every `planted(…)` is a constant false, and nothing is left.

namespace deed {

enum class planted_bug : std::uint8_t {
  none,
  lost_invalidation,
  holder_before_arrival,
  tie_to_the_highest,
  read_twice_counts_twice,
  placement_ignored,
  version_off_by_one,
  write_back_skipped,
  pruned_write_forgotten,
  borrowed_write_forgotten,
  fetch_forgets_the_last,
  dropped_read_after_write,
  dropped_write_after_read,
  dropped_write_after_write,
  ready_task_lost,
  tags_swapped,
  message_order_lost,
  unpack_skipped,
  send_buffer_freed_early,
  tag_history_forgotten,
  datum_freed_early,
  borrow_granted_early,
  wait_returns_early,
  last_chunk_dropped,
  stale_version_matched,
  collective_forgets_a_child,
  quiescence_at_first_sight,
  migration_keeps_the_owner,
  holder_kept_after_flush,
  copy_ended_early,
  next_iteration_early,
};

inline constexpr std::array<std::string_view, 31> planted_bug_names{
    "none",
    "lost_invalidation",
    "holder_before_arrival",
    "tie_to_the_highest",
    "read_twice_counts_twice",
    "placement_ignored",
    "version_off_by_one",
    "write_back_skipped",
    "pruned_write_forgotten",
    "borrowed_write_forgotten",
    "fetch_forgets_the_last",
    "dropped_read_after_write",
    "dropped_write_after_read",
    "dropped_write_after_write",
    "ready_task_lost",
    "tags_swapped",
    "message_order_lost",
    "unpack_skipped",
    "send_buffer_freed_early",
    "tag_history_forgotten",
    "datum_freed_early",
    "borrow_granted_early",
    "wait_returns_early",
    "last_chunk_dropped",
    "stale_version_matched",
    "collective_forgets_a_child",
    "quiescence_at_first_sight",
    "migration_keeps_the_owner",
    "holder_kept_after_flush",
    "copy_ended_early",
    "next_iteration_early",
};

#ifdef DEED_PLANTED_BUGS
/// The bug that is in. Set before the first session; a test build's only global.
inline planted_bug planted_now = planted_bug::none;
[[nodiscard]] inline bool planted(planted_bug which) noexcept { return planted_now == which; }
#else
[[nodiscard]] constexpr bool planted(planted_bug) noexcept { return false; }
#endif

}  // namespace deed
