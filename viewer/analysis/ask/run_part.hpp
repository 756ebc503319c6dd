// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/query/query.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// @file
/// What a question looks at.

namespace deed::viewer {

/// A whole run, or a part of it: a time, some ranks, and what a query lets through.
///
/// A task or a transfer belongs to a query if one of its records does: `handle:A[3,*]` chooses the
/// tasks that use that row. A transfer belongs to the ranks at both its ends.
class run_part {
 public:
  /// All of it.
  run_part() = default;
  run_part(time_range range) : range_(range) {}                 // NOLINT(*-explicit-*)
  run_part(std::optional<time_range> range) : range_(range) {}  // NOLINT(*-explicit-*)
  /// No ranks: all of them. An empty query lets everything through.
  /// @throws query_error
  /// Cost: with a query, one pass over the events.
  run_part(const model& of, std::optional<time_range> range, std::set<int> ranks,
           const std::string& query);

  [[nodiscard]] bool is_whole() const { return !range_ && ranks_.empty() && !query_; }
  [[nodiscard]] const std::optional<time_range>& range() const { return range_; }
  [[nodiscard]] bool has_rank(int rank) const { return ranks_.empty() || ranks_.contains(rank); }
  [[nodiscard]] bool has_query() const { return static_cast<bool>(query_); }
  [[nodiscard]] bool has(const model& of, const event& e) const;
  /// Whatever its time.
  [[nodiscard]] bool chooses(const model& of, const event& e) const;
  /// Whether an event of a datum is in it.
  [[nodiscard]] bool has_datum(const model& of, std::uint32_t handle) const;
  /// By rank: whether the query chooses something that it recorded of a datum, at whatever time.
  [[nodiscard]] std::vector<bool> ranks_of_datum(const model& of, std::uint32_t handle) const;
  /// Whether a state or a wait is in it, that lasts from `event` on.
  [[nodiscard]] bool has_span(const model& of, std::uint32_t event, std::int64_t begin,
                              std::int64_t end) const;
  /// Whether something that lasts is in its range.
  [[nodiscard]] bool touches(std::int64_t begin, std::int64_t end) const;
  /// What has no begin is not in a range.
  [[nodiscard]] bool has_task(const model& of, std::uint32_t index) const;
  [[nodiscard]] bool has_transfer(const model& of, std::uint32_t index) const;

 private:
  std::optional<time_range> range_;
  std::set<int> ranks_;
  event_filter query_;  // Empty: everything.
  std::vector<bool> tasks_, transfers_;
};

}  // namespace deed::viewer
