// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/first_mentions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// One table of what several found, piece by piece.

namespace deed::viewer {

/// What one of several finds of a table that all of them fill. What is new lies here, together, as
/// long as most that is said of it is still to come; then all of them say by which events it was
/// named, and it gets its number and its place in the table.
template <class Row>
class shared_rows {
 public:
  explicit shared_rows(std::vector<Row>& all) : all_(&all) {}

  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + fresh_.size(); }
  /// By its place among what was found here.
  [[nodiscard]] Row& operator[](std::size_t place) {
    return place < numbers_.size() ? (*all_)[numbers_[place]] : fresh_[place - numbers_.size()];
  }
  [[nodiscard]] const Row& operator[](std::size_t place) const {
    return const_cast<shared_rows&>(*this)[place];
  }
  /// `event` names it first.
  Row& add(std::uint32_t event) {
    named_by_.push_back(event);
    return fresh_.emplace_back();
  }
  /// Once it is settled.
  [[nodiscard]] std::uint32_t number_of(std::size_t place) const { return numbers_[place]; }

  /// What events from `begin` to `end` named first; those before are settled. All say it before any
  /// takes a number.
  void tell(std::size_t begin, std::size_t end, first_mentions& into) const {
    for (std::size_t n = 0; n < named_before(end); ++n) into.add(event_of(n, begin));
  }
  /// Threads may do so for several at once: the table has room, and no two have the same rows.
  void settle(std::size_t begin, std::size_t end, const first_mentions& order,
              std::size_t rows_before) {
    const auto count = static_cast<std::ptrdiff_t>(named_before(end));
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
      const std::uint32_t number = order.number_of(event_of(n, begin));
      numbers_.push_back(static_cast<std::uint32_t>(rows_before) + number);
      (*all_)[numbers_.back()] = fresh_[n];
    }
    fresh_.erase(fresh_.begin(), fresh_.begin() + count);
    named_by_.erase(named_by_.begin(), named_by_.begin() + count);
  }

 private:
  [[nodiscard]] std::size_t named_before(std::size_t event) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(named_by_, event) - named_by_.begin());
  }
  [[nodiscard]] std::uint32_t event_of(std::size_t n, std::size_t begin) const {
    return static_cast<std::uint32_t>(named_by_[n] - begin);
  }

  std::vector<Row>* all_;
  std::vector<std::uint32_t> numbers_;  // In the table, by place.
  // By the events that named them, which come in order; they keep their memory for the next.
  std::vector<Row> fresh_;
  std::vector<std::uint32_t> named_by_;
};

}  // namespace deed::viewer
