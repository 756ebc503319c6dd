// SPDX-License-Identifier: MIT
// A loop of the host over a device's memory.
// expect-error: deed[D811] device memory is used on the host; use a kernel, or a host view
// expect-nvcc: calling a constexpr __device__ function
// expect-hipcc: device_span<double>
#include <deed/gpu/span.hpp>

#ifdef DEED_MISUSE
void clear(deed::gpu::device_span<double> values) { values[0] = 0; }
#else
void clear(deed::gpu::host_span<double> values) { values[0] = 0; }
#endif
