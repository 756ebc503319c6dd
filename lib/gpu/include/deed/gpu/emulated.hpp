// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

/// @file
/// The emulated device: its own address space, asynchrony and faults, on any machine.

namespace deed::gpu {

/// How long things take on an emulated device, in virtual time.
struct emulated_costs {
  std::chrono::nanoseconds call{1'000};          ///< Of the host, per call.
  std::chrono::nanoseconds copy_latency{5'000};  ///< Per copy.
  std::chrono::nanoseconds kernel{10'000};       ///< If the kernel says nothing else.
  double link_bytes_per_ns = 25;                 ///< To and from the host, each.
  double peer_bytes_per_ns = 100;
  double memory_bytes_per_ns = 1000;
  double operations_per_ns = 1000;  ///< Of a kernel that says how much it computes.
};

/// When the work of an emulated device happens.
enum class emulated_schedule : std::uint8_t {
  /// One thread: a seeded choice among all legal next steps, each time the host asks for progress.
  stepped,
  /// One thread: what can begin first begins first, in virtual time; for overlap and cost.
  timed,
  /// Three threads per device: real concurrency.
  threaded,
};

/// What a network makes of the memory of emulated devices.
enum class emulated_network : std::uint8_t {
  none,   ///< It says that it cannot read it.
  reads,  ///< It reads it.
  lies,   ///< It says that it reads it, and what arrives is something else.
};

/// What was not given back when an emulated machine ended, and what should not have been done.
struct emulated_leftovers {
  std::uint64_t streams = 0;
  std::uint64_t events = 0;
  std::uint64_t allocations = 0;
  std::uint64_t pinned = 0;
  std::uint64_t streams_destroyed_at_work = 0;
  friend bool operator==(const emulated_leftovers&, const emulated_leftovers&) = default;
};

/// What to emulate. `devices == 0` means none.
struct emulated_options {
  int devices = 0;
  std::size_t memory_bytes = std::size_t{64} << 20;  ///< Per device.
  emulated_schedule schedule = emulated_schedule::stepped;
  std::uint64_t seed = 1;
  emulated_costs costs{};
  /// Of `timed` devices: the session's clock, which others move, so that they and the host live in
  /// one time; null: one of their own, which moves when it is asked for something.
  const clock* time = nullptr;
  bool peers = false;  ///< Whether devices may copy to each other directly.
  emulated_network network = emulated_network::none;
  /// A kernel finds its bytes at addresses of its own, which nothing has once it has ended: who
  /// kept one faults. Costs two system calls per operand of a kernel.
  bool windows = false;
  emulated_leftovers* leftovers = nullptr;  ///< Filled at the end of the machine; for tests.
};

}  // namespace deed::gpu
