// SPDX-License-Identifier: MIT
// An object that holds an `enqueue` would hold it longer than the task lives.
// expect-error: deed[D818] an `enqueue` ends with its task; pass `enqueue&`
#include <deed/gpu/kernel.hpp>

struct keeper {
#ifdef DEED_MISUSE
  explicit keeper(deed::gpu::enqueue& queue) : kept(queue) {}
  deed::gpu::enqueue kept;
#else
  explicit keeper(deed::gpu::enqueue& queue) : device(queue.device()) {}
  deed::gpu::device_id device;
#endif
};
