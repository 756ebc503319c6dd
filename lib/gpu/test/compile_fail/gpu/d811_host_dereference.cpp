// SPDX-License-Identifier: MIT
// The host has no way to read what a device holds.
// expect-error: deed[D811] device memory is used on the host; use a kernel, or a host view
// expect-nvcc: calling a constexpr __device__ function
// expect-hipcc: device_ptr<double>
#include <deed/gpu/span.hpp>

#ifdef DEED_MISUSE
double first(deed::gpu::device_ptr<double> values) { return *values; }
#else
double first(deed::gpu::pinned_ptr<double> values) { return *values; }
#endif
