// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/kernel.hpp>

#include <cstddef>

/// @file
/// `for_each`: one functor, compiled for processors and for the devices of each vendor.

namespace deed::gpu {

/// Calls `body(i, arguments...)` for `i` in `[0, size)`, on a processor, in order.
template <class Body, class... Arguments>
constexpr void for_each(std::size_t size, Body body, Arguments... arguments) {
  for (std::size_t i = 0; i < size; ++i) body(i, arguments...);
}

namespace detail {

template <class T>
void check_view(const enqueue&, const T&) {}  // No view.
template <class T>
void check_view(const enqueue& queue, device_span<T> view) {
  static_cast<void>(queue.native(view));
}
template <class T>
void check_view(const enqueue& queue, device_tile<T> view) {
  check_view(queue, view.elements());
}
template <class T>
void check_view(const enqueue& queue, device_ptr<T> view) {
  check_view(queue, device_span<T>(view, 1));
}

}  // namespace detail

/// Refuses device views that are not the task's own, before a kernel gets them. `for_each` does it;
/// who launches a kernel of his own calls it with the kernel's arguments.
///
/// It sees arguments that are a `device_span`, a `device_tile` or a `device_ptr`, and whether
/// their bytes lie in data of other tasks, or where a datum lay. It is blind to views inside of
/// other objects (members, captures of a functor, elements of arrays): give it those one by one;
/// to raw addresses; to a kept view of a datum that this task declares, too; and to memory that
/// deed has given back to the vendor. `deed-check` finds where a view is kept.
/// @throws deed::error D211 if a view is that of a datum which the task does not declare; D813 if
///   the body has returned.
template <class... Arguments>
void check_views(const enqueue& queue, const Arguments&... arguments) {
  (detail::check_view(queue, arguments), ...);
}

#if defined(__CUDACC__) || defined(__HIPCC__)

// A program may have kernels of both vendors: their host halves are different functions.
#if defined(__HIPCC__)
inline namespace of_hip {
using native_queue = hipStream_t;
#else
inline namespace of_cuda {
using native_queue = cudaStream_t;
#endif

template <class Body, class... Arguments>
__global__ void call_for_each(std::size_t size, Body body, Arguments... arguments) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) body(i, arguments...);
}

/// The same on a device, one thread per index, in any order: what `body` writes for one index,
/// no other index may touch. `body` and `arguments` are copied bit by bit.
///
/// Threads: the one that runs the task's body.
/// Blocks: never. A launch that fails is seen by who runs the body.
/// @throws deed::error as `check_views` of the arguments; then nothing was launched.
template <class Body, class... Arguments>
void for_each(enqueue& queue, std::size_t size, Body body, Arguments... arguments) {
  if (size == 0) return;
  check_views(queue, arguments...);
  call_for_each<<<blocks_for(size), default_block, 0, queue.native_stream<native_queue>()>>>(
      size, body, arguments...);
}

}  // namespace of_hip or of_cuda

#endif

}  // namespace deed::gpu
