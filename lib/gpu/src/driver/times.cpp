// SPDX-License-Identifier: MIT
// When things happened on a device, on the driver's clock.
#include "driver/core.hpp"

namespace deed::gpu {

/// The first moment whose time both clocks know. Nothing is enqueued yet, so that it is now.
void driver::core::begin_times(device_node& device) {
  if (options.watch == nullptr || device.dead || device.failing) return;
  event_handle first = stamp(device, device.compute.front());
  if (first.operator->() == nullptr || !device.api->sync_event(first->ref).ok()) return;
  device.epoch = std::move(first);
  device.epoch_at = now();
}

/// Empty if the vendor refuses: then nobody hears when it was. Sticky errors show in the next call.
event_handle driver::core::stamp(device_node& device, lane& on) {
  event_handle event = device.timers.take();
  if (event.operator->() == nullptr) {
    void* native = nullptr;
    if (!device.api->create_event(true, native).ok()) return {};
    event = device.timers.adopt(event_ref(native, device_id{device.ordinal}));
  }
  return device.api->record(event->ref, on.ref).ok() ? event : event_handle{};
}

/// Of stamps that are complete.
std::optional<device_times> driver::core::times_of(device_node& device, const stamps& around) {
  constexpr std::chrono::seconds long_ago{1};  // Vendors count from the epoch in few digits.
  const auto known = [](const event_handle& each) { return each.operator->() != nullptr; };
  if (!known(device.epoch) || !known(around.begin) || !known(around.end)) return std::nullopt;
  std::chrono::nanoseconds since{}, took{};
  if (!device.api->elapsed(device.epoch->ref, around.begin->ref, since).ok() ||
      !device.api->elapsed(around.begin->ref, around.end->ref, took).ok())
    return std::nullopt;
  const device_times found{device.epoch_at + since, device.epoch_at + since + took};
  if (since > long_ago) {
    device.epoch = around.begin;
    device.epoch_at = found.begin;
  }
  return found;
}

void driver::core::tell_task(device_node& device, const request& task) {
  if (!task.timed || task.result->error) return;
  if (const auto when = times_of(device, task.times))
    options.watch->ran({device.info.id, task.queue, task.of_caller, *when});
}

void driver::core::tell_copy(device_node& device, const transfer& copy) {
  if (!copy.timed) return;
  const auto when = times_of(device, copy.times);
  if (!when) return;
  copy_seen what = description_of(copy);
  what.when = *when;
  options.watch->copied(what);
}

copy_seen driver::core::description_of(const transfer& copy) {
  return {.from = copy.from - 1,
          .to = copy.to - 1,
          .number = copy.datum->number,
          .version = copy.version,
          .name = copy.datum->name,
          .bytes = copy.datum->bytes(),
          .pinned = copy.datum->home.space == memory_space::pinned,
          .reason = copy.why,
          .for_task = copy.for_task,
          .when = {}};
}

}  // namespace deed::gpu
