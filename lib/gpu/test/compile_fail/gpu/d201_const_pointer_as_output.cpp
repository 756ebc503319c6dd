// SPDX-License-Identifier: MIT
// As for spans.
// expect-error: deed[D201] this memory is only read; take `const T` here
#include <deed/gpu/ptr.hpp>

#ifdef DEED_MISUSE
deed::gpu::device_ptr<int> open(deed::gpu::device_ptr<const int> values) { return values; }
#else
deed::gpu::device_ptr<const int> open(deed::gpu::device_ptr<int> values) { return values; }
#endif
