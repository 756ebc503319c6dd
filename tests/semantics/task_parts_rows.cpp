// SPDX-License-Identifier: MIT
// Tasks in two steps, on several ranks, and what moves data beside them: rows R64, R65, R71, N4, N6
// to N11.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
constexpr deed::codelet add_value{"add_value", [](int& sum, int x) { sum += x; }};
constexpr deed::codelet scale{"scale", [](std::vector<double>& x, double by) {
                                for (double& each : x) each *= by;
                              }};
constexpr deed::codelet set{"set", [](deed::tile<double> x, double to) {
                              for (std::span<double> row : x) {
                                for (double& each : row) each = to;
                              }
                            }};
constexpr deed::codelet sum_of{"sum_of", [](double& sum, deed::tile<const double> x) {
                                 for (std::span<const double> row : x) {
                                   for (const double each : row) sum += each;
                                 }
                               }};

int last(const deed::session& session) { return session.size() - 1; }
std::uint64_t transfers_from(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

TEST(semantics_R64, what_a_prepared_task_reads_is_under_way_before_it_is_submitted) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 5, {.name = "x"});
    auto sum = session.register_data(deed::owner{last(session)}, 1, {.name = "sum"});
    auto part = session.prepare_task(add, read_write(sum), read(x));
    EXPECT_EQ(part.executor(), deed::rank{last(session)});
    EXPECT_TRUE(session.holds(x, part.executor()));
    session.wait();
    EXPECT_EQ(session.statistics().tasks_run, 0u);
    EXPECT_EQ(transfers_from(session), session.rank() == 0 && session.size() > 1 ? 1u : 0u);
    session.submit(std::move(part));
    session.wait();
    EXPECT_EQ(transfers_from(session), session.rank() == 0 && session.size() > 1 ? 1u : 0u)
        << "nothing moves twice";
    if (session.owns(sum)) {
      EXPECT_EQ(*session.borrow(read(sum)), 6);
    }
  });
}

TEST(semantics_R65, submitting_runs_it_with_the_arguments_it_was_prepared_with) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 5, {.name = "x"});
    auto y = session.register_data(deed::owner{last(session)}, 1, {.name = "y"});
    auto first = session.prepare_task(add, read_write(y), read(x), deed::on(deed::rank{0}));
    auto second = session.prepare_task(add_value, read_write(y), deed::value(100));
    EXPECT_EQ(first.executor(), deed::rank{0});
    session.insert_task(increase, read_write(x));  // A new version: the task brings that one.
    session.submit(std::move(second));
    session.submit(std::move(first));
    EXPECT_THROW(session.submit(std::move(first)), deed::error) << "it was submitted";
    session.fetch(read(y), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(y)), 1 + 100 + 6);
    {
      auto dropped = session.prepare_task(add, read_write(y), read(x));
    }
    session.fetch(read(y), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(y)), 1 + 100 + 6) << "dropped by all, it did nothing";
    auto late = session.prepare_task(add, read_write(y), read(x));
    std::move(x).unregister();
    auto other = session.register_data(deed::owner{0}, 7);  // In the place of the one that ended.
    try {
      session.submit(std::move(late));
      FAIL() << "x has ended";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::unregistered_handle);
    }
  });
}

TEST(semantics_R65, one_rank_that_drops_it_where_it_has_to_take_part_is_reported) {
  const std::string said = semantics::reports_of([](deed::session& session) {
    auto y = session.register_data(deed::owner{1}, 1, {.name = "y"});
    auto part = session.prepare_task(increase, read_write(y), deed::on(deed::rank{0}));
    if (session.rank() == 0) session.submit(std::move(part));  // And rank 1 would get it back.
    session.wait();
  });
  EXPECT_THAT(said, testing::HasSubstr("deed[D4"));
  EXPECT_THAT(said, testing::HasSubstr("`y`"));
  EXPECT_THAT(said, testing::HasSubstr("task_parts_rows.cpp:"));
}

TEST(semantics_N4, ranges_of_tags_do_not_overlap_and_are_used_again) {
  run([](deed::session& session) {
    auto kept = session.allocate_tags(10);
    deed::tag first{0};
    {
      const auto range = session.allocate_tags(1000);
      first = range[0];
      EXPECT_NE(range[0], kept[9]);
      auto x = session.register_data(deed::owner{0}, 4, {.tag = range[999]});
      session.fetch(read(x), deed::everywhere);
      EXPECT_EQ(*session.borrow(read(x)), 4);
      EXPECT_THROW((void)range[1000], deed::error);
    }
    const auto again = session.allocate_tags(400), beside = session.allocate_tags(600);
    EXPECT_EQ(again[0], first);
    EXPECT_EQ(beside[599].value, first.value + 999);
    if (session.size() > 1) {
      auto x = session.register_data(deed::per_rank, session.rank());
      if (session.rank() == 0) session.send(read(x), deed::to{1}, again.message(3));
      if (session.rank() == 1) session.receive(write(x), deed::from{0}, again.message(3));
      session.wait();
      EXPECT_EQ(*session.borrow(read(x)), session.rank() == 1 ? 0 : session.rank());
    }
  });
}

TEST(semantics_N4, a_range_that_goes_before_its_data_leaves_them_their_tags) {
  run([](deed::session& session) {
    std::vector<deed::handle<int>> data;
    {
      const auto range = session.allocate_tags(3);
      for (std::uint64_t i = 0; i < 3; ++i)
        data.push_back(session.register_data(deed::owner{0}, 7, {.tag = range[i]}));
    }
    const auto next = session.allocate_tags(2);
    auto x = session.register_data(deed::per_rank, 8, {.tag = next[0]});
    EXPECT_EQ(*session.borrow(read(x)), 8);
  });
}

TEST(semantics_N7, a_preferred_source_serves_a_version_in_place_of_the_owner) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, std::vector<double>(1000), {.name = "x"});
    const deed::rank helper{last(session)};
    for (int round = 0; round < 2; ++round) {
      session.insert_task(scale, read_write(x), deed::value(2.0));
      if (round == 0) session.prefer_source(x, helper);
      session.fetch(read(x), deed::to{helper.value});
      session.fetch(read(x), deed::everywhere);
      session.wait();
      const auto others = static_cast<std::uint64_t>(std::max(0, session.size() - 2));
      if (round == 0 && session.rank() == helper.value && session.size() > 1) {
        EXPECT_EQ(transfers_from(session), others) << "it serves all the others";
      }
      if (round == 0 && session.rank() == 0) {
        EXPECT_EQ(transfers_from(session), session.size() > 1 ? 1u : 0u);
      }
      if (round == 1 && session.rank() == 0 && others > 0) {
        EXPECT_GE(transfers_from(session), 3u) << "the hint ends with its version";
      }
    }
    EXPECT_THROW(session.prefer_source(x, deed::rank{session.size()}), deed::error);
  });
}

TEST(semantics_N8, a_task_on_each_leaves_the_new_version_on_all_and_moves_nothing) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{last(session)}, 5, {.name = "x"});
    auto mine = session.register_data(deed::per_rank, session.rank(), {.name = "mine"});
    session.fetch(read(x), deed::everywhere);
    session.wait();
    const std::uint64_t before = transfers_from(session);
    for (int i = 0; i < 3; ++i)
      session.insert_task(add_value, read_write(x), deed::value(10),
                          deed::on_each{deed::everywhere});
    session.insert_task(add, read_write(mine), read(x), deed::on_each{deed::everywhere});
    session.wait();
    EXPECT_EQ(transfers_from(session), before);
    EXPECT_EQ(session.statistics().tasks_run, 4u);
    EXPECT_EQ(*session.borrow(read(x)), 35) << "here, on every rank";
    EXPECT_EQ(*session.borrow(read(mine)), session.rank() + 35);
    session.insert_task(increase, read_write(x));  // And a writer makes the others stale.
    EXPECT_EQ(session.holds(x), session.owns(x));
    session.fetch(read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(x)), 36);
  });
}

TEST(semantics_N8, on_some_ranks_the_owner_is_one_of_them) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 5, {.name = "x"});
        const std::vector<deed::rank> two{deed::rank{0}, deed::rank{last(session)}};
        session.insert_task(increase, read_write(x), deed::on_each{two});
        EXPECT_EQ(session.holds(x), session.rank() == 0 || session.rank() == last(session));
        session.wait();
        if (session.rank() == 0 || session.rank() == last(session)) {
          EXPECT_EQ(*session.borrow(read(x)), 6);
          EXPECT_EQ(session.statistics().tasks_run, 1u);
        }
        try {
          session.insert_task(increase, read_write(x), deed::on_each{{deed::rank{1}}});
          FAIL() << "the owner would not have the new version";
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::rank_must_take_part);
          EXPECT_THAT(refused.what(), HasSubstr("rank 0 must take part in task `increase`"));
        }
        EXPECT_THROW(session.insert_task(increase, read_write(x),
                                         deed::on_each{{deed::rank{session.size()}}}),
                     deed::error);
      },
      2);
}

TEST(semantics_N11, a_copy_goes_from_any_owner_to_any_other) {
  run([](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, std::vector<double>{1, 2, 3}, {.name = "a"});
    auto b = session.register_data<std::vector<double>>(deed::owner{last(session)},
                                                        deed::uninitialised, {.name = "b"});
    auto c = session.register_data(deed::owner{0}, std::vector<double>{}, {.name = "c"});
    session.copy(read(a), write(c));
    session.wait();
    EXPECT_EQ(transfers_from(session), 0u) << "both are on one rank";
    session.insert_task(scale, read_write(a), deed::value(2.0));
    session.copy(read(a), write(b));
    session.insert_task(scale, read_write(a), deed::value(100.0));
    session.fetch(read(b), deed::everywhere);
    session.fetch(read(c), deed::everywhere);
    EXPECT_THAT(*session.borrow(read(b)), ::testing::ElementsAre(2, 4, 6));
    EXPECT_THAT(*session.borrow(read(c)), ::testing::ElementsAre(1, 2, 3));

    deed::tiled_matrix<double> m{session,
                                 {.rows = 15, .cols = 10, .tile_rows = 10, .tile_cols = 5}};
    auto sum = session.register_data(deed::owner{0}, 0.0, {.name = "sum"});
    session.insert_task(set, write(m(0, 0)), deed::value(2.0));
    session.copy(read(m(0, 0)), write(m(0, 1)));
    session.insert_task(sum_of, read_write(sum), read(m(0, 1)));
    session.fetch(read(sum), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(sum)), 100.0);
    try {
      session.copy(read(m(0, 0)), write(m(1, 0)));
      FAIL() << "their extents differ";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::impossible_extent);
      EXPECT_THAT(refused.what(), HasSubstr("10 by 5"));
    }
  });
}

TEST(semantics_N6, expected_readers_spare_the_owner_from_the_third_on) {
  const auto sends_for = [](deed::session& session, int expected, int readers) {
    auto x = session.register_data(deed::owner{0}, 7, {.name = "x"});
    session.expect_readers(x, expected);
    session.insert_task(increase, read_write(x));  // It holds for each version.
    const std::uint64_t sent = transfers_from(session);
    for (int r = 1; r <= readers; ++r) session.fetch(read(x), deed::to{r});
    session.wait();
    if (session.rank() <= readers) {
      EXPECT_EQ(*session.borrow(read(x)), 8);
    }
    return transfers_from(session) - sent;
  };
  run(
      [&](deed::session& session) {
        const std::uint64_t many = sends_for(session, 1000, 3), few = sends_for(session, 2, 3),
                            unknown = sends_for(session, 0, 3), one = sends_for(session, 64, 1);
        if (session.rank() == 0) {
          EXPECT_EQ(many, 2u);
          EXPECT_EQ(few, 3u) << "a wrong hint costs time only";
          EXPECT_EQ(unknown, 3u);
          EXPECT_EQ(one, 1u);
        }
        if (session.rank() == 1) {
          EXPECT_EQ(many, 1u);
        }
        if (session.size() < 8) return;
        const std::uint64_t seven = sends_for(session, 7, 7);
        if (session.rank() == 0) {
          EXPECT_EQ(seven, 3u);
        }
      },
      4);
}

TEST(semantics_N6, ranks_that_expect_other_readers_are_told) {
  const std::string said = reports_of([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 7, {.name = "x"});
    session.expect_readers(x, 4 + session.rank());
    session.wait();
    session.barrier();
  });
  EXPECT_THAT(said, HasSubstr("deed[D404] ranks do not agree on how many read `x`"));
  EXPECT_THAT(said, HasSubstr("expects 5 readers of `x`"));
}

}  // namespace
