// SPDX-License-Identifier: MIT
#include "analysis/ask/device_copies.hpp"

#include "analysis/ask/datum_memories.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace deed::viewer {

namespace {

std::pair<std::uint32_t, int> datum_of(const device_copy& each) {
  return {each.handle, each.to.first};
}

}  // namespace

copies_of_versions::copies_of_versions(const model& of) : all_(of.device_copies()) {
  std::ranges::sort(all_, {}, [](const device_copy& each) {
    return std::tuple(each.handle, each.version, each.to, each.end, each.event);
  });
}

const device_copy* copies_of_versions::last(std::uint32_t handle, std::uint32_t version,
                                            memory_of_rank to, std::int64_t until) const {
  const auto behind = std::ranges::upper_bound(
      all_, std::tuple(handle, version, to, until), {}, [](const device_copy& each) {
        return std::tuple(each.handle, each.version, each.to, each.end);
      });
  if (behind == all_.begin()) return nullptr;
  const device_copy& found = *std::prev(behind);
  return found.what() == std::tuple(handle, version, to) ? &found : nullptr;
}

copies_of_data::copies_of_data(const model& of) : all_(of.device_copies()) {
  std::ranges::sort(all_, {}, [](const device_copy& each) {
    return std::tuple(datum_of(each), each.begin, each.event);
  });
  until_.reserve(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const bool is_first = i == 0 || datum_of(all_[i]) != datum_of(all_[i - 1]);
    until_.push_back(is_first ? all_[i].end : std::max(all_[i].end, until_.back()));
  }
}

const device_copy* copies_of_data::longest(std::uint32_t handle, int rank,
                                           const time_range& during) const {
  const auto mine = std::ranges::equal_range(all_, std::pair(handle, rank), {}, datum_of);
  const std::span until(until_.data() + (mine.begin() - all_.begin()), mine.size());
  const device_copy* found = nullptr;
  for (auto each = mine.begin() + (std::ranges::upper_bound(until, during.from) - until.begin());
       each != mine.end() && each->begin < during.to; ++each)
    if (each->end > during.from && each->took() > (found == nullptr ? 0 : found->took()))
      found = &*each;
  return found;
}

std::string say_copy(const model& of, std::uint32_t event_index) {
  const run& r = of.events();
  const event e = r.events()[event_index];
  const auto at = [&](field which) { return say_memory(r, {r.rank_of(e), r.get(e, which)}); };
  return version_name(of, r.get32(e, field::handle), r.get32(e, field::version)) + " from " +
         at(field::src) + " to " + at(field::dst) + ", " + say_bytes(r.get(e, field::bytes));
}

}  // namespace deed::viewer
