// SPDX-License-Identifier: MIT
// For nvcc and for hipcc: `VENDOR` is `cuda` or `hip`.
#include <deed/gpu/for_each.hpp>

#include "axpy.hpp"

void VENDOR::saxpy(deed::gpu::enqueue& queue, deed::gpu::device_tile<float> y,
                   deed::gpu::device_tile<const float> x, float a) {
  deed::gpu::for_each(queue, y.size(), saxpy_element{}, y, x, a);
}
