// SPDX-License-Identifier: MIT
// A span knows its space, too.
// expect-error: deed[D817] memory spaces mixed; use `copy
#include <deed/gpu/span.hpp>

void kernel(deed::gpu::device_span<const double> values);

#ifdef DEED_MISUSE
void start(deed::gpu::pinned_span<double> values) { kernel(values); }
#else
void start(deed::gpu::device_span<double> values) { kernel(values); }
#endif
