// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>
#include <deed/transport/sim.hpp>

#include "engine_suite.hpp"
#include "failing_table.hpp"
#include "random_traffic.hpp"
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>

namespace transport_test {
namespace {

using deed::transport::mpi_error;
using deed::transport::mpi_options;
using deed::transport::mpi_world;

/// Large and small, contiguous; ends when all is done, at a fault, or when the peer fell silent.
void exchange(member& me) {
  const int next = (me.self + 1) % me.ranks, before = (me.self + me.ranks - 1) % me.ranks;
  for (int i = 0; i < 6; ++i) {
    me.send(next, message(me.self, 1), pattern(i % 2 == 0 ? 10 : 3000, i));
    me.receive(before, message(before, 1));
  }
  const auto done = [](const auto& at) { return at.done.load(); };
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{25};
  while (me.faults.empty() && std::chrono::steady_clock::now() < end) {
    if (std::ranges::all_of(me.sends, done) && std::ranges::all_of(me.receives, done)) break;
    if (!me.wire.progress()) me.wire.rest(std::chrono::milliseconds{1});
  }
}

/// @return whether the failure was seen: thrown, reported, or in an operation.
/// What MPI may still write to stays in `kept`.
bool survives(int k, int error, std::deque<std::unique_ptr<member>>& kept) {
  static const deed::real_clock time;
  try {
    mpi_world world(boost::mpi::communicator{}, std::make_unique<failing_table>(k, error),
                    mpi_options{.slots = 4, .window = 2});
    member& me = *kept.emplace_back(std::make_unique<member>(world.self(), time, tiny()));
    exchange(me);
    bool seen = !me.faults.empty();
    for (const auto& at : me.sends) seen |= at.error != nullptr;
    for (const auto& at : me.receives) {
      seen |= at.error != nullptr;
      if (at.done && !at.error) {
        EXPECT_EQ(at.bytes.size() == 10 || at.bytes.size() == 3000, true);
      }
    }
    me.wire.abandon();
    return seen;
  } catch (const mpi_error& thrown) {
    int wanted = 0;
    MPI_Error_class(error, &wanted);
    EXPECT_EQ(thrown.error_class(), wanted);
    EXPECT_EQ(thrown.code(), error_code::mpi_failed);
    return true;
  }
}

TEST(mpi_faults, end_in_a_report_wherever_a_call_fails) {
  int seen = 0;
  std::deque<std::unique_ptr<member>> kept;
  for (int k = 1; k <= 90; ++k) {
    for (const int error : {MPI_ERR_OTHER, MPI_ERR_NO_MEM}) {
      SCOPED_TRACE("call " + std::to_string(k));
      seen += survives(k, error, kept) ? 1 : 0;
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  EXPECT_GT(seen, 20);  // On one rank, only making the world calls MPI.
}

TEST(mpi_error, names_operation_class_and_peer) {
  const mpi_error error(MPI_ERR_TRUNCATE, {"MPI_Irecv", 3, 17, 64});
  const std::string text = error.what();
  EXPECT_EQ(text.find("deed[D001] a call of MPI failed"), 0u) << text;
  for (const char* const part : {"MPI_Irecv", "MPI_ERR_TRUNCATE", "rank 3", "17", "64"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(random_traffic, arrives_over_mpi) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const deed::real_clock time;
  for (std::uint64_t seed = 1; seed <= 40 && !testing::Test::HasFailure(); ++seed) {
    mpi_world world{boost::mpi::communicator{}};
    run_traffic(draw_traffic(ranks, seed, 60), world.self(), time);
  }
}

using deed::transport::statistics;
using deed::transport::traffic;

/// Sum over all ranks.
std::uint64_t sum_of(std::uint64_t mine) {
  std::uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Of each peer: transfers and payload sent to it, and received from it.
std::map<int, std::array<std::uint64_t, 4>> pairs_of(const statistics& counts) {
  std::map<int, std::array<std::uint64_t, 4>> pairs;
  for (const auto& [peer, sent, received] : counts.peers) {
    const std::array numbers{sent.transfers, sent.payload_bytes, received.transfers,
                             received.payload_bytes};
    if (numbers != std::array<std::uint64_t, 4>{}) pairs[peer.value] = numbers;
  }
  return pairs;
}

TEST(counts, are_equal_over_mpi_and_on_virtual_ranks) {
  int ranks = 0, self = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  const deed::real_clock time;
  for (std::uint64_t program = 1; program <= 20; ++program) {
    const traffic_plan plan = draw_traffic(ranks, program, 80);
    std::uint64_t virtual_frames = 0;
    statistics virtual_self;
    deed::transport::sim_world made(ranks, {.seed = program});
    made.run([&](rank r, endpoint& end) {
      const statistics counts = run_traffic(plan, end, made.time(r));
      virtual_frames += counts.total.data_frames;
      if (r.value == self) virtual_self = counts;
    });
    mpi_world world{boost::mpi::communicator{}};
    const statistics counts = run_traffic(plan, world.self(), time);
    EXPECT_EQ(pairs_of(counts), pairs_of(virtual_self));
    EXPECT_EQ(sum_of(counts.total.data_frames), virtual_frames);
    const auto own = std::ranges::find(counts.peers, rank{self}, &statistics::with_peer::peer);
    const std::uint64_t to_itself = sum_of(own == counts.peers.end() ? 0 : own->sent.transfers);
    const traffic all{.transfers = sum_of(counts.total.transfers),
                      .announced = sum_of(counts.total.announced)};
    EXPECT_LE(sum_of(counts.total.control_frames),
              control_bound(all, to_itself, plan.options, ranks));
  }
}

}  // namespace
}  // namespace transport_test
