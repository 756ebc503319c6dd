// SPDX-License-Identifier: MIT
// Copies of other ranks' data, and what is counted of them: rows R13, R72 to R76, N14 to N16.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet increase{"increase", [](double& x) { x += 1; }};
constexpr deed::codelet count{
    "count", [](std::size_t& sum, const std::vector<double>& x) { sum += x.size(); }};
constexpr deed::codelet spell{
    "spell", [](std::size_t& sum, const std::vector<std::string>& x) { sum += x[0].size(); }};
constexpr deed::codelet add_all{"add_all", [](double& sum, deed::tile<const double> part) {
                                  for (std::size_t i = 0; i < part.rows(); ++i) {
                                    for (std::size_t j = 0; j < part.cols(); ++j) sum += part(i, j);
                                  }
                                }};
constexpr deed::codelet fill{"fill", [](deed::tile<double> part, double x) {
                               for (std::size_t i = 0; i < part.rows(); ++i) {
                                 for (std::size_t j = 0; j < part.cols(); ++j) part(i, j) = x;
                               }
                             }};

std::uint64_t transfers(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

TEST(semantics_R13, a_copy_has_memory_from_its_first_use_until_it_is_flushed) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto x = session.register_data(deed::owner{0}, 2.0, {.name = "x"});
    auto sum = session.register_data(deed::owner{last}, 0.0, {.name = "sum"});
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes, 0u);
    session.insert_task(add, deed::read_write(sum), deed::read(x));
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes,
              session.rank() == last && last > 0 ? sizeof(double) : 0u);
    session.flush(x);
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes, 0u);
  });
}

/// `steps` reads of one datum by the last rank, with writes between; the result at the end.
double sum_of_reads(deed::session& session, int steps) {
  const int last = session.size() - 1;
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto sum = session.register_data(deed::owner{last}, 0.0, {.name = "sum"});
  for (int step = 0; step < steps; ++step) {
    for (int read = 0; read < 3; ++read)
      session.insert_task(add, deed::read_write(sum), deed::read(x));
    session.insert_task(increase, deed::read_write(x));
  }
  session.fetch(deed::read(sum), deed::everywhere);
  session.wait();
  return *session.borrow(deed::read(sum));
}

TEST(semantics_R72, values_are_the_same_without_the_cache_and_the_traffic_is_larger) {
  for (const bool cache : {true, false}) {
    run(
        [cache](deed::session& session) {
          EXPECT_EQ(session.cache_enabled(), cache);
          EXPECT_EQ(sum_of_reads(session, 4), 3.0 * (1 + 2 + 3 + 4));
          if (session.rank() == 0) {
            EXPECT_EQ(session.statistics().sent_to[session.size() - 1].transfers, cache ? 4u : 12u);
          }
        },
        2, {.cache = cache});
  }
}

TEST(semantics_R73, the_cache_is_switched_with_live_handles) {
  run(
      [](deed::session& session) {
        const int last = session.size() - 1;
        session.set_cache(false);  // Before it is registered: F11.
        auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
        auto sum = session.register_data(deed::owner{last}, 0.0, {.name = "sum"});
        const auto read_twice = [&] {
          for (int i = 0; i < 2; ++i)
            session.insert_task(add, deed::read_write(sum), deed::read(x));
          session.wait();
          return transfers(session);
        };
        const bool sends = session.rank() == 0;
        EXPECT_EQ(read_twice(), sends ? 2u : 0u) << "off: each time";
        session.set_cache(true);
        EXPECT_EQ(read_twice(), sends ? 3u : 0u) << "on: once";
        EXPECT_EQ(session.statistics().copies_bytes, session.rank() == last ? sizeof(double) : 0u);
        session.set_cache(false);
        session.wait();
        EXPECT_EQ(session.statistics().copies_bytes, 0u) << "cleaned";
        EXPECT_EQ(read_twice(), sends ? 5u : 0u);
        if (session.rank() == last) {
          EXPECT_EQ(*session.borrow(deed::read(sum)), 6.0);
        }
      },
      2);
}

TEST(semantics_R74, a_flushed_datum_is_brought_again_once) {
  run(
      [](deed::session& session) {
        const int last = session.size() - 1;
        auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
        auto y = session.register_data(deed::owner{0}, 1.0, {.name = "y"});
        auto sum = session.register_data(deed::owner{last}, 0.0, {.name = "sum"});
        for (int i = 0; i < 2; ++i) {
          session.insert_task(add, deed::read_write(sum), deed::read(x));
          session.insert_task(add, deed::read_write(sum), deed::read(y));
        }
        EXPECT_TRUE(session.holds(x, deed::rank{last}));
        session.flush(x);
        EXPECT_FALSE(session.holds(x, deed::rank{last})) << "decided at once";
        session.insert_task(add, deed::read_write(sum), deed::read(x));
        session.insert_task(add, deed::read_write(sum), deed::read(x));
        session.wait();
        EXPECT_EQ(transfers(session), session.rank() == 0 ? 3u : 0u);
        if (session.rank() == last) {
          EXPECT_EQ(*session.borrow(deed::read(sum)), 6.0);
        }
      },
      2);
}

TEST(semantics_R75, all_copies_go) {
  run([](deed::session& session) {
    std::vector<deed::handle<double>> all;
    for (int i = 0; i < 10; ++i)
      all.push_back(session.register_data(deed::owner{i % session.size()}, 1.0 * i));
    for (auto& each : all) session.fetch(deed::read(each), deed::everywhere);
    session.wait();
    std::uint64_t away = 0;
    for (const auto& each : all) away += session.owns(each) ? 0 : sizeof(double);
    EXPECT_EQ(session.statistics().copies_bytes, away);
    session.flush();
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes, 0u);
    EXPECT_EQ(session.statistics().most_copies_bytes, away);
    for (const auto& each : all) EXPECT_EQ(session.holds(each), session.owns(each));
  });
}

TEST(semantics_R76, bytes_are_counted_exactly_by_peer) {
  run(
      [](deed::session& session) {
        const int me = session.rank(), last = session.size() - 1;
        auto numbers = session.register_data(deed::owner{0}, std::vector<double>(100, 1.0));
        auto names = session.register_data(deed::owner{0}, std::vector<std::string>{"deed"});
        auto sum = session.register_data(deed::owner{last}, std::size_t{0});
        for (int i = 0; i < 3; ++i) {
          session.insert_task(count, deed::read_write(sum), deed::read(numbers));
        }
        session.wait();
        deed::statistics counts = session.statistics();
        EXPECT_EQ(counts.sent_to[last].payload_bytes, me == 0 ? 800u : 0u);
        EXPECT_EQ(counts.received_from[0].payload_bytes, me == last ? 800u : 0u);
        EXPECT_EQ(counts.cache_of[0].hits, me == last ? 2u : 0u);
        EXPECT_EQ(counts.cache_of[0].misses, me == last ? 1u : 0u);
        EXPECT_EQ(counts.cache_of[0].bytes_saved, me == last ? 1600u : 0u);

        for (int i = 0; i < 3; ++i)
          session.insert_task(spell, deed::read_write(sum), deed::read(names));
        session.wait();
        counts = session.statistics();
        const std::uint64_t packed = counts.received_from[0].payload_bytes - (me == last ? 800 : 0);
        EXPECT_EQ(counts.cache_of[0].bytes_saved, me == last ? 1600 + 2 * packed : 0u);
        if (me == last) {
          EXPECT_GT(packed, 4u);
          EXPECT_EQ(*session.borrow(deed::read(sum)), 312u);
        }
      },
      2);
}

TEST(semantics_N14, what_will_be_there_is_known_right_after_the_insert) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1.0);
        auto sum = session.register_data(deed::owner{1}, 0.0);
        EXPECT_FALSE(session.holds(x, deed::rank{1}));
        session.insert_task(add, deed::read_write(sum), deed::read(x));
        EXPECT_TRUE(session.holds(x, deed::rank{1}));
        EXPECT_EQ(session.holds(x), session.rank() <= 1);
        session.insert_task(increase, deed::read_write(x));
        EXPECT_FALSE(session.holds(x, deed::rank{1}));
      },
      2);
}

constexpr int tiles = 30;
constexpr std::uint64_t tile_bytes = 8 * 8 * sizeof(double);

TEST(semantics_N16, ten_times_the_budget_goes_through_room_for_three_tiles) {
  run(
      [](deed::session& session) {
        const int me = session.rank();
        deed::tiled_matrix<double> all{
            session, {.rows = 8, .cols = 8 * tiles, .tile_rows = 8, .tile_cols = 8, .name = "all"}};
        std::vector<deed::handle<double>> sums;
        for (int r = 0; r < session.size(); ++r)
          sums.push_back(session.register_data(deed::owner{r}, 0.0, {.name = "sum"}));
        double expected = 0;
        for (int round = 0; round < 3; ++round) {
          for (int t = 0; t < tiles; ++t) {
            // Written away from its owner every third time: that makes a copy, too.
            const deed::rank writer{(t + round) % session.size()};
            const double x = t + 100.0 * round;
            session.insert_task(fill, deed::write(all(0, static_cast<std::size_t>(t))),
                                deed::value(x), deed::on(writer));
            for (auto& sum : sums) {
              session.insert_task(add_all, deed::read_write(sum),
                                  deed::read(all(0, static_cast<std::size_t>(t))));
            }
            expected += 64 * x;
          }
        }
        session.wait();
        EXPECT_EQ(*session.borrow(deed::read(sums[static_cast<std::size_t>(me)])), expected);
        EXPECT_LE(session.statistics().most_copies_bytes, 3 * tile_bytes);
        if (session.size() > 1) {
          EXPECT_GT(session.statistics().most_copies_bytes, 0u);
        }
      },
      1, {.cache_bytes = 3 * tile_bytes});
}

TEST(semantics_N16, the_copy_used_longest_ago_is_brought_again) {
  run(
      [](deed::session& session) {
        std::vector<deed::handle<double>> data;
        for (int i = 0; i < 3; ++i) data.push_back(session.register_data(deed::owner{0}, 1.0));
        auto sum = session.register_data(deed::owner{1}, 0.0);
        for (const std::size_t i : {0u, 1u, 0u, 2u, 0u, 1u}) {
          session.insert_task(add, deed::read_write(sum), deed::read(data[i]));
        }
        session.wait();
        EXPECT_EQ(transfers(session), session.rank() == 0 ? 4u : 0u) << "0, 1, 2, and 1 again";
        if (session.rank() == 1) {
          EXPECT_EQ(*session.borrow(deed::read(sum)), 6.0);
          EXPECT_EQ(session.statistics().most_copies_bytes, 2 * sizeof(double));
        }
      },
      2, {.cache_bytes = 2 * sizeof(double)});
}

TEST(semantics_N16, a_task_that_needs_more_than_the_budget_is_refused_everywhere) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
        auto sum = session.register_data(deed::owner{1}, 0.0, {.name = "sum"});
        try {
          session.insert_task(add, deed::read_write(sum), deed::read(x));
          FAIL() << "there is no room for it";
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::host_memory_exhausted);
          EXPECT_THAT(refused.what(), HasSubstr("need 8 bytes on rank 1"));
        }
        session.insert_task(increase, deed::read_write(x));
      },
      2, {.cache_bytes = 7});
}

TEST(semantics_N16, a_list_that_needs_more_than_the_budget_at_the_root_is_refused_everywhere) {
  run(
      [](deed::session& session) {
        std::vector<deed::handle<double>> data;
        for (int i = 0; i < 3; ++i) data.push_back(session.register_data(deed::owner{0}, 1.0 + i));
        std::vector<double> values;
        try {
          session.gather(deed::read(data), deed::to{1}, values);
          FAIL() << "there is no room for three copies";
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::host_memory_exhausted);
          EXPECT_THAT(refused.what(), HasSubstr("need 24 bytes on rank 1"));
        }
        data.pop_back();
        session.igather(deed::read(data), deed::to{1}, values).wait();
        if (session.rank() == 1) {
          EXPECT_EQ(values, (std::vector{1.0, 2.0}));
        }
      },
      2, {.cache_bytes = 2 * sizeof(double)});
}

}  // namespace
