// SPDX-License-Identifier: MIT
// For nvcc and for hipcc: `VENDOR` is `cuda` or `hip`.
#include <deed/gpu/for_each.hpp>

#include "relax.hpp"

using deed::gpu::device_tile;

void VENDOR::relax(deed::gpu::enqueue& queue, device_tile<double> next,
                   device_tile<const double> now, device_tile<const double> north,
                   device_tile<const double> south, device_tile<const double> west,
                   device_tile<const double> east) {
  deed::gpu::for_each(queue, now.size(), relax_point{}, next, now, north, south, west, east);
}
