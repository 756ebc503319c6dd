// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"

#include <deed/trace/events.hpp>

#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

using memory = std::pair<int, std::uint64_t>;  // Rank, node: 0 is its host.

std::map<memory, std::string> memories_of(const run& r) {
  std::map<memory, std::string> names;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::memnode) continue;
    const event e = r.events()[i];
    names[{r.rank_of(e), r.get(e, field::id)}] = r.text(e, field::name);
  }
  return names;
}

std::string name_of(const std::map<memory, std::string>& names, memory which) {
  const auto known = names.find(which);
  return known != names.end() ? known->second : "memory " + std::to_string(which.second);
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

std::vector<table> devices_of(const model& of) {
  struct work {
    std::uint64_t kernels = 0, in = 0, out = 0, bytes_in = 0, bytes_out = 0, evictions = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> kernel_times;  // Of all its queues.
  };
  const run& r = of.events();
  const auto names = memories_of(r);
  std::map<memory, work> devices;
  for (const auto& [which, name] : names)
    if (which.second != 0) devices[which];
  if (devices.empty() && !has_devices(r)) return {};  // Without a look at every event.
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    const record what = r.events().what(i);
    if (what != record::kernel && what != record::copy_end && what != record::evict) continue;
    const event e = r.events()[i];
    const int rank = r.rank_of(e);
    if (e.what == record::kernel) {  // Its lane has the device's number.
      work& mine = devices[{rank, std::uint64_t{r.lanes()[e.lane].index} + 1}];
      ++mine.kernels;
      mine.kernel_times.emplace_back(r.moment(e, field::t_begin), r.moment(e, field::t_end));
    } else if (e.what == record::copy_end) {
      const std::uint64_t bytes = r.get(e, field::bytes);
      if (const auto to = r.get(e, field::dst); to != 0) {
        work& there = devices[{rank, to}];
        ++there.in;
        there.bytes_in += bytes;
      }
      if (const auto from = r.get(e, field::src); from != 0) {
        work& there = devices[{rank, from}];
        ++there.out;
        there.bytes_out += bytes;
      }
    } else if (e.what == record::evict) {
      ++devices[{rank, r.get(e, field::memnode)}].evictions;
    }
  }
  if (devices.empty()) return {};
  table rows{"devices",
             {"rank", "device", "kernels", "busy", "copies in", "bytes in", "copies out",
              "bytes out", "evictions"},
             {}};
  for (auto& [which, did] : devices)
    rows.rows.push_back({std::to_string(which.first), name_of(names, which), say_count(did.kernels),
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
  const auto names = memories_of(r);
  std::map<std::pair<memory, memory>, way> ways;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::copy_end) continue;
    const event e = r.events()[i];
    const std::int64_t begin = r.moment(e, field::t_begin), end = r.moment(e, field::t_end);
    if (const auto& range = part.range(); range && (end < range->from || begin > range->to))
      continue;
    const int rank = r.rank_of(e);
    if (!part.chooses(of, e)) continue;
    way& mine = ways[{{rank, r.get(e, field::src)}, {rank, r.get(e, field::dst)}}];
    mine.times.push_back(std::max<std::int64_t>(0, end - begin));
    mine.bytes += r.get(e, field::bytes);
  }
  if (ways.empty()) return {};
  table rows{"copies of devices",
             {"rank", "from", "to", "copies", "bytes", "min", "median", "max", "total"},
             {}};
  for (auto& [ends, mine] : ways) {
    std::sort(mine.times.begin(), mine.times.end());
    std::int64_t total = 0;
    for (const std::int64_t each : mine.times) total += each;
    rows.rows.push_back({std::to_string(ends.first.first), name_of(names, ends.first),
                         name_of(names, ends.second), say_count(mine.times.size()),
                         say_bytes(mine.bytes), say_time(mine.times.front()),
                         say_time(mine.times[(mine.times.size() - 1) / 2]),
                         say_time(mine.times.back()), say_time(total)});
  }
  return {std::move(rows)};
}

namespace {

/// What a memory of a rank has of a datum since a moment.
struct kept_copy {
  std::int64_t since = 0;
  memory where;
  std::uint32_t version = 0;
  std::string state;  // Empty: it has none any more.
};

/// As records say it, and with device times as far as they have them.
std::vector<kept_copy> told_copies(const model& of, std::uint32_t handle) {
  constexpr std::array<const char*, 4> states{"invalid", "shared", "owner", "pending"};
  const run& r = of.events();
  std::vector<kept_copy> found;
  for (const std::uint32_t index : of.events_of(handle)) {
    const event e = r.events()[index];
    const int rank = r.rank_of(e);
    const std::uint32_t version = r.get32(e, field::version);
    const std::uint64_t state = r.get(e, field::state);
    if (e.what == record::copy_state)
      found.push_back({e.time,
                       {rank, r.get(e, field::memnode)},
                       version,
                       state < states.size() ? states[state] : "not known"});
    if (e.what == record::copy_end)
      found.push_back({r.moment(e, field::t_end), {rank, r.get(e, field::dst)}, version, "valid"});
    if (e.what == record::free || e.what == record::evict)
      found.push_back({e.time, {rank, r.get(e, field::memnode)}, 0, ""});
  }
  return found;
}

/// Where the datum was written: a device has its lane's number, and the host is 0.
void add_written_copies(const model& of, std::uint32_t handle, std::vector<kept_copy>& into) {
  const auto& lanes = of.events().lanes();
  for (const std::uint32_t index : of.data()[handle].writes) {
    const access& a = of.all_accesses()[index];
    const task& t = of.tasks()[a.task];
    if (t.end == never || t.lane >= lanes.size()) continue;
    const lane& where = lanes[t.lane];
    const std::uint64_t node =
        where.is(trace::stream_kind::gpu) ? std::uint64_t{where.index} + 1 : 0;
    into.push_back({t.end, {t.rank, node}, a.ver_out, "valid"});
  }
}

}  // namespace

table copies_in_memories(const model& of, std::uint32_t handle, std::int64_t when) {
  const auto names = memories_of(of.events());
  table rows{"copies by memory", {"rank", "memory", "copy", "version", "since"}, {}};
  std::vector<kept_copy> told = told_copies(of, handle);
  if (handle < of.data().size()) add_written_copies(of, handle, told);
  std::ranges::stable_sort(told, {}, &kept_copy::since);
  std::map<memory, kept_copy> last;
  std::uint32_t newest = 0;
  for (const kept_copy& each : told) {
    if (each.since > when) break;
    newest = std::max(newest, each.version);
    last[each.where] = each;
  }
  for (const auto& [where, has] : last) {
    if (has.state.empty()) continue;
    rows.rows.push_back({std::to_string(where.first),
                         where.second == 0 ? std::string("host") : name_of(names, where),
                         has.state == "valid" && has.version < newest ? "stale" : has.state,
                         "v" + std::to_string(has.version), say_time(has.since)});
  }
  return rows;
}

}  // namespace deed::viewer
