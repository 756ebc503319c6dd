// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>
#include <deed/gpu/fault.hpp>
#include <deed/gpu/launch.hpp>
#include <deed/gpu/stream.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deed::gpu {

/// What a device says of itself.
struct device_attributes {
  std::string name;
  std::size_t memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int copy_engines = 0;
  bool integrated = false;
};

/// Bytes in one space; `device` matters in device memory only.
struct raw_span {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  memory_space space = memory_space::host;
  int device = -1;
};

/// A kernel of an emulated device.
struct emulated_kernel {
  std::vector<touched> memory;
  std::function<void(std::span<std::byte* const>)> run;
  std::chrono::nanoseconds takes{};
  /// With `emulated_options::windows`: the pages of one part are closed next. May be empty.
  std::function<void(std::size_t part, std::span<const std::byte> pages)> ended{};
};

/// Names for reports of the checker.
struct access_label {
  std::string_view task;
  std::string_view handle;
};

/// A vendor's runtime as plain calls. State lives in the object, never in a global. Devices are the
/// vendor's own ordinals; `*_ref::device()` holds the same number.
///
/// Calls without a device use the current device of the calling thread, as the vendors do.
/// Threads: any, one device step at a time.
class device_api {
 public:
  device_api() = default;
  device_api(const device_api&) = delete;
  device_api& operator=(const device_api&) = delete;
  virtual ~device_api() = default;

  [[nodiscard]] virtual backend made_by() const noexcept = 0;
  [[nodiscard]] virtual std::string native_name(int native) const = 0;

  /// `devices == 0` whenever it fails; then `why_none` says why, in words.
  virtual status count(int& devices, std::string& why_none) = 0;
  virtual status attributes(int device, device_attributes& found) = 0;
  virtual status memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept = 0;
  virtual status set_device(int device) noexcept = 0;
  virtual status get_device(int& device) noexcept = 0;

  virtual status allocate(std::size_t bytes, void*& address) noexcept = 0;
  virtual status release(void* address) noexcept = 0;
  virtual status allocate_pinned(std::size_t bytes, void*& address) noexcept = 0;
  virtual status release_pinned(void* address) noexcept = 0;
  virtual status register_host(void* address, std::size_t bytes) noexcept = 0;
  virtual status unregister_host(void* address) noexcept = 0;

  /// Non-blocking with respect to the default stream; `urgent` has the higher priority.
  virtual status create_stream(bool urgent, void*& stream) noexcept = 0;
  virtual status destroy_stream(stream_ref stream) noexcept = 0;
  virtual status query_stream(stream_ref stream, bool& idle) noexcept = 0;
  virtual status sync_stream(stream_ref stream) noexcept = 0;
  virtual status sync_device() noexcept = 0;

  virtual status create_event(bool timing, void*& event) noexcept = 0;
  virtual status destroy_event(event_ref event) noexcept = 0;
  virtual status record(event_ref event, stream_ref stream) noexcept = 0;
  /// The stream waits, the host does not.
  virtual status wait(stream_ref stream, event_ref event) noexcept = 0;
  virtual status query(event_ref event, bool& done) noexcept = 0;
  virtual status sync_event(event_ref event) noexcept = 0;
  virtual status elapsed(event_ref from, event_ref to, std::chrono::nanoseconds& time) noexcept = 0;

  /// The direction follows from the spaces; the sizes are equal.
  virtual status copy(stream_ref stream, raw_span destination, raw_span source) noexcept = 0;
  virtual status fill(stream_ref stream, raw_span destination, unsigned char value) noexcept = 0;
  virtual status can_access_peer(int device, int peer, bool& can) noexcept = 0;
  virtual status enable_peer(int peer) noexcept = 0;

  /// The error that the last launch left behind, or a call of the program itself, once; `none` if
  /// there is none. A call of this interface that fails says so, and leaves nothing behind but what
  /// ends the device.
  virtual status last_error() noexcept = 0;
  virtual status launch(stream_ref stream, emulated_kernel kernel) noexcept {
    (void)stream, (void)kernel;
    return {error_kind::not_supported, 0, operation::launch};
  }

  /// For faults: the next thing that is enqueued meets `disturbance`. False where nothing can be
  /// disturbed.
  virtual bool disturb(const fault& disturbance) noexcept {
    (void)disturbance;
    return false;
  }
  /// Where a network that reads device memory finds these bytes; null if it does not.
  [[nodiscard]] virtual std::byte* network_address(raw_span memory) noexcept {
    return memory.address;
  }
  /// When something here is done next, on a clock that others move; empty where nobody knows.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> next_change() noexcept {
    return std::nullopt;
  }
  /// For the checker: work of the stream touches memory that no call names; the host touches
  /// memory.
  virtual void note_access(stream_ref, std::span<const touched>, access_label) noexcept {}
  virtual void note_host(touched, access_label) noexcept {}
  /// For the checker: these bytes begin a new life, in the order in which their owner asks.
  virtual void note_label(access_label) noexcept {}
};

/// Which copy this is.
[[nodiscard]] operation copy_operation(const raw_span& destination,
                                       const raw_span& source) noexcept;

}  // namespace deed::gpu
