// SPDX-License-Identifier: MIT
#include "analysis/ask/copy_ends.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace deed::viewer {

copy_ends::copy_ends(const model& of, std::uint32_t handle) : of_(of), handle_(handle) {
  for (const std::uint32_t i : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[i];
    const std::int64_t asked = x.post_receive != never ? x.post_receive : x.begin();
    fetches_.push_back({x.dst, asked, x.version, x.done_receive});
  }
  std::ranges::sort(fetches_, {}, [](const fetched& each) {
    return std::tuple(each.rank, each.asked, each.version);
  });
}

std::optional<copy_end> copy_ends::of_drop(std::size_t place) const {
  const run& r = of_.events();
  const std::uint32_t index = of_.events_of(handle_)[place];
  const event e = r.events()[index];
  const int rank = r.rank_of(e);
  const std::uint32_t version = r.get32(e, field::version);
  const auto of_this = [&](auto each) {
    return each != fetches_.end() && each->rank == rank && each->version == version;
  };
  const auto next =
      std::ranges::upper_bound(fetches_, std::tuple(rank, e.time), {},
                               [](auto& each) { return std::tuple(each.rank, each.asked); });
  const auto mine = next == fetches_.begin() ? fetches_.end() : std::prev(next);
  std::int64_t end = std::max(e.time, last_use(place, rank, version));
  if (of_this(mine)) end = std::max(end, mine->arrived);
  if (of_this(next) && next->arrived != never && next->arrived <= end) return {};
  return copy_end{index, static_cast<std::uint32_t>(rank), version, end};
}

/// Of the tasks before the drop: the thread that submits them is the one that drops.
std::int64_t copy_ends::last_use(std::size_t place, int rank, std::uint32_t version) const {
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
      if (end == never) return copy_end::after_all;
      last = std::max(last, end);
    }
    if (had_another) break;
  }
  return last;
}

}  // namespace deed::viewer
