// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/// @file
/// Where the record of a tile is found.

namespace deed::runtime {

/// A hash table of records by their `tile`, a number below `count`, which only grows.
///
/// Threads: `find` is for any; who adds does so one at a time.
/// Cost: `find`: O(1), three loads and no lock. A pointer for each of at least twice as many
/// records as there are, or for each of `count`.
template <class Record>
class tile_index {
 public:
  explicit tile_index(std::size_t count) noexcept : count_(count) {}
  /// Room for so many, before the first is added or found.
  void reserve(std::size_t records) { grow(2 * records); }
  /// Null: it was not added.
  [[nodiscard]] Record* find(std::size_t k) const noexcept {
    const table& now = *table_.load(std::memory_order_acquire);
    for (std::size_t at = now.first_place(k);; at = (at + 1) & now.mask) {
      // Acquire: pairs with the release in `add`; the record is whole.
      Record* const here = now.places[at].load(std::memory_order_acquire);
      if (here == nullptr || here->tile == k) return here;
    }
  }
  /// One that is not there, and that lives as long as this.
  void add(Record& fresh) {
    const table& now = *tables_.back();
    // Half full at most, unless each tile has a place of its own.
    if (now.mask + 1 < count_ && 2 * (added_ + 1) > now.mask + 1) grow(2 * (now.mask + 1));
    put(*tables_.back(), fresh);
    ++added_;
  }

 private:
  /// Where there is room for all, each tile has its own place. Else eight next to each other lie in
  /// a cache line, and these anywhere: whole rows that are known would lie on each other, and a
  /// search go through all of them.
  struct table {
    table(unsigned wanted, std::size_t count)
        : bits(wanted),
          mask((std::size_t{1} << wanted) - 1),
          room_for_all(mask + 1 >= count),
          places(std::make_unique<std::atomic<Record*>[]>(mask + 1)) {}
    [[nodiscard]] std::size_t first_place(std::size_t k) const noexcept {
      if (room_for_all || bits <= line_bits) return k & mask;
      const std::size_t line = (k >> line_bits) * std::size_t{0x9e3779b97f4a7c15};
      return line >> (64 - bits + line_bits) << line_bits | (k & ((1U << line_bits) - 1));
    }
    static constexpr unsigned line_bits = 3;
    unsigned bits;
    std::size_t mask;
    bool room_for_all;
    std::unique_ptr<std::atomic<Record*>[]> places;
  };

  static void put(table& into, Record& fresh) noexcept {
    std::size_t at = into.first_place(fresh.tile);
    while (into.places[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & into.mask;
    into.places[at].store(&fresh, std::memory_order_release);
  }
  void grow(std::size_t places) {
    const std::size_t most = std::bit_ceil(std::max<std::size_t>(2, count_));
    const std::size_t wanted = std::min(most, std::bit_ceil(std::max<std::size_t>(2, places)));
    auto larger = std::make_unique<table>(static_cast<unsigned>(std::countr_zero(wanted)), count_);
    if (!tables_.empty()) {
      const table& now = *tables_.back();
      for (std::size_t at = 0; at <= now.mask; ++at) {
        Record* const known = now.places[at].load(std::memory_order_relaxed);
        if (known != nullptr) put(*larger, *known);
      }
    }
    tables_.push_back(std::move(larger));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::size_t count_, added_ = 0;
  std::vector<std::unique_ptr<table>> tables_;  // Others may still look into the old ones.
  std::atomic<const table*> table_{nullptr};
};

}  // namespace deed::runtime
