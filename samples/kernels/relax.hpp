// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/kernel.hpp>

#include <cstddef>

/// @file
/// What samples/heat.cpp computes, for every compiler.

/// The mean of a point and its four neighbours; one expression, so that all computations agree. No
/// product is added to anything, so that no compiler rounds once where another does twice.
DEED_HOST_DEVICE constexpr double relaxed(double here, double up, double down, double left,
                                          double right) {
  return 0.2 * (here + up + down + left + right);
}

/// One point of a tile; its neighbours may be in other tiles.
struct relax_point {
  template <class Next, class Now>
  DEED_HOST_DEVICE constexpr void operator()(std::size_t at, Next next, Now now, Now north,
                                             Now south, Now west, Now east) const {
    const std::size_t rows = now.rows(), cols = now.cols(), i = at / cols, j = at % cols;
    const double up = i == 0 ? north(north.rows() - 1, j) : now(i - 1, j);
    const double down = i + 1 == rows ? south(0, j) : now(i + 1, j);
    const double left = j == 0 ? west(i, west.cols() - 1) : now(i, j - 1);
    const double right = j + 1 == cols ? east(i, 0) : now(i, j + 1);
    next(i, j) = relaxed(now(i, j), up, down, left, right);
  }
};

namespace cuda {
void relax(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> next,
           deed::gpu::device_tile<const double> now, deed::gpu::device_tile<const double> north,
           deed::gpu::device_tile<const double> south, deed::gpu::device_tile<const double> west,
           deed::gpu::device_tile<const double> east);
}
namespace hip {
void relax(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> next,
           deed::gpu::device_tile<const double> now, deed::gpu::device_tile<const double> north,
           deed::gpu::device_tile<const double> south, deed::gpu::device_tile<const double> west,
           deed::gpu::device_tile<const double> east);
}
