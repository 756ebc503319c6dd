// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/gpu/space.hpp>

#include <compare>
#include <cstddef>
#include <type_traits>

/// @file
/// `ptr`: an address that knows whose memory it is in.

namespace deed::gpu {

/// An address and its space; 8 bytes, trivially copyable, an argument of kernels.
/// `*` and `[]` exist on the host only where the host can read the memory.
/// Not for owning: `device_block` owns.
///
/// | from \ to | same space | other space |
/// |---|---|---|
/// | `T` | copy; `const T` too | D817 |
/// | `const T` | D201 | D817 |
template <class T, memory_space Space>
class DEED_MODEL("type", "view") ptr {
 public:
  using element_type = T;

  constexpr ptr() noexcept = default;
  DEED_HOST_DEVICE constexpr explicit ptr(T* address) noexcept : address_(address) {}
  /// Reading what may be written is safe.
  template <class U>
    requires std::is_same_v<const U, T>
  DEED_HOST_DEVICE constexpr ptr(ptr<U, Space> other) noexcept : address_(other.address()) {}
  template <class U>
    requires(std::is_same_v<U, const T>)
  ptr(ptr<U, Space>) = delete;  // deed[D201] this memory is only read; take `const T` here
  template <class U, memory_space Other>
    requires(Other != Space)
  ptr(ptr<U, Other>) = delete;  // deed[D817] memory spaces mixed; use `copy(enqueue&, …)`

#ifdef DEED_DEVICE_ONLY
  __device__ constexpr T& operator*() const noexcept
    requires(!host_accessible<Space>)
  {
    return *address_;
  }
  __device__ constexpr T& operator[](std::size_t i) const noexcept
    requires(!host_accessible<Space>)
  {
    return address_[i];
  }
#else
  template <class U = T>
    requires(!host_accessible<Space>)
  U& operator*() const {
    static_assert(sizeof(U) == 0,
                  "deed[D811] device memory is used on the host; use a kernel, or a host view");
    return *address_;
  }
  template <class U = T>
    requires(!host_accessible<Space>)
  U& operator[](std::size_t) const {
    static_assert(sizeof(U) == 0,
                  "deed[D811] device memory is used on the host; use a kernel, or a host view");
    return *address_;
  }
#endif
  constexpr T& operator*() const noexcept
    requires(host_accessible<Space>)
  {
    return *address_;
  }
  constexpr T& operator[](std::size_t i) const noexcept
    requires(host_accessible<Space>)
  {
    return address_[i];
  }

  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr ptr operator+(std::size_t n) const noexcept {
    return ptr(address_ + n);
  }
  DEED_HOST_DEVICE constexpr explicit operator bool() const noexcept { return address_ != nullptr; }
  /// The number of the address, for reports and for a vendor's runtime. Nothing to dereference.
  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr T* address() const noexcept { return address_; }

  friend constexpr auto operator<=>(ptr, ptr) = default;

 private:
  T* address_ = nullptr;
};

template <class T>
using device_ptr = ptr<T, memory_space::device>;
template <class T>
using pinned_ptr = ptr<T, memory_space::pinned>;
template <class T>
using host_ptr = ptr<T, memory_space::host>;

}  // namespace deed::gpu
