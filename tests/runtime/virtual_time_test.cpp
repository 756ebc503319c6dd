// SPDX-License-Identifier: MIT
// Virtual ranks in the order of virtual time, seed 0: what is due first comes first.
#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace {

using std::chrono::microseconds;

constexpr deed::codelet computes{"computes", [](int& x) { ++x; }};
constexpr deed::codelet takes_length{
    "takes_length", [](int& x, const std::vector<double>& from) { x = int(from.size()); }};

/// A task of 200 microseconds and, on the same rank, one that reads a megabyte of the other: when
/// both have run.
std::chrono::nanoseconds computes_while_a_megabyte_comes(std::uint64_t seed) {
  std::chrono::nanoseconds took{};
  test::on_virtual_ranks(
      2,
      [&](deed::session& session) {
        const std::vector<double> megabyte(1 << 17, 1.0);
        auto far = session.register_data(deed::owner{0}, megabyte, {.name = "far"});
        auto x = session.register_data(deed::owner{1}, 0, {.name = "x"});
        auto y = session.register_data(deed::owner{1}, 0, {.name = "y"});
        session.wait();
        const auto begin = session.elapsed();
        session.insert_task(computes, deed::read_write(x), deed::flops{2'000'000});
        session.insert_task(takes_length, deed::read_write(y), deed::read(far));
        session.wait();
        if (session.rank() == 1) took = session.elapsed() - begin;
        if (session.rank() == 1) {
          EXPECT_EQ(*session.borrow(deed::read(y)), 1 << 17);
        }
      },
      seed);
  return took;
}

TEST(virtual_time, a_rank_hears_of_the_network_while_it_computes) {
  const auto took = computes_while_a_megabyte_comes(0);
  EXPECT_GE(took, microseconds{200});
  EXPECT_LT(took, microseconds{240});  // A megabyte alone takes 105.
}

TEST(virtual_time, seed_0_repeats_a_run) {
  EXPECT_EQ(computes_while_a_megabyte_comes(0), computes_while_a_megabyte_comes(0));
}

std::atomic<int> tasks_run = 0;
constexpr deed::codelet notes{"notes", [](int& place) { place = tasks_run++; }};

TEST(virtual_time, with_seed_0_tasks_run_in_the_order_in_which_they_become_ready) {
  const auto run = [](deed::session& session) {
    tasks_run = 0;
    std::vector<deed::handle<int>> data;
    for (int i = 0; i < 20; ++i) {
      data.push_back(session.register_data(deed::owner{0}, -1));
      session.insert_task(notes, deed::read_write(data.back()));
    }
    session.wait();
    for (int i = 0; const auto& each : data) {
      if (session.owns(each)) {
        EXPECT_EQ(*session.borrow(deed::read(each)), i++);
      }
    }
  };
  test::on_virtual_ranks(1, run, 0);
}

}  // namespace
