// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/space.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

/// @file
/// Streams and events: who owns them, and what borrows them.

namespace deed::gpu {

class reaper;

/// Borrows a stream of one device.
class stream_ref {
 public:
  constexpr stream_ref(void* native, device_id device) noexcept
      : native_(native), device_(device) {}
  stream_ref(std::nullptr_t) = delete;  // deed[D819] nullptr is no stream; borrow one of a `stream`
  template <std::integral I>
  stream_ref(I) = delete;  // deed[D819] an integer is no stream; borrow one of a `stream`

  /// The vendor's handle, as it is.
  [[nodiscard]] constexpr void* native() const noexcept { return native_; }
  [[nodiscard]] constexpr device_id device() const noexcept { return device_; }
  friend constexpr bool operator==(stream_ref, stream_ref) = default;

 private:
  void* native_;
  device_id device_;
};

/// Borrows an event of one device.
class event_ref {
 public:
  constexpr event_ref(void* native, device_id device) noexcept : native_(native), device_(device) {}

  [[nodiscard]] constexpr void* native() const noexcept { return native_; }
  [[nodiscard]] constexpr device_id device() const noexcept { return device_; }
  friend constexpr bool operator==(event_ref, event_ref) = default;

 private:
  void* native_;
  device_id device_;
};

/// Owns a stream. Its end hands the stream to the reaper, which destroys it once its work is done:
/// the end of a `stream` never blocks and never leaves work without its stream.
class [[nodiscard]] stream {
 public:
  stream(stream&& other) noexcept : reaper_(std::move(other.reaper_)), ref_(other.ref_) {}
  stream& operator=(stream other) noexcept {
    std::swap(reaper_, other.reaper_);
    std::swap(ref_, other.ref_);
    return *this;
  }
  stream(const stream&) = delete;  // deed[D818] a stream has one owner; pass a `stream_ref`
  ~stream();

  [[nodiscard]] stream_ref ref() const noexcept { return ref_; }
  operator stream_ref() const noexcept { return ref_; }

 private:
  friend class reaper;
  stream(std::shared_ptr<reaper> owner, stream_ref ref) noexcept
      : reaper_(std::move(owner)), ref_(ref) {}

  std::shared_ptr<reaper> reaper_;
  stream_ref ref_;
};

}  // namespace deed::gpu
