// SPDX-License-Identifier: MIT
// The shortest body of a codelet for CUDA: it includes one header, and never sees a host pointer.
#include <deed/gpu/kernel.hpp>

namespace {

__global__ void axpy_kernel(deed::gpu::device_span<const double> x,
                            deed::gpu::device_span<double> y, double a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < y.size()) y[i] += a * x[i];
}

}  // namespace

void axpy_cuda(deed::gpu::enqueue& queue, deed::gpu::device_span<const double> x,
               deed::gpu::device_span<double> y, double a) {
#ifdef DEED_MISUSE
  y[0] = 1;
#endif
  axpy_kernel<<<deed::gpu::blocks_for(y.size()), deed::gpu::default_block, 0,
                queue.native_stream<cudaStream_t>()>>>(x, y, a);
}
