// SPDX-License-Identifier: MIT
#pragma once

#include "collectives.hpp"
#include "peers.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

/// @file
/// The proof that nothing will happen any more.

namespace deed::transport::detail {

/// Waves of probes down a tree and of counts up it; a rank answers only when it is idle. Two waves
/// in a row with the same counts, as many frames sent as received, prove that between them nothing
/// was on its way and nobody worked.
///
/// All calls inside the progress lock.
/// Source: F. Mattern, Algorithms for distributed termination detection, Distributed Computing 2
/// (1987), section 4.
class quiescence {
 public:
  quiescence(peer_table& peers, int self, int ranks, std::chrono::nanoseconds idle_before)
      : peers_(peers), place_(self, ranks), idle_before_(idle_before) {}

  /// This rank has work again: the next proof may be given.
  void arm() noexcept { armed_ = true; }
  /// No proof will be wanted any more.
  void disarm() noexcept { armed_ = false; }
  /// One look. @return true once the proof is there.
  bool turn(bool idle, std::chrono::nanoseconds now);
  /// @return true once the proof is there.
  bool arrived(const header& frame);
  /// When the root wants to look again; nothing if only an arrival can change anything.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next_look() const noexcept {
    return next_look_;
  }

 private:
  enum : std::uint16_t { probe = 1, reply = 2, proof = 3 };
  struct counts {
    std::uint64_t sent = 0, received = 0;
    friend bool operator==(const counts&, const counts&) = default;
  };
  [[nodiscard]] bool root() const noexcept { return place_.parent < 0; }
  void begin(std::uint64_t wave);
  bool answer(std::chrono::nanoseconds now);
  void start_when_due(std::chrono::nanoseconds now);
  void prove();
  void emit(std::uint16_t what, int to, counts sums);
  void to_children(std::uint16_t what);

  peer_table& peers_;
  tree_place place_;
  std::chrono::nanoseconds idle_before_;
  bool armed_ = true;
  bool probed_ = false;  // An answer to the wave is due.
  int missing_ = 0;      // Children that have not answered yet.
  std::uint64_t wave_ = 0;
  counts sums_;
  std::optional<counts> before_;  // Root: of the wave before.
  std::optional<std::chrono::nanoseconds> next_look_;
};

}  // namespace deed::transport::detail
