// SPDX-License-Identifier: MIT
#pragma once

#include "measure.hpp"
#include <cuda_runtime.h>

#include <cstdlib>

/// @file
/// The vendor's calls as one makes them by hand, and the library's on a CUDA device.

namespace goals {

inline void check(cudaError_t said, const char* call) {
  if (said != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(said));
}

/// Pinned memory of the program.
class pinned {
 public:
  explicit pinned(std::size_t bytes) {
    check(cudaHostAlloc(&at_, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  }
  pinned(const pinned&) = delete;
  ~pinned() { cudaFreeHost(at_); }
  std::byte* at(std::size_t offset = 0) const { return static_cast<std::byte*>(at_) + offset; }
  deed::memory_block block(std::size_t first, std::size_t bytes) const {
    return {at(first), bytes, 1, bytes, deed::memory_space::pinned};
  }

 private:
  void* at_ = nullptr;
};

/// Memory of the device, by hand.
class on_device {
 public:
  explicit on_device(std::size_t bytes) { check(cudaMalloc(&at_, bytes), "cudaMalloc"); }
  on_device(const on_device&) = delete;
  ~on_device() { cudaFree(at_); }
  void* at() const { return at_; }

 private:
  void* at_ = nullptr;
};

struct by_hand {
  cudaStream_t stream{};
  by_hand() {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  by_hand(const by_hand&) = delete;
  ~by_hand() { cudaStreamDestroy(stream); }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
  }
  void sync() const { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }
  /// Seconds until it is done.
  double time_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    const double begin = wall();
    copy(to, from, bytes, kind);
    sync();
    return wall() - begin;
  }
};

inline deed::gpu::device_set cuda_alone(std::size_t limit_bytes = 0) {
  return deed::gpu::device_set{{.hip = false, .memory_limit_bytes = limit_bytes}};
}

template <class Launch>
void submit(driver& on, std::vector<deed::gpu::operand> operands, Launch launch) {
  device_task task;
  task.operands = std::move(operands);
  task.body = [launch](enqueue& queue, std::span<const device_memory>) {
    launch(queue.native_stream<cudaStream_t>());
  };
  task.done = [](const std::exception_ptr& error) {
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& what) {
      std::fprintf(stderr, "%s\n", what.what());
    }
    std::_Exit(1);  // A measurement that fails is none.
  };
  on.submit(std::move(task));
}

}  // namespace goals
