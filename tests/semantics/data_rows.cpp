// SPDX-License-Identifier: MIT
// Data, owners, tags: rows R11 to R22.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet twice{"twice", [](std::span<double> x) {
                                for (double& each : x) each *= 2;
                              }};

TEST(semantics_R11, a_handle_moves_and_is_never_copied) {
  static_assert(!std::is_copy_constructible_v<deed::handle<int>>);
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    auto y = std::move(x);
    session.insert_task(increase, deed::read_write(y));
    try {
      session.insert_task(increase, deed::read_write(x));
      FAIL() << "the moved handle was taken";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::moved_handle);
    }
    if (session.owns(y)) {
      EXPECT_EQ(*session.borrow(deed::read(y)), 2);
    }
  });
}

TEST(semantics_R12, memory_of_the_program_holds_the_last_value_at_the_end) {
  run([](deed::session& session) {
    std::vector<double> memory(100, session.rank() == 0 ? 1.0 : -1.0);
    {
      auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
      session.insert_task(twice, deed::read_write(all), deed::on(deed::rank{session.size() - 1}));
      session.insert_task(twice, deed::read_write(all));
      session.wait();
    }
    EXPECT_EQ(memory.back(), session.rank() == 0 ? 4.0 : -1.0);
  });
}

TEST(semantics_R17, a_tag_is_64_bits_wide_and_belongs_to_one_datum) {
  run([](deed::session& session) {
    const deed::tag largest{std::numeric_limits<std::int64_t>::max()};
    auto x = session.register_data(deed::owner{0}, 7, {.tag = largest, .name = "x"});
    EXPECT_EQ(x.tag(), largest);
    EXPECT_THROW((void)session.register_data(deed::owner{0}, 8, {.tag = largest}), deed::error);
    session.fetch(deed::read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(x)), 7);
    std::move(x).unregister();
    auto y = session.register_data(deed::owner{session.size() - 1}, 9, {.tag = largest});
    session.fetch(deed::read(y), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(y)), 9);
  });
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::owner{0}, 1, {.tag = deed::tag{5}});
                auto y = session.register_data(deed::owner{0}, 2, {.tag = deed::tag{5}});
              }),
              HasSubstr("deed[D106]"));
}

TEST(semantics_R18, the_owner_runs_the_writers_and_holds_the_current_value) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto x = session.register_data(deed::owner{last}, 1, {.name = "x"});
    EXPECT_EQ(x.owner(), deed::owner{last});
    session.insert_task(increase, deed::read_write(x));
    session.insert_task(increase, deed::read_write(x), deed::on(deed::rank{0}));
    session.wait();
    if (session.rank() == last) {
      EXPECT_EQ(*session.borrow(deed::read(x)), 3);
    }
    EXPECT_EQ(session.statistics().tasks_run,
              last == 0 ? 2u : (session.rank() == 0 || session.rank() == last ? 1u : 0u));
  });
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::owner{session.size()}, 1);
              }),
              HasSubstr("deed[D109]"));
}

TEST(semantics_R22, a_borrow_waits_for_tasks_and_tasks_wait_for_it) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    session.insert_task(increase, deed::read_write(x));
    if (session.rank() == 0) {
      const auto lent = session.borrow(deed::write(x));
      EXPECT_EQ(*lent, 2);
      *lent = 10;
    } else {
      EXPECT_FALSE(session.relevant(deed::write(x)));
      EXPECT_THROW((void)session.borrow(deed::read(x)), deed::error);
    }
    session.insert_task(increase, deed::read_write(x));
    session.fetch(deed::read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(x)), 11);
  });
}

}  // namespace
