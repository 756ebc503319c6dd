// SPDX-License-Identifier: MIT
#include "backend/emulated.hpp"

#include "backend/emulated_machine.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

namespace deed::gpu {

using namespace emulation;

emulated_api::emulated_api(const emulated_options& options)
    : machine_(std::make_unique<emulated_machine>(options)) {}
emulated_api::~emulated_api() {
  if (emulated_leftovers* left = machine_->options_.leftovers) {
    const emulated_counters all = counters();
    *left = {all.live_streams, all.live_events, all.live_allocations, all.live_pinned,
             all.busy_streams_destroyed};
  }
}

bool emulated_api::advance() noexcept {
  std::unique_lock lock(machine_->mutex);
  return machine_->advance(lock);
}

nanoseconds emulated_api::now() const noexcept {
  const std::lock_guard lock(machine_->mutex);
  return machine_->time();
}

emulated_counters emulated_api::counters() const {
  const std::lock_guard lock(machine_->mutex);
  emulated_counters all = machine_->counters;
  all.live_streams = machine_->streams_.size();
  all.live_events = machine_->events_.size();
  all.live_pinned = machine_->pinned_.size();
  for (const auto& device : machine_->devices_) {
    if (device->lost) continue;  // Its memory went with it.
    all.live_allocations += device->memory.live();
    all.used_bytes += device->memory.used();
    all.peak_bytes = std::max(all.peak_bytes, device->memory.peak());
  }
  return all;
}

std::byte* emulated_api::shadow(const void* address) const noexcept {
  const std::lock_guard lock(machine_->mutex);
  for (const auto& device : machine_->devices_) {
    if (std::byte* found = device->memory.shadow(address, 1)) return found;
  }
  return nullptr;
}

std::byte* emulated_api::network_address(raw_span memory) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (machine_->options_.network == emulated_network::none) return nullptr;
  std::byte* const bytes = machine_->resolve(memory);
  if (bytes == nullptr || machine_->options_.network == emulated_network::reads) return bytes;
  machine_->something_else_.resize(std::max(machine_->something_else_.size(), memory.bytes));
  return machine_->something_else_.data();
}

std::string emulated_api::native_name(int native) const {
  return std::string(to_string(static_cast<error_kind>(native)));
}

status emulated_api::count(int& devices, std::string& why_none) {
  devices = machine_->devices();
  if (devices > 0) return fine(operation::count);
  why_none = "no emulated device was asked for";
  return failed(error_kind::no_device, operation::count);
}

status emulated_api::attributes(int device, device_attributes& found) {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device)) return failed(error_kind::invalid, operation::attributes);
  found = {.name = "emulated " + std::to_string(device),
           .memory_bytes = machine_->at(device).memory.capacity(),
           .compute_major = 1,
           .multiprocessors = 1,
           .copy_engines = 2};
  return fine(operation::attributes);
}

status emulated_api::memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::memory_info);
  const emulated_memory& memory = machine_->at(device).memory;
  total_bytes = memory.capacity();
  free_bytes = memory.capacity() - memory.used();
  return fine(operation::memory_info);
}

status emulated_api::set_device(int device) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device)) return failed(error_kind::invalid, operation::set_device);
  machine_->current() = device;
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::set_device);
  return fine(operation::set_device);
}

status emulated_api::get_device(int& device) noexcept {
  const std::lock_guard lock(machine_->mutex);
  device = machine_->current();
  return fine(operation::get_device);
}

status emulated_api::allocate(std::size_t bytes, void*& address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  address = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::allocate);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::allocate);
  if (bytes == 0) return fine(operation::allocate);
  address = machine_->at(device).memory.allocate(bytes);
  return address ? fine(operation::allocate)
                 : failed(error_kind::out_of_memory, operation::allocate);
}

status emulated_api::release(void* address) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr) return fine(operation::release);
  for (int i = 0; i < machine_->devices(); ++i) {
    device_state& device = machine_->at(i);
    if (!device.memory.owns(address)) continue;
    // The vendors stop until the device is idle.
    const auto idle = [&] {
      return std::all_of(
          machine_->streams_.begin(), machine_->streams_.end(),
          [&](const auto& entry) { return entry.second->device != i || entry.second->idle(); });
    };
    if (!idle()) {
      ++machine_->counters.blocking_frees;
      machine_->run_until(lock, idle);
    }
    if (!device.memory.release(address)) return failed(error_kind::invalid, operation::release);
    return device.lost ? failed(error_kind::device_lost, operation::release)
                       : fine(operation::release);
  }
  return failed(error_kind::invalid, operation::release);
}

status emulated_api::allocate_pinned(std::size_t bytes, void*& address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  address = ::operator new(bytes, std::align_val_t{4096}, std::nothrow);
  if (address == nullptr) return failed(error_kind::out_of_memory, operation::allocate_pinned);
  machine_->pinned_.emplace(address, bytes);
  return fine(operation::allocate_pinned);
}

status emulated_api::release_pinned(void* address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr) return fine(operation::release_pinned);
  if (machine_->pinned_.erase(address) == 0) {
    return failed(error_kind::invalid, operation::release_pinned);
  }
  ::operator delete(address, std::align_val_t{4096});
  return fine(operation::release_pinned);
}

status emulated_api::register_host(void* address, std::size_t bytes) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr || !machine_->registered_.emplace(address, bytes).second) {
    return failed(error_kind::invalid, operation::register_host);
  }
  return fine(operation::register_host);
}

status emulated_api::unregister_host(void* address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  return machine_->registered_.erase(address) != 0
             ? fine(operation::unregister_host)
             : failed(error_kind::invalid, operation::unregister_host);
}

}  // namespace deed::gpu
