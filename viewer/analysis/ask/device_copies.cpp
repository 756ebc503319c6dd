// SPDX-License-Identifier: MIT
#include "analysis/ask/device_copies.hpp"

#include "analysis/ask/device_work.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <iterator>

namespace deed::viewer {

device_copies::device_copies(const model& of) {
  const run& r = of.events();
  if (!has_devices(r)) return;
  for (std::uint32_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::copy_end) continue;
    const event e = r.events()[i];
    const int rank = r.rank_of(e);
    all_.push_back({.handle = r.get32(e, field::handle),
                    .version = r.get32(e, field::version),
                    .to = {rank, r.get(e, field::dst)},
                    .from = {rank, r.get(e, field::src)},
                    .end = r.moment(e, field::t_end),
                    .begin = r.moment(e, field::t_begin),
                    .event = i});
  }
  std::ranges::sort(all_, {}, [](const device_copy& each) {
    return std::tuple(each.handle, each.version, each.to, each.end, each.event);
  });
}

const device_copy* device_copies::last(std::uint32_t handle, std::uint32_t version,
                                       memory_of_rank to, std::int64_t until) const {
  const auto behind = std::ranges::upper_bound(
      all_, std::tuple(handle, version, to, until), {}, [](const device_copy& each) {
        return std::tuple(each.handle, each.version, each.to, each.end);
      });
  if (behind == all_.begin()) return nullptr;
  const device_copy& found = *std::prev(behind);
  return found.what() == std::tuple(handle, version, to) ? &found : nullptr;
}

std::string say_copy(const model& of, std::uint32_t event_index) {
  const run& r = of.events();
  const event e = r.events()[event_index];
  const auto at = [&](field which) { return say_memory(r, {r.rank_of(e), r.get(e, which)}); };
  return version_name(of, r.get32(e, field::handle), r.get32(e, field::version)) + " from " +
         at(field::src) + " to " + at(field::dst) + ", " + say_bytes(r.get(e, field::bytes));
}

}  // namespace deed::viewer
