// SPDX-License-Identifier: MIT
#include <deed/ownership/ledger_excerpt.hpp>

#include <algorithm>

namespace deed::ownership {

ledger::excerpt::excerpt(const ledger& now)
    : preferred_(now.preferred_),
      slots_(now.slots()),
      free_(now.free_.size()),
      keeps_(now.keeps_) {}

void ledger::excerpt::keep(const ledger& now, slot datum) {
  if (datum < now.slots()) entries_.try_emplace(datum, now.entries_[datum]);
}

bool ledger::decides_as(const excerpt& before) const {
  const auto as_before = [&](const auto& kept) {
    entry now = entries_[kept.first];
    now.version = kept.second.version;
    return now == kept.second;
  };
  return slots() == before.slots_ && free_.size() == before.free_ && keeps_ == before.keeps_ &&
         !any_open() && !ends_copies() && preferred_ == before.preferred_ &&
         std::ranges::all_of(before.entries_, as_before);
}

void ledger::advance_since(const excerpt& before, std::uint64_t times) noexcept {
  for (const auto& [datum, was] : before.entries_) {
    std::uint32_t& version = entries_[datum].version;
    version += static_cast<std::uint32_t>((version - was.version) * times);
  }
}

}  // namespace deed::ownership
