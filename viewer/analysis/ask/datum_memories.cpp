// SPDX-License-Identifier: MIT
#include "analysis/ask/datum_memories.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/device_work.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <set>

namespace deed::viewer {

memory_of_rank memory_of(const run& of, std::uint32_t lane) {
  const auto& here = of.lanes()[lane];
  return {here.rank, here.is(trace::stream_kind::gpu) ? std::uint64_t{here.index} + 1 : 0};
}

std::string say_memory(const run& of, const memory_of_rank& which) {
  const std::string rank = "rank " + std::to_string(which.first);
  if (which.second == 0) return rank + " host";
  for (const lane& each : of.lanes())
    if (each.rank == which.first && each.is(trace::stream_kind::gpu) &&
        each.index + 1 == which.second)
      return rank + " " + each.name;
  return rank + " memory " + std::to_string(which.second);
}

memory_walk::memory_walk(const model& of, std::uint32_t handle) {
  // What was written and goes at one moment is gone.
  if (handle < of.data().size()) add_writes(of, handle);
  add_records(of, handle);
  std::ranges::stable_sort(changes_, {}, &change::time);
}

void memory_walk::add_records(const model& of, std::uint32_t handle) {
  constexpr std::uint64_t invalid = 0, shared = 1, owned = 2;
  const run& r = of.events();
  for (const std::uint32_t index : of.events_of(handle)) {
    const event e = r.events()[index];
    const int rank = r.rank_of(e);
    const auto version = [&] { return r.get32(e, field::version); };
    switch (e.what) {
      case record::handle_register:
        if (of.data()[handle].is_per_rank() ||
            of.data()[handle].home == static_cast<std::uint32_t>(rank))
          changes_.push_back({e.time, {rank, 0}, 0});
        break;
      case record::cache_insert:
        changes_.push_back({e.time, {rank, 0}, version()});
        break;
      case record::xfer_done:
        if (r.get(e, field::dir) == 1) changes_.push_back({e.time, {rank, 0}, version()});
        break;
      case record::cache_drop:
        changes_.push_back({e.time, {rank, 0}, version(), true});
        break;
      case record::copy_state:
        if (const auto state = r.get(e, field::state);
            state == invalid || state == shared || state == owned)
          changes_.push_back({e.time,
                              {rank, r.get(e, field::memnode)},
                              state == invalid ? none : version(),
                              state == invalid});
        break;
      case record::copy_end:
        // It lay there already, whoever wrote it: what programs borrow to write, too.
        changes_.push_back({r.moment(e, field::t_begin), {rank, r.get(e, field::src)}, version()});
        changes_.push_back({r.moment(e, field::t_end), {rank, r.get(e, field::dst)}, version()});
        break;
      case record::ledger_step:
        if (is_own_write(of, e)) changes_.push_back({e.time, {rank, 0}, version()});
        break;
      case record::free:
      case record::evict:
        changes_.push_back({e.time, {rank, r.get(e, field::memnode)}, none, true});
        break;
      default:
        break;
    }
  }
}

void memory_walk::add_writes(const model& of, std::uint32_t handle) {
  const run& r = of.events();
  for (const std::uint32_t index : of.data()[handle].writes) {
    const access& a = of.all_accesses()[index];
    const task& t = of.tasks()[a.task];
    if (t.end == never || t.failed() || t.lane >= r.lanes().size()) continue;
    changes_.push_back({t.end, memory_of(r, t.lane), a.ver_out});
  }
}

void memory_walk::advance(std::int64_t when) {
  for (; next_ < changes_.size() && changes_[next_].time <= when; ++next_) {
    const change& each = changes_[next_];
    const auto at = copies_.find(each.where);
    if (each.goes) {
      if (at != copies_.end() && at->second.version <= each.version) copies_.erase(at);
    } else if (at == copies_.end() || at->second.version < each.version) {
      copies_[each.where] = {each.version, each.time};
    }
  }
}

bool memory_walk::is_on_device_of(int rank) const {
  const auto first = copies_.upper_bound({rank, 0});
  return first != copies_.end() && first->first.first == rank;
}

std::vector<memory_of_rank> memory_walk::devices() const {
  std::set<memory_of_rank> found;
  for (const change& each : changes_)
    if (!each.goes && each.where.second != 0) found.insert(each.where);
  return {found.begin(), found.end()};
}

std::vector<std::int64_t> memory_walk::times() const {
  std::vector<std::int64_t> found;
  for (const change& each : changes_) found.push_back(each.time);
  return found;
}

memory_walk memories_beside_devices(const model& of, std::uint32_t handle) {
  return has_devices(of.events()) ? memory_walk(of, handle) : memory_walk();
}

copy_at copy_in(const datum_state& of, const memory_of_rank& where, const memory_copy& has) {
  const auto rank = static_cast<std::size_t>(where.first);
  if (rank >= of.copies.size() || of.copies[rank].kind == copy_kind::absent) return {};
  copy_at copy = of.copies[rank];
  if (has.version >= copy.version && copy.kind != copy_kind::pending) return copy;
  return {copy_kind::stale, has.version};
}

std::string say_memories(const run& of, const datum_state& state, copy_kind kind,
                         const memory_walk& memories, std::optional<int> rank) {
  std::string text;
  for (const auto& [where, has] : memories.copies()) {
    const copy_at copy = copy_in(state, where, has);
    const bool is_stale = copy.kind == copy_kind::stale;
    if (copy.kind == copy_kind::absent || is_stale != (kind == copy_kind::stale) ||
        !memories.is_on_device_of(where.first) || where.first != rank.value_or(where.first))
      continue;
    text += (text.empty() ? "" : "; ") + say_memory(of, where) +
            (is_stale ? " (v" + std::to_string(has.version) + ")" : "") + ", since " +
            say_time(has.since);
  }
  return text;
}

}  // namespace deed::viewer
