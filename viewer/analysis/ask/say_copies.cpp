// SPDX-License-Identifier: MIT
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/copy_lives.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace deed::viewer {
namespace {

struct reached {
  std::int64_t most = 0;
  std::int64_t when = 0;
  std::int64_t mean = 0;
  std::int64_t last = 0;
};

reached reached_in(const curve& of, const time_range& range) {
  reached found{0, range.from, 0, 0};
  double sum = 0;
  const auto& points = of.points();
  for (std::size_t i = of.at(range.from).value_or(0); i < points.size(); ++i) {
    const std::int64_t from = std::max(points[i].time, range.from);
    if (from > range.to) break;
    found.last = points[i].value;
    sum += static_cast<double>(found.last) *
           static_cast<double>(std::min(of.end_of(i), range.to) - from);
    if (found.last <= found.most) continue;
    found.most = found.last;
    found.when = from;
  }
  const std::int64_t length = range.to - range.from;
  found.mean = length == 0 ? found.last : std::llround(sum / static_cast<double>(length));
  return found;
}

cell say_held(std::int64_t bytes) { return say_bytes(static_cast<std::uint64_t>(bytes)); }

}  // namespace

answer say_bytes_in_copies(const model& of, const std::vector<copy_life>& lives,
                           const run_part& part) {
  answer said;
  const std::vector<copy_life> chosen = lives_in(of, lives, part);
  if (chosen.empty()) {
    if (auto missing = not_recorded(of, {"cache"})) return std::move(*missing);
    said.sentences.emplace_back(part.has_query() ? "the query chooses no copy"
                                                 : "no rank had copies of other ranks' data");
    return said;
  }
  const time_range range = looked_at(of.events(), part.range());
  table rows{"bytes in copies", {"rank", "most", "at", "mean", "at the end"}, {}};
  const std::vector<curve> held = bytes_in_copies(of, chosen);
  std::pair<reached, std::size_t> first;  // And its rank.
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    if (!part.has_rank(static_cast<int>(rank))) continue;
    const reached mine = reached_in(held[rank], range);
    if (mine.most > first.first.most) first = {mine, rank};
    rows.rows.push_back({std::to_string(rank), say_held(mine.most), say_time(mine.when),
                         say_held(mine.mean), say_held(mine.last)});
    rows.links.push_back("time:" + std::to_string(mine.when));
  }
  said.sentences.push_back("copies of other ranks' data took at most " +
                           say_held(first.first.most) + " on a rank, on rank " +
                           std::to_string(first.second) + " at " + say_time(first.first.when));
  said.tables.push_back(std::move(rows));
  return said;
}

answer say_misses(const model& of, const run_part& part) {
  constexpr std::int64_t most_parts = 20;
  const run& r = of.events();
  const time_range range = looked_at(r, part.range());
  const std::int64_t length = std::max<std::int64_t>(1, range.to - range.from);
  const std::int64_t parts = std::min(most_parts, length);
  std::vector<std::array<std::uint64_t, kinds_of_misses.size()>> counts(
      static_cast<std::size_t>(parts));
  std::uint64_t all = 0;
  walk(
      r.events(), [](record what) { return what == record::cache_lookup; },
      [&](std::uint32_t i) {
        const event e = r.events()[i];
        const std::uint64_t result = r.get(e, field::result);
        if (result == 0 || result > kinds_of_misses.size() || !part.has(of, e)) return;
        const double place = static_cast<double>(e.time - range.from) / static_cast<double>(length);
        const auto at = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(place * static_cast<double>(parts)), 0, parts - 1);
        ++counts[static_cast<std::size_t>(at)][result - 1];
        ++all;
      });
  answer said;
  if (all == 0)
    if (auto missing = not_recorded(of, {"cache"})) return std::move(*missing);
  said.sentences.push_back(say_count(all) + (all == 1 ? " use" : " uses") +
                           " of data of other ranks found no copy");
  if (all == 0) return said;
  table rows{"misses", {"from", "to"}, {}};
  for (const char* const kind : kinds_of_misses) rows.columns.emplace_back(kind);
  const auto begin_of = [&](std::size_t i) {
    return range.from +
           static_cast<std::int64_t>(static_cast<double>(length) * static_cast<double>(i) /
                                     static_cast<double>(parts));
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<cell> row{say_time(begin_of(i)), say_time(begin_of(i + 1))};
    for (const std::uint64_t each : counts[i]) row.push_back(say_count(each));
    rows.rows.push_back(std::move(row));
    rows.links.push_back("time:" + std::to_string(begin_of(i)));
  }
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
