// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/gpu/span.hpp>
#include <deed/gpu/stream.hpp>
#include <deed/gpu/tile.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

/// @file
/// `enqueue`: the right to put work on one device, for the time of one task body.

namespace deed::gpu {

namespace detail {
class task_queue;
}

/// Bytes that a kernel touches, by their device address.
struct touched {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool written = false;
};

/// The right to enqueue work on one device, for the time of one task body.
/// Neither copyable nor storable: it ends with the body. A copy does not compile (D818); one whose
/// address was kept refuses every call.
///
/// Device memory is named by the views that the body got, or parts of them.
/// Threads: the one that runs the body.
/// Blocks: never; what is enqueued runs later, in order, on the task's own stream.
/// @throws deed::error D813 from every call if the body has returned; D211 from a call that names
///   memory of a datum that the task does not use, as a view kept by another task does. Then
///   nothing was enqueued.
class DEED_MODEL("type", "right") enqueue {
 public:
  enqueue(const enqueue&) = delete;  // deed[D818] an `enqueue` ends with its task; pass `enqueue&`
  enqueue& operator=(const enqueue&) = delete;

  [[nodiscard]] device_id device() const;
  [[nodiscard]] backend made_by() const;
  [[nodiscard]] stream_ref stream() const;

  /// `cudaStream_t`, `hipStream_t`: the stream of this task.
  template <class NativeStream>
    requires std::is_pointer_v<NativeStream>
  [[nodiscard]] NativeStream native_stream() const {
    return static_cast<NativeStream>(native());
  }
  /// The raw address, for cuBLAS and the like: here only, for the same device only.
  template <class T>
  [[nodiscard]] DEED_MODEL("reaches", 0) T* native(device_span<T> memory) const {
    check_lent(memory.data().address(), memory.size_bytes());
    return memory.data().address();
  }
  template <class T>
  [[nodiscard]] DEED_MODEL("reaches", 0) T* native(device_tile<T> memory) const {
    return native(memory.elements());
  }
  /// A body that used a stream of its own records an event there and joins it: the task ends
  /// behind it.
  /// @throws deed::gpu::gpu_error D010 if the device refuses.
  template <class NativeEvent>
    requires std::is_pointer_v<NativeEvent>
  void join(NativeEvent done) {
    join_native(static_cast<void*>(done));
  }

  /// A kernel of the emulated device: runs later on the device's own time; `run` gets the bytes of
  /// `memory`, in order, where the emulated device really keeps them.
  /// @throws deed::gpu::gpu_error D010 on another device than an emulated one.
  void emulate(std::vector<touched> memory, std::function<void(std::span<std::byte* const>)> run,
               std::chrono::nanoseconds takes = {});

  void copy_bytes(const_memory_block source, memory_block destination);
  void fill_bytes(memory_block destination, unsigned char value);

 private:
  friend class detail::task_queue;
  explicit enqueue(detail::task_queue& queue) noexcept : queue_(&queue) {}
  void* native() const;
  void join_native(void* event);
  void check_lent(const void* address, std::size_t bytes) const;

  detail::task_queue* queue_;
};

namespace detail {

template <class T, memory_space Space>
memory_block bytes_of(basic_span<T, Space> memory) {
  return {reinterpret_cast<std::byte*>(memory.data().address()), memory.size_bytes(), 1,
          memory.size_bytes(), Space};
}
template <class T, memory_space Space>
const_memory_block bytes_of(basic_span<const T, Space> memory) {
  return memory_block{
      const_cast<std::byte*>(reinterpret_cast<const std::byte*>(memory.data().address())),
      memory.size_bytes(), 1, memory.size_bytes(), Space};
}

}  // namespace detail

/// Copies `source` into `destination`, in the order of the task's stream. The direction follows
/// from the types.
/// Keeps: the caller keeps host memory until the task is done.
/// @throws deed::error D212 if the sizes differ, then nothing was enqueued; D010 if the device
/// refuses.
template <class T, memory_space To, memory_space From>
void copy(enqueue& queue, basic_span<T, To> destination, basic_span<const T, From> source) {
  queue.copy_bytes(detail::bytes_of(source), detail::bytes_of(destination));
}
template <class T, memory_space To, memory_space From>
  requires(!std::is_const_v<T>)
void copy(enqueue& queue, basic_span<T, To> destination, basic_span<T, From> source) {
  copy(queue, destination, basic_span<const T, From>(source));
}

}  // namespace deed::gpu
