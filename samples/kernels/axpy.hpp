// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/kernel.hpp>

#include <cstddef>

/// @file
/// What samples/saxpy.cpp computes, for every compiler.

/// One element of `y += a x`, wherever `x` and `y` are.
struct saxpy_element {
  template <class Y, class X>
  DEED_HOST_DEVICE constexpr void operator()(std::size_t at, Y y, X x, float a) const {
    const std::size_t i = at / y.cols(), j = at % y.cols();
    y(i, j) += a * x(i, j);
  }
};

namespace cuda {
void saxpy(deed::gpu::enqueue& queue, deed::gpu::device_tile<float> y,
           deed::gpu::device_tile<const float> x, float a);
}
namespace hip {
void saxpy(deed::gpu::enqueue& queue, deed::gpu::device_tile<float> y,
           deed::gpu::device_tile<const float> x, float a);
}
