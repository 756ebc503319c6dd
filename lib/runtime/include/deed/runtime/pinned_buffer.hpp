// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/runtime/session.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

/// @file
/// `deed::pinned_buffer`: memory of the program that devices copy from and to without a stop.

namespace deed {

namespace runtime {

/// Lets the devices of the session use the memory directly. False: there are none, or they cannot.
[[nodiscard]] bool pin(core& home, std::span<std::byte> memory);
/// The session may have ended, but its core lives.
void unpin(core& home, const std::byte* address) noexcept;

}  // namespace runtime

/// Elements on the host, zeros at first, to be registered with `in_place`: pinned where this rank
/// has devices, plain memory where it has none. Not for data that no device uses: `std::vector` is
/// enough there.
///
/// Keeps: its memory, also when the session has ended. Data in place in it end before it does.
/// Blocks: while the vendor's library pins it, which costs more than a copy of it.
/// Threads: the one that made the session.
///
/// @code{.cpp}
/// deed::pinned_buffer<double> samples{session, 1 << 20};
/// auto x = session.register_data(deed::owner{0}, deed::in_place(samples), {.name = "x"});
/// @endcode
template <class T>
class pinned_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "deed[D901] devices copy the elements as bytes; use a type that allows it");

 public:
  using value_type = T;

  pinned_buffer(session& home, std::size_t count)
      : elements_(std::make_unique<T[]>(count)), count_(count), home_(&home.untyped()) {
    pinned_ = runtime::pin(*home_, std::as_writable_bytes(std::span(elements_.get(), count_)));
    if (pinned_) runtime::registrar_of(*home_).keep();
  }
  pinned_buffer(pinned_buffer&& other) noexcept
      : elements_(std::move(other.elements_)),
        count_(std::exchange(other.count_, 0)),
        home_(other.home_),
        pinned_(std::exchange(other.pinned_, false)) {}
  pinned_buffer& operator=(pinned_buffer&&) = delete;
  ~pinned_buffer() {
    if (!pinned_) return;
    runtime::unpin(*home_, reinterpret_cast<const std::byte*>(elements_.get()));
    runtime::registrar_of(*home_).drop();
  }

  [[nodiscard]] T* data() noexcept { return elements_.get(); }
  [[nodiscard]] const T* data() const noexcept { return elements_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + count_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + count_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return elements_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return elements_[i]; }
  /// Whether devices use it without a stop.
  [[nodiscard]] bool pinned() const noexcept { return pinned_; }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t count_;
  runtime::core* home_;
  bool pinned_ = false;
};

}  // namespace deed
