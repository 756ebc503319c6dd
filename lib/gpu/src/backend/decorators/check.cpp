// SPDX-License-Identifier: MIT
#include "backend/decorators/decorators.hpp"

namespace deed::gpu {

std::vector<happens_before::conflict> check_api::conflicts() const {
  const std::lock_guard lock(mutex_);
  return order_.conflicts();
}

std::uint64_t check_api::redundant_waits() const {
  const std::lock_guard lock(mutex_);
  return order_.redundant_waits();
}

std::string check_api::text(std::string_view verb) const {
  std::string all(verb);
  if (!handle_.empty()) all += " of `" + handle_ + "`";
  if (!task_.empty()) all += " by `" + task_ + "`";
  return all;
}

void check_api::note_label(access_label label) noexcept {
  const std::lock_guard lock(mutex_);
  task_ = label.task;
  handle_ = label.handle;
}

void check_api::note_access(stream_ref stream, std::span<const touched> memory,
                            access_label label) noexcept {
  note_label(label);
  const std::lock_guard lock(mutex_);
  for (const touched& part : memory) {
    order_.stream_access(stream.native(), part.address, part.bytes, part.written,
                         text(part.written ? "a kernel's write" : "a kernel's read"));
  }
}

void check_api::note_host(touched memory, access_label label) noexcept {
  note_label(label);
  const std::lock_guard lock(mutex_);
  order_.host_access(memory.address, memory.bytes, memory.written,
                     text(memory.written ? "the host's write" : "the host's read"));
}

status check_api::allocate(std::size_t bytes, void*& address) noexcept {
  const status outcome = forwarding_api::allocate(bytes, address);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) sizes_[address] = bytes;
  return outcome;
}

status check_api::release(void* address) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (const auto size = sizes_.find(address); size != sizes_.end()) {
      order_.released(static_cast<std::byte*>(address), size->second, "the release of its slab");
      sizes_.erase(size);
    }
  }
  return forwarding_api::release(address);
}

status check_api::allocate_pinned(std::size_t bytes, void*& address) noexcept {
  const status outcome = forwarding_api::allocate_pinned(bytes, address);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) sizes_[address] = bytes;
  return outcome;
}

status check_api::release_pinned(void* address) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (const auto size = sizes_.find(address); size != sizes_.end()) {
      order_.released(static_cast<std::byte*>(address), size->second, "the release of its slab");
      sizes_.erase(size);
    }
  }
  return forwarding_api::release_pinned(address);
}

status check_api::query_stream(stream_ref stream, bool& idle) noexcept {
  const status outcome = forwarding_api::query_stream(stream, idle);
  const std::lock_guard lock(mutex_);
  if (outcome.ok() && idle) order_.host_saw_stream(stream.native());
  return outcome;
}

status check_api::sync_stream(stream_ref stream) noexcept {
  const status outcome = forwarding_api::sync_stream(stream);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) order_.host_saw_stream(stream.native());
  return outcome;
}

status check_api::sync_device() noexcept {
  const status outcome = forwarding_api::sync_device();
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) order_.host_saw_all();
  return outcome;
}

status check_api::destroy_event(event_ref event) noexcept {
  {
    const std::lock_guard lock(mutex_);
    order_.forget_event(event.native());
  }
  return forwarding_api::destroy_event(event);
}

status check_api::record(event_ref event, stream_ref stream) noexcept {
  const status outcome = forwarding_api::record(event, stream);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) order_.record(event.native(), stream.native());
  return outcome;
}

status check_api::wait(stream_ref stream, event_ref event) noexcept {
  const status outcome = forwarding_api::wait(stream, event);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) order_.wait(stream.native(), event.native());
  return outcome;
}

status check_api::query(event_ref event, bool& done) noexcept {
  const status outcome = forwarding_api::query(event, done);
  const std::lock_guard lock(mutex_);
  if (outcome.ok() && done) order_.host_saw_event(event.native());
  return outcome;
}

status check_api::sync_event(event_ref event) noexcept {
  const status outcome = forwarding_api::sync_event(event);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) order_.host_saw_event(event.native());
  return outcome;
}

status check_api::copy(stream_ref stream, raw_span destination, raw_span source) noexcept {
  {
    const std::lock_guard lock(mutex_);
    order_.stream_access(stream.native(), source.address, source.bytes, false,
                         text("a copy's read"));
    order_.stream_access(stream.native(), destination.address, destination.bytes, true,
                         text("a copy's write"));
  }
  const status outcome = forwarding_api::copy(stream, destination, source);
  const bool blocks = source.space == memory_space::host || destination.space == memory_space::host;
  const std::lock_guard lock(mutex_);
  if (outcome.ok() && blocks) order_.host_saw_stream(stream.native());
  return outcome;
}

status check_api::fill(stream_ref stream, raw_span destination, unsigned char value) noexcept {
  {
    const std::lock_guard lock(mutex_);
    order_.stream_access(stream.native(), destination.address, destination.bytes, true,
                         text("a fill"));
  }
  return forwarding_api::fill(stream, destination, value);
}

status check_api::launch(stream_ref stream, emulated_kernel kernel) noexcept {
  {
    const std::lock_guard lock(mutex_);
    for (const touched& part : kernel.memory) {
      order_.stream_access(stream.native(), part.address, part.bytes, part.written,
                           text(part.written ? "a kernel's write" : "a kernel's read"));
    }
  }
  return forwarding_api::launch(stream, std::move(kernel));
}

}  // namespace deed::gpu
