// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

/// @file
/// The ranks that hold the current version of a datum, beside its owner.

namespace deed::ownership {

/// A small set of ranks in the order of their arrival: four lie in place, more on the heap.
/// Copyable and comparable by value.
/// Cost: 24 bytes, and 8 per rank beyond four; `contains` O(n) up to four, O(log n) beyond; `add`
///   O(n); `clear` O(1), no allocation below five.
class holder_set {
 public:
  holder_set() noexcept = default;
  holder_set(const holder_set& other) { assign(other.view()); }
  holder_set(holder_set&& other) noexcept { take(other); }
  holder_set& operator=(const holder_set& other) {
    if (this != &other) {
      clear();
      assign(other.view());
    }
    return *this;
  }
  holder_set& operator=(holder_set&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~holder_set() { clear(); }

  [[nodiscard]] bool contains(std::uint32_t rank) const noexcept {
    if (doublings_ != 0) return many_contain(rank);
    // All four, without branches: which of them it is cannot be predicted.
    return unsigned{few_[0] == rank} | unsigned{few_[1] == rank} | unsigned{few_[2] == rank} |
           unsigned{few_[3] == rank};
  }
  /// False if it was there already.
  bool add(std::uint32_t rank) {
    if (contains(rank)) return false;
    if (doublings_ != 0 || count_ == few) return add_to_many(rank);
    few_[count_++] = rank;
    return true;
  }
  bool remove(std::uint32_t rank) noexcept;
  void clear() noexcept {
    if (doublings_ != 0) free_many();
    for (std::uint32_t& each : few_) each = nobody;
    count_ = 0;
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// In the order of their arrival.
  [[nodiscard]] std::span<const std::uint32_t> view() const noexcept {
    return {doublings_ == 0 ? few_ : many_, count_};
  }
  friend bool operator==(const holder_set& one, const holder_set& two) noexcept;

 private:
  static constexpr std::uint32_t few = 4;
  static constexpr std::uint32_t nobody =
      ~std::uint32_t{0};  // In places of `few_` beyond the last.

  [[nodiscard]] std::uint32_t capacity() const noexcept { return few << doublings_; }
  [[nodiscard]] bool many_contain(std::uint32_t rank) const noexcept;
  bool add_to_many(std::uint32_t rank);
  void assign(std::span<const std::uint32_t> ranks);
  void take(holder_set& other) noexcept;
  void free_many() noexcept;
  void grow();

  union {
    std::uint32_t few_[few] = {nobody, nobody, nobody, nobody};
    std::uint32_t* many_;  // First in the order of arrival, then, from capacity() on, rising.
  };
  std::uint32_t count_ = 0;
  std::uint8_t doublings_ = 0;  // Of the room for few; 0: the ranks lie in few_. The last member,
                                // for users of its padding.
};

}  // namespace deed::ownership
