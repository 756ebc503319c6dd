// SPDX-License-Identifier: MIT
#include <deed/ownership/copy_budget.hpp>

namespace deed::ownership {

std::uint64_t copy_budget::held(std::uint32_t rank) const {
  const auto kept = ranks_.find(rank);
  return kept == ranks_.end() ? 0 : kept->second.bytes;
}

void copy_budget::weigh(slot datum, std::uint64_t bytes) {
  if (!limited()) return;
  if (datum >= weights_.size()) weights_.resize(datum + 1);
  weights_[datum] = bytes;
}

void copy_budget::use_limited(copy used) {
  shelf& kept = ranks_[used.rank];
  const auto [at, fresh] = kept.last_use.try_emplace(used.datum, uses_);
  if (fresh) {
    kept.bytes += weights_[used.datum];
  } else {
    kept.by_use.erase(at->second);
    at->second = uses_;
  }
  kept.by_use.emplace(uses_++, used.datum);
}

void copy_budget::forget_limited(copy gone) {
  const auto kept = ranks_.find(gone.rank);
  if (kept == ranks_.end()) return;
  shelf& from = kept->second;
  const auto at = from.last_use.find(gone.datum);
  if (at == from.last_use.end()) return;
  from.by_use.erase(at->second);
  from.last_use.erase(at);
  from.bytes -= weights_[gone.datum];
  if (from.by_use.empty()) ranks_.erase(kept);
}

void copy_budget::choose(std::uint32_t rank, std::uint64_t wanted,
                         const std::function<bool(slot)>& needed, std::vector<copy>& chosen) const {
  const auto kept = ranks_.find(rank);
  if (!limited() || kept == ranks_.end()) return;
  std::uint64_t left = kept->second.bytes;
  for (const auto& [_, datum] : kept->second.by_use) {
    if (left + wanted <= bytes_) return;
    if (needed(datum)) continue;
    left -= weights_[datum];
    chosen.push_back({datum, rank});
  }
}

}  // namespace deed::ownership
