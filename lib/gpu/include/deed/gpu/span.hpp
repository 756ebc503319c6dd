// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/ptr.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

/// @file
/// `device_span` and `host_span`: an address with a number of elements.

namespace deed::gpu {

/// `size()` elements in one space. What a kernel gets: `device_span<const T>` to read,
/// `device_span<T>` to write. Conversions are those of `ptr`.
template <class T, memory_space Space>
class DEED_MODEL("type", "view") basic_span {
 public:
  using element_type = T;

  constexpr basic_span() noexcept = default;
  DEED_HOST_DEVICE constexpr basic_span(ptr<T, Space> data, std::size_t size) noexcept
      : data_(data), size_(size) {}
  template <class U>
    requires std::is_same_v<const U, T>
  DEED_HOST_DEVICE constexpr basic_span(basic_span<U, Space> other) noexcept
      : data_(other.data()), size_(other.size()) {}
  template <class U>
    requires(std::is_same_v<U, const T>)
  basic_span(basic_span<U, Space>) = delete;  // deed[D201] this memory is only read; take `const T`
  template <class U, memory_space Other>
    requires(Other != Space)
  basic_span(basic_span<U, Other>) = delete;  // deed[D817] memory spaces mixed; use `copy`
  /// The host's own memory, for the host's own spans.
  template <std::size_t Extent>
    requires(Space == memory_space::host)
  constexpr basic_span(std::span<T, Extent> memory) noexcept
      : data_(memory.data()), size_(memory.size()) {}

  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr ptr<T, Space> data() const noexcept { return data_; }
  DEED_HOST_DEVICE constexpr std::size_t size() const noexcept { return size_; }
  DEED_HOST_DEVICE constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  DEED_HOST_DEVICE constexpr bool empty() const noexcept { return size_ == 0; }
  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr basic_span subspan(std::size_t first, std::size_t count) const {
    return {data_ + first, count};
  }
#ifdef DEED_DEVICE_ONLY
  __device__ constexpr T& operator[](std::size_t i) const
    requires(!host_accessible<Space>)
  {
    return data_[i];
  }
  constexpr T& operator[](std::size_t i) const
    requires(host_accessible<Space>)
  {
    return data_[i];
  }
#else
  constexpr decltype(auto) operator[](std::size_t i) const { return data_[i]; }
#endif

 private:
  ptr<T, Space> data_;
  std::size_t size_ = 0;
};

template <class T>
using device_span = basic_span<T, memory_space::device>;
template <class T>
using pinned_span = basic_span<T, memory_space::pinned>;
template <class T>
using host_span = basic_span<T, memory_space::host>;

}  // namespace deed::gpu
