// SPDX-License-Identifier: MIT
#include "analysis/ask/data_heat.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/effects.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <span>
#include <string>
#include <utility>

namespace deed::viewer {
namespace {

void add(datum_heat& to, std::size_t rank, std::int64_t value, const run_part& part) {
  if (rank >= to.ranks.size() || !part.has_rank(static_cast<int>(rank))) return;
  to.ranks[rank] += value;
  to.all += value;
}

bool is_migration(const run& of, std::uint32_t event) {
  const event_list& all = of.events();
  return all.what(event) == record::owner &&
         static_cast<trace::owner_cause>(of.get(all[event], field::cause)) ==
             trace::owner_cause::migrate_call;
}

void add_owner_changes(const model& of, std::uint32_t handle, const run_part& part,
                       datum_heat& to) {
  const auto migrates = [&](std::uint32_t each) { return is_migration(of.events(), each); };
  if (std::ranges::none_of(of.events_of(handle), migrates)) return;
  const effects called(of, handle);
  for (const owner_move& each : called.moves())
    if (each.time != after_all && each.from != each.to && part.touches(each.time, each.time))
      add(to, each.to, 1, part);
}

void add_transfers(const model& of, std::uint32_t handle, heat what, const run_part& part,
                   datum_heat& to) {
  for (const std::uint32_t index : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[index];
    if (x.never_took_place() || !part.has_transfer(of, index)) continue;
    const auto bytes = static_cast<std::int64_t>(x.bytes);
    const std::int64_t value = what == heat::transfers  ? 1
                               : what == heat::bytes_in ? bytes
                               : x.in_vain()            ? bytes
                                                        : 0;
    add(to, static_cast<std::size_t>(x.dst), value, part);
  }
}

bool is_valid(const copy_at& copy) {
  return copy.kind == copy_kind::shared || copy.kind == copy_kind::owner;
}

/// Of a state that lasts so long. What was not recorded is no lack.
void add_lack(const datum_state& state, std::int64_t time, const run_part& part, datum_heat& to) {
  if (state.ended) return;
  bool any = false;
  for (std::size_t rank = 0; rank < state.copies.size() && rank < to.ranks.size(); ++rank) {
    const copy_at& copy = state.copies[rank];
    any |= is_valid(copy) || !copy.known;
    if (!is_valid(copy) && copy.known && part.has_rank(static_cast<int>(rank)))
      to.ranks[rank] += time;
  }
  if (!any) to.all += time;
}

void add_times(const model& of, std::uint32_t handle, const run_part& part, datum_heat& to) {
  const time_range all = looked_at(of.events(), part.range());
  std::vector<std::int64_t> times = times_of_change(of, handle, false);
  times.push_back(of.events().end());
  datum_walk walk(of, handle);
  bool had_value = false;
  for (std::size_t i = 0; i + 1 < times.size() && times[i] < all.to; ++i) {
    walk.advance(times[i]);
    const datum_state state = walk.state(false);
    had_value |= std::ranges::any_of(state.copies, is_valid);
    const std::int64_t from = std::max(times[i], all.from), until = std::min(times[i + 1], all.to);
    if (had_value && from < until) add_lack(state, until - from, part, to);
  }
}

/// A datum that a rank registered.
bool is_in(const model& of, std::uint32_t handle, const run_part& part) {
  return handle < of.data().size() && of.data()[handle].known &&
         (!part.has_query() || part.has_datum(of, handle));
}

}  // namespace

std::optional<answer> heat_not_recorded(const model& of, heat what) {
  switch (what) {
    case heat::owner_changes:
      return not_recorded(of, {"owner"});
    case heat::no_copy:
      return not_recorded(of, {"task", "access", "owner", "xfer"});
    case heat::transfers:
    case heat::bytes_in:
    case heat::redundant_bytes:
      break;
  }
  return not_recorded(of, {"xfer"});
}

datum_heat heat_of(const model& of, std::uint32_t handle, heat what, const run_part& part) {
  datum_heat found{0, std::vector<std::int64_t>(static_cast<std::size_t>(of.ranks()))};
  if (!is_in(of, handle, part)) return found;
  if (what == heat::owner_changes)
    add_owner_changes(of, handle, part, found);
  else if (what == heat::no_copy)
    add_times(of, handle, part, found);
  else
    add_transfers(of, handle, what, part, found);
  return found;
}

run_heat heat_of_data(const model& of, heat what, const run_part& part) {
  constexpr std::size_t together = 64;  // Data: a thread more for each would cost more than it.
  run_heat found{std::vector<std::int64_t>(of.data().size())};
  std::mutex mutex;
  in_parallel((of.data().size() + together - 1) / together, [&](std::size_t some) {
    std::int64_t most = 0, most_of_rank = 0;
    const std::size_t end = std::min(of.data().size(), (some + 1) * together);
    for (std::size_t h = some * together; h < end; ++h) {
      const datum_heat mine = heat_of(of, static_cast<std::uint32_t>(h), what, part);
      found.data[h] = mine.all;
      most = std::max(most, mine.all);
      for (const std::int64_t each : mine.ranks) most_of_rank = std::max(most_of_rank, each);
    }
    const std::lock_guard lock(mutex);
    found.most = std::max(found.most, most);
    found.most_of_rank = std::max(found.most_of_rank, most_of_rank);
  });
  return found;
}

cell say_heat(heat what, std::int64_t value) {
  switch (what) {
    case heat::owner_changes:
    case heat::transfers:
      return say_count(static_cast<std::uint64_t>(value));
    case heat::bytes_in:
    case heat::redundant_bytes:
      return say_bytes(static_cast<std::uint64_t>(value));
    case heat::no_copy:
      break;
  }
  return say_time(value);
}

answer say_heat_of_data(const model& of, const run_part& part) {
  answer said;
  said.sentences = caveats(of);
  table rows{"", {"handle"}, {}};
  std::vector<std::optional<run_heat>> columns;
  for (std::size_t i = 0; i < names_of_heat.size(); ++i) {
    const auto what = static_cast<heat>(i);
    rows.columns.emplace_back(names_of_heat[i]);
    columns.emplace_back();
    if (const auto missing = heat_not_recorded(of, what))
      said.sentences.push_back(std::string(names_of_heat[i]) + ": " + missing->sentences.front());
    else
      columns.back() = heat_of_data(of, what, part);
  }
  const auto value = [&](std::uint32_t handle, heat what) {
    const auto& all = columns[static_cast<std::size_t>(what)];
    return all ? all->data[handle] : 0;
  };
  std::vector<std::uint32_t> handles;
  for (std::uint32_t h = 0; h < of.data().size(); ++h)
    if (is_in(of, h, part)) handles.push_back(h);
  std::ranges::stable_sort(handles, std::ranges::greater{},
                           [&](std::uint32_t h) { return value(h, heat::bytes_in); });
  for (const std::uint32_t h : handles) {
    std::vector<cell> row{of.handle_name(h)};
    for (std::size_t i = 0; i < names_of_heat.size(); ++i)
      row.push_back(columns[i] ? say_heat(static_cast<heat>(i), columns[i]->data[h]) : cell("-"));
    rows.rows.push_back(std::move(row));
    rows.links.push_back("handle:" + std::to_string(h));
  }
  if (handles.empty())
    said.sentences.emplace_back(part.has_query() ? "the query chooses no datum"
                                                 : "this run has registered no data");
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
