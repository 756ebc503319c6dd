// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What the measurements share: clocks, the vendor's calls as one makes them by hand, and the
/// library's in a line each.

namespace goals {

using deed::gpu::access_mode;
using deed::gpu::coherent_datum;
using deed::gpu::device_memory;
using deed::gpu::device_task;
using deed::gpu::driver;
using deed::gpu::enqueue;

constexpr int rounds = 7;  // The best counts.
constexpr std::size_t mib = std::size_t{1} << 20;

inline void check(cudaError_t said, const char* call) {
  if (said != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(said));
}

inline double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Of all threads of this process.
inline double processor() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double best(const std::function<double()>& measured) {
  double least = measured();  // The first warms up, and counts only if it is the best.
  for (int i = 1; i < rounds; ++i) least = std::min(least, measured());
  return least;
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

/// Memory of the program as it comes.
inline deed::memory_block pageable(std::vector<double>& values) {
  const std::size_t bytes = values.size() * sizeof(double);
  return {reinterpret_cast<std::byte*>(values.data()), bytes, 1, bytes, deed::memory_space::host};
}

/// `launch` may be empty.
inline void submit(driver& on, const std::vector<deed::gpu::operand>& operands,
                   std::function<void(cudaStream_t)> launch) {
  device_task task;
  task.operands = operands;
  task.body = [launch = std::move(launch)](enqueue& queue, std::span<const device_memory>) {
    if (launch) launch(queue.native_stream<cudaStream_t>());
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

inline void settle(driver& on) {
  while (!on.idle()) on.step();
}
inline void finish(driver& on, const deed::gpu::host_lease& lease) {
  while (!lease.ready()) on.step();
  if (lease.error()) std::rethrow_exception(lease.error());
}
inline void bring_home(driver& on, const coherent_datum& datum, access_mode mode) {
  finish(on, on.acquire({{&datum, mode}}));
}

/// One line of the table. `ratio` is of what the goal is about, which need not be the two columns'.
inline void row(const char* goal, const std::string& what, const std::string& hand,
                const std::string& deed, double ratio, const char* wanted) {
  std::printf("| %s | %s | %s | %s | %.3f | %s |\n", goal, what.c_str(), hand.c_str(), deed.c_str(),
              ratio, wanted);
  std::fflush(stdout);
}
inline std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", value, unit);
  return text;
}
inline std::string speed(std::size_t bytes, double seconds) {
  return number(static_cast<double>(bytes) / 1e9 / seconds, "GB/s");
}

}  // namespace goals
