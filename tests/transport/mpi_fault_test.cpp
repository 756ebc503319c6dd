// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>
#include <deed/transport/sim.hpp>

#include "around_table.hpp"
#include "checking_table.hpp"
#include "engine_suite.hpp"
#include "random_traffic.hpp"
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transport_test {
namespace {

using deed::transport::mpi_error;
using deed::transport::mpi_options;
using deed::transport::mpi_world;

using strings = std::vector<std::string>;

/// 20 rows of 40 bytes, out of a matrix that is 150 wide.
void send_rows(member& me, int to, int seed) {
  held_send& made = me.sends.emplace_back();
  made.bytes = pattern(20 * 150, seed);
  made.operation.what = message(me.self, 1, 800);
  made.operation.peer = rank{to};
  made.operation.source =
      deed::memory_block{.address = made.bytes.data(), .row_bytes = 40, .rows = 20, .pitch = 150};
  made.operation.completed = held_send::completed;
  me.wire.send(made.operation);
}

/// Small and large, in one piece and in rows; ends when all is done, at a fault, or when the peer
/// fell silent.
void exchange(member& me) {
  const int next = (me.self + 1) % me.ranks, before = (me.self + me.ranks - 1) % me.ranks;
  for (int i = 0; i < 40; ++i) {
    if (i % 5 == 4) {
      send_rows(me, next, i);
    } else {
      me.send(next, message(me.self, 1), pattern(i % 2 == 0 ? 10 : 3000, i));
    }
    me.receive(before, message(before, 1));
  }
  const auto done = [](const auto& at) { return at.done.load(); };
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{10};
  while (me.faults.empty() && std::chrono::steady_clock::now() < end) {
    if (std::ranges::all_of(me.sends, done) && std::ranges::all_of(me.receives, done)) break;
    if (!me.wire.progress()) me.wire.rest(std::chrono::milliseconds{1});
  }
}

/// Whether it is a failure of MPI of this class, or one of its peer.
void expect_mpi_error(const std::exception_ptr& failure, int error) {
  int wanted = 0;
  MPI_Error_class(error, &wanted);
  try {
    std::rethrow_exception(failure);
  } catch (const mpi_error& thrown) {
    // A large send or receive that is given up because its other piece failed is MPI_ERR_OTHER.
    EXPECT_TRUE(thrown.error_class() == wanted || thrown.error_class() == MPI_ERR_OTHER);
  } catch (const deed::error& thrown) {
    EXPECT_EQ(thrown.code(), error_code::mpi_failed) << thrown.what();
  }
}

/// One world, in which the k-th call fails; 0: none. @return whether the failure was seen: thrown,
/// reported, or in an operation.
/// What MPI may still write to stays in `kept`, and the communicators stay: what is on its way on
/// one would come to the next that gets its number.
bool survives(int k, int error, std::deque<std::unique_ptr<member>>& kept) {
  static const deed::real_clock time;
  const auto calls = std::make_shared<tracing_table::record>();
  auto table = std::make_unique<checking_table>(
      std::make_unique<failing_table>(k, error, std::make_unique<tracing_table>(calls)));
  const auto wrong = table->wrong();
  bool seen = false;
  try {
    mpi_world world(boost::mpi::communicator{}, std::move(table),
                    mpi_options{.slots = 4, .window = 2, .shares_memory = false});
    member& me = *kept.emplace_back(std::make_unique<member>(world.self(), time, tiny()));
    exchange(me);
    const auto look_at = [&](const std::exception_ptr& failure) {
      if (!failure) return;
      seen = true;
      expect_mpi_error(failure, error);
    };
    for (const auto& at : me.faults) look_at(at);
    for (const auto& at : me.sends) look_at(at.error);
    for (const auto& at : me.receives) {
      look_at(at.error);
      const std::set<std::size_t> right{10, 800, 3000};
      EXPECT_TRUE(!at.done || at.error || right.contains(at.bytes.size()));
    }
    me.wire.abandon();
  } catch (const mpi_error&) {
    seen = true;
    expect_mpi_error(std::current_exception(), error);
  }
  EXPECT_EQ(*wrong, strings{}) << "last call: " << calls->back().first;
  MPI_Barrier(MPI_COMM_WORLD);
  return seen;
}

/// How many calls it takes to make a world.
int calls_to_open() {
  const auto calls = std::make_shared<tracing_table::record>();
  const deed::real_clock time;
  mpi_world world(boost::mpi::communicator{}, std::make_unique<tracing_table>(calls),
                  mpi_options{.slots = 4, .window = 2, .shares_memory = false});
  const auto count = static_cast<int>(calls->size());
  MPI_Barrier(MPI_COMM_WORLD);
  world.self().close(true);
  return count;
}

constexpr int most_calls = 500;

TEST(mpi_faults, end_in_a_report_wherever_a_call_fails_on_all_ranks) {
  int seen = 0;
  std::deque<std::unique_ptr<member>> kept;
  const std::array errors{MPI_ERR_OTHER, MPI_ERR_NO_MEM, MPI_ERR_INTERN};
  for (int k = 1; k <= most_calls; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    seen += survives(k, errors[static_cast<std::size_t>(k) % errors.size()], kept) ? 1 : 0;
  }
  EXPECT_GE(seen, calls_to_open() - 1);  // On one rank, only making the world calls MPI.
  RecordProperty("seen", seen);
}

TEST(mpi_faults, end_in_a_report_wherever_a_call_fails_on_one_rank) {
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  std::deque<std::unique_ptr<member>> kept;
  // Making the world is collective: who fails there has to end the others.
  for (int k = calls_to_open() + 1; k <= most_calls; k += 5) {
    SCOPED_TRACE("call " + std::to_string(k));
    survives(self == 0 ? k : 0, MPI_ERR_OTHER, kept);
  }
}

TEST(mpi_use, is_right_and_leaves_nothing) {
  const deed::real_clock time;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto calls = std::make_shared<tracing_table::record>();
    auto table = std::make_unique<checking_table>(std::make_unique<tracing_table>(calls));
    const auto wrong = table->wrong();
    const auto communicators = table->communicators();
    {
      mpi_world world(boost::mpi::communicator{}, std::move(table));
      run_traffic(draw_traffic(ranks, seed, 60), world.self(), time);
    }
    EXPECT_EQ(*wrong, strings{});
    EXPECT_TRUE(communicators->empty());
    const auto failed = [](const auto& call) { return call.second != MPI_SUCCESS; };
    EXPECT_EQ(std::ranges::count_if(*calls, failed), 0);
    const auto made = [&](std::string_view name) {
      return std::ranges::count(*calls, name, &tracing_table::record::value_type::first);
    };
    EXPECT_EQ(made("MPI_Comm_dup"), made("MPI_Comm_free"));
    EXPECT_EQ(made("MPI_Type_create_hvector"), made("MPI_Type_free"));
    EXPECT_EQ(made("MPI_Recv_init"), made("MPI_Request_free"));
  }
}

TEST(mpi_error, names_operation_class_and_peer) {
  const mpi_error error(MPI_ERR_TRUNCATE, {"MPI_Irecv", 3, 17, 64});
  const std::string text = error.what();
  EXPECT_EQ(text.find("deed[D001] MPI call `MPI_Irecv` failed"), 0u) << text;
  for (const char* const part : {"MPI_ERR_TRUNCATE: ", "rank 3, MPI tag 17, 64 bytes"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(random_traffic, arrives_over_mpi) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const deed::real_clock time;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
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
