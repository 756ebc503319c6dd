// SPDX-License-Identifier: MIT
// A datum that is only read cannot be the output of a kernel.
// expect-error: deed[D201] this memory is only read; take `const T`
#include <deed/gpu/kernel.hpp>

void kernel(deed::gpu::device_span<double> output);

#ifdef DEED_MISUSE
void start(deed::gpu::device_span<const double> input) { kernel(input); }
#else
void start(deed::gpu::device_span<double> input) { kernel(input); }
#endif
