// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// From keys to several places each.

namespace deed::viewer {

/// Numbers under keys: first all are added, then they are sorted once. What has one key keeps its
/// order.
/// Cost: 12 bytes per number; a look-up is O(log numbers).
class grouped {
 public:
  void add(std::uint64_t key, std::uint32_t number) { added_.push_back({key, number}); }
  void sort() {
    std::stable_sort(added_.begin(), added_.end(),
                     [](const entry& a, const entry& b) { return a.key < b.key; });
    keys_.reserve(added_.size());
    numbers_.reserve(added_.size());
    for (const entry& each : added_) {
      keys_.push_back(each.key);
      numbers_.push_back(each.number);
    }
    added_ = {};
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint64_t key) const {
    const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), key);
    return std::span(numbers_).subspan(static_cast<std::size_t>(first - keys_.begin()),
                                       static_cast<std::size_t>(last - first));
  }

 private:
  struct entry {
    std::uint64_t key;
    std::uint32_t number;
  };
  std::vector<entry> added_;
  std::vector<std::uint64_t> keys_;  // Apart from the numbers: a search looks at nothing else.
  std::vector<std::uint32_t> numbers_;
};

}  // namespace deed::viewer
