// SPDX-License-Identifier: MIT
// Row R14: a rank has records of the tiles that it owns or names; all else must be as if it had
// them all.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using test::each_world;
using test::outcome;
using testing::HasSubstr;

using matrix = deed::tiled_matrix<double>;

constexpr deed::codelet add_to{
    "add_to", [](deed::tile<double> x, deed::tile<const double> y) { x(0, 0) += 1 + y(0, 0); }};

deed::matrix_options<double> square(std::size_t tiles, std::string_view name) {
  return {.rows = static_cast<std::ptrdiff_t>(tiles),
          .cols = static_cast<std::ptrdiff_t>(tiles),
          .tile_rows = 1,
          .tile_cols = 1,
          .initial = 0.0,
          .name = name};
}

void expect_no_failure(const std::vector<outcome>& all) {
  for (const outcome& each : all) EXPECT_EQ(each.text, "");
}

TEST(tiles, have_the_tags_that_follow_whoever_names_them) {
  each_world([](const test::world& in) {
    expect_no_failure(in.run(4, [](deed::session& session) {
      auto before = session.register_data(deed::owner{0}, 1);
      matrix all(session, square(10, "all"));
      if (session.rank() == 2) {
        EXPECT_EQ(all(9, 9).tag(), deed::tag{before.tag().value + 100});
      }
      auto after = session.register_data(deed::owner{1}, 1);
      EXPECT_EQ(after.tag().value, before.tag().value + 101);
      for (auto [i, j] : all.indices())
        EXPECT_EQ(all(i, j).tag().value, before.tag().value + 1 + i * 10 + j);
    }));
  });
}

/// The same tasks on all ranks, on those alone whom they concern, and in one thread.
double walk(deed::session& session, bool pruned, std::uint64_t seed) {
  constexpr std::size_t tiles = 40;
  matrix all(session, square(tiles, "all"));
  std::vector<double> expected(tiles * tiles);
  std::mt19937_64 random(seed);
  const auto any = [&] { return static_cast<std::size_t>(random() % tiles); };
  for (int step = 0; step < 300; ++step) {
    const std::size_t i = any(), j = any(), k = any(), l = any();
    if (i == k && j == l) continue;
    const auto runs = deed::on(deed::rank{static_cast<int>(random() % 5)});
    const bool by_rule = random() % 2 == 0;
    expected[i * tiles + j] += 1 + expected[k * tiles + l];
    if (by_rule) {
      if (!pruned || session.relevant(read_write(all(i, j)), read(all(k, l))))
        session.insert_task(add_to, read_write(all(i, j)), read(all(k, l)));
    } else if (!pruned || session.relevant(read_write(all(i, j)), read(all(k, l)), runs)) {
      session.insert_task(add_to, read_write(all(i, j)), read(all(k, l)), runs);
    }
    if (step % 50 == 0) session.migrate(all(k, l), deed::owner{static_cast<int>(random() % 5)});
    if (step % 70 == 0) session.wait();
  }
  session.wait();
  double wrong = 0;
  for (auto [i, j] : all.indices()) {
    if (!session.owns(all(i, j))) continue;
    wrong += (*session.borrow(read(all(i, j))))(0, 0) != expected[i * tiles + j];
  }
  return wrong;
}

TEST(tiles, have_the_values_of_one_thread_whoever_names_which) {
  each_world([](const test::world& in) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      expect_no_failure(in.run(5, [&](deed::session& session) {
        EXPECT_EQ(walk(session, false, seed), 0);
        EXPECT_EQ(walk(session, true, seed), 0);
      }));
    }
  });
}

TEST(tiles, keep_their_tags_where_nobody_named_them) {
  each_world([](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      matrix m(session, square(4, "m"));
      const std::uint64_t first = m(0, 0).tag().value;
      auto taken = session.register_data(deed::owner{0}, 1, {.tag = deed::tag{first + 5}});
    });
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::tag_in_use);
      EXPECT_THAT(each.text, HasSubstr("in use by   `m(1,1)` at "));
    }
  });
}

TEST(tiles, are_refused_where_one_of_their_tags_is_taken_and_nothing_is_registered) {
  each_world([](const test::world& in) {
    expect_no_failure(in.run(2, [](deed::session& session) {
      auto x = session.register_data(deed::owner{0}, 1);
      auto taken = session.register_data(deed::owner{0}, 1, {.tag = deed::tag{x.tag().value + 7}});
      try {
        matrix m(session, square(4, "m"));
        ADD_FAILURE();
      } catch (const deed::error& refused) {
        EXPECT_EQ(refused.code(), deed::error_code::tag_in_use);
      }
      auto next = session.register_data(deed::owner{0}, 1);
      EXPECT_EQ(next.tag().value, x.tag().value + 2);
    }));
  });
}

TEST(tiles, that_were_moved_elsewhere_outlive_their_matrix) {
  each_world([](const test::world& in) {
    expect_no_failure(in.run(2, [](deed::session& session) {
      std::optional<matrix> m(std::in_place, session, square(4, "m"));
      auto kept = std::move((*m)(1, 1));
      auto other = std::move((*m)(2, 3));
      const deed::tag tag = kept.tag();
      m.reset();
      session.insert_task(add_to, read_write(kept), read(other));
      session.wait();
      if (session.owns(kept)) {
        EXPECT_EQ((*session.borrow(read(kept)))(0, 0), 1.0);
      }
      EXPECT_THROW(static_cast<void>(session.register_data(deed::owner{0}, 1, {.tag = tag})),
                   deed::error);
      std::move(kept).unregister();
      auto again = session.register_data(deed::owner{0}, 1, {.tag = tag});
      EXPECT_EQ(again.tag(), tag);
    }));
  });
}

TEST(tiles, ask_a_rule_of_the_program_once) {
  each_world([](const test::world& in) {
    expect_no_failure(in.run(3, [](deed::session& session) {
      auto asked = std::make_unique<std::size_t>(0);
      deed::matrix_options<double> wanted = square(6, "m");
      wanted.owners = [count = asked.get()](std::size_t i, std::size_t j) {
        ++*count;
        return static_cast<int>((i + 2 * j) % 3);
      };
      matrix m(session, wanted);
      EXPECT_EQ(*asked, 36u);
      asked.reset();  // The rule would refer to what is gone.
      for (auto [i, j] : m.indices())
        EXPECT_EQ(m(i, j).owner().value, static_cast<int>((i + 2 * j) % 3));
    }));
  });
}

TEST(tiles, whose_owners_differ_between_ranks_are_named) {
  each_world([](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      deed::matrix_options<double> wanted = square(4, "m");
      wanted.owners = [rank = session.rank()](std::size_t k) { return k == 6 ? rank : 0; };
      matrix m(session, wanted);
      session.wait();
    });
    EXPECT_EQ(all[0].code, deed::error_code::owners_differ);
    EXPECT_THAT(all[0].text, HasSubstr("ranks disagree on the owner of `m(1,2)`"));
    EXPECT_THAT(all[0].text, HasSubstr("registers `m(1,2)`, owner 1, "));
  });
}

TEST(tiles, of_a_session_that_has_ended_are_refused) {
  each_world([](const test::world& in) {
    std::vector<std::unique_ptr<matrix>> left(2);
    expect_no_failure(in.run(2, [&](deed::session& session) {
      left[static_cast<std::size_t>(session.rank())] =
          std::make_unique<matrix>(session, square(2, "m"));
    }));
    for (const auto& m : left) {
      for (auto [i, j] : m->indices()) {
        try {
          static_cast<void>((*m)(i, j).tag());
          ADD_FAILURE();
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::session_closed);
        }
      }
    }
  });
}

}  // namespace
