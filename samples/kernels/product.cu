// SPDX-License-Identifier: MIT
// For nvcc and for hipcc: `VENDOR` is `cuda` or `hip`.
#include <deed/gpu/for_each.hpp>

#include "product.hpp"

void VENDOR::gemm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
                  deed::gpu::device_tile<const double> a, deed::gpu::device_tile<const double> b) {
  deed::gpu::for_each(queue, c.size(), product_element{}, c, a, b);
}
