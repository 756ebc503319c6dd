// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// From keys to places in a table that holds the keys.

namespace deed::viewer {

/// A hash table with open addressing, of numbers below 2^32 - 1. Whoever asks says which number has
/// the key: so a key is kept once, in the table that the numbers are places of.
/// Cost: 8 / 0.3 to 0.6 bytes per number.
class number_index {
 public:
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  /// The number of a key, by its hash; `fresh` if there is none yet. True if it is new.
  std::pair<std::uint32_t, bool> add(std::size_t hash, std::uint32_t fresh,
                                     const std::predicate<std::uint32_t> auto& has_key) {
    if (10 * (size_ + 1) > 6 * slots_.size()) grow();
    slot& at = slots_[place_of(hash, has_key)];
    if (at.number != absent) return {at.number, false};
    at = {static_cast<std::uint32_t>(hash), fresh};
    ++size_;
    return {fresh, true};
  }
  /// `absent` if there is none.
  [[nodiscard]] std::uint32_t find(std::size_t hash,
                                   const std::predicate<std::uint32_t> auto& has_key) const {
    return slots_.empty() ? absent : slots_[place_of(hash, has_key)].number;
  }

 private:
  struct slot {
    std::uint32_t hash = 0;  // The lower half: enough to find a slot, and most often the key.
    std::uint32_t number = absent;
  };

  [[nodiscard]] std::size_t home_of(std::size_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t place_of(std::size_t hash,
                                     const std::predicate<std::uint32_t> auto& has_key) const {
    const auto known = static_cast<std::uint32_t>(hash);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = home_of(hash);; i = (i + 1) & mask) {
      const slot& at = slots_[i];
      if (at.number == absent || (at.hash == known && has_key(at.number))) return i;
    }
  }
  void grow() {
    std::vector<slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    const auto none_is_equal = [](std::uint32_t) { return false; };
    for (const slot& each : old)
      if (each.number != absent) slots_[place_of(each.hash, none_is_equal)] = each;
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace deed::viewer
