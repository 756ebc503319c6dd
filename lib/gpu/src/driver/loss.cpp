// SPDX-License-Identifier: MIT
// What happens when a device is lost: its work fails, its data are poisoned, the rest goes on.
#include "driver/core.hpp"

#include <algorithm>
#include <utility>

namespace deed::gpu {

void driver::core::lose(device_node& device, const status& why) noexcept {
  if (device.failing) return;
  device.failing = true;
  device.why_lost = why;
  if (!is_sticky(why.kind)) device.why_lost.kind = error_kind::device_lost;
  current_device = -1;
}

void driver::core::relocate(const std::shared_ptr<request>& task, std::exception_ptr why) {
  const backend wanted = node(task->node).info.made_by;
  for (const auto& device : devices) {
    if (device->dead || device->failing || device->info.made_by != wanted) continue;
    task->node = device->node;
    task->at = request::stage::queued;
    task->asked_for_loads = false;
    const auto later =
        std::find_if(device->queue.begin(), device->queue.end(),
                     [&](const auto& other) { return other->number > task->number; });
    device->queue.insert(later, task);
    return;
  }
  if (task->on_host) {
    move_to_host(task);
  } else {
    fail(task, std::move(why));
  }
}

bool driver::core::clear_up(device_node& device) {
  if (!device.failing || device.dead) return false;
  device.dead = true;
  ++counters.devices_lost;
  device.events.all_complete();
  if (device.in) device.in->outstanding.clear();
  if (device.out) device.out->outstanding.clear();
  for (lane& one : device.compute) one.outstanding.clear();

  const auto error = error_of(device, device.why_lost, nullptr, nullptr);
  for (const auto& other : devices) {
    for (auto* list : {&other->to_device, &other->to_host}) {
      for (const auto& copy : *list) {
        if (!copy->over && (copy->from == device.node || copy->to == device.node))
          fail(*copy, error);
      }
      std::erase_if(*list, [](const auto& copy) { return copy->over; });
    }
  }
  for (const auto& task : std::exchange(device.running, {})) {
    task->result->error = error_of(device, device.why_lost, task.get(), nullptr);
    task->result->done = true;
    ++counters.failed_tasks;
    tell_end(*task, task->result->error);
  }
  for (datum_core* datum : std::exchange(device.residents, {})) {
    replica& here = datum->replicas[static_cast<std::size_t>(device.node)];
    const bool had_it = here.valid();
    here = replica{};
    if (!had_it || datum->valid_anywhere() || datum->poisoned()) continue;
    datum->writer = std::make_shared<ending>();
    datum->writer->done = true;
    datum->writer->error = error;
  }
  device.prefetched_bytes = 0;
  device.memory->forget_all();
  for (const auto& task : std::exchange(device.queue, {})) relocate(task, error);
  return true;
}

}  // namespace deed::gpu
