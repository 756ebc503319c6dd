// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/emulated.hpp>

#include "backend/device_api.hpp"

#include <cstdint>
#include <memory>

namespace deed::gpu {

/// What an emulated machine saw that no program should do, and what a test wants to count.
struct emulated_counters {
  std::uint64_t blocking_copies = 0;  ///< "Asynchronous" copies of pageable memory.
  std::uint64_t blocking_frees = 0;   ///< Memory released under work in flight.
  std::uint64_t busy_streams_destroyed = 0;
  std::uint64_t steps = 0;
  std::uint64_t live_streams = 0;
  std::uint64_t live_events = 0;
  std::uint64_t live_allocations = 0;
  std::uint64_t live_pinned = 0;
  std::size_t used_bytes = 0;
  std::size_t peak_bytes = 0;
  std::chrono::nanoseconds engine_busy[3]{};  ///< Compute, to device, to host; of all devices.
};

namespace emulation {
class emulated_machine;
}

/// A machine with emulated devices. Memory: a device address is reserved and never accessible, so a
/// host dereference is a fault; the bytes live elsewhere. Allocation fills with 0xCB.
///
/// As the vendors do: a wrong current device is an error; an "asynchronous" copy of pageable memory
/// blocks; another device's event is only good for waiting; peers need access; a lost device stays
/// lost, and its work is dropped.
class emulated_api final : public device_api {
 public:
  explicit emulated_api(const emulated_options& options);
  ~emulated_api() override;

  /// Does one step of work; false if nothing can run now. Not with `threaded`.
  bool advance() noexcept;
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept;
  [[nodiscard]] emulated_counters counters() const;
  /// Where the bytes of a device address really are; for tests.
  [[nodiscard]] std::byte* shadow(const void* address) const noexcept;

  backend made_by() const noexcept override { return backend::emulated; }
  std::string native_name(int native) const override;
  status count(int& devices, std::string& why_none) override;
  status attributes(int device, device_attributes& found) override;
  status memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept override;
  status set_device(int device) noexcept override;
  status get_device(int& device) noexcept override;
  status allocate(std::size_t bytes, void*& address) noexcept override;
  status release(void* address) noexcept override;
  status allocate_pinned(std::size_t bytes, void*& address) noexcept override;
  status release_pinned(void* address) noexcept override;
  status register_host(void* address, std::size_t bytes) noexcept override;
  status unregister_host(void* address) noexcept override;
  status create_stream(bool urgent, void*& stream) noexcept override;
  status destroy_stream(stream_ref stream) noexcept override;
  status query_stream(stream_ref stream, bool& idle) noexcept override;
  status sync_stream(stream_ref stream) noexcept override;
  status sync_device() noexcept override;
  status create_event(bool timing, void*& event) noexcept override;
  status destroy_event(event_ref event) noexcept override;
  status record(event_ref event, stream_ref stream) noexcept override;
  status wait(stream_ref stream, event_ref event) noexcept override;
  status query(event_ref event, bool& done) noexcept override;
  status sync_event(event_ref event) noexcept override;
  status elapsed(event_ref from, event_ref to, std::chrono::nanoseconds& time) noexcept override;
  status copy(stream_ref stream, raw_span destination, raw_span source) noexcept override;
  status fill(stream_ref stream, raw_span destination, unsigned char value) noexcept override;
  status can_access_peer(int device, int peer, bool& can) noexcept override;
  status enable_peer(int peer) noexcept override;
  status last_error() noexcept override;
  status launch(stream_ref stream, emulated_kernel kernel) noexcept override;
  std::byte* network_address(raw_span memory) noexcept override;
  std::optional<std::chrono::nanoseconds> next_change() noexcept override;
  bool disturb(const fault& disturbance) noexcept override;

 private:
  std::unique_ptr<emulation::emulated_machine> machine_;
};

}  // namespace deed::gpu
