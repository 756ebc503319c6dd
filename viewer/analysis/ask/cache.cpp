// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/ask/unused_copies.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/say/drop_words.hpp"
#include "analysis/say/units.hpp"

#include <array>
#include <map>
#include <utility>

namespace deed::viewer {
namespace {

/// Nothing where each copy was used.
void say_unused(const model& of, const run_part& part, answer& into) {
  if (const auto unknown = ranks_of_unknown_use(of); !unknown.empty()) {
    std::string ranks;
    for (const int each : unknown) ranks += (ranks.empty() ? "" : ", ") + std::to_string(each);
    into.sentences.push_back("which copies were used is not known of " +
                             std::string(unknown.size() == 1 ? "rank " : "ranks ") + ranks);
  }
  table rows{"copies that nobody used", {"handle", "version", "src", "dst", "came", "bytes"}, {}};
  std::uint64_t bytes = 0;
  for (const std::uint32_t index : unused_copies(of)) {
    if (!part.has_transfer(of, index)) continue;
    const transfer& x = of.transfers()[index];
    bytes += x.bytes;
    rows.rows.push_back({of.handle_name(x.handle), "v" + std::to_string(x.version),
                         std::to_string(x.src), std::to_string(x.dst), say_time(x.done_receive),
                         say_bytes(x.bytes)});
  }
  if (rows.rows.empty()) return;
  into.sentences.push_back(say_some(rows.rows.size(), "transfer") + " came for nothing, " +
                           say_bytes(bytes) + ": nobody used the copy");
  into.tables.push_back(std::move(rows));
}

}  // namespace

answer cache(const model& of, const run_part& part, cache_by by) {
  struct sums {
    std::array<std::uint64_t, 5> lookups{};                    // By result; the first is a hit.
    std::array<std::uint64_t, words_of_drops.size()> drops{};  // By cause.
    std::uint64_t avoided = 0;
  };
  const run& r = of.events();
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  std::map<std::uint32_t, sums> by_group;  // Ranks or handles.
  const auto group_of = [&](const event& e) {
    return by == cache_by::rank ? static_cast<std::uint32_t>(r.rank_of(e))
                                : r.get32(e, field::handle);
  };
  const auto name_of = [&](std::uint32_t group) {
    return by == cache_by::rank ? std::to_string(group) : of.handle_name(group);
  };
  const char* const group_name = by == cache_by::rank ? "rank" : "handle";
  const auto tells = [](record what) {
    return what == record::cache_lookup || what == record::cache_drop;
  };
  walk(r.events(), tells, [&](std::uint32_t i) {
    const event e = r.events()[i];
    if (!part.has(of, e)) return;
    if (e.what == record::cache_lookup) {
      const std::uint64_t result = r.get(e, field::result);
      if (result >= 5) return;
      sums& mine = by_group[group_of(e)];
      ++mine.lookups[result];
      const std::uint32_t handle = r.get32(e, field::handle);
      if (result == 0 && handle < sizes.size()) mine.avoided += sizes[handle];
    } else {
      const std::uint64_t cause = r.get(e, field::cause);
      if (cause < words_of_drops.size()) ++by_group[group_of(e)].drops[cause];
    }
  });
  answer said;
  table lookups{
      "lookups",
      {group_name, "hits", "cold", "version", "dropped", "capacity", "hit rate", "bytes avoided"},
      {}};
  table drops{"drops", {group_name}, {}};
  for (const drop_words& each : words_of_drops) drops.columns.emplace_back(each.heading);
  if (by_group.empty()) {
    if (auto missing = not_recorded(of, {"cache"}))
      said = std::move(*missing);
    else
      said.sentences.emplace_back(part.has_query() ? "the query chooses no use of a copy"
                                                   : "no use of a copy was recorded");
    say_unused(of, part, said);
    return said;
  }
  std::uint64_t asked = 0, hits = 0, avoided = 0;
  for (const auto& [group, s] : by_group) {
    hits += s.lookups[0];
    avoided += s.avoided;
    for (const std::uint64_t each : s.lookups) asked += each;
  }
  said.sentences.push_back(say_some(asked, "use") + " of data of other ranks, " + say_count(hits) +
                           " found in a copy: " + say_bytes(avoided) +
                           " that did not travel again");
  for (const auto& [group, s] : by_group) {
    std::uint64_t all = 0;
    std::vector<cell> row{name_of(group)}, dropped{name_of(group)};
    for (const std::uint64_t each : s.lookups) {
      all += each;
      row.push_back(say_count(each));
    }
    for (const std::uint64_t each : s.drops) dropped.push_back(say_count(each));
    row.push_back(
        say_share(static_cast<std::int64_t>(s.lookups[0]), static_cast<std::int64_t>(all)));
    row.push_back(say_bytes(s.avoided));
    lookups.rows.push_back(std::move(row));
    drops.rows.push_back(std::move(dropped));
  }
  said.tables = {std::move(lookups), std::move(drops)};
  say_unused(of, part, said);
  return said;
}

}  // namespace deed::viewer
