// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// One order for what several threads found.

namespace deed::viewer {

/// Numbers things in the order of the events that named them first: each by another event.
/// Cost: two bits per event; a number is a look at one word.
class first_mentions {
 public:
  explicit first_mentions(std::size_t events) : words_(events / bits + 1) {}

  void add(std::uint32_t event) { words_[event / bits] |= std::uint64_t{1} << event % bits; }
  /// After the last `add`, before the first `number_of`.
  void count() {
    before_.reserve(words_.size());
    for (const std::uint64_t word : words_) {
      before_.push_back(size_);
      size_ += static_cast<std::uint32_t>(std::popcount(word));
    }
  }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t event) const {
    const std::uint64_t earlier = words_[event / bits] & ((std::uint64_t{1} << event % bits) - 1);
    return before_[event / bits] + static_cast<std::uint32_t>(std::popcount(earlier));
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint32_t bits = 64;

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;  // By word: of all earlier ones.
  std::uint32_t size_ = 0;
};

}  // namespace deed::viewer
