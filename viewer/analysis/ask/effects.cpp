// SPDX-License-Identifier: MIT
#include "analysis/ask/effects.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <tuple>

namespace deed::viewer {

effects::effects(const model& of, std::uint32_t handle) : of_(of), handle_(handle) {
  for (const std::uint32_t i : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[i];
    const std::int64_t asked = x.post_receive != never ? x.post_receive : x.begin();
    fetches_.push_back(
        {x.dst, asked, x.version, x.seq, x.done_receive, x.is(trace::transfer_reason::migrate)});
  }
  std::ranges::sort(fetches_, {}, [](const fetched& each) {
    return std::tuple(each.rank, each.asked, each.version, each.seq);
  });
  count_asked();
  find_moves();
  find_last_uses();
}

void effects::count_asked() {
  struct asked {
    std::int64_t time = never;
    std::ptrdiff_t count = 0;
  };
  std::map<int, asked> by_rank;
  const run& r = of_.events();
  const auto events = of_.events_of(handle_);
  for (std::size_t place = 0; place < events.size(); ++place) {
    const record what = r.events().what(events[place]);
    if (what != record::xfer_post && what != record::cache_drop) continue;
    const event e = r.events()[events[place]];
    asked& mine = by_rank[r.rank_of(e)];
    if (mine.time != e.time) mine = {e.time, 0};
    if (what == record::cache_drop && mine.count != 0) asked_then_[place] = mine.count;
    if (what == record::xfer_post && r.get(e, field::dir) == 1) ++mine.count;
  }
}

/// Each rank tells of all migrations, in the same order. The one that comes to each first does so
/// in this order, too.
void effects::find_moves() {
  using name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  const run& r = of_.events();
  std::map<name, std::size_t> known;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> told;
  std::vector<std::int64_t> here;
  for (const std::uint32_t index : of_.events_of(handle_)) {
    if (r.events().what(index) != record::owner) continue;
    const event e = r.events()[index];
    if (static_cast<trace::owner_cause>(r.get(e, field::cause)) != trace::owner_cause::migrate_call)
      continue;
    owner_move move{r.get32(e, field::from), r.get32(e, field::to), r.get32(e, field::version)};
    const int rank = r.rank_of(e);
    const std::uint32_t times = told[{rank, move.version, move.from, move.to}]++;
    const auto [found, fresh] =
        known.try_emplace({move.version, move.from, move.to, times}, moves_.size());
    if (fresh) {
      move.asked = e.time;
      moves_.push_back(std::move(move));
      here.push_back(never);
    }
    owner_move& mine = moves_[found->second];
    mine.events.push_back(index);
    if (rank == teller(mine)) here[found->second] = e.time;
  }
  std::int64_t last = never;
  for (std::size_t i = 0; i < moves_.size(); ++i)
    moves_[i].time = last = std::max(last, done(moves_[i], here[i]));
}

/// The new owner, or of those that were recorded the old one.
int effects::teller(const owner_move& of) const {
  const auto& ranks = of_.events().ranks();
  for (const std::uint32_t each : {of.to, of.from})
    if (each < ranks.size() && ranks[each].present) return static_cast<int>(each);
  return of_.events().rank_of(of_.events().events()[of.events.front()]);
}

/// `told`: when the new owner came to the call.
std::int64_t effects::done(const owner_move& of, std::int64_t told) const {
  if (told == never) {
    // What it recorded at first may have been given up.
    if (of_.events().known_from() == 0) return after_all;
    told = of.asked;
  }
  std::int64_t time = told;
  if (const std::uint32_t writer = of_.writer(handle_, of.version); writer != none) {
    const std::int64_t written = of_.tasks()[writer].end;
    if (written == never) return after_all;
    time = std::max(time, written);
  }
  const int rank = static_cast<int>(of.to);
  const auto is_its = [&](auto each) {
    return each != fetches_.end() && each->rank == rank && each->version == of.version;
  };
  auto fetch = std::ranges::lower_bound(fetches_, std::tuple(rank, told), {}, [](auto& each) {
    return std::tuple(each.rank, each.asked);
  });
  if (!is_its(fetch) || !fetch->moves)
    fetch = fetch == fetches_.begin() ? fetches_.end() : std::prev(fetch);
  if (!is_its(fetch)) return time;
  return fetch->arrived == never ? after_all : std::max(time, fetch->arrived);
}

std::optional<copy_end> effects::of_drop(std::size_t place) const {
  const run& r = of_.events();
  const std::uint32_t index = of_.events_of(handle_)[place];
  const event e = r.events()[index];
  const int rank = r.rank_of(e);
  const std::uint32_t version = r.get32(e, field::version);
  const auto of_this = [&](auto each) {
    return each != fetches_.end() && each->rank == rank && each->version == version;
  };
  const auto now = std::ranges::equal_range(
      fetches_, std::tuple(rank, e.time), {},
      [](const fetched& each) { return std::tuple(each.rank, each.asked); });
  const auto then = asked_then_.find(place);
  const auto before = then == asked_then_.end() ? 0 : then->second;
  const auto next = now.begin() + std::min(before, std::ssize(now));
  const auto mine = next == fetches_.begin() ? fetches_.end() : std::prev(next);
  std::int64_t end = std::max(e.time, last_use(place, rank, version));
  if (of_this(mine)) end = std::max(end, mine->arrived);
  if (of_this(next) && next->arrived != never && next->arrived <= end) return {};
  return copy_end{index, static_cast<std::uint32_t>(rank), version, end};
}

/// `until`: never, if it has not ended.
void effects::use(int rank, std::int64_t until) {
  if (static_cast<std::size_t>(rank) >= last_use_.size()) return;
  std::int64_t& last = last_use_[static_cast<std::size_t>(rank)];
  last = std::max(last, until == never ? after_all : until);
}

/// A message has the sender's name for the datum: its receiver's is in the record alone.
void effects::find_last_uses() {
  const run& r = of_.events();
  const auto events = of_.events_of(handle_);
  const auto ends = [&](std::uint32_t i) {
    return r.events().what(i) == record::handle_unregister;
  };
  if (std::ranges::none_of(events | std::views::reverse, ends)) return;
  last_use_.assign(static_cast<std::size_t>(of_.ranks()), never);
  for (const std::uint32_t i : events) {
    const record what = r.events().what(i);
    if (what != record::task_access && what != record::xfer_post) continue;
    const event e = r.events()[i];
    const int rank = r.rank_of(e);
    if (what == record::task_access) {
      if (const std::uint32_t task = of_.find_task(rank, r.get(e, field::task)); task != none)
        use(rank, of_.tasks()[task].end);
    } else if (is_message(r.get(e, field::reason)) && r.get(e, field::dir) != 0) {
      const std::uint32_t message = of_.message_of(e);
      use(rank, message == none ? never : of_.transfers()[message].done_receive);
    }
  }
  for (const std::uint32_t i : of_.transfers_of(handle_)) {
    const transfer& x = of_.transfers()[i];
    if (x.post_send != never || x.has_left()) use(x.src, x.done_send);
    if (!x.is_message() && (x.post_receive != never || x.has_left())) use(x.dst, x.done_receive);
  }
}

copy_end effects::of_unregister(std::size_t place) const {
  const run& r = of_.events();
  const std::uint32_t index = of_.events_of(handle_)[place];
  const event end = r.events()[index];
  const int rank = r.rank_of(end);
  return {index, static_cast<std::uint32_t>(rank), none,
          std::max(end.time, last_use_[static_cast<std::size_t>(rank)])};
}

/// Of the tasks before the drop: the thread that submits them is the one that drops.
std::int64_t effects::last_use(std::size_t place, int rank, std::uint32_t version) const {
  const run& r = of_.events();
  const auto events = of_.events_of(handle_);
  std::int64_t last = never;
  while (place-- != 0) {
    const record what = r.events().what(events[place]);
    if (what != record::task_access && what != record::cache_drop) continue;
    const event e = r.events()[events[place]];
    if (r.rank_of(e) != rank) continue;
    if (what == record::cache_drop) break;  // That ended the copy before this one.
    const bool makes_it = r.get32(e, field::ver_out) == version;
    const bool had_another = r.get32(e, field::ver_in) != version;
    if (had_another && !makes_it) break;
    if (const std::uint32_t task = of_.find_task(rank, r.get(e, field::task)); task != none) {
      const std::int64_t end = of_.tasks()[task].end;
      if (end == never) return after_all;
      last = std::max(last, end);
    }
    if (had_another) break;
  }
  return last;
}

}  // namespace deed::viewer
