// SPDX-License-Identifier: MIT
// From the registration of a datum to its end: rows R15 to R24.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using semantics::run;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet grow{"grow", [](std::vector<int>& x, int by) { x.push_back(by); }};
constexpr deed::codelet set_corner{"set_corner",
                                   [](deed::tile<double> x, double to) { x(0, 0) = to; }};

int forty_two() { return 42; }

TEST(semantics_R12, a_function_makes_the_first_value_on_the_owner) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, forty_two, {.name = "x"});
    auto mine = session.register_data(deed::per_rank, &forty_two);
    EXPECT_EQ(*session.borrow(deed::read(mine)), 42);
    if (session.owns(x)) {
      EXPECT_EQ(*session.borrow(deed::read(x)), 42);
    }
  });
}

TEST(semantics_R16, a_tag_is_free_again_after_the_end_and_nobody_holds_the_old_value) {
  run([](deed::session& session) {
    const deed::tag reused{77};
    for (int round = 0; round < 5; ++round) {
      const deed::owner target{round % session.size()};
      auto x = session.register_data(target, 100 * round, {.tag = reused, .name = "x"});
      EXPECT_EQ(x.tag(), reused);
      EXPECT_EQ(session.holds(x), target.value == session.rank());
      session.insert_task(increase, read_write(x));
      session.fetch(read(x), deed::everywhere);
      EXPECT_EQ(*session.borrow(read(x)), 100 * round + 1);
    }
  });
}

TEST(semantics_R19, a_rule_gives_every_tile_one_owner_and_is_asked_for_tiles_that_exist) {
  run([](deed::session& session) {
    const int ranks = session.size();
    const auto anti_diagonal = [ranks](std::size_t i, std::size_t j) {
      EXPECT_LT(i, 5u);
      EXPECT_LT(j, 4u);
      return static_cast<int>(i + j) % ranks;
    };
    const deed::owner_rule rules[] = {deed::block{ranks}, deed::block_cyclic{ranks}, anti_diagonal};
    for (const deed::owner_rule& rule : rules) {
      deed::tiled_matrix<double> m{session,
                                   {.rows = 50,
                                    .cols = 37,
                                    .tile_rows = 10,
                                    .tile_cols = 10,
                                    .owners = rule,
                                    .initial = 1.0,
                                    .name = "m"}};
      int mine = 0;
      for (auto [i, j] : m.indices()) {
        const int owner = m(i, j).owner().value;
        EXPECT_EQ(owner, rule(i, j, m.tile_rows(), m.tile_cols()));
        EXPECT_EQ(session.owns(m(i, j)), owner == session.rank());
        mine += session.owns(m(i, j)) ? 1 : 0;
      }
      EXPECT_EQ(session.all_reduce(deed::value(mine), std::plus<>{}), 5 * 4);
    }
  });
}

TEST(semantics_R21, an_end_waits_for_no_one_and_the_name_is_gone) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    for (int i = 0; i < 10; ++i)
      session.insert_task(increase, read_write(x), deed::on(deed::rank{i % session.size()}));
    std::move(x).unregister();
    try {
      session.insert_task(increase, read_write(x));
      FAIL() << "the datum has ended";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::unregistered_handle);
    }
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes, 0u) << "no copy is left";
  });
}

TEST(semantics_R21, the_owner_takes_the_last_value) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto x = session.register_data(deed::owner{last}, std::vector<int>{1}, {.name = "x"});
    session.insert_task(grow, read_write(x), deed::value(2), deed::on(deed::rank{0}));
    session.insert_task(grow, read_write(x), deed::value(3));
    const std::optional<std::vector<int>> taken = session.take(std::move(x));
    EXPECT_EQ(taken.has_value(), session.rank() == last);
    if (taken) {
      EXPECT_THAT(*taken, ::testing::ElementsAre(1, 2, 3));
    }
    EXPECT_THROW((void)session.take(std::move(x)), deed::error);
    auto mine = session.register_data(deed::per_rank, session.rank(), {.name = "mine"});
    session.insert_task(increase, read_write(mine));
    EXPECT_EQ(session.take(std::move(mine)), session.rank() + 1);
    auto empty = session.register_data<int>(deed::owner{0}, deed::uninitialised);
    EXPECT_THROW((void)session.take(std::move(empty)), deed::error);
    session.insert_task(deed::codelet{"set", [](int& to) { to = 5; }}, write(empty));
    EXPECT_EQ(session.take(std::move(empty)).value_or(5), 5);
  });
}

TEST(semantics_R23, the_size_of_a_datum_is_the_same_on_all_ranks) {
  run([](deed::session& session) {
    struct particle {
      double x, y, z;
      int kind;
    };
    auto number = session.register_data(deed::owner{0}, 1.0);
    auto plain = session.register_data(deed::owner{0}, particle{});
    auto list = session.register_data(deed::owner{0}, std::vector<int>(1000));
    std::vector<float> memory(session.rank() == 0 ? 100 : 0);
    deed::tiled_matrix<double> m{session,
                                 {.rows = 15, .cols = 10, .tile_rows = 10, .tile_cols = 10}};
    EXPECT_EQ(number.bytes(), sizeof(double));
    EXPECT_EQ(plain.bytes(), sizeof(particle));
    EXPECT_EQ(list.bytes(), sizeof(std::vector<int>)) << "its length is no business of its type";
    EXPECT_EQ(m(0, 0).bytes(), 100 * sizeof(double));
    EXPECT_EQ(m(1, 0).bytes(), 50 * sizeof(double));
  });
}

TEST(semantics_R24, memory_comes_with_the_first_use_and_goes_with_the_copy) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    deed::tiled_matrix<double> m{session,
                                 {.rows = 20,
                                  .cols = 10,
                                  .tile_rows = 10,
                                  .tile_cols = 10,
                                  .owners = [](std::size_t, std::size_t) { return 0; },
                                  .name = "m"}};
    EXPECT_EQ(session.holds(m(0, 0)), false) << "nothing wrote it";
    session.insert_task(set_corner, write(m(0, 0)), deed::value(3.0));
    EXPECT_EQ(session.holds(m(0, 0)), session.rank() == 0);
    EXPECT_EQ(session.holds(m(0, 0), deed::rank{last}), last == 0);
    session.fetch(read(m(0, 0)), deed::to{last});  // Where there was no memory for it.
    EXPECT_TRUE(session.holds(m(0, 0), deed::rank{last}));
    session.wait();
    const bool has_copy = session.rank() == last && last != 0;
    EXPECT_EQ(session.statistics().copies_bytes, has_copy ? m(0, 0).bytes() : 0u);
    if (session.rank() == last) {
      EXPECT_EQ((*session.borrow(read(m(0, 0))))(0, 0), 3.0);
    }
    session.flush(m(0, 0));
    session.wait();
    EXPECT_EQ(session.statistics().copies_bytes, 0u);
  });
}

TEST(semantics_R62, what_a_use_moves_is_sent_in_synchronous_mode) {
  run(
      [](deed::session& session) {
        const int last = session.size() - 1;
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        auto seen = session.register_data(deed::owner{last}, 0, {.name = "seen"});
        const auto announced_to = [&](int peer) {
          const auto counts = session.statistics().sent_to;
          const auto at = counts.find(peer);
          return at == counts.end() ? 0 : at->second.announced;
        };
        constexpr deed::codelet copy{"copy", [](int& to, const int& from) { to = from; }};
        session.insert_task(copy, write(seen), read(x));
        session.wait();
        EXPECT_EQ(announced_to(session.rank() == 0 ? last : 0), 0u) << "a small value just goes";
        // There and back: the fetch of what is read, and the return of what is written.
        session.insert_task(increase, read_write(x, deed::synchronous), deed::on(deed::rank{last}));
        session.insert_task(copy, write(seen), read(x, deed::synchronous));
        session.insert_task(increase, read_write(x));
        session.insert_task(copy, write(seen), read(x, deed::synchronous));
        session.wait();
        if (session.rank() == 0) {
          EXPECT_EQ(announced_to(last), 1u) << "the copy that it wrote is there";
        } else if (session.rank() == last) {
          EXPECT_EQ(announced_to(0), 1u);
          EXPECT_EQ(*session.borrow(read(seen)), 3);
        }
      },
      2);
}

}  // namespace
