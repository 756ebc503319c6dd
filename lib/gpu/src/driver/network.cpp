// SPDX-License-Identifier: MIT
// The network as a reader of device memory: what stands on a device alone need not come home first.
#include "driver/core.hpp"

#include <utility>

namespace deed::gpu {

/// A node that has the value and that the network reads; 0 if the home is as good, or there is
/// none.
int driver::core::source_for_network(const request& access) {
  const datum_core& datum = *access.uses.front().datum;
  const replica& home = datum.replicas[0];
  if (datum.poisoned() || home.valid() || home.state == replica_state::loading) return 0;
  for (const auto& device : devices) {
    const bool asked = (access.to_network_from >> (device->node - 1) & 1) != 0;
    const replica& there = datum.replicas[static_cast<std::size_t>(device->node)];
    if (asked && there.valid() && !device->dead && !device->failing) return device->node;
  }
  return 0;
}

/// The network knows no streams: it is told of memory only when the work that wrote it is complete.
driver::core::direct driver::core::grant_to_network(const std::shared_ptr<request>& access) {
  datum_core& datum = *access->uses.front().datum;
  if (access->at == request::stage::queued) {
    if (!may_go(*access)) return direct::later;
    const int source = source_for_network(*access);
    if (source == 0) return direct::never;
    ++datum.replicas[static_cast<std::size_t>(source)].pins;
    access->node = source;
    access->at = request::stage::reserved;
  }
  device_node& device = node(access->node);
  replica& there = datum.replicas[static_cast<std::size_t>(access->node)];
  const auto give_up = [&] {
    if (there.pins > 0) --there.pins;
    access->node = 0;
    access->at = request::stage::queued;
    return direct::never;
  };
  if (device.dead || device.failing || datum.poisoned()) return give_up();
  if ((datum.writer && !datum.writer->done) || !there.ready.done()) return direct::later;
  std::byte* const address = device.api->network_address(
      {there.block.address, datum.bytes(), memory_space::device, device.ordinal});
  if (address == nullptr) return give_up();
  note_network(*access);
  access->in_pieces = false;
  counters.bytes_to_network += datum.bytes();
  grant_now(access, {{address, datum.bytes(), 1, datum.bytes(), memory_space::device}});
  return direct::granted;
}

/// The value is on its way home, and its front is of use before its end is there.
bool driver::core::grant_in_pieces(const std::shared_ptr<request>& access) {
  datum_core& datum = *access->uses.front().datum;
  transfer* const copy = datum.replicas[0].loading;
  const bool written =
      !datum.writer || datum.writer->done;  // And did not fail: that was looked at.
  if (datum.replicas[0].state != replica_state::loading || copy == nullptr || copy->over ||
      !written)
    return false;
  copy->listeners.push_back(access->lease);
  access->lease->arrived.store(copy->collected, std::memory_order_relaxed);
  grant_now(access, {datum.home});
  return true;
}

void driver::core::note_network(const request& access) {
  const device_node& device = node(access.node);
  const datum_core& datum = *access.uses.front().datum;
  const replica& there = datum.replicas[static_cast<std::size_t>(access.node)];
  if (device.check == nullptr || device.dead || !there.block) return;
  device.check->note_host({there.block.address, datum.bytes(), false}, {access.name, datum.name});
}

}  // namespace deed::gpu
