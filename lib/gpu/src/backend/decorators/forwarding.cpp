// SPDX-License-Identifier: MIT
#include "backend/decorators/decorators.hpp"

namespace deed::gpu {

status forwarding_api::count(int& devices, std::string& why_none) {
  status instead;
  return before(operation::count, -1, instead) ? inner_->count(devices, why_none) : instead;
}

status forwarding_api::attributes(int device, device_attributes& found) {
  status instead;
  return before(operation::attributes, -1, instead) ? inner_->attributes(device, found) : instead;
}

status forwarding_api::memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
  status instead;
  return before(operation::memory_info, -1, instead) ? inner_->memory_info(free_bytes, total_bytes)
                                                     : instead;
}

status forwarding_api::set_device(int device) noexcept {
  status instead;
  return before(operation::set_device, device, instead) ? inner_->set_device(device) : instead;
}

status forwarding_api::get_device(int& device) noexcept {
  status instead;
  return before(operation::get_device, -1, instead) ? inner_->get_device(device) : instead;
}

status forwarding_api::allocate(std::size_t bytes, void*& address) noexcept {
  status instead;
  return before(operation::allocate, -1, instead) ? inner_->allocate(bytes, address) : instead;
}

status forwarding_api::release(void* address) noexcept {
  status instead;
  return before(operation::release, -1, instead) ? inner_->release(address) : instead;
}

status forwarding_api::allocate_pinned(std::size_t bytes, void*& address) noexcept {
  status instead;
  return before(operation::allocate_pinned, -1, instead) ? inner_->allocate_pinned(bytes, address)
                                                         : instead;
}

status forwarding_api::release_pinned(void* address) noexcept {
  status instead;
  return before(operation::release_pinned, -1, instead) ? inner_->release_pinned(address) : instead;
}

status forwarding_api::register_host(void* address, std::size_t bytes) noexcept {
  status instead;
  return before(operation::register_host, -1, instead) ? inner_->register_host(address, bytes)
                                                       : instead;
}

status forwarding_api::unregister_host(void* address) noexcept {
  status instead;
  return before(operation::unregister_host, -1, instead) ? inner_->unregister_host(address)
                                                         : instead;
}

status forwarding_api::create_stream(bool urgent, void*& stream) noexcept {
  status instead;
  return before(operation::create_stream, -1, instead) ? inner_->create_stream(urgent, stream)
                                                       : instead;
}

status forwarding_api::destroy_stream(stream_ref stream) noexcept {
  status instead;
  return before(operation::destroy_stream, stream.device().value, instead)
             ? inner_->destroy_stream(stream)
             : instead;
}

status forwarding_api::query_stream(stream_ref stream, bool& idle) noexcept {
  status instead;
  return before(operation::query_stream, stream.device().value, instead)
             ? inner_->query_stream(stream, idle)
             : instead;
}

status forwarding_api::sync_stream(stream_ref stream) noexcept {
  status instead;
  return before(operation::sync_stream, stream.device().value, instead)
             ? inner_->sync_stream(stream)
             : instead;
}

status forwarding_api::sync_device() noexcept {
  status instead;
  return before(operation::sync_device, -1, instead) ? inner_->sync_device() : instead;
}

status forwarding_api::create_event(bool timing, void*& event) noexcept {
  status instead;
  return before(operation::create_event, -1, instead) ? inner_->create_event(timing, event)
                                                      : instead;
}

status forwarding_api::destroy_event(event_ref event) noexcept {
  status instead;
  return before(operation::destroy_event, event.device().value, instead)
             ? inner_->destroy_event(event)
             : instead;
}

status forwarding_api::record(event_ref event, stream_ref stream) noexcept {
  status instead;
  return before(operation::record, stream.device().value, instead) ? inner_->record(event, stream)
                                                                   : instead;
}

status forwarding_api::wait(stream_ref stream, event_ref event) noexcept {
  status instead;
  return before(operation::wait, stream.device().value, instead) ? inner_->wait(stream, event)
                                                                 : instead;
}

status forwarding_api::query(event_ref event, bool& done) noexcept {
  status instead;
  return before(operation::query, event.device().value, instead) ? inner_->query(event, done)
                                                                 : instead;
}

status forwarding_api::sync_event(event_ref event) noexcept {
  status instead;
  return before(operation::sync_event, event.device().value, instead) ? inner_->sync_event(event)
                                                                      : instead;
}

status forwarding_api::elapsed(event_ref from, event_ref to,
                               std::chrono::nanoseconds& time) noexcept {
  status instead;
  return before(operation::elapsed, from.device().value, instead) ? inner_->elapsed(from, to, time)
                                                                  : instead;
}

status forwarding_api::copy(stream_ref stream, raw_span destination, raw_span source) noexcept {
  status instead;
  return before(copy_operation(destination, source), stream.device().value, instead)
             ? inner_->copy(stream, destination, source)
             : instead;
}

status forwarding_api::fill(stream_ref stream, raw_span destination, unsigned char value) noexcept {
  status instead;
  return before(operation::fill, stream.device().value, instead)
             ? inner_->fill(stream, destination, value)
             : instead;
}

status forwarding_api::can_access_peer(int device, int peer, bool& can) noexcept {
  status instead;
  return before(operation::can_access_peer, -1, instead)
             ? inner_->can_access_peer(device, peer, can)
             : instead;
}

status forwarding_api::enable_peer(int peer) noexcept {
  status instead;
  return before(operation::enable_peer, -1, instead) ? inner_->enable_peer(peer) : instead;
}

status forwarding_api::last_error() noexcept {
  status instead;
  return before(operation::last_error, -1, instead) ? inner_->last_error() : instead;
}

status forwarding_api::launch(stream_ref stream, emulated_kernel kernel) noexcept {
  status instead;
  return before(operation::launch, stream.device().value, instead)
             ? inner_->launch(stream, std::move(kernel))
             : instead;
}

}  // namespace deed::gpu
