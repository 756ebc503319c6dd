// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/transport/endpoint.hpp>
#include <deed/transport/fault_plan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

/// @file
/// Virtual ranks in one process: seeded order, virtual clock, faults by plan.

namespace deed::transport {

/// What a message costs in virtual time.
/// Source: LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995).
struct network_cost {
  std::chrono::nanoseconds latency{1500};        ///< L, between nodes.
  std::chrono::nanoseconds latency_inside{300};  ///< L, within a node.
  std::chrono::nanoseconds overhead{250};        ///< o, at each end.
  std::chrono::nanoseconds gap{100};             ///< g, between two messages of one rank.
  std::uint64_t picoseconds_per_byte = 100;      ///< G; 100 is 10 GB/s.
  int ranks_per_node = 1;
};

/// Thrown through the program of a rank that the plan kills; `run` catches it. For nobody else.
struct rank_killed {};

enum class sim_order : std::uint8_t {
  by_time,  ///< What is due first comes first; the seed chooses among ranks that can run.
  random,   ///< The seed chooses among all that is on its way: as unkind as the contract allows.
};

enum class sim_carriers : std::uint8_t {
  automatic,  ///< Fibers; threads where the build has none (no Boost.Context, or a sanitizer).
  threads,    ///< A thread per rank; some microseconds per change of ranks.
  fibers,     ///< One thread; some nanoseconds per change. `thread_local` is shared by all ranks.
};

struct sim_options {
  std::uint64_t seed = 1;
  fault_plan faults{};
  network_cost network{};
  sim_order order = sim_order::random;
  std::size_t frame_bytes = 8192;
  sim_carriers carrier = sim_carriers::automatic;  ///< The order of events does not depend on it.
  /// Of a fiber; memory only where it is used. 0: 8 MiB for up to 64 ranks, 1 MiB up to 4,096, else
  /// 256 KiB.
  std::size_t stack_bytes = 0;
};

/// Exactly one rank runs at a time. It gives way in `rest`, in `pass` and where it spends time
/// only, so a run is a function of program, ranks, seed and plan.
///
/// States: made → `run` → ended; one run per world.
/// Threads: each rank calls its own endpoint only, from where `run` starts its program.
class sim_world {
 public:
  sim_world(int ranks, const sim_options& options);
  ~sim_world();
  sim_world(const sim_world&) = delete;
  sim_world& operator=(const sim_world&) = delete;

  /// Runs one program on every rank. Blocks: until all have ended.
  /// @throws what the lowest rank threw; a deadlock (D511) only if nobody threw anything else.
  void run(const std::function<void(rank, endpoint&)>& program);

  [[nodiscard]] int ranks() const noexcept;
  /// The virtual clock.
  [[nodiscard]] const clock& time() const noexcept;
  /// As a rank sees it, with the skew of the plan.
  [[nodiscard]] const clock& time(rank r) const noexcept;
  /// Hash of all that happened: equal for equal (program, ranks, seed, plan).
  [[nodiscard]] std::uint64_t event_hash() const noexcept;

  /// By the rank itself: another rank may run now. For the end of a task.
  void pass(rank self);
  /// By the rank itself: time goes by, as a task that takes so long.
  void spend(rank self, std::chrono::nanoseconds time);
  /// The same, until something arrives. Returns what is left of the time.
  std::chrono::nanoseconds spend_until_news(rank self, std::chrono::nanoseconds time);

  /// `found` runs once when all ranks rest for ever and nothing is on its way, on the thread of
  /// one of the ranks; it may wake ranks. If that helps nobody, or all stop again, then every
  /// `rest` throws deed::error D511, now and from then on, so that all programs end.
  void on_deadlock(std::function<void()> found);

 private:
  class door;
  class scheduler;
  std::unique_ptr<scheduler> scheduler_;
};

}  // namespace deed::transport
