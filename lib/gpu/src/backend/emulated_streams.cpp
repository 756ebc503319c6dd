// SPDX-License-Identifier: MIT
// Streams and events of the emulated device.
#include "backend/emulated_machine.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace deed::gpu {

using namespace emulation;

status emulated_api::create_stream(bool urgent, void*& stream) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  stream = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::create_stream);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::create_stream);
  auto made = std::make_unique<stream_state>();
  made->device = device;
  made->urgent = urgent;
  stream = made.get();
  machine_->numbers_[made.get()] = machine_->streams_made_++;
  machine_->streams_.emplace(made.get(), std::move(made));
  return fine(operation::create_stream);
}

status emulated_api::destroy_stream(stream_ref ref) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  const auto found = machine_->streams_.find(static_cast<stream_state*>(ref.native()));
  if (found == machine_->streams_.end() || found->second->closing) {
    return failed(error_kind::invalid, operation::destroy_stream);
  }
  if (found->second->idle()) {
    machine_->streams_.erase(found);
  } else {
    found->second->closing = true;
    ++machine_->counters.busy_streams_destroyed;
  }
  return fine(operation::destroy_stream);
}

status emulated_api::query_stream(stream_ref ref, bool& idle) noexcept {
  std::unique_lock lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::query_stream);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  idle = stream.idle();
  if (!idle && !machine_->threaded()) machine_->advance(lock);
  return entered;
}

status emulated_api::sync_stream(stream_ref ref) noexcept {
  std::unique_lock lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::sync_stream);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  if (!machine_->run_until(lock, [&] { return stream.idle(); })) {
    return failed(error_kind::timeout, operation::sync_stream);
  }
  machine_->now_ = std::max(machine_->now_, stream.ready_at);
  return entered;
}

status emulated_api::sync_device() noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::sync_device);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::sync_device);
  const bool reached = machine_->run_until(lock, [&] {
    return std::all_of(
        machine_->streams_.begin(), machine_->streams_.end(),
        [&](const auto& entry) { return entry.second->device != device || entry.second->idle(); });
  });
  return reached ? fine(operation::sync_device)
                 : failed(error_kind::timeout, operation::sync_device);
}

status emulated_api::create_event(bool timing, void*& event) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  event = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::create_event);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::create_event);
  auto made = std::make_unique<event_state>();
  made->device = device;
  made->timing = timing;
  event = made.get();
  machine_->events_.emplace(made.get(), std::move(made));
  return fine(operation::create_event);
}

status emulated_api::destroy_event(event_ref event) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  return machine_->events_.erase(static_cast<event_state*>(event.native())) != 0
             ? fine(operation::destroy_event)
             : failed(error_kind::invalid, operation::destroy_event);
}

status emulated_api::record(event_ref ref, stream_ref stream) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(stream, operation::record);
  if (!entered.ok()) return entered;
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  auto& on = *static_cast<stream_state*>(stream.native());
  if (event == machine_->events_.end() || event->second->device != on.device) {
    return failed(error_kind::invalid, operation::record);
  }
  event->second->last = std::make_shared<mark>();
  work item;
  item.marks = event->second->last;
  machine_->submit(on, std::move(item));
  return entered;
}

status emulated_api::wait(stream_ref stream, event_ref ref) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(stream, operation::wait);
  if (!entered.ok()) return entered;
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::wait);
  if (!event->second->last) return entered;  // Never recorded: nothing to wait for.
  work item;
  item.awaits = event->second->last;
  machine_->submit(*static_cast<stream_state*>(stream.native()), std::move(item));
  return entered;
}

status emulated_api::query(event_ref ref, bool& done) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::query);
  if (machine_->at(event->second->device).lost) {
    return failed(error_kind::device_lost, operation::query);
  }
  const std::shared_ptr<mark> wanted = event->second->last;
  done = machine_->seen(wanted);
  if (!done) machine_->ask(lock, wanted);
  if (machine_->options_.time != nullptr) done = machine_->seen(wanted);
  return fine(operation::query);
}

status emulated_api::sync_event(event_ref ref) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::sync_event);
  if (machine_->at(event->second->device).lost) {
    return failed(error_kind::device_lost, operation::sync_event);
  }
  const std::shared_ptr<mark> wanted = event->second->last;
  if (!wanted) return fine(operation::sync_event);
  if (!machine_->run_until(lock, [&] { return wanted->done; })) {
    return failed(error_kind::timeout, operation::sync_event);
  }
  machine_->now_ = std::max(machine_->now_, wanted->at);
  return fine(operation::sync_event);
}

status emulated_api::elapsed(event_ref from, event_ref to, nanoseconds& time) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const auto first = machine_->events_.find(static_cast<event_state*>(from.native()));
  const auto last = machine_->events_.find(static_cast<event_state*>(to.native()));
  if (first == machine_->events_.end() || last == machine_->events_.end() ||
      !first->second->timing || !last->second->timing || !first->second->last ||
      !last->second->last || !first->second->last->done || !last->second->last->done) {
    return failed(error_kind::invalid, operation::elapsed);
  }
  time = last->second->last->at - first->second->last->at;
  return fine(operation::elapsed);
}

}  // namespace deed::gpu
