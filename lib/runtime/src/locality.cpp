// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <algorithm>

/// @file
/// Tasks go to the thread that wrote their data last, where that pays.

namespace deed::runtime {
namespace {

/// What the thread of a seat has of some data: what is written counts twice, as its lines have to
/// come and to be asked back from others, and what is read and written counts both ways.
int share_of(std::uint16_t keeper, std::span<const node_access> accesses) noexcept {
  int share = 0;
  for (const node_access& each : accesses) {
    if (each.datum().keeper.load(std::memory_order_relaxed) != keeper) continue;
    share += (each.writes() ? 2 : 0) + (each.reads() ? 1 : 0);
  }
  return share;
}

}  // namespace

/// To fetch it from another core takes longer than to fetch a task.
bool core::is_large(const replica& one) const noexcept {
  constexpr std::uint64_t many_bytes = 1024;
  return one.bytes >= many_bytes || environment_.by_data;
}

/// The seat of the thread that has most of what a task needs; `self`'s, where no other has more.
/// Cost: a load, for a codelet of which that is not known to pay.
std::uint16_t core::seat_for(const context& self, const node& ready) const noexcept {
  constexpr std::size_t few = 8;  // Of its data: enough to tell.
  if (ready.kind != node_kind::task) return self.seat;
  const auto& task = static_cast<const task_node&>(ready);
  if (!task.codelet->where_written.pays() && !environment_.by_data) return self.seat;
  if (task.urgency != 0) return self.seat;
  const auto accesses = task.accesses().first(std::min<std::size_t>(few, task.access_count));
  auto best = static_cast<std::uint16_t>(self.seat + 1);
  int most = share_of(best, accesses);
  for (const node_access& each : accesses) {
    const std::uint16_t keeper = each.datum().keeper.load(std::memory_order_relaxed);
    if (keeper == 0 || keeper == best) continue;
    const int share = share_of(keeper, accesses);
    if (share > most) {
      best = keeper;
      most = share;
    }
  }
  return static_cast<std::uint16_t>(best - 1);
}

/// Of the large data that a task is about to write.
written_by core::last_writer(const context& self,
                             std::span<const node_access> accesses) const noexcept {
  auto found = written_by::nobody;
  for (const node_access& each : accesses) {
    if (!each.writes()) continue;
    const std::uint16_t keeper = each.datum().keeper.load(std::memory_order_relaxed);
    if (keeper == 0) continue;
    if (keeper != self.seat + 1) return written_by::another_thread;
    found = written_by::this_thread;
  }
  return found;
}

/// Its line stays where it is read, as long as that is true already.
void core::note_writer(const context& self, std::span<const node_access> accesses) const noexcept {
  if (!team_->several() || devices_ != nullptr) return;
  const auto keeper = static_cast<std::uint16_t>(self.seat + 1);
  for (const node_access& each : accesses) {
    replica& written = each.datum();
    if (!each.writes() || !written.large) continue;
    if (written.keeper.load(std::memory_order_relaxed) != keeper)
      written.keeper.store(keeper, std::memory_order_relaxed);
  }
}

}  // namespace deed::runtime
