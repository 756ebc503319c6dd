// SPDX-License-Identifier: MIT
// Memory of a device: reserving, evicting, cleaning ahead of need.
#include "driver/core.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace deed::gpu {
namespace {

constexpr double cleaning_begins = 0.9;
constexpr double clean_share = 0.05;

}  // namespace

bool driver::core::take_block(device_node& device, datum_core& datum, std::string_view task,
                              status& why_not) {
  replica& here = datum.replicas[static_cast<std::size_t>(device.node)];
  if (here.block) return true;
  event_list behind;
  enter(device);
  why_not = device.memory->allocate(datum.bytes(), here.block, behind);
  if (!why_not.ok()) return false;
  here.readers = std::move(behind);  // Whoever had the memory before.
  here.ready = {};
  here.made_for = task;
  device.residents.insert(&datum);
  if (options.watch != nullptr)
    options.watch->took_memory(
        {device.info.id, datum.number, datum.bytes(), device.memory->used()});
  return true;
}

void driver::core::give_block(device_node& device, datum_core& datum, bool evicted) {
  replica& here = datum.replicas[static_cast<std::size_t>(device.node)];
  if (here.prefetched) {
    here.prefetched = false;
    device.prefetched_bytes -= datum.bytes();
  }
  here.state = replica_state::invalid;
  if (!here.block) return;
  event_list users = std::move(here.readers);
  here.readers.clear();
  if (!here.ready.done()) users.push_back(here.ready);
  here.ready = {};
  device.left[device.departures++ % device.left.size()] = {here.block, datum.name, datum.where,
                                                           here.lent};
  device.memory->release(std::exchange(here.block, {}), std::move(users));
  device.residents.erase(&datum);
  if (options.watch != nullptr)
    options.watch->gave_memory(
        {device.info.id, datum.number, datum.bytes(), device.memory->used(), evicted});
}

bool driver::core::busy(const device_node& device) const {
  const auto works = [](const lane& one) { return !one.outstanding.empty(); };
  return !device.running.empty() || !device.to_device.empty() || !device.to_host.empty() ||
         works(*device.in) || works(*device.out) ||
         std::any_of(device.compute.begin(), device.compute.end(), works) ||
         std::any_of(device.queue.begin(), device.queue.end(),
                     [](const auto& task) { return task->at == request::stage::reserved; });
}

driver::core::room driver::core::reserve(device_node& device, request& task) {
  std::size_t needed = 0;
  for (const auto& use : task.uses) needed += arena::rounded(use.datum->bytes());
  if (needed > device.memory->limit()) return room::never;

  for (const auto& use : task.uses) {
    ++use.datum->replicas[static_cast<std::size_t>(device.node)].pins;
  }
  status why_not{};
  try {
    for (const auto& use : task.uses) {
      while (!take_block(device, *use.datum, task.name, why_not)) {
        if (why_not.kind != error_kind::out_of_memory) throw call_failed{why_not};
        if (make_room(device, use.datum->bytes())) continue;
        unreserve(device, task);
        // Leases of the host are in nobody's way: what is valid there may be dropped here. And who
        // has one may wait for this very task.
        if (busy(device)) {
          ++counters.parked;
          return room::later;
        }
        // The vendor may have refused once, or fragments may have been in the way: from empty.
        return ++task.refusals <= most_refusals ? room::later : room::never;
      }
    }
  } catch (const call_failed& refused) {
    unreserve(device, task);
    if (is_sticky(refused.what.kind)) {
      lose(device, refused.what);
      return room::later;
    }
    return ++task.refusals <= most_refusals ? room::later : room::never;
  }
  for (const auto& use : task.uses) {
    replica& here = use.datum->replicas[static_cast<std::size_t>(device.node)];
    here.last_use = ++ticks;
    if (here.prefetched) {
      here.prefetched = false;
      device.prefetched_bytes -= use.datum->bytes();
    }
  }
  return room::yes;
}

void driver::core::unreserve(device_node& device, request& task) {
  for (const auto& use : task.uses) {
    replica& here = use.datum->replicas[static_cast<std::size_t>(device.node)];
    if (here.pins > 0) --here.pins;
    if (here.pins == 0 && here.state == replica_state::invalid) give_block(device, *use.datum);
  }
  task.at = request::stage::queued;
}

/// True if blocks were given back. Otherwise the dirty ones are on their way home, if there are
/// any.
bool driver::core::make_room(device_node& device, std::size_t bytes) {
  if (device.memory->trim() > 0) return true;
  struct victim {
    int rank;
    std::uint64_t last_use;
    datum_core* datum;
  };
  std::vector<victim> victims;
  for (datum_core* datum : device.residents) {
    const replica& here = datum->replicas[static_cast<std::size_t>(device.node)];
    if (here.pins != 0 || here.state == replica_state::loading) continue;
    const bool clean = datum->valid_elsewhere(device.node) || datum->poisoned();
    const int rank = here.state == replica_state::invalid ? 0
                     : !clean                             ? 3
                     : here.prefetched                    ? 2
                                                          : 1;
    victims.push_back({rank, here.last_use, datum});
  }
  std::sort(victims.begin(), victims.end(), [](const victim& a, const victim& b) {
    return std::tie(a.rank, a.last_use) < std::tie(b.rank, b.last_use);
  });
  std::size_t freed = 0, coming = 0;
  for (const victim& next : victims) {
    if (freed >= bytes || (freed > 0 && next.rank == 3) || coming >= bytes) break;
    const std::size_t size = next.datum->bytes();
    if (next.rank != 3) {
      if (options.watch != nullptr)
        options.watch->evicted({device.info.id, next.datum->number, next.datum->name, size});
      give_block(device, *next.datum, true);
      ++counters.evictions;
      freed += std::max<std::size_t>(size, 1);
      continue;
    }
    // The last valid copy goes home first; when that is done, it is clean.
    const replica& home = next.datum->replicas[0];
    coming += std::max<std::size_t>(size, 1);
    if (home.state == replica_state::loading || home.pins != 0) continue;
    ++counters.write_backs;
    start(*next.datum, device.node, 0, copy_reason::write_back);
  }
  return freed > 0;
}

void driver::core::clean(device_node& device) {
  if (device.dead || device.failing) return;
  const auto limit = static_cast<double>(device.memory->limit());
  if (static_cast<double>(device.memory->used()) < cleaning_begins * limit) return;
  if (!device.to_host.empty()) return;
  std::size_t clean_bytes = 0;
  datum_core* oldest = nullptr;
  for (datum_core* datum : device.residents) {
    const replica& here = datum->replicas[static_cast<std::size_t>(device.node)];
    if (!here.valid() || datum->poisoned()) continue;
    if (datum->valid_elsewhere(device.node)) {
      clean_bytes += datum->bytes();
      continue;
    }
    const replica& home = datum->replicas[0];
    const bool free_to_move = here.pins == 0 && datum->tickets.empty() && home.pins == 0 &&
                              home.state == replica_state::invalid;
    const std::uint64_t last_of_oldest =
        oldest ? oldest->replicas[static_cast<std::size_t>(device.node)].last_use : 0;
    if (free_to_move && (!oldest || here.last_use < last_of_oldest)) oldest = datum;
  }
  if (!oldest || static_cast<double>(clean_bytes) >= clean_share * limit) return;
  ++counters.cleanings;
  start(*oldest, device.node, 0, copy_reason::clean);
}

}  // namespace deed::gpu
