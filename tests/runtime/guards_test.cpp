// SPDX-License-Identifier: MIT
// Programs that leave out calls by guards of their own, without `session.relevant`.
#include <deed/base/random.hpp>
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using test::each_world;
using test::outcome;
using test::simulated_world;
using test::world;

constexpr deed::codelet add{"add", [](std::uint64_t& sum, const std::uint64_t& x) { sum += x; }};
constexpr deed::codelet grow{"grow", [](std::uint64_t& x) { x = 3 * x + 1; }};

void ended_well(const std::vector<outcome>& ranks) {
  for (const outcome& each : ranks) EXPECT_EQ(each.text, "");
}

/// What may be left out may be so where ranks compare all that they submit, too.
const std::array<deed::session_options, 2> both_ways{
    deed::session_options{}, deed::session_options{.checks = {.global = true}}};

/// `size` data, spread over the ranks.
std::vector<deed::handle<std::uint64_t>> spread(deed::session& session, int size) {
  std::vector<deed::handle<std::uint64_t>> data;
  for (int i = 0; i < size; ++i) {
    data.push_back(session.register_data(deed::owner{i % session.size()},
                                         [i] { return static_cast<std::uint64_t>(i); }));
  }
  return data;
}

void expect_values(deed::session& session, const std::vector<deed::handle<std::uint64_t>>& data,
                   const std::vector<std::uint64_t>& wanted) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (session.owns(data[i])) {
      EXPECT_EQ(*session.borrow(deed::read(data[i])), wanted[i]);
    }
  }
}

/// Each datum gets what the one before it has; only the owners of the two say so.
void chain(deed::session& session) {
  constexpr int n = 20;
  const int rank = session.rank(), size = session.size();
  auto data = spread(session, n);
  std::vector<std::uint64_t> wanted(n);
  for (int i = 0; i < n; ++i) wanted[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i);
  for (std::size_t i = 1; i < n; ++i) {
    wanted[i] += wanted[i - 1];
    const int at = static_cast<int>(i);
    if (at % size != rank && (at - 1) % size != rank) continue;
    session.insert_task(add, deed::read_write(data[i]), deed::read(data[i - 1]));
  }
  session.wait();
  expect_values(session, data, wanted);
}

TEST(a_guard, by_the_owners_of_what_is_used_is_enough_for_a_chain) {
  each_world([](const world& in) {
    for (const int ranks : {1, 2, 3, 4, 8}) {
      for (const deed::session_options& options : both_ways)
        ended_well(in.run(ranks, chain, options));
    }
  });
}

/// A random program whose ranks leave out as many tasks as they may: those in which they own
/// nothing, run nothing, and hold no copy of what is written.
void leave_out_at_random(deed::session& session, std::uint64_t seed) {
  constexpr std::size_t n = 6;
  const auto size = static_cast<std::uint64_t>(session.size());
  auto data = spread(session, n);
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = i;
  std::array<std::set<int>, n> holders;
  deed::random_source random(seed);
  for (int task = 0; task < 60; ++task) {
    const std::size_t to = random.below(n), from = random.below(n);
    const int by = static_cast<int>(random.below(size));
    const int to_owner = static_cast<int>(to % size), from_owner = static_cast<int>(from % size);
    const bool reads = to != from;
    std::set<int> needed = holders[to];
    needed.insert({by, to_owner});
    if (reads) needed.insert(from_owner);
    const bool also = random.one_in(4);  // Whoever takes part beyond that does no harm.
    if (also || needed.contains(session.rank())) {
      if (reads)
        session.insert_task(add, deed::read_write(data[to]), deed::read(data[from]),
                            deed::on(deed::rank{by}));
      else
        session.insert_task(grow, deed::read_write(data[to]), deed::on(deed::rank{by}));
    }
    values[to] = reads ? values[to] + values[from] : 3 * values[to] + 1;
    holders[to] = {by};
    if (reads) holders[from].insert(by);
  }
  session.wait();
  expect_values(session, data, values);
}

TEST(a_guard, may_leave_out_whom_a_task_does_not_concern) {
  // With more than four ranks holders pass copies on, of which a guard would have to know.
  for (const int ranks : {2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const world in{world::kind::simulated, seed};
      for (const deed::session_options& options : both_ways) {
        ended_well(in.run(
            ranks, [&](deed::session& session) { leave_out_at_random(session, seed); }, options));
      }
    }
    for (std::uint64_t seed = 201; seed <= 210; ++seed) {
      const world in{world::kind::threads, seed};
      ended_well(in.run(
          ranks, [&](deed::session& session) { leave_out_at_random(session, seed); },
          both_ways[seed % 2]));
    }
  }
}

TEST(a_guard, that_leaves_out_who_passes_a_copy_on_is_named) {
  const auto program = [](deed::session& session) {
    auto data = spread(session, 8);
    for (int r = 1; r < 8; ++r) {
      if (session.rank() != 0 && session.rank() != r) continue;
      session.insert_task(add, deed::read_write(data[static_cast<std::size_t>(r)]),
                          deed::read(data[0]));
    }
    session.wait();
  };
  simulated_world([&](const world& in) {
    for (const deed::session_options& options : both_ways) {
      for (const outcome& each : in.run(8, program, options)) {
        EXPECT_EQ(each.code, deed::error_code::guard_forgets) << each.text;
        EXPECT_THAT(each.text, testing::HasSubstr("passes"));
      }
    }
  });
}

TEST(a_guard, that_leaves_out_a_write_is_told_of_it_where_old_holders_are_known) {
  const auto program = [](deed::session& session) {
    auto data = spread(session, 5);
    for (std::size_t r = 1; r < 4; ++r)
      session.insert_task(add, deed::read_write(data[r]), deed::read(data[0]));
    if (session.rank() != 4) session.insert_task(grow, deed::read_write(data[0]));
    session.insert_task(add, deed::read_write(data[4]), deed::read(data[0]));
    session.wait();
  };
  simulated_world([&](const world& in) {
    for (const deed::session_options& options : both_ways) {
      for (const outcome& each : in.run(5, program, options)) {
        EXPECT_EQ(each.code, deed::error_code::guard_forgets) << each.text;
        EXPECT_THAT(each.text, testing::HasSubstr("let rank 4 know of the write"));
      }
    }
  });
}

}  // namespace
