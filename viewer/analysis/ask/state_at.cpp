// SPDX-License-Identifier: MIT
#include "analysis/ask/state_at.hpp"

#include <algorithm>
#include <optional>

namespace deed::viewer {
namespace {

struct held {
  bool here = false;
  std::uint32_t version = 0;
};

}  // namespace

datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when) {
  const run& r = of.events();
  const datum& about = of.data()[handle];
  datum_state state;
  std::vector<held> copies(static_cast<std::size_t>(of.ranks()));
  const auto hold = [&](std::uint64_t rank, std::uint32_t version) {
    if (rank < copies.size()) copies[rank] = {true, std::max(version, copies[rank].version)};
  };

  std::size_t next_write = 0;
  const auto apply_writes = [&](std::int64_t until) {
    for (; next_write < about.writes.size(); ++next_write) {
      const access& a = of.all_accesses()[about.writes[next_write]];
      const task& t = of.tasks()[a.task];
      if (t.end > until) return;
      hold(static_cast<std::uint64_t>(t.rank), a.ver_out);
      if (a.ver_out < state.version) continue;
      state.version = a.ver_out;
      state.writer = a.task;
    }
  };

  for (const std::uint32_t index : about.events) {
    const event& e = r.events()[index];
    if (e.time > when) break;
    apply_writes(e.time);
    const int rank = r.rank_of(e);
    const auto version = r.get32(e, field::version);
    switch (e.what) {
      case record::handle_register:
        if (state.owner != none) break;
        state.owner = about.home;
        hold(about.home, 0);
        break;
      case record::owner:
        state.owner = r.get32(e, field::to);
        state.version = std::max(state.version, version);
        break;
      case record::cache_insert:
        hold(static_cast<std::uint64_t>(rank), version);
        break;
      case record::copy_state: {  // Of the host memory: what a flight recorder starts with.
        constexpr std::uint64_t shared = 1, owned = 2;
        const std::uint64_t copy = r.get(e, field::state);
        if (r.get(e, field::memnode) != 0) break;
        if (copy == shared || copy == owned) {
          hold(static_cast<std::uint64_t>(rank), version);
        } else if (copy == 0) {
          copies[static_cast<std::size_t>(rank)] = {};
        }
        break;
      }
      case record::xfer_done:
        if (r.get(e, field::dir) == 1) hold(static_cast<std::uint64_t>(rank), version);
        break;
      case record::cache_drop:
        if (copies[static_cast<std::size_t>(rank)].version <= version)
          copies[static_cast<std::size_t>(rank)] = {};
        break;
      case record::borrow:
        state.borrows.push_back({rank, static_cast<std::uint8_t>(r.get(e, field::kind)),
                                 r.get(e, field::holder), r.get32(e, field::loc), e.time});
        break;
      case record::release: {
        const auto found =
            std::find_if(state.borrows.begin(), state.borrows.end(), [&](const auto& b) {
              return b.rank == rank && b.kind == r.get(e, field::kind) &&
                     b.holder == r.get(e, field::holder);
            });
        if (found != state.borrows.end()) state.borrows.erase(found);
        break;
      }
      default:
        break;
    }
  }
  apply_writes(when);

  state.copies.resize(copies.size());
  for (std::size_t rank = 0; rank < copies.size(); ++rank) {
    if (!copies[rank].here) continue;
    const bool current = copies[rank].version == state.version;
    state.copies[rank] = {!current              ? copy_kind::stale
                          : state.owner == rank ? copy_kind::owner
                                                : copy_kind::shared,
                          copies[rank].version};
  }
  for (const std::uint32_t x : of.transfers_of(handle)) {
    const transfer& moved = of.transfers()[x];
    // What was only asked for is not on its way: it may not have been written yet.
    if (moved.start == never && moved.done_receive == never) continue;
    if (moved.begin() > when || (moved.end() != never && moved.end() <= when)) continue;
    state.in_flight.push_back(x);
    const auto to = static_cast<std::size_t>(moved.dst);
    if (to < state.copies.size() && state.copies[to].kind <= copy_kind::stale)
      state.copies[to] = {copy_kind::pending, moved.version};
  }
  return state;
}

}  // namespace deed::viewer
