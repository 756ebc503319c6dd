// SPDX-License-Identifier: MIT
// Two owners would destroy one stream twice.
// expect-error: deed[D818] a stream has one owner; pass a `stream_ref`
#include <deed/gpu/stream.hpp>

#ifdef DEED_MISUSE
deed::gpu::stream twin(const deed::gpu::stream& one) { return one; }
#else
deed::gpu::stream_ref twin(const deed::gpu::stream& one) { return one; }
#endif
