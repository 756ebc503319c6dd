// SPDX-License-Identifier: MIT
#include "analysis/match/device_copy.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>

namespace deed::viewer {

std::vector<device_copy> find_device_copies(const run& of) {
  std::vector<device_copy> all;
  if (std::ranges::none_of(of.lanes(),
                           [](const lane& each) { return each.is(trace::stream_kind::gpu); }))
    return all;
  for (std::uint32_t i = 0; i < of.events().size(); ++i) {
    if (of.events().what(i) != record::copy_end) continue;
    const event e = of.events()[i];
    const int rank = of.rank_of(e);
    all.push_back({.lane = e.lane,
                   .event = i,
                   .handle = of.get32(e, field::handle),
                   .version = of.get32(e, field::version),
                   .to = {rank, of.get(e, field::dst)},
                   .from = {rank, of.get(e, field::src)},
                   .begin = of.moment(e, field::t_begin),
                   .end = of.moment(e, field::t_end),
                   .bytes = of.get(e, field::bytes)});
  }
  std::ranges::sort(all, {}, [](const device_copy& each) {
    return std::tuple(each.lane, each.begin, each.event);
  });
  return all;
}

}  // namespace deed::viewer
