// SPDX-License-Identifier: MIT
#include "analysis/lod/arrow_bundles.hpp"

#include <algorithm>

namespace deed::viewer {

arrow_bundles::arrow_bundles(const track& of, const model& in) : track_(&of), model_(&in) {
  for (const transfer& each : in.transfers())
    if (pairs_.empty() || pairs_.back() != std::pair(each.src, each.dst))
      pairs_.emplace_back(each.src, each.dst);
  std::ranges::sort(pairs_);
  const auto again = std::ranges::unique(pairs_);
  pairs_.erase(again.begin(), again.end());
  pairs_.shrink_to_fit();  // It had one for almost each transfer.
  if (of.empty()) return;
  auto& leaves = levels_.emplace_back();
  for (std::size_t i = 0; i < of.size(); i += leaf_size) {
    std::vector<arrow_bundle> all = nothing();
    add_spans(all, i, std::min(of.size(), i + leaf_size));
    leaves.push_back(sparse(all));
  }
  while (levels_.back().size() > fan_out) {
    std::vector<sums> above;
    const std::vector<sums>& below = levels_.back();
    for (std::size_t i = 0; i < below.size(); i += fan_out) {
      std::vector<arrow_bundle> all = nothing();
      for (std::size_t k = i; k < std::min(below.size(), i + fan_out); ++k)
        for (const sum& each : below[k]) {
          all[each.pair].messages += each.messages;
          all[each.pair].bytes += each.bytes;
        }
      above.push_back(sparse(all));
    }
    levels_.push_back(std::move(above));
  }
}

std::vector<arrow_bundle> arrow_bundles::nothing() const {
  std::vector<arrow_bundle> all;
  all.reserve(pairs_.size());
  for (const auto& [src, dst] : pairs_) all.push_back({src, dst});
  return all;
}

std::vector<arrow_bundle> arrow_bundles::known(std::vector<arrow_bundle> all) {
  std::erase_if(all, [](const arrow_bundle& each) { return each.messages == 0; });
  return all;
}

arrow_bundles::sums arrow_bundles::sparse(const std::vector<arrow_bundle>& all) {
  sums found;
  const auto has_any = [](const arrow_bundle& each) { return each.messages != 0; };
  found.reserve(static_cast<std::size_t>(std::ranges::count_if(all, has_any)));
  for (std::uint32_t pair = 0; pair < all.size(); ++pair)
    if (has_any(all[pair]))
      found.push_back({pair, static_cast<std::uint32_t>(all[pair].messages), all[pair].bytes});
  return found;
}

void arrow_bundles::add_transfer(std::vector<arrow_bundle>& to, std::uint32_t transfer) const {
  const auto& x = model_->transfers()[transfer];
  const auto pair = std::ranges::lower_bound(pairs_, std::pair(x.src, x.dst)) - pairs_.begin();
  arrow_bundle& mine = to[static_cast<std::size_t>(pair)];
  ++mine.messages;
  mine.bytes += x.bytes;
}

void arrow_bundles::add_spans(std::vector<arrow_bundle>& to, std::size_t first,
                              std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) add_transfer(to, track_->span(i).ref);
}

std::vector<arrow_bundle> arrow_bundles::of(std::size_t first, std::size_t last) const {
  std::vector<arrow_bundle> all = nothing();
  while (first < last) {
    // The largest node that begins here and ends in time.
    std::size_t size = 1, level = 0;
    for (std::size_t next = leaf_size;
         level < levels_.size() && first % next == 0 && first + next <= last; next *= fan_out) {
      size = next;
      ++level;
    }
    if (level == 0)
      add_spans(all, first, first + 1);
    else
      for (const sum& each : levels_[level - 1][first / size]) {
        all[each.pair].messages += each.messages;
        all[each.pair].bytes += each.bytes;
      }
    first += size;
  }
  return known(std::move(all));
}

std::vector<arrow_bundle> arrow_bundles::of(std::span<const std::uint32_t> transfers) const {
  std::vector<arrow_bundle> all = nothing();
  for (const std::uint32_t each : transfers) add_transfer(all, each);
  return known(std::move(all));
}

}  // namespace deed::viewer
