// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/kernel.hpp>

#include <cstddef>

/// @file
/// What samples/gemm.cpp computes, for every compiler.

/// One element of `c += a b`, wherever the three are.
struct product_element {
  template <class C, class A, class B>
  DEED_HOST_DEVICE constexpr void operator()(std::size_t at, C c, A a, B b) const {
    const std::size_t i = at / c.cols(), j = at % c.cols();
    auto sum = c(i, j);
    for (std::size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
    c(i, j) = sum;
  }
};

namespace cuda {
void gemm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a, deed::gpu::device_tile<const double> b);
}
namespace hip {
void gemm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a, deed::gpu::device_tile<const double> b);
}
