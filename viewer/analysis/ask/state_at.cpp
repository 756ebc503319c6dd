// SPDX-License-Identifier: MIT
#include "analysis/ask/state_at.hpp"

#include <algorithm>

namespace deed::viewer {
namespace {

/// Whether `apply` looks at it. Of the records of a datum most are others, whose fields lie where
/// nobody has looked yet.
bool changes_state(record what) {
  switch (what) {
    case record::handle_register:
    case record::owner:
    case record::cache_insert:
    case record::copy_state:
    case record::xfer_done:
    case record::cache_drop:
    case record::borrow:
    case record::release:
      return true;
    default:
      return false;
  }
}

}  // namespace

datum_walk::datum_walk(const model& of, std::uint32_t handle)
    : of_(of), handle_(handle), copies_(static_cast<std::size_t>(of.ranks())) {}

void datum_walk::hold(std::uint64_t rank, std::uint32_t version) {
  if (rank < copies_.size()) copies_[rank] = {true, std::max(version, copies_[rank].version)};
}

void datum_walk::apply_writes(std::int64_t until) {
  const datum& about = of_.data()[handle_];
  for (; next_write_ < about.writes.size(); ++next_write_) {
    const access& a = of_.all_accesses()[about.writes[next_write_]];
    const task& t = of_.tasks()[a.task];
    if (t.end > until) return;
    hold(static_cast<std::uint64_t>(t.rank), a.ver_out);
    if (a.ver_out < state_.version) continue;
    state_.version = a.ver_out;
    state_.writer = a.task;
  }
}

void datum_walk::advance(std::int64_t when) {
  const run& r = of_.events();
  const auto events = of_.events_of(handle_);
  for (; next_event_ < events.size(); ++next_event_) {
    const event e = r.events()[events[next_event_]];
    if (e.time > when) break;
    if (!changes_state(e.what)) continue;
    apply_writes(e.time);
    apply(e);
  }
  apply_writes(when);
  now_ = when;
  follow_transfers();
}

void datum_walk::follow_transfers() {
  const auto& all = of_.transfers_of(handle_);  // By when they began.
  for (; next_transfer_ < all.size(); ++next_transfer_) {
    const transfer& x = of_.transfers()[all[next_transfer_]];
    // What was only asked for is not on its way: it may not have been written yet.
    if (x.start == never && x.done_receive == never) continue;
    if (x.begin() > now_) break;
    under_way_.push_back(all[next_transfer_]);
  }
  std::erase_if(under_way_, [&](std::uint32_t x) {
    const std::int64_t end = of_.transfers()[x].end();
    return end != never && end <= now_;
  });
}

void datum_walk::apply(const event& e) {
  const run& r = of_.events();
  const datum& about = of_.data()[handle_];
  const int rank = r.rank_of(e);
  const auto version = r.get32(e, field::version);
  switch (e.what) {
    case record::handle_register:
      if (state_.owner != none) break;
      state_.owner = about.home;
      hold(about.home, 0);
      break;
    case record::owner:
      state_.owner = r.get32(e, field::to);
      state_.version = std::max(state_.version, version);
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
        copies_[static_cast<std::size_t>(rank)] = {};
      }
      break;
    }
    case record::xfer_done:
      if (r.get(e, field::dir) == 1) hold(static_cast<std::uint64_t>(rank), version);
      break;
    case record::cache_drop:
      if (copies_[static_cast<std::size_t>(rank)].version <= version)
        copies_[static_cast<std::size_t>(rank)] = {};
      break;
    case record::borrow:
      state_.borrows.push_back({rank, static_cast<std::uint8_t>(r.get(e, field::kind)),
                                r.get(e, field::holder), r.get32(e, field::loc), e.time});
      break;
    case record::release: {
      const auto found =
          std::find_if(state_.borrows.begin(), state_.borrows.end(), [&](const auto& b) {
            return b.rank == rank && b.kind == r.get(e, field::kind) &&
                   b.holder == r.get(e, field::holder);
          });
      if (found != state_.borrows.end()) state_.borrows.erase(found);
      break;
    }
    default:
      break;
  }
}

datum_state datum_walk::state(bool in_flight) const {
  datum_state state = state_;
  state.copies.resize(copies_.size());
  for (std::size_t rank = 0; rank < copies_.size(); ++rank) {
    if (!copies_[rank].here) continue;
    const bool current = copies_[rank].version == state.version;
    state.copies[rank] = {!current              ? copy_kind::stale
                          : state.owner == rank ? copy_kind::owner
                                                : copy_kind::shared,
                          copies_[rank].version};
  }
  if (!in_flight) return state;
  state.in_flight = under_way_;
  for (const std::uint32_t x : under_way_) {
    const transfer& moved = of_.transfers()[x];
    const auto to = static_cast<std::size_t>(moved.dst);
    if (to < state.copies.size() && state.copies[to].kind <= copy_kind::stale)
      state.copies[to] = {copy_kind::pending, moved.version};
  }
  return state;
}

/// Of the whole run at once: otherwise each look at a later time than before would take long.
void datum_seeker::keep() {
  constexpr std::size_t apart = 256;  // Events between what is kept.
  const auto events = of_.events_of(handle_);
  datum_walk walk(of_, handle_);
  kept_.emplace_back(never, walk);
  for (std::size_t next = apart; next < events.size(); next = walk.seen() + apart) {
    const std::int64_t time = of_.events().events()[events[next]].time;
    walk.advance(time);
    kept_.emplace_back(time, walk);
  }
}

datum_state datum_seeker::at(std::int64_t when) {
  if (kept_.empty()) keep();
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(), when,
                       [](std::int64_t time, const auto& each) { return time < each.first; });
  datum_walk walk = after == kept_.begin() ? datum_walk(of_, handle_) : std::prev(after)->second;
  walk.advance(when);
  return walk.state();
}

datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when) {
  datum_walk walk(of, handle);
  walk.advance(when);
  return walk.state();
}

}  // namespace deed::viewer
