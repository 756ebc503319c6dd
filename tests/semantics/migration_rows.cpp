// SPDX-License-Identifier: MIT
// Data that change their owners: rows R20, R56 and N21.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet note_rank{"note_rank", [](int& x, int& ran_on, int here) {
                                    ++x;
                                    ran_on = here;
                                  }};
constexpr deed::codelet twice{"twice", [](std::span<double> x) {
                                for (double& each : x) each *= 2;
                              }};

std::uint64_t transfers(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

TEST(semantics_R20, a_migrated_datum_is_written_by_its_new_owner) {
  run(
      [](deed::session& session) {
        const int me = session.rank(), last = session.size() - 1;
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        session.insert_task(increase, deed::read_write(x));
        session.migrate(x, deed::owner{last});
        EXPECT_EQ(x.owner(), deed::owner{last});
        session.migrate(x, deed::owner{last});
        EXPECT_EQ(session.holds(x), me == 0 || me == last) << "the old copy stays valid";
        session.wait();
        EXPECT_EQ(transfers(session), me == 0 ? 1u : 0u) << "none to the present owner";
        EXPECT_EQ(session.statistics().copies_bytes, me == 0 ? sizeof(int) : 0u);
        if (me == 0) {
          EXPECT_EQ(*session.borrow(deed::read(x)), 2);
        }
        session.insert_task(increase, deed::read_write(x));
        session.wait();
        EXPECT_EQ(session.statistics().tasks_run, me == 0 || me == last ? 1u : 0u);
        if (me == last) {
          EXPECT_EQ(*session.borrow(deed::read(x)), 3);
        }
        session.migrate(x, deed::owner{0});
        session.fetch(deed::read(x), deed::everywhere);
        EXPECT_EQ(*session.borrow(deed::read(x)), 3);
      },
      2);
}

TEST(semantics_R20, a_list_goes_where_a_function_says_while_tasks_are_in_flight) {
  run([](deed::session& session) {
    const int size = session.size();
    std::vector<deed::handle<int>> all;
    for (int i = 0; i < 12; ++i) all.push_back(session.register_data(deed::owner{0}, i));
    for (int round = 0; round < 5; ++round) {
      for (auto& each : all) session.insert_task(increase, deed::read_write(each));
      session.migrate(all, [&](std::size_t i) {
        return static_cast<int>(i + static_cast<std::size_t>(round)) % size;
      });
    }
    for (auto& each : all) session.fetch(deed::read(each), deed::everywhere);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].owner(), deed::owner{static_cast<int>(i + 4) % size});
      EXPECT_EQ(*session.borrow(deed::read(all[i])), static_cast<int>(i) + 5);
    }
  });
}

TEST(semantics_R20, a_matrix_gets_other_owners_while_tasks_are_in_flight) {
  constexpr deed::codelet next{"next", [](deed::tile<double> to, deed::tile<const double> from,
                                          deed::tile<const double> beside) {
                                 for (std::size_t i = 0; i < to.rows(); ++i) {
                                   for (std::size_t j = 0; j < to.cols(); ++j)
                                     to(i, j) = from(i, j) + beside(i, j) / 2;
                                 }
                               }};
  run([&](deed::session& session) {
    deed::tiled_matrix<double> now{session,
                                   {.rows = 12,
                                    .cols = 12,
                                    .tile_rows = 3,
                                    .tile_cols = 3,
                                    .owners = deed::block{session.size()},
                                    .initial = 1.0,
                                    .name = "now"}};
    auto after = now.like("after");
    double expected = 1;
    for (int step = 0; step < 6; ++step) {
      for (auto [i, j] : now.indices()) {
        session.insert_task(next, deed::write(after(i, j)), deed::read(now(i, j)),
                            deed::read(now((i + 1) % 4, j)));
      }
      std::swap(now, after);
      expected *= 1.5;
      if (step == 2) session.migrate(now, deed::block_cyclic{session.size()});
      if (step == 3)
        session.migrate(after, [&](std::size_t i, std::size_t) {
          return static_cast<int>(i) % session.size();
        });
    }
    session.wait();
    for (auto [i, j] : now.indices()) {
      if (!session.owns(now(i, j))) continue;
      EXPECT_EQ((*session.borrow(deed::read(now(i, j))))(2, 1), expected);
    }
  });
}

TEST(semantics_R20, memory_of_the_program_has_the_value_at_the_end_wherever_it_was_written) {
  run([](deed::session& session) {
    std::vector<double> memory(100, 1.0);
    {
      auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
      session.insert_task(twice, deed::read_write(all));
      session.migrate(all, deed::owner{session.size() - 1});
      session.insert_task(twice, deed::read_write(all));
      session.flush();
    }
    session.wait();
    EXPECT_EQ(memory.back(), session.rank() == 0 ? 4.0 : 1.0);
  });
}

TEST(semantics_R20, memory_of_the_program_may_go_when_its_handle_has) {
  run([](deed::session& session) {
    for (int i = 0; i < 20; ++i) {
      std::vector<double> memory(100, 1.0);
      {
        auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
        for (int k = 0; k < 3; ++k) {
          session.insert_task(twice, deed::read_write(all),
                              deed::on(deed::rank{(i + k) % session.size()}));
        }
      }
      ASSERT_EQ(memory.back(), session.rank() == 0 ? 8.0 : 1.0);
    }
  });
}

TEST(semantics_R20, a_rank_that_does_not_exist_is_refused_and_nothing_moves) {
  EXPECT_THAT(reports_of([](deed::session& session) {
                std::vector<deed::handle<int>> all;
                for (int i = 0; i < 2; ++i) all.push_back(session.register_data(deed::owner{0}, i));
                session.migrate(all, [](std::size_t i) { return i == 0 ? 1 : 7; });
              }),
              HasSubstr("deed[D109] owner 7 of"));
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, 1, {.name = "mine"});
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    EXPECT_THROW(session.migrate(mine, deed::owner{0}), deed::error);
    EXPECT_THROW(session.migrate(x, deed::owner{session.size()}), deed::error);
    EXPECT_EQ(x.owner(), deed::owner{0});
  });
}

TEST(semantics_R56, a_task_placed_with_an_owner_follows_the_migration) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto guide = session.register_data(deed::owner{0}, 0, {.name = "guide"});
    auto x = session.register_data(deed::owner{0}, 0, {.name = "x"});
    auto ran_on = session.register_data(deed::owner{0}, -1, {.name = "ran_on"});
    for (const int expected : {0, last}) {
      session.insert_task(note_rank, deed::read_write(x), deed::read_write(ran_on),
                          deed::value(expected), deed::on_owner_of(guide));
      session.wait();
      session.migrate(guide, deed::owner{last});
    }
    EXPECT_EQ(session.statistics().tasks_run,
              (session.rank() == 0 ? 1u : 0u) + (session.rank() == last ? 1u : 0u));
  });
}

}  // namespace
