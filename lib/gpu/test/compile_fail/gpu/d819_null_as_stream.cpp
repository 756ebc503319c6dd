// SPDX-License-Identifier: MIT
// The other spelling of the default stream.
// expect-error: deed[D819] nullptr is no stream; borrow one of a `stream`
#include <deed/gpu/stream.hpp>

void start(deed::gpu::stream_ref);

#ifdef DEED_MISUSE
void go(const deed::gpu::stream&) { start(nullptr); }
#else
void go(const deed::gpu::stream& mine) { start(mine); }
#endif
