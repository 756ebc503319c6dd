// SPDX-License-Identifier: MIT
#include "analysis/lod/curve.hpp"

#include <algorithm>

namespace deed::viewer {

void value_range::reach(const value_range& more) {
  least = std::min(least, more.least);
  most = std::max(most, more.most);
}

curve::curve(std::vector<point> points, std::int64_t until)
    : points_(std::move(points)), until_(until) {
  for (std::size_t below = points_.size(); below > 1; below = levels_.back().size()) {
    std::vector<value_range> above((below + fan_out - 1) / fan_out);
    for (std::size_t i = 0; i < below; ++i) above[i / fan_out].reach(reach_of(levels_.size(), i));
    levels_.push_back(std::move(above));
  }
}

/// Level 0 are the points.
value_range curve::reach_of(std::size_t level, std::size_t index) const {
  if (level == 0) return {points_[index].value, points_[index].value};
  return levels_[level - 1][index];
}

value_range curve::reach() const { return reach_of_points(0, points_.size()); }

/// Up the tree, with what stands out on both sides at each level.
value_range curve::reach_of_points(std::size_t first, std::size_t last) const {
  value_range found;
  for (std::size_t level = 0; first < last; ++level) {
    while (first < last && first % fan_out != 0) found.reach(reach_of(level, first++));
    while (first < last && last % fan_out != 0) found.reach(reach_of(level, --last));
    first /= fan_out;
    last /= fan_out;
  }
  return found;
}

std::optional<std::size_t> curve::at(std::int64_t time) const {
  const auto after = std::ranges::upper_bound(points_, time, {}, &point::time);
  if (after == points_.begin() || time > until_) return {};
  return static_cast<std::size_t>(after - points_.begin()) - 1;
}

std::int64_t curve::end_of(std::size_t index) const {
  return index + 1 < points_.size() ? points_[index + 1].time
                                    : std::max(until_, points_[index].time);
}

void curve::draw(std::int64_t from, std::int64_t to, std::span<value_range> row) const {
  if (row.empty() || to <= from || points_.empty()) return;
  const double each = static_cast<double>(to - from) / static_cast<double>(row.size());
  const auto first_from = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::ranges::lower_bound(points_, time, {}, &point::time) -
                                    points_.begin());
  };
  std::int64_t begin = from;
  std::size_t first = first_from(begin);
  for (std::size_t x = 0; x < row.size(); ++x) {
    const std::int64_t end = from + static_cast<std::int64_t>(each * static_cast<double>(x + 1));
    const std::size_t last = first_from(end);
    row[x] = reach_of_points(first, last);
    if (first > 0 && begin <= until_) row[x].reach(reach_of(0, first - 1));  // What held before.
    begin = end;
    first = last;
  }
}

}  // namespace deed::viewer
