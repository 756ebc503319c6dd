// SPDX-License-Identifier: MIT
// In CUDA, 0 is the default stream, which stops all others.
// expect-error: deed[D819] an integer is no stream; borrow one of a `stream`
#include <deed/gpu/stream.hpp>

void start(deed::gpu::stream_ref);

#ifdef DEED_MISUSE
void go(const deed::gpu::stream&) { start(7); }
#else
void go(const deed::gpu::stream& mine) { start(mine); }
#endif
