// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/random.hpp>
#include <deed/ownership/ledger.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace deed::ownership {

namespace {

/// Which slots a task has named: those before are compared only where hashes meet.
class slots_met {
 public:
  /// Whether `datum` is one of those `before`, of which each was asked about in turn.
  bool again(slot datum, std::span<const request> before) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (datum * 0x9e37'79b9u >> 26);
    const bool maybe = (seen_ & bit) != 0;
    seen_ |= bit;
    return maybe && std::ranges::find(before, datum, &request::datum) != before.end();
  }

 private:
  std::uint64_t seen_ = 0;
};

}  // namespace

slot ledger::add(std::uint32_t owner, bool initialised, std::uint64_t bytes) {
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
  budget_.weigh(datum, bytes);
  return datum;
}

void ledger::remove(slot datum) {
  for (const std::uint32_t rank : entries_[datum].others.view()) budget_.forget({datum, rank});
  open_.erase(datum);
  preferred_.erase(datum);
  entries_[datum] = entry{};
  free_.push_back(datum);
  std::ranges::push_heap(free_, std::greater{});
}

void ledger::restore(slot datum, std::uint32_t owner, std::uint32_t version, bool initialised) {
  for (slot unused = slots(); unused < datum; ++unused) {
    free_.push_back(unused);
    std::ranges::push_heap(free_, std::greater{});
  }
  if (datum >= slots()) entries_.resize(datum + 1);
  if (!entries_[datum].live && std::erase(free_, datum) != 0)
    std::ranges::make_heap(free_, std::greater{});
  entry& known = entries_[datum];
  known = entry{};
  known.owner = owner;
  known.version = version;
  known.initialised = initialised;
  known.live = true;
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

std::uint32_t ledger::source_with_hints(slot datum) const noexcept {
  const entry& known = entries_[datum];
  const auto preferred = preferred_.find(datum);
  const bool there = preferred != preferred_.end() && known.others.contains(preferred->second);
  return there ? preferred->second : source_by_rule(known);
}

std::uint32_t ledger::holder_that_passes_on(const entry& known) noexcept {
  const std::span<const std::uint32_t> others = known.others.view();
  const std::size_t next = others.size() + 1;  // The place of whoever asks; the owner has place 0.
  // In a binomial tree place n hangs below n without its highest bit; place 4 relieves the owner,
  // unless place 3 did.
  const bool relieves = next == 4 && !known.passes_on_early;
  const std::size_t above = relieves ? 1 : next - std::bit_floor(next);
  return above == 0 ? known.owner : others[above - 1];
}

std::uint64_t ledger::room_for(std::uint32_t executor, std::span<const request> requests) const {
  if (!budget_.limited()) return 0;
  std::uint64_t sum = 0;
  for (const request& asked : requests) {
    const std::uint32_t owner = entries_[asked.datum].owner;
    const auto before = requests.first(static_cast<std::size_t>(&asked - requests.data()));
    const bool again = std::ranges::find(before, asked.datum, &request::datum) != before.end();
    if (asked.mode == access_mode::reduce) continue;  // A contribution is no copy.
    if (owner != executor && owner != everywhere && !again) sum += budget_.weight(asked.datum);
  }
  return sum;
}

void ledger::contribute(slot datum, std::uint32_t rank) {
  std::vector<std::uint32_t>& ranks = open_[datum];
  const auto at = std::ranges::lower_bound(ranks, rank);
  if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
}

void ledger::next_version(slot datum) {
  ++entries_[datum].version;
  entries_[datum].initialised = true;
  if (!preferred_.empty()) preferred_.erase(datum);
}

void ledger::end_copy(copy which, std::vector<copy>* ended) {
  entries_[which.datum].others.remove(which.rank);
  budget_.forget(which);
  if (ended != nullptr) ended->push_back(which);
}

/// A new version: the copies of all ranks `but` one are out of date.
void ledger::end_stale(slot datum, std::uint32_t but, ended_copies* ended) {
  entry& known = entries_[datum];
  if (ends_copies()) {
    for (const std::uint32_t rank : known.others.view()) {
      budget_.forget({datum, rank});
      if (ended != nullptr && rank != but) ended->after.push_back({datum, rank});
    }
  }
  if (!planted(planted_bug::lost_invalidation)) known.others.clear();
}

void ledger::make_room(std::uint32_t rank, std::span<const request> requests, ended_copies* ended) {
  std::uint64_t there = 0;
  const auto needed = [&](slot datum) {  // A contribution uses no copy.
    return std::ranges::any_of(requests, [&](const request& asked) {
      return asked.datum == datum && asked.mode != access_mode::reduce;
    });
  };
  for (const request& asked : requests) {
    const auto before = requests.first(static_cast<std::size_t>(&asked - requests.data()));
    const bool again = std::ranges::find(before, asked.datum, &request::datum) != before.end();
    if (asked.mode == access_mode::reduce) continue;
    if (!again && entries_[asked.datum].others.contains(rank)) there += budget_.weight(asked.datum);
  }
  std::vector<copy> chosen;
  budget_.choose(rank, room_for(rank, requests) - there, needed, chosen);
  for (const copy each : chosen) end_copy(each, ended == nullptr ? nullptr : &ended->before);
}

void ledger::run(std::uint32_t executor, std::span<const request> requests,
                 std::span<effect> effects, ended_copies* ended) {
  if (budget_.limited()) make_room(executor, requests, ended);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    // By reference, here and below: a copy is read as one word, and waits for the two writes.
    const auto& [datum, mode] = requests[i];
    entry& known = entries_[datum];
    const bool away = known.owner != executor && known.owner != everywhere;
    effect& result = effects[i];
    result = {known.owner, known.version, false, false, source(datum)};

    if (mode == access_mode::reduce) {
      contribute(datum, executor);
      continue;
    }
    if (reads(mode) && away) result.fetch = known.others.add(executor);
    if (planted(planted_bug::holder_before_arrival) && known.version % 8 == 7) result.fetch = false;
    if (writes(mode)) {
      next_version(datum);
      end_stale(datum, executor, ended);
      if (away) known.others.add(executor);
      result.write_back = away;
    }
    if (away) budget_.use({datum, executor});
  }
  if (keeps_) return;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!effects[i].fetch && !effects[i].write_back) continue;
    end_copy({requests[i].datum, executor}, ended == nullptr ? nullptr : &ended->after);
  }
}

std::uint32_t ledger::run_without(std::uint32_t rank, std::uint32_t executor,
                                  std::span<const request> requests) {
  if (ends_copies() || any_open() || !preferred_.empty()) return everywhere;
  const bool by_rule = executor == everywhere;
  slots_met met;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [datum, mode] = requests[i];
    const entry& known = entries_[datum];
    if (known.owner == rank || known.owner == everywhere || mode == access_mode::reduce ||
        (reads(mode) && !known.initialised) || met.again(datum, requests.first(i)))
      return everywhere;
    if (!known.others.empty() && source_by_rule(known) == rank) return everywhere;
    if (!by_rule || !writes(mode)) continue;
    if (executor != everywhere && executor != known.owner) return everywhere;
    executor = known.owner;
  }
  if (executor == rank || executor == everywhere) return everywhere;
  for (const auto& [datum, mode] : requests) {
    entry& known = entries_[datum];
    const bool away = known.owner != executor;
    if (reads(mode) && away) known.others.add(executor);
    if (!writes(mode)) continue;
    next_version(datum);
    if (!planted(planted_bug::lost_invalidation)) known.others.clear();  // Nobody has to be told.
    if (away) known.others.add(executor);
  }
  return executor;
}

bool ledger::involves(std::uint32_t rank, std::uint32_t executor,
                      const request& asked) const noexcept {
  const entry& known = entries_[asked.datum];
  if (known.owner == rank || known.owner == everywhere) return true;
  if (!reads(asked.mode)) return false;
  if (!known.initialised) return true;
  return source(asked.datum) == rank && known.owner != executor && !known.others.contains(executor);
}

void ledger::note(std::uint32_t executor, const request& asked) {
  entry& known = entries_[asked.datum];
  if (reads(asked.mode) && known.owner != executor) known.others.add(executor);
  if (!writes(asked.mode)) return;
  next_version(asked.datum);
  end_stale(asked.datum, executor, nullptr);
}

bool ledger::run_within(std::uint32_t rank, std::uint32_t executor,
                        std::span<const request> requests) {
  if (ends_copies() || any_open() || !preferred_.empty()) return false;
  if (executor != rank && executor != everywhere) return false;
  bool runs_here = executor == rank;
  slots_met met;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [datum, mode] = requests[i];
    const entry& known = entries_[datum];
    if (known.owner != rank || mode == access_mode::reduce || (reads(mode) && !known.initialised) ||
        met.again(datum, requests.first(i)))
      return false;
    if (writes(mode)) runs_here = true;
  }
  if (!runs_here) return false;
  for (const auto& [datum, mode] : requests) {
    if (!writes(mode)) continue;
    entry& known = entries_[datum];
    ++known.version;
    known.initialised = true;
    if (!planted(planted_bug::lost_invalidation)) known.others.clear();
  }
  return true;
}

std::optional<std::uint32_t> ledger::fetch(slot datum, std::uint32_t rank, ended_copies* ended) {
  entry& known = entries_[datum];
  if (known.owner == rank || known.owner == everywhere) return std::nullopt;
  const request wanted[] = {{datum, access_mode::read}};
  if (budget_.limited()) make_room(rank, wanted, ended);
  const std::uint32_t sender = source(datum);
  const bool fresh = known.others.add(rank);
  budget_.use({datum, rank});
  return fresh ? std::optional(sender) : std::nullopt;
}

bool ledger::migrate(slot datum, std::uint32_t owner, ended_copies* ended) {
  entry& known = entries_[datum];
  if (known.owner == owner) return false;
  const std::uint32_t old = known.owner;
  const bool there = known.others.remove(owner);
  budget_.forget({datum, owner});
  if (!planted(planted_bug::migration_keeps_the_owner)) known.owner = owner;
  if (!known.initialised) return false;
  const request left[] = {{datum, access_mode::read}};
  if (keeps_ && room_for(old, left) <= budget_.bytes()) {
    if (budget_.limited()) make_room(old, left, ended);
    known.others.add(old);
    budget_.use({datum, old});
  } else if (ended != nullptr) {
    ended->after.push_back({datum, old});
  }
  return !there;
}

void ledger::flush(slot datum, ended_copies* ended) {
  entry& known = entries_[datum];
  for (const std::uint32_t rank : known.others.view()) {
    budget_.forget({datum, rank});
    if (ended != nullptr) ended->after.push_back({datum, rank});
  }
  if (planted(planted_bug::holder_kept_after_flush)) return;
  known.others.clear();
}

void ledger::flush_all(ended_copies* ended) {
  for (slot datum = 0; datum < entries_.size(); ++datum) flush(datum, ended);
}

void ledger::write(slot datum, ended_copies* ended) {
  next_version(datum);
  end_stale(datum, everywhere, ended);
}

std::vector<slot> ledger::open_reductions() const {
  std::vector<slot> all;
  for (const auto& [datum, _] : open_) all.push_back(datum);
  return all;
}

void ledger::close(slot datum, ended_copies* ended) {
  open_.erase(datum);
  write(datum, ended);
}

void ledger::keep_copies(bool on, ended_copies* ended) {
  keeps_ = on;
  if (!on) flush_all(ended);
}

std::uint64_t ledger::digest_of(slot datum) const noexcept {
  const entry& known = entries_[datum];
  if (!known.live) return 0;
  std::uint64_t hash = mix(datum, known.owner);
  if (known.owner == everywhere) return hash;  // Every rank counts its own writes.
  hash = mix(hash, known.version);
  for (const std::uint32_t rank : known.others.view()) hash = mix(hash, rank);
  return hash;
}

std::uint64_t ledger::digest() const noexcept {
  std::uint64_t sum = 0;
  for (slot datum = 0; datum < slots(); ++datum) sum += digest_of(datum);
  return sum;
}

std::uint64_t ledger::private_digest(slot datum, std::uint32_t version) noexcept {
  return mix(mix(datum, version), 1);
}

std::uint64_t ledger::own_digest() const noexcept {
  std::uint64_t sum = digest();
  for (slot datum = 0; datum < slots(); ++datum) {
    const entry& known = entries_[datum];
    if (known.live && known.owner == everywhere) sum += private_digest(datum, known.version);
  }
  return sum;
}

}  // namespace deed::ownership
