// SPDX-License-Identifier: MIT
// The right to enqueue ends with the body; a copy would outlive it.
// expect-error: deed[D818] an `enqueue` ends with its task; pass `enqueue&`
#include <deed/gpu/kernel.hpp>

#ifdef DEED_MISUSE
void body(deed::gpu::enqueue& queue) { auto kept = queue; }
#else
void body(deed::gpu::enqueue& queue) {
  auto& same = queue;
  (void)same;
}
#endif
