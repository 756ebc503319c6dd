// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/datum_memories.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

std::map<memory_of_rank, std::string> memories_of(const run& r) {
  std::map<memory_of_rank, std::string> names;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::memnode) continue;
    const event e = r.events()[i];
    names[{r.rank_of(e), r.get(e, field::id)}] = r.text(e, field::name);
  }
  return names;
}

/// "rank 0 gpu0: NVIDIA H200 (cuda 0000:00:06.0)".
std::string name_of(const run& of, const std::map<memory_of_rank, std::string>& names,
                    memory_of_rank which) {
  const auto known = names.find(which);
  return say_memory(of, which) + (known != names.end() ? ": " + known->second : "");
}

/// The time in which at least one of the spans goes on: kernels of two queues may overlap.
std::int64_t time_of_union(std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
  std::ranges::sort(spans);
  std::int64_t sum = 0, until = std::numeric_limits<std::int64_t>::min();
  for (const auto& [begin, end] : spans) {
    if (end > until) sum += end - std::max(begin, until);
    until = std::max(until, end);
  }
  return sum;
}

}  // namespace

bool is_on_device(const run& of, std::uint32_t lane) {
  return lane < of.lanes().size() && of.lanes()[lane].is(trace::stream_kind::gpu);
}

bool has_devices(const run& of) {
  return std::ranges::any_of(of.lanes(),
                             [](const lane& each) { return each.is(trace::stream_kind::gpu); });
}

std::string device_name(const run& of, std::uint32_t lane) {
  const auto& device = of.lanes()[lane];
  for (std::size_t i = 0; i < of.events().size(); ++i) {
    if (of.events().what(i) != record::memnode) continue;
    const event e = of.events()[i];
    if (of.rank_of(e) == device.rank && of.get(e, field::id) == device.index + 1)
      return std::string(of.text(e, field::name));
  }
  return {};
}

std::vector<table> devices_of(const model& of) {
  struct work {
    std::uint64_t kernels = 0, in = 0, out = 0, bytes_in = 0, bytes_out = 0, evictions = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> kernel_times;  // Of all its queues.
  };
  const run& r = of.events();
  const std::int64_t since = sliced_to(r).value_or(time_range{}).from;
  const auto names = memories_of(r);
  std::map<memory_of_rank, work> devices;
  for (const auto& [which, name] : names)
    if (which.second != 0) devices[which];
  if (devices.empty() && !has_devices(r)) return {};  // Without a look at every event.
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    const record what = r.events().what(i);
    if (what != record::kernel && what != record::evict) continue;
    const event e = r.events()[i];
    if (e.time < since) continue;  // A slice brings along what wrote last before it.
    const int rank = r.rank_of(e);
    if (e.what == record::kernel) {  // Its lane has the device's number.
      work& mine = devices[{rank, std::uint64_t{r.lanes()[e.lane].index} + 1}];
      ++mine.kernels;
      mine.kernel_times.emplace_back(r.moment(e, field::t_begin), r.moment(e, field::t_end));
    } else {
      ++devices[{rank, r.get(e, field::memnode)}].evictions;
    }
  }
  for (const device_copy& each : of.device_copies()) {
    if (each.to.second != 0) {
      work& there = devices[each.to];
      ++there.in;
      there.bytes_in += each.bytes;
    }
    if (each.from.second != 0) {
      work& there = devices[each.from];
      ++there.out;
      there.bytes_out += each.bytes;
    }
  }
  if (devices.empty()) return {};
  table rows{"devices",
             {"device", "kernels", "busy", "copies in", "bytes in", "copies out", "bytes out",
              "evictions"},
             {}};
  for (auto& [which, did] : devices)
    rows.rows.push_back({name_of(r, names, which), say_count(did.kernels),
                         say_time(time_of_union(did.kernel_times)), say_count(did.in),
                         say_bytes(did.bytes_in), say_count(did.out), say_bytes(did.bytes_out),
                         say_count(did.evictions)});
  return {std::move(rows)};
}

std::vector<table> copies_of_devices(const model& of, const run_part& part) {
  struct way {
    std::vector<std::int64_t> times;
    std::uint64_t bytes = 0;
  };
  const run& r = of.events();
  std::map<std::pair<memory_of_rank, memory_of_rank>, way> ways;
  for (const device_copy& each : of.device_copies()) {
    if (const auto& range = part.range();
        range && (each.end < range->from || each.begin > range->to))
      continue;
    if (!part.chooses(of, r.events()[each.event])) continue;
    way& mine = ways[{each.from, each.to}];
    mine.times.push_back(std::max<std::int64_t>(0, each.took()));
    mine.bytes += each.bytes;
  }
  if (ways.empty()) return {};
  table rows{
      "copies of devices", {"from", "to", "copies", "bytes", "min", "median", "max", "total"}, {}};
  for (auto& [ends, mine] : ways) {
    std::sort(mine.times.begin(), mine.times.end());
    std::int64_t total = 0;
    for (const std::int64_t each : mine.times) total += each;
    rows.rows.push_back({say_memory(r, ends.first), say_memory(r, ends.second),
                         say_count(mine.times.size()), say_bytes(mine.bytes),
                         say_time(mine.times.front()),
                         say_time(mine.times[(mine.times.size() - 1) / 2]),
                         say_time(mine.times.back()), say_time(total)});
  }
  return {std::move(rows)};
}

table copies_in_memories(const model& of, std::uint32_t handle, std::int64_t when) {
  table rows{"copies by memory", {"memory", "copy", "version", "since"}, {}};
  const datum_state state = state_at(of, handle, when);
  memory_walk walk(of, handle);
  walk.advance(when);
  for (const auto& [where, has] : walk.copies()) {
    const copy_at copy = copy_in(state, where, has);
    if (copy.kind == copy_kind::absent) continue;
    rows.rows.push_back({say_memory(of.events(), where),
                         copy.kind == copy_kind::stale ? "stale" : "valid",
                         "v" + std::to_string(has.version), say_time(has.since)});
  }
  return rows;
}

}  // namespace deed::viewer
