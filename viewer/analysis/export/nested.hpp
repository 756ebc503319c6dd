// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/run.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Spans of one lane as begins and ends that lie in each other, as other formats want them, and
/// what these call them.

namespace deed::viewer {

/// What the track of a thread's waits is called.
inline std::string waits_track(const run& of, std::uint32_t lane) {
  const auto& where = of.lanes()[lane];
  return where.is_program() ? "program" : "program, " + where.name;
}

struct nested_span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t ref = 0;  ///< Of whoever asks.
};

/// Calls `open(span, time)` and `close(span, time)` in the order of time. Spans that overlap
/// without lying in each other end with the one around them.
template <class Open, class Close>
void walk_nested(std::vector<nested_span> spans, Open&& open, Close&& close) {
  std::stable_sort(spans.begin(), spans.end(), [](const nested_span& a, const nested_span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<nested_span> inside;
  const auto close_until = [&](std::int64_t time) {
    while (!inside.empty() && inside.back().end <= time) {
      close(inside.back(), inside.back().end);
      inside.pop_back();
    }
  };
  for (nested_span each : spans) {
    close_until(each.begin);
    if (!inside.empty()) each.end = std::min(each.end, inside.back().end);
    open(each, each.begin);
    inside.push_back(each);
  }
  while (!inside.empty()) {
    close(inside.back(), inside.back().end);
    inside.pop_back();
  }
}

/// For each span the first of as many rows as are needed that is free at its begin.
/// Cost: O(n log n).
inline std::vector<std::uint32_t> rows_of(const std::vector<nested_span>& spans,
                                          std::uint32_t& rows) {
  std::vector<std::uint32_t> order(spans.size()), row(spans.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return spans[a].begin < spans[b].begin; });
  using used_row = std::pair<std::int64_t, std::uint32_t>;  // Until when, and which.
  std::priority_queue<used_row, std::vector<used_row>, std::greater<>> used;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  rows = 0;
  for (const std::uint32_t i : order) {
    for (; !used.empty() && used.top().first <= spans[i].begin; used.pop())
      free.push(used.top().second);
    if (free.empty()) free.push(rows++);
    row[i] = free.top();
    free.pop();
    used.emplace(spans[i].end, row[i]);
  }
  return row;
}

}  // namespace deed::viewer
