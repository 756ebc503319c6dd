// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// @file
/// A value over time, of which a picture costs as much as it has pixels.

namespace deed::viewer {

/// The values of one pixel. Without any, the least is more than the most.
struct value_range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] bool empty() const { return least > most; }
  void reach(const value_range& more);
};

/// Each value holds until the next one, the last until `until`. Above them a tree of what they
/// reach, 8 below each node.
class curve {
 public:
  struct point {
    std::int64_t time = 0;
    std::int64_t value = 0;
  };

  curve() = default;
  /// In the order of time.
  curve(std::vector<point> points, std::int64_t until);

  [[nodiscard]] const std::vector<point>& points() const { return points_; }
  /// Of all.
  [[nodiscard]] value_range reach() const;
  /// The point that holds at `time`.
  [[nodiscard]] std::optional<std::size_t> at(std::int64_t time) const;
  /// How long a point holds.
  [[nodiscard]] std::int64_t end_of(std::size_t index) const;
  /// Cost: O(log points) for each pixel.
  void draw(std::int64_t from, std::int64_t to, std::span<value_range> row) const;

 private:
  static constexpr std::size_t fan_out = 8;

  [[nodiscard]] value_range reach_of(std::size_t level, std::size_t index) const;
  [[nodiscard]] value_range reach_of_points(std::size_t first, std::size_t last) const;

  std::vector<point> points_;
  std::vector<std::vector<value_range>> levels_;  // Each has an eighth of those below.
  std::int64_t until_ = 0;
};

}  // namespace deed::viewer
