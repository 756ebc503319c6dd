// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using deed::scratch;
using testing::HasSubstr;

constexpr deed::codelet reversed{"reversed", [](std::span<double> v, std::span<double> room) {
                                   std::ranges::copy(v, room.begin());
                                   std::reverse_copy(room.begin(), room.end(), v.begin());
                                 }};
/// Three rooms of different types among values and data; each is aligned and none overlaps.
constexpr deed::codelet three{
    "three", [](int& right, std::span<char> a, int rows, deed::tile<double> b, const double& x,
                std::span<std::int64_t> c) {
      std::ranges::fill(a, 'a');
      for (auto row : b) std::ranges::fill(row, x);
      std::ranges::fill(c, 7);
      const auto aligned = [](const void* at) {
        return reinterpret_cast<std::uintptr_t>(at) % 64 == 0;
      };
      const bool kept = std::ranges::all_of(a, [](char each) { return each == 'a'; }) &&
                        std::ranges::all_of(c, [](std::int64_t each) { return each == 7; }) &&
                        b(b.rows() - 1, b.cols() - 1) == x;
      right = kept && aligned(a.data()) && aligned(b.data()) && aligned(c.data()) &&
              b.rows() == static_cast<std::size_t>(rows) && b.contiguous();
    }};

TEST(scratch, is_room_for_one_task) {
  for (const int ranks : {1, 3}) {
    test::on_virtual_ranks(ranks, [](deed::session& session) {
      std::vector<double> memory(1000);
      std::iota(memory.begin(), memory.end(), 0.0);
      auto v = session.register_data(deed::owner{0}, deed::in_place(memory));
      session.insert_task(reversed, deed::read_write(v), scratch<double>(1000));
      session.insert_task(reversed, deed::read_write(v), scratch<double>(1000));
      session.insert_task(reversed, deed::read_write(v), scratch<double>(1000));
      session.wait();
      if (session.rank() == 0) {
        EXPECT_EQ(memory.front(), 999.0);
      }
    });
  }
}

TEST(scratch, of_several_arguments_is_aligned_and_apart) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    auto right = session.register_data(deed::owner{1}, 0);
    auto x = session.register_data(deed::owner{0}, 2.5);
    session.insert_task(three, deed::write(right), scratch<char>(3), deed::value(5),
                        scratch<double>({5, 3}), deed::read(x), scratch<std::int64_t>(9));
    session.wait();
    if (session.rank() == 1) {
      EXPECT_EQ(*session.borrow(deed::read(right)), 1);
    }
  });
}

struct counted {
  counted() { ++alive; }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  int content = 3;
  static inline std::atomic<int> alive{0};
};
constexpr deed::codelet counts{"counts", [](int& sum, std::span<counted> all) {
                                 sum = counted::alive;
                                 for (counted& each : all) sum += each.content;
                               }};
constexpr deed::codelet fails{"fails", [](int& sum, std::span<counted>) {
                                sum = 0;
                                // deed-check: allow(D807) reason: what it had is destroyed
                                throw std::domain_error("no");
                              }};

TEST(scratch, begins_and_ends_what_has_a_constructor) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto sum = session.register_data(deed::owner{0}, 0);
    session.insert_task(counts, deed::write(sum), scratch<counted>(10));
    // deed-check: allow(D309) reason: one rank runs this
    EXPECT_EQ(*session.borrow(deed::read(sum)), 40);
    EXPECT_EQ(counted::alive, 0);
    session.insert_task(fails, deed::write(sum), scratch<counted>(10));
    EXPECT_THROW(session.wait(), deed::task_error);
    EXPECT_EQ(counted::alive, 0);
  });
}

TEST(scratch, may_be_of_nothing_and_needs_a_datum_or_a_rank_beside_it) {
  static constexpr deed::codelet nothing{"nothing",
                                         [](std::span<double> room) { EXPECT_TRUE(room.empty()); }};
  test::on_virtual_ranks(2, [](deed::session& session) {
    session.insert_task(nothing, scratch<double>(0), deed::on(deed::rank{1}));
    session.wait();
  });
}

TEST(scratch, that_no_memory_has_is_refused_where_it_is_asked_for) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto v = session.register_data(deed::owner{0}, 0);
    try {
      session.insert_task(counts, deed::write(v),
                          scratch<counted>(std::numeric_limits<std::size_t>::max() / 2));
      FAIL() << "it was taken";
    } catch (const deed::error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("deed[D906]"));
      EXPECT_THAT(refused.what(), HasSubstr("scratch_test.cpp"));
    }
  });
}

TEST(scratch, that_cannot_be_had_ends_the_task_and_no_other) {
  deed::session_options options;
  options.exceptions = deed::on_exception::propagate;
  static constexpr deed::codelet touches{"touches", [](int& v, std::span<char>) { v = 1; }};
  test::on_virtual_ranks(
      1,
      [](deed::session& session) {
        auto v = session.register_data(deed::owner{0}, 0, {.name = "v"});
        session.insert_task(touches, deed::write(v), scratch<char>(std::size_t{1} << 61));
        try {
          session.wait();
          FAIL() << "there was memory for it";
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::host_memory_exhausted);
          EXPECT_EQ(refused.happened(), "no memory for the scratch of task `touches`");
          EXPECT_THAT(refused.what(), HasSubstr("inserted"));
          EXPECT_THAT(refused.what(), HasSubstr("help: ask for less scratch, or run fewer tasks"));
        }
        session.insert_task(touches, deed::write(v), scratch<char>(10));
        EXPECT_EQ(*session.borrow(deed::read(v)), 1);
      },
      1, options);
}

TEST(scratch, lies_on_the_device_that_runs_the_task) {
  for (const std::size_t memory : {std::size_t{1} << 20, std::size_t{20'000}}) {  // Room for two.
    deed::session_options options;
    options.devices.emulated.devices = 2;
    options.devices.emulated.memory_bytes = memory;
    options.devices.check_order = true;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      test::on_virtual_ranks(
          1,
          [](deed::session& session) {
            std::vector<double> numbers(1000);
            std::iota(numbers.begin(), numbers.end(), 0.0);
            auto v = session.register_data(deed::owner{0}, deed::in_place(numbers));
            for (int i = 0; i < 21; ++i)
              session.insert_task(reversed, deed::read_write(v), scratch<double>(1000));
            session.wait();
            EXPECT_GT(session.statistics().tasks_on_devices, 0u);
            // deed-check: allow(D309) reason: one rank runs this
            EXPECT_EQ(session.borrow(deed::read(v))->front(), 999.0);
          },
          seed, options);
    }
  }
}

TEST(scratch, of_different_shape_on_two_ranks_is_told) {
  static constexpr deed::codelet everywhere{"everywhere", [](int& n, std::span<double>) { n = 1; }};
  deed::session_options options;
  options.checks.global = true;
  std::string said;
  test::on_virtual_ranks(
      2,
      [&](deed::session& session) {
        auto n = session.register_data(deed::owner{0}, 0);
        session.insert_task(everywhere, deed::write(n),
                            scratch<double>(session.rank() == 0 ? 8u : 16u),
                            deed::on_each{deed::everywhere});
        try {
          session.wait();
        } catch (const deed::error& refused) {
          if (session.rank() == 0) said = refused.what();
        }
      },
      1, options);
  EXPECT_THAT(said, HasSubstr("deed[D408]"));
  EXPECT_THAT(said, HasSubstr("8 x 1"));
  EXPECT_THAT(said, HasSubstr("16 x 1"));
}

}  // namespace
