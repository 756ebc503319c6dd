// SPDX-License-Identifier: MIT
// Data on their way between nodes.
#include "driver/core.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t most_active = 2;
constexpr std::size_t most_active_bytes = std::size_t{64} << 20;

}  // namespace

/// Makes the contents come to `node`, now or when a source can give them. Asked again each step.
void driver::core::load(datum_core& datum, int node_wanted, copy_reason why,
                        const request::use* asked, std::uint64_t for_task) {
  if (asked != nullptr && asked->version != no_number) datum.shown = asked->version;
  replica& here = datum.replicas[static_cast<std::size_t>(node_wanted)];
  if (here.valid()) return;
  if (here.state == replica_state::loading) {
    here.loading->why = std::min(here.loading->why, why);
    return;
  }
  const replica& home = datum.replicas[0];
  if (node_wanted != 0 && why == copy_reason::prefetch) {
    device_node& device = node(node_wanted);
    const bool lost = device.dead || device.failing;
    if (lost || here.pins != 0 || !(home.valid() || datum.valid_elsewhere(node_wanted))) return;
    try {
      status why_not{};
      // A prefetch never evicts: it takes what is free, or nothing.
      if (!take_block(device, datum, {}, why_not)) return;
    } catch (const call_failed& refused) {
      if (is_sticky(refused.what.kind)) lose(device, refused.what);
      return;
    }
    if (!here.prefetched) device.prefetched_bytes += datum.bytes();
    here.prefetched = true;
    ++counters.prefetches;
  }

  if (node_wanted != 0) {
    device_node& device = node(node_wanted);
    for (const int peer : device.peers) {
      if (!datum.replicas[static_cast<std::size_t>(peer)].valid() || node(peer).dead) continue;
      start(datum, peer, node_wanted, why, for_task);
      return;
    }
    if (home.valid()) {
      start(datum, 0, node_wanted, why, for_task);
      return;
    }
    if (home.state == replica_state::loading) {
      home.loading->why = std::min(home.loading->why, why);
      return;
    }
  }
  // To the host, or through it.
  for (std::size_t from = 1; from < datum.replicas.size(); ++from) {
    if (!datum.replicas[from].valid()) continue;
    start(datum, static_cast<int>(from), 0, why, for_task);
    return;
  }
}

/// What one device may use, its fellows may.
bool driver::core::pin(std::span<std::byte> memory) {
  std::vector<device_api*> runtimes;
  try {
    for (const auto& device : devices) {
      if (device->dead || std::ranges::find(runtimes, device->api) != runtimes.end()) continue;
      enter(*device);
      runtimes.push_back(device->api);
    }
  } catch (const call_failed&) {
    return false;  // Who uses the device says why.
  }
  return pinned.pin(runtimes, memory.data(), memory.size());
}

/// To pin memory takes as long as some copies of it: who comes once is not worth it.
void driver::core::pin_if_it_comes_again(datum_core& datum) {
  const bool may = datum.stays && datum.home.space == memory_space::host &&
                   options.pin_from_bytes != 0 && datum.bytes() >= options.pin_from_bytes;
  if (!may || datum.home_copies == 2 || ++datum.home_copies != 2) return;
  if (!pin({datum.home.address, datum.bytes()})) return;
  datum.home.space = memory_space::pinned;
  datum.pinned_here = true;
  ++counters.pinned_homes;
}

void driver::core::start(datum_core& datum, int from, int to, copy_reason why,
                         std::uint64_t for_task) {
  const bool at_home = from == 0 || to == 0;
  if (at_home) pin_if_it_comes_again(datum);
  auto copy = std::make_unique<transfer>();
  copy->staged = at_home && datum.home.space != memory_space::pinned;
  copy->datum = datum.shared_from_this();
  copy->from = from;
  copy->to = to;
  copy->why = why;
  copy->version = datum.shown;
  copy->for_task = for_task;
  replica& source = datum.replicas[static_cast<std::size_t>(from)];
  replica& target = datum.replicas[static_cast<std::size_t>(to)];
  source.state = replica_state::shared;
  ++source.pins;
  ++target.pins;
  target.state = replica_state::loading;
  target.loading = copy.get();
  target.ready_known = false;
  target.load_error = nullptr;
  auto& list = to == 0 ? node(from).to_host : node(to).to_device;
  list.push_back(std::move(copy));
}

bool driver::core::move_data(device_node& device) {
  bool moved = false;
  for (auto* list : {&device.to_device, &device.to_host}) {
    if (device.dead || device.failing) return moved;
    std::size_t active = 0, active_bytes = 0;
    for (const auto& copy : *list) {
      if (!copy->active) continue;
      moved |= advance(device, *copy, true);
      if (copy->over) continue;
      ++active;
      active_bytes += copy->datum->bytes();
    }
    while (!device.failing && (active < most_active || active_bytes < most_active_bytes)) {
      transfer* next = nullptr;
      for (const auto& copy : *list) {
        if (!copy->active && !copy->over && (!next || copy->why < next->why)) next = copy.get();
      }
      if (!next) break;
      next->active = true;
      moved |= advance(device, *next, true);
      if (next->over) continue;
      ++active;
      active_bytes += next->datum->bytes();
    }
    std::erase_if(*list, [](const auto& copy) { return copy->over; });
  }
  return moved;
}

bool driver::core::advance(device_node& device, transfer& copy, bool may_begin) {
  if (copy.over || device.failing) return false;
  bool moved = collect(device, copy);
  if (may_begin) moved |= issue(device, copy);
  if (copy.over || device.failing) return moved;
  if (copy.issued == copy.datum->bytes() && copy.chunks.empty()) {
    finish(copy);
    moved = true;
  }
  return moved;
}

bool driver::core::collect(device_node& device, transfer& copy) {
  bool moved = false;
  while (!copy.chunks.empty() && copy.chunks.front().done.done()) {
    transfer::chunk& first = copy.chunks.front();
    if (first.staging) {
      if (copy.to == 0) {
        std::byte* const home = copy.datum->home.address + first.offset;
        device.api->note_host({first.staging.address, first.bytes, false}, {"", copy.datum->name});
        device.api->note_host({home, first.bytes, true}, {"", copy.datum->name});
        std::memcpy(home, first.staging.address, first.bytes);
      }
      device.pinned->release(first.staging, {});
    }
    copy.collected = first.offset + first.bytes;
    // Release; pairs with the acquire in `host_lease::arrived`.
    for (const auto& lease : copy.listeners)
      lease->arrived.store(copy.collected, std::memory_order_release);
    copy.chunks.pop_front();
    moved = true;
  }
  return moved;
}

bool driver::core::issue(device_node& device, transfer& copy) {
  const std::size_t bytes = copy.datum->bytes();
  replica& source = copy.datum->replicas[static_cast<std::size_t>(copy.from)];
  replica& target = copy.datum->replicas[static_cast<std::size_t>(copy.to)];
  if (bytes == 0) target.ready_known = true;
  // The host cannot wait for events of several vendors but by asking.
  if (copy.to == 0 && !all_done(target.readers)) return false;
  lane& on = copy.to == 0 ? *device.out : *device.in;
  bool moved = false;
  try {
    while (copy.issued < bytes && copy.chunks.size() < static_cast<std::size_t>(options.chunks)) {
      enter(device);
      if (copy.issued == 0) {
        event_list behind;
        if (copy.from != 0) behind.push_back(source.ready);
        if (copy.to != 0) {
          behind.push_back(target.ready);  // Of contents that are not valid any more.
          behind.insert(behind.end(), target.readers.begin(), target.readers.end());
        }
        stream_waits(device, on, behind);
        const bool told = copy.timed;  // It was refused, and is tried again.
        copy.timed = told || (options.watch != nullptr && options.watch->wants_copies());
        if (copy.timed) copy.times.begin = stamp(device, on);
        if (copy.timed && !told) options.watch->copying(description_of(copy));
      }
      device.api->note_label({"", copy.datum->name});
      const bool went =
          copy.staged ? issue_chunk(device, copy, on) : issue_direct(device, copy, on);
      device.api->note_label({});
      if (!went) break;
      moved = true;
      copy.refusals = 0;
      if (copy.issued < bytes) continue;
      const event_handle& last = copy.chunks.back().done;
      if (copy.to != 0) {
        target.ready = last;
        target.readers.clear();
        target.ready_known = true;
      }
      const bool home_is_free = copy.from == 0 && copy.chunks.back().staging;
      if (!home_is_free && !last.done()) source.readers.push_back(last);
    }
  } catch (const call_failed& refused) {
    device.api->note_label({});
    ++counters.retried_copies;
    if (is_sticky(refused.what.kind)) {
      lose(device, refused.what);
    } else if (++copy.refusals > most_refusals) {
      const status quiet_now = device.api->sync_stream(on.ref);
      if (!quiet_now.ok()) {
        lose(device, quiet_now);
      } else {
        fail(copy, error_of(device, refused.what, nullptr, copy.datum.get()));
      }
    }
    return true;
  }
  return moved;
}

/// All that is left, or the next piece where somebody uses what is there already.
bool driver::core::issue_direct(device_node& device, transfer& copy, lane& on) {
  const std::size_t rest = copy.datum->bytes() - copy.issued;
  const std::size_t bytes = copy.in_pieces ? std::min(options.chunk_bytes, rest) : rest;
  const auto span_at = [&](int where) -> raw_span {
    if (where == 0)
      return {copy.datum->home.address + copy.issued, bytes, copy.datum->home.space, -1};
    const replica& there = copy.datum->replicas[static_cast<std::size_t>(where)];
    return {there.block.address + copy.issued, bytes, memory_space::device, node(where).ordinal};
  };
  const status copied = device.api->copy(on.ref, span_at(copy.to), span_at(copy.from));
  if (!copied.ok()) throw call_failed{copied};
  ++counters.copies;
  const std::size_t offset = copy.issued;
  copy.issued += bytes;
  if (copy.timed && copy.issued == copy.datum->bytes()) copy.times.end = stamp(device, on);
  copy.chunks.push_back({{}, offset, bytes, record(device, on)});
  return true;
}

/// False if there is no staging memory now.
bool driver::core::issue_chunk(device_node& device, transfer& copy, lane& on) {
  const std::size_t bytes = std::min(options.chunk_bytes, copy.datum->bytes() - copy.issued);
  transfer::chunk next{{}, copy.issued, bytes, {}};
  event_list behind;
  const status got = device.pinned->allocate(bytes, next.staging, behind);
  if (!got.ok()) {
    if (is_sticky(got.kind)) throw call_failed{got};
    if (!copy.chunks.empty()) return false;
    return issue_direct(device, copy, on);  // Slow, as pageable memory is, but it goes on.
  }
  struct giver {
    arena& pinned;
    transfer::chunk* chunk;
    ~giver() {
      if (chunk) pinned.release(chunk->staging, {});
    }
  } guard{*device.pinned, &next};

  std::byte* const home = copy.datum->home.address + copy.issued;
  const raw_span staging{next.staging.address, bytes, memory_space::pinned, -1};
  status copied{};
  if (copy.from == 0) {
    const replica& target = copy.datum->replicas[static_cast<std::size_t>(copy.to)];
    device.api->note_host({home, bytes, false}, {"", copy.datum->name});
    device.api->note_host({staging.address, bytes, true}, {"", copy.datum->name});
    std::memcpy(staging.address, home, bytes);
    copied = device.api->copy(
        on.ref, {target.block.address + copy.issued, bytes, memory_space::device, device.ordinal},
        staging);
  } else {
    const replica& source = copy.datum->replicas[static_cast<std::size_t>(copy.from)];
    copied = device.api->copy(
        on.ref, staging,
        {source.block.address + copy.issued, bytes, memory_space::device, device.ordinal});
  }
  if (!copied.ok()) throw call_failed{copied};
  ++counters.copies;
  if (copy.timed && copy.issued + bytes == copy.datum->bytes()) copy.times.end = stamp(device, on);
  next.done = record(device, on);
  guard.chunk = nullptr;
  copy.issued += bytes;
  copy.chunks.push_back(std::move(next));
  return true;
}

void driver::core::finish(transfer& copy) {
  replica& source = copy.datum->replicas[static_cast<std::size_t>(copy.from)];
  replica& target = copy.datum->replicas[static_cast<std::size_t>(copy.to)];
  --source.pins;
  --target.pins;
  if (target.loading == &copy) {
    target.loading = nullptr;
    // A task may have been launched behind the copy, and written since.
    if (target.state == replica_state::loading) target.state = replica_state::shared;
    target.ready_known = true;
    target.version = copy.datum->version;
    target.last_use = ++ticks;
  }
  if (copy.from != 0 && source.state == replica_state::invalid && source.pins == 0) {
    give_block(node(copy.from), *copy.datum);
  }
  const std::size_t bytes = copy.datum->bytes();
  (copy.from == 0 ? counters.bytes_to_device
   : copy.to == 0 ? counters.bytes_to_host
                  : counters.bytes_between_devices) += bytes;
  tell_copy(node(copy.to == 0 ? copy.from : copy.to), copy);
  copy.over = true;
}

/// The target is as if nobody had asked; who waits for it finds the error there.
void driver::core::fail(transfer& copy, std::exception_ptr error) {
  replica& source = copy.datum->replicas[static_cast<std::size_t>(copy.from)];
  replica& target = copy.datum->replicas[static_cast<std::size_t>(copy.to)];
  if (source.pins > 0) --source.pins;
  if (target.pins > 0) --target.pins;
  device_node& device = node(copy.to == 0 ? copy.from : copy.to);
  // Whoever was launched behind the copy read what never came.
  for (const auto& task : device.running) {
    for (const auto& use : task->uses) {
      const bool read_it = task->node == copy.to && use.datum == copy.datum && reads(use.mode);
      if (read_it && !task->result->error) task->result->error = error;
    }
  }
  if (target.loading == &copy) {
    if (target.state == replica_state::loading) target.state = replica_state::invalid;
    target.loading = nullptr;
    target.ready_known = true;
    target.load_error = error;
  }
  for (const auto& lease : copy.listeners) {
    lease->error = error;
    // Release; pairs with the acquire in `host_lease`.
    lease->now.store(host_request::failed, std::memory_order_release);
  }
  for (auto& chunk : copy.chunks) {
    if (chunk.staging) device.pinned->release(chunk.staging, {});
  }
  copy.chunks.clear();
  if (copy.to != 0 && target.pins == 0 && target.state == replica_state::invalid) {
    give_block(device, *copy.datum);
  }
  copy.over = true;
}

}  // namespace deed::gpu
