// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>

#include <cstdint>
#include <utility>

/// @file
/// `deed::tag_range`: tags that nobody else in the session uses.

namespace deed {

namespace runtime {
class core;
}

/// Consecutive tags that the session gives to nobody else until the range ends. Made by
/// `session.allocate_tags(n)`; from 2^62 on, so a tag below that is never one of a range.
///
/// Its end is a step, at the end of its scope: data that still use its tags keep them.
/// Threads: the one that made the session.
class [[nodiscard]] tag_range {
 public:
  tag_range(runtime::core& home, std::uint64_t first, std::uint64_t count) noexcept;
  tag_range(tag_range&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), first_(other.first_), count_(other.count_) {}
  tag_range& operator=(tag_range&& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(first_, other.first_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~tag_range();

  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  /// The tag of a datum, and that of a message: these never meet.
  /// @throws deed::error D214 if `i` is not below `size()`.
  [[nodiscard]] DEED_MODEL("pure") deed::tag operator[](std::uint64_t i) const {
    return deed::tag{number(i, place::current())};
  }
  [[nodiscard]] DEED_MODEL("pure") deed::message_tag
      message(std::uint64_t i, place where = place::current()) const {
    return deed::message_tag{number(i, where)};
  }

 private:
  [[nodiscard]] std::uint64_t number(std::uint64_t i, place where) const;

  runtime::core* home_;
  std::uint64_t first_, count_;
};

}  // namespace deed
