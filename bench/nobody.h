// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/deed.hpp>
#include <deed/transport/endpoint.hpp>

#include <span>
#include <thread>

/// One rank of many whose peers are not there: what its own part of a program costs it.

/// A door behind which nobody is: what is sent goes nowhere, and nothing arrives.
class nobody final : public deed::transport::endpoint {
 public:
  explicit nobody(int ranks) { limits_.ranks = ranks; }
  const deed::transport::endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(deed::rank, std::span<const std::byte>, deed::const_memory_block) override {}
  void receive_bulk(deed::rank, std::uint32_t, deed::memory_block, std::uint64_t) override {}
  void send_bulk(deed::rank, std::uint32_t, deed::const_memory_block, std::uint64_t) override {}
  void cancel_bulk(std::uint64_t) override {}
  std::size_t poll(std::span<deed::transport::event>) override { return 0; }
  std::size_t pending() const noexcept override { return 0; }
  std::uint64_t signals() const noexcept override { return 0; }
  void rest(std::chrono::nanoseconds, std::uint64_t) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void wake() noexcept override {}
  void close(bool) noexcept override {}

 private:
  deed::transport::endpoint_limits limits_{};
};

/// Runs `program` on one rank of `ranks`; its session ends without a word to peers that are not
/// there.
template <class Program>
void run_alone(int rank, int ranks, const deed::session_options& options, Program&& program) {
  struct measured {};
  nobody door(ranks);
  const deed::real_clock time;
  try {
    deed::session session(
        deed::runtime::rank_environment{
            .rank = rank,
            .size = ranks,
            .door = &door,
            .time = &time,
            .simulated = true},  // Nobody is there to agree on devices with.
        options);
    program(session);
    throw measured{};
  } catch (const measured&) {
  }
}
