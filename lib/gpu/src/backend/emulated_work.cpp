// SPDX-License-Identifier: MIT
// Copies and kernels of the emulated device, what it may reach, and what goes wrong.
#include "backend/emulated_machine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace deed::gpu {

using namespace emulation;

namespace {

/// Runs a kernel on second addresses of its memory, which end with it.
void run_in_windows(emulated_windows& windows, const emulated_kernel& kernel,
                    std::span<std::byte* const> memory) {
  std::vector<emulated_windows::window> open;
  std::vector<std::byte*> addresses;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    open.push_back(windows.open({memory[i], kernel.memory[i].bytes}));
    addresses.push_back(open.back().address);
  }
  kernel.run(addresses);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (kernel.ended && !open[i].pages.empty()) kernel.ended(i, open[i].pages);
    windows.close(open[i]);
  }
}

}  // namespace

status emulated_api::copy(stream_ref ref, raw_span to, raw_span from) noexcept {
  std::unique_lock lock(machine_->mutex);
  const operation op = copy_operation(to, from);
  const status entered = machine_->enter(ref, op);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  std::byte* const target = machine_->resolve(to);
  const std::byte* const source = machine_->resolve(from);
  if (target == nullptr || source == nullptr || to.bytes != from.bytes) {
    return failed(error_kind::invalid, op);
  }
  const emulated_costs& costs = machine_->options_.costs;
  double bytes_per_ns = costs.link_bytes_per_ns;
  engine on = op == operation::copy_to_device ? to_device : to_host;
  if (op == operation::copy_peer) {
    if (!machine_->at(stream.device)
             .peers.contains(to.device == stream.device ? from.device : to.device)) {
      return failed(error_kind::not_supported, op);
    }
    bytes_per_ns = costs.peer_bytes_per_ns;
  } else if (op == operation::copy_within) {
    on = compute;
    bytes_per_ns = costs.memory_bytes_per_ns;
  } else if ((to.space == memory_space::device ? to : from).device != stream.device) {
    return failed(error_kind::invalid, op);
  }
  work item;
  item.on = on;
  item.takes = costs.copy_latency +
               nanoseconds(static_cast<long long>(static_cast<double>(to.bytes) / bytes_per_ns));
  const bool corrupt =
      machine_->disturbance_ && machine_->disturbance_->what == fault::effect::corrupt;
  if (corrupt) machine_->disturbance_.reset();
  item.action = [target, source, bytes = to.bytes, corrupt] {
    std::memcpy(target, source, bytes);
    if (corrupt && bytes > 0) target[bytes / 2] ^= std::byte{0x10};
  };
  machine_->submit(stream, std::move(item));
  const bool pageable = to.space == memory_space::host || from.space == memory_space::host;
  if (!pageable) return entered;
  ++machine_->counters.blocking_copies;
  const bool reached = machine_->run_until(lock, [&] { return stream.idle(); });
  machine_->now_ = std::max(machine_->now_, stream.ready_at);
  return reached ? entered : failed(error_kind::timeout, op);
}

status emulated_api::fill(stream_ref ref, raw_span to, unsigned char value) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::fill);
  if (!entered.ok()) return entered;
  std::byte* const target = machine_->resolve(to);
  if (target == nullptr || to.space != memory_space::device) {
    return failed(error_kind::invalid, operation::fill);
  }
  work item;
  item.on = compute;
  item.takes = machine_->options_.costs.copy_latency;
  item.action = [target, bytes = to.bytes, value] { std::memset(target, value, bytes); };
  machine_->submit(*static_cast<stream_state*>(ref.native()), std::move(item));
  return entered;
}

status emulated_api::can_access_peer(int device, int peer, bool& can) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device) || !machine_->exists(peer)) {
    return failed(error_kind::invalid, operation::can_access_peer);
  }
  can = device != peer && machine_->options_.peers;
  return fine(operation::can_access_peer);
}

status emulated_api::enable_peer(int peer) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (!machine_->exists(peer) || peer == device)
    return failed(error_kind::invalid, operation::enable_peer);
  if (!machine_->options_.peers) return failed(error_kind::not_supported, operation::enable_peer);
  machine_->at(device).peers.insert(peer);
  return fine(operation::enable_peer);
}

status emulated_api::last_error() noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (machine_->exists(device) && machine_->at(device).lost) {
    return failed(error_kind::device_lost, operation::last_error);
  }
  return fine(operation::last_error);
}

status emulated_api::launch(stream_ref ref, emulated_kernel kernel) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::launch);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  std::vector<std::byte*> memory;
  for (const touched& part : kernel.memory) {
    memory.push_back(part.bytes == 0 ? part.address
                                     : machine_->resolve({part.address, part.bytes,
                                                          memory_space::device, stream.device}));
    if (memory.back() == nullptr && part.bytes != 0)
      return failed(error_kind::invalid, operation::launch);
  }
  work item;
  item.on = compute;
  item.takes = kernel.takes > nanoseconds{0} ? kernel.takes : machine_->options_.costs.kernel;
  if (machine_->windows_) {
    item.action = [&windows = *machine_->windows_, kernel = std::move(kernel),
                   memory = std::move(memory)] { run_in_windows(windows, kernel, memory); };
  } else {
    item.action = [run = std::move(kernel.run), memory = std::move(memory)] { run(memory); };
  }
  machine_->submit(stream, std::move(item));
  return entered;
}

std::optional<nanoseconds> emulated_api::next_change() noexcept {
  const std::lock_guard lock(machine_->mutex);
  return machine_->next_end();
}

bool emulated_api::disturb(const fault& disturbance) noexcept {
  std::unique_lock lock(machine_->mutex);
  if (disturbance.what == fault::effect::device_lost) {
    const int device = machine_->current();
    if (machine_->exists(device)) machine_->lose(lock, device);
  } else {
    machine_->disturbance_ = disturbance;
  }
  return true;
}

}  // namespace deed::gpu
