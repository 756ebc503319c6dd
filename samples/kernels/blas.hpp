// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/kernel.hpp>

/// @file
/// The kernels of samples/cholesky.cpp on devices, by cuBLAS and by hipBLAS. The factorisation of
/// one tile is left to processors: it is short, and the others wait for it.

namespace cuda {
void trsm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> b,
          deed::gpu::device_tile<const double> l);
void syrk(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a);
void gemm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a, deed::gpu::device_tile<const double> b);
}  // namespace cuda

namespace hip {
void trsm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> b,
          deed::gpu::device_tile<const double> l);
void syrk(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a);
void gemm(deed::gpu::enqueue& queue, deed::gpu::device_tile<double> c,
          deed::gpu::device_tile<const double> a, deed::gpu::device_tile<const double> b);
}  // namespace hip
