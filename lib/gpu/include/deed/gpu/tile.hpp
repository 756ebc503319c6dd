// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/span.hpp>

#include <cstddef>
#include <type_traits>

/// @file
/// `device_tile`: a rectangle of elements on a device.

namespace deed::gpu {

/// `[rows, cols]` elements of a `deed::tile` on a device, row-major and without gaps: elements
/// `(i, j)` and `(i, j + 1)` are neighbours, rows lie `cols()` apart. What a kernel gets:
/// `device_tile<const T>` to read, `device_tile<T>` to write. Conversions are those of `ptr`.
template <class T>
class DEED_MODEL("type", "view") device_tile {
 public:
  using element_type = T;

  constexpr device_tile() noexcept = default;
  DEED_HOST_DEVICE constexpr device_tile(device_ptr<T> data, std::size_t rows,
                                         std::size_t cols) noexcept
      : data_(data), rows_(rows), cols_(cols) {}
  template <class U>
    requires std::is_same_v<const U, T>
  DEED_HOST_DEVICE constexpr device_tile(device_tile<U> other) noexcept
      : device_tile(other.data(), other.rows(), other.cols()) {}
  template <class U>
    requires(std::is_same_v<U, const T>)
  device_tile(device_tile<U>) = delete;  // deed[D201] this memory is only read; take `const T`

  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr device_ptr<T> data() const noexcept { return data_; }
  DEED_HOST_DEVICE constexpr std::size_t rows() const noexcept { return rows_; }
  DEED_HOST_DEVICE constexpr std::size_t cols() const noexcept { return cols_; }
  DEED_HOST_DEVICE constexpr std::size_t size() const noexcept { return rows_ * cols_; }
  /// All elements, row after row.
  DEED_MODEL("reaches", "this")
  DEED_HOST_DEVICE constexpr device_span<T> elements() const noexcept { return {data_, size()}; }
#ifdef DEED_DEVICE_ONLY
  __device__ constexpr T& operator()(std::size_t i, std::size_t j) const {
    return data_[i * cols_ + j];
  }
#else
  constexpr decltype(auto) operator()(std::size_t i, std::size_t j) const {
    return data_[i * cols_ + j];
  }
#endif

 private:
  device_ptr<T> data_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace deed::gpu
