// SPDX-License-Identifier: MIT
#include "analysis/lod/track.hpp"

#include <algorithm>

namespace deed::viewer {

track_span track::span(std::size_t i) const {
  const stored_span& s = spans_[i];
  if (s.length == too_long) {
    const auto at = std::ranges::lower_bound(long_, i, {}, &long_span::index);
    return {at->begin, at->end, s.ref, s.kind, s.type, s.flags};
  }
  const std::int64_t begin = levels_.front()[i / leaf_size].begin + s.after;
  return {begin, begin + s.length, s.ref, s.kind, s.type, s.flags};
}

void track::store(const track_span& s) {
  const std::int64_t after = s.begin - levels_.front().back().begin, length = s.end - s.begin;
  const bool fits = after < too_long && length >= 0 && length < too_long;
  if (!fits) long_.push_back({spans_.size(), s.begin, s.end});
  spans_.push_back({fits ? static_cast<std::uint32_t>(after) : 0,
                    fits ? static_cast<std::uint32_t>(length) : too_long, s.ref, s.kind, s.type,
                    s.flags});
}

track::node track::leaf_of(const track_span& s, std::size_t index) {
  node made(s.begin);
  made.reach(s.end, s.flags);
  const std::int64_t time = s.end - s.begin;
  share& mine = s.type == span_type::state ? made.states : made.work;
  mine.covered = time;
  if (time < 0) return made;
  mine.longest = static_cast<std::uint32_t>(index);
  mine.longest_time = time < too_long ? static_cast<std::uint32_t>(time) : too_long;
  return made;
}

/// -1 if there is none.
std::int64_t track::longest_time(const share& of) const {
  if (of.longest == none) return -1;
  if (of.longest_time != too_long) return of.longest_time;
  const track_span longest = span(of.longest);
  return longest.end - longest.begin;
}

void track::add(share& to, const share& more) const {
  to.covered += more.covered;
  if (longest_time(more) <= longest_time(to)) return;
  to.longest = more.longest;
  to.longest_time = more.longest_time;
}

void track::add(node& to, const node& more) const {
  to.reach(more.end(), more.flags());
  add(to.work, more.work);
  add(to.states, more.states);
}

track::track(std::vector<track_span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  if (spans.empty()) return;
  spans_.reserve(spans.size());
  ends_.reserve(spans.size() / leaf_size + 1);
  levels_.emplace_back().reserve(spans.size() / leaf_size + 1);
  std::int64_t latest = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const track_span& s = spans[i];
    latest = std::max(latest, s.end);
    const node one = leaf_of(s, i);
    if (i % leaf_size == 0) {
      levels_.front().emplace_back(s.begin);
      ends_.push_back(latest);
    }
    store(s);
    ends_.back() = latest;
    add(levels_.front().back(), one);
  }
  while (levels_.back().size() > fan_out) {
    std::vector<node> above;
    above.reserve(levels_.back().size() / fan_out + 1);
    for (std::size_t i = 0; i < levels_.back().size(); ++i) {
      const node& below = levels_.back()[i];
      if (i % fan_out == 0) above.emplace_back(below.begin);
      add(above.back(), below);
    }
    levels_.push_back(std::move(above));
  }
}

std::pair<std::size_t, std::size_t> track::touching(std::int64_t from, std::int64_t to) const {
  const auto block = std::lower_bound(ends_.begin(), ends_.end(), from) - ends_.begin();
  auto first = std::min(static_cast<std::size_t>(block) * leaf_size, spans_.size());
  while (first < spans_.size() && span(first).end < from) ++first;  // All before it ended, too.
  if (spans_.empty()) return {0, 0};
  const auto& leaves = levels_.front();
  const auto after = std::ranges::upper_bound(leaves, to, {}, &node::begin) - leaves.begin();
  auto last = static_cast<std::size_t>(after) * leaf_size;  // What begins until `to` is before it.
  const std::size_t leaf = after == 0 ? 0 : last - leaf_size;
  last = std::min(last, spans_.size());
  while (last > leaf && span(last - 1).begin > to) --last;
  return {first, std::max(first, last)};
}

void track::draw(std::int64_t from, std::int64_t to, std::span<track_pixel> row) const {
  if (row.empty() || to <= from || spans_.empty()) return;
  const double scale = static_cast<double>(row.size()) / static_cast<double>(to - from);
  std::vector<std::int64_t> best(row.size(), -1), best_state(row.size(), -1);
  const auto last_pixel = static_cast<std::ptrdiff_t>(row.size()) - 1;
  const auto put = [&](const node& n) {
    const double x0 = static_cast<double>(n.begin - from) * scale;
    const double x1 = static_cast<double>(n.end() - from) * scale;
    const auto first = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x0), 0, last_pixel);
    const auto last = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x1), 0, last_pixel);
    const double time = static_cast<double>(std::max<std::int64_t>(1, n.end() - n.begin));
    const auto work = static_cast<float>(std::min(1.0, static_cast<double>(n.work.covered) / time));
    const auto states =
        static_cast<float>(std::min(1.0, static_cast<double>(n.states.covered) / time));
    const std::int64_t longest_work = longest_time(n.work), longest_state = longest_time(n.states);
    for (auto x = first; x <= last; ++x) {
      const auto px = static_cast<double>(x);
      const auto part = static_cast<float>(std::max(0.0, std::min(x1, px + 1) - std::max(x0, px)));
      const auto i = static_cast<std::size_t>(x);
      track_pixel& pixel = row[i];
      pixel.tasks = std::min(1.0f, pixel.tasks + part * work);
      pixel.states = std::min(1.0f, pixel.states + part * states);
      pixel.flags |= n.flags();
      if (longest_work > best[i]) {
        best[i] = longest_work;
        pixel.longest = n.work.longest;
      }
      if (longest_state > best_state[i]) {
        best_state[i] = longest_state;
        pixel.longest_state = n.states.longest;
      }
    }
  };
  const auto [first, last] = touching(from, to);
  // The coarsest level that still has two nodes per pixel.
  std::size_t step = 1, level = 0;
  for (std::size_t next = leaf_size;
       level < levels_.size() && (last - first) / next > 2 * row.size(); next *= fan_out) {
    step = next;
    ++level;
  }
  if (level == 0) {
    for (std::size_t i = first; i < last; ++i) put(leaf_of(span(i), i));
    return;
  }
  const auto& nodes = levels_[level - 1];
  for (std::size_t i = first / step; i < nodes.size() && i * step < last; ++i) put(nodes[i]);
}

}  // namespace deed::viewer
