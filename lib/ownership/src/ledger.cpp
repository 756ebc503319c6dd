// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/random.hpp>
#include <deed/ownership/ledger.hpp>

#include <algorithm>
#include <utility>

namespace deed::ownership {

slot ledger::add(std::uint32_t owner, bool initialised) {
  slot datum;
  if (free_.empty()) {
    datum = static_cast<slot>(entries_.size());
    entries_.emplace_back();
  } else {
    std::ranges::pop_heap(free_, std::greater{});
    datum = free_.back();
    free_.pop_back();
  }
  entry& fresh = entries_[datum];
  fresh.owner = owner;
  fresh.initialised = initialised;
  fresh.live = true;
  return datum;
}

void ledger::remove(slot datum) {
  entries_[datum] = entry{};
  free_.push_back(datum);
  std::ranges::push_heap(free_, std::greater{});
}

bool ledger::concerns(std::uint32_t rank, std::span<const request> requests) const noexcept {
  return std::ranges::any_of(requests, [&](const request& asked) {
    const entry& known = entries_[asked.datum];
    return known.owner == rank || known.owner == everywhere || known.others.contains(rank);
  });
}

std::uint32_t ledger::writer_of(std::span<const request> requests) const noexcept {
  std::uint32_t found = everywhere;
  for (const request& asked : requests) {
    if (!writes(asked.mode)) continue;
    const std::uint32_t owner = entries_[asked.datum].owner;
    if (found != everywhere && found != owner) return everywhere;
    found = owner;
  }
  return found;
}

std::uint32_t ledger::most_bytes(std::span<const request> requests,
                                 const std::function<std::uint64_t(slot)>& bytes) const {
  // Tasks name few data: comparing all pairs of owners is cheaper than a table of ranks.
  std::uint32_t best = everywhere;
  std::uint64_t most = 0;
  for (const request& candidate : requests) {
    const std::uint32_t owner = entries_[candidate.datum].owner;
    std::uint64_t sum = 0;
    for (const request& asked : requests) {
      // Who reads a datum twice names it before.
      const auto before = requests.first(static_cast<std::size_t>(&asked - requests.data()));
      if (!reads(asked.mode) || entries_[asked.datum].owner != owner) continue;
      const bool again = std::ranges::find(before, asked.datum, &request::datum) != before.end();
      if (!again || planted(planted_bug::read_twice_counts_twice)) sum += bytes(asked.datum);
    }
    if (best == everywhere || sum > most ||
        (sum == most && (planted(planted_bug::tie_to_the_highest) ? owner > best : owner < best))) {
      best = owner;
      most = sum;
    }
  }
  return best;
}

void ledger::run(std::uint32_t executor, std::span<const request> requests,
                 std::span<effect> effects) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    entry& known = entries_[requests[i].datum];
    const access_mode mode = requests[i].mode;
    const bool away = known.owner != executor && known.owner != everywhere;
    effect& result = effects[i];
    result = {known.owner, known.version, false, false};

    if (reads(mode) && away) result.fetch = known.others.add(executor);
    if (planted(planted_bug::holder_before_arrival) && known.version % 8 == 7) result.fetch = false;
    if (!writes(mode)) continue;
    ++known.version;
    known.initialised = true;
    if (!planted(planted_bug::lost_invalidation)) known.others.clear();
    if (away) known.others.add(executor);
    result.write_back = away;
  }
}

bool ledger::fetch(slot datum, std::uint32_t rank) {
  entry& known = entries_[datum];
  return known.owner != rank && known.owner != everywhere && known.others.add(rank);
}

bool ledger::migrate(slot datum, std::uint32_t owner) {
  entry& known = entries_[datum];
  if (known.owner == owner) return false;
  const bool there = known.others.remove(owner);
  if (known.initialised) known.others.add(known.owner);
  known.owner = owner;
  return known.initialised && !there;
}

void ledger::write(slot datum) {
  entry& known = entries_[datum];
  ++known.version;
  known.initialised = true;
  known.others.clear();
}

std::uint64_t ledger::digest() const noexcept {
  std::uint64_t hash = ranks_;
  for (const entry& known : entries_) {
    if (!known.live) continue;
    hash = mix(hash, (std::uint64_t{known.owner} << 32) | known.version);
    for (const std::uint32_t rank : known.others.view()) hash = mix(hash, rank);
  }
  return hash;
}

}  // namespace deed::ownership
