// SPDX-License-Identifier: MIT
// Tasks that run in `insert_task` itself.
#include "undeferred.hpp"

#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

using deed::runtime::known_codelet;
using deed::runtime::undeferred;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;

constexpr deed::codelet mark{"mark", [](std::thread::id& by) { by = std::this_thread::get_id(); }};
constexpr deed::codelet bump{"bump", [](int& x) { ++x; }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
constexpr deed::codelet bump_to_five{"bump_to_five", [](int& x) {
                                       if (++x == 5) throw std::domain_error("enough");
                                     }};
constexpr deed::codelet follow{"follow", [](int& y, const int& x) { y = x; }};
/// How many of a codelet's tasks ran on the thread of the program.
struct ran_here {
  std::thread::id program;
  int tasks = 0, here = 0;
  void take(int from, std::chrono::microseconds passes) {
    if (++tasks <= from) return;
    here += std::this_thread::get_id() == program ? 1 : 0;
    const auto end = std::chrono::steady_clock::now() + passes;
    while (std::chrono::steady_clock::now() < end) continue;
  }
};
constexpr deed::codelet count_here{"count_here", [](ran_here& by) { by.take(0, microseconds(0)); }};
constexpr deed::codelet a_microsecond{"a_microsecond",
                                      [](ran_here& by) { by.take(0, microseconds(1)); }};
constexpr deed::codelet long_from_20000{"long_from_20000",
                                        [](ran_here& by) { by.take(20'000, microseconds(200)); }};
constexpr deed::codelet refuse{"refuse", [](int&) { throw std::domain_error("not today"); }};

const deed::session_options at_once{.workers = 2, .defer = deed::deferral::off};
const deed::session_options by_workers{.workers = 1, .defer = deed::deferral::on};

bool runs_here(const deed::session_options& options) {
  bool here = false;
  test::on_threads(
      1,
      [&](deed::session& session) {
        auto by = session.register_data(deed::owner{0}, std::thread::id());
        session.insert_task(mark, deed::read_write(by));
        here = *session.borrow(deed::read(by)) == std::this_thread::get_id();
      },
      options);
  return here;
}

TEST(undeferred_tasks, run_on_the_thread_that_inserts_them_where_nothing_waits) {
  EXPECT_TRUE(runs_here(at_once));
}

TEST(undeferred_tasks, are_none_where_all_are_deferred) { EXPECT_FALSE(runs_here(by_workers)); }

TEST(undeferred_tasks, have_run_when_the_call_returns_and_count_as_others) {
  test::on_threads(
      1,
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 0);
        auto sum = session.register_data(deed::owner{0}, 0);
        for (int i = 0; i < 100; ++i) {
          session.insert_task(bump, deed::read_write(x));
          session.insert_task(add, deed::read_write(sum), deed::read(x));
          ASSERT_EQ(session.statistics().tasks_run, 2u * static_cast<unsigned>(i + 1));
        }
        session.wait();
        EXPECT_EQ(*session.borrow(deed::read(sum)), 100 * 101 / 2);
        EXPECT_EQ(session.statistics().codelets.at("bump").tasks, 100u);
      },
      at_once);
}

TEST(undeferred_tasks, are_none_while_something_waits_and_keep_their_order) {
  test::on_threads(
      1,
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 0);
        auto gate = session.make_gate("start");
        session.insert_task(bump, deed::read_write(x), deed::behind(gate));
        session.insert_task(bump, deed::read_write(x));
        EXPECT_EQ(session.statistics().tasks_run, 0u);
        gate.open();
        session.wait();
        session.insert_task(bump, deed::read_write(x));
        EXPECT_EQ(session.statistics().tasks_run, 3u);
        EXPECT_EQ(*session.borrow(deed::read(x)), 3);
      },
      at_once);
}

TEST(undeferred_tasks, go_on_after_a_borrow) {
  test::on_threads(
      1,
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 0);
        for (int i = 0; i < 100; ++i) {
          ASSERT_EQ(*session.borrow(deed::read(x)), i);
          session.insert_task(bump, deed::read_write(x));
          ASSERT_EQ(session.statistics().tasks_run, static_cast<unsigned>(i) + 1);
        }
      },
      at_once);
}

TEST(undeferred_tasks, make_a_value_that_only_they_write) {
  test::on_threads(
      1,
      [](deed::session& session) {
        auto x = session.register_data<int>(deed::owner{0}, deed::uninitialised);
        session.insert_task(deed::codelet("set", [](int& to) { to = 7; }), deed::write(x));
        EXPECT_EQ(session.statistics().tasks_run, 1u);
        EXPECT_EQ(*session.borrow(deed::read(x)), 7);
      },
      at_once);
}

TEST(undeferred_tasks, that_throw_are_told_by_the_next_call_with_their_own_line) {
  std::string told;
  int line = 0;
  test::on_threads(
      1,
      [&](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1);
        session.insert_task(refuse, deed::read_write(x)), line = __LINE__;
        try {
          session.wait();
        } catch (const deed::error& thrown) {
          told = thrown.what();
        }
      },
      at_once);
  EXPECT_THAT(told, HasSubstr("task `refuse` threw: not today"));
  EXPECT_THAT(told, HasSubstr("undeferred_test.cpp:" + std::to_string(line)));
}

TEST(undeferred_tasks, cancel_those_behind_where_failures_propagate) {
  deed::session_options options = at_once;
  options.exceptions = deed::on_exception::propagate;
  test::on_threads(
      1,
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1);
        session.insert_task(refuse, deed::read_write(x));
        session.insert_task(bump, deed::read_write(x));
        EXPECT_EQ(session.statistics().tasks_run, 1u);
        EXPECT_EQ(session.statistics().tasks_cancelled, 1u);
        EXPECT_THROW(session.wait(), deed::error);
      },
      options);
}

/// What the class is told by `core`, on a clock of its own.
class program {
 public:
  program() { brief.took(nanoseconds(100)); }
  /// Tasks that cost so many nanoseconds each, deferred and at once; of the latter, how many.
  int insert(int tasks, int deferred, int here, const known_codelet& codelet) {
    int ran = 0;
    for (int i = 0; i < tasks; ++i) {
      if (choice.on() && choice.takes(codelet)) {
        ++ran;
        now += nanoseconds(here);
        if (choice.due()) static_cast<void>(choice.took(nanoseconds(here / 2), now));
      } else {
        choice.leave(codelet);
        now += nanoseconds(deferred);
        if (++left % 4096 == 0 && choice.begins(left, now)) choice.start(now);
      }
    }
    return ran;
  }

  undeferred choice{deed::deferral::automatic};
  known_codelet brief{{}, 0}, unknown{{}, 1};
  std::uint64_t left = 0;
  nanoseconds now{1};
};

/// What the chain of tasks left, and in how many iterations its last ran on the program's thread.
std::pair<int, int> repeated(const deed::session_options& options, std::uint64_t times) {
  std::pair<int, int> seen;
  test::on_threads(
      1,
      [&](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 0);
        auto sum = session.register_data(deed::owner{0}, 0);
        auto by =
            session.register_data(deed::owner{0}, ran_here{.program = std::this_thread::get_id()});
        session.repeat(times, [&] {
          session.insert_task(bump, deed::read_write(x));
          session.insert_task(add, deed::read_write(sum), deed::read(x));
          session.insert_task(count_here, deed::read_write(by));
        });
        EXPECT_EQ(session.statistics().tasks_run, 3 * times);
        seen = {*session.borrow(deed::read(sum)), session.borrow(deed::read(by))->here};
      },
      options);
  return seen;
}

TEST(undeferred_tasks, of_a_kept_iteration_run_in_the_order_of_insertion) {
  for (const std::uint64_t times : {3u, 4u, 1000u}) {
    const auto sum = static_cast<int>(times * (times + 1) / 2);
    const auto [of_these, here] = repeated(at_once, times);
    EXPECT_EQ(of_these, sum);
    EXPECT_GE(here, static_cast<int>(times) - 1);  // The first iteration goes by the graph.
    EXPECT_EQ(repeated(by_workers, times).first, sum);
  }
}

TEST(undeferred_tasks, of_a_kept_iteration_go_the_quicker_way) {
  constexpr std::uint64_t times = 30'000;  // Spans of both ways.
  constexpr int sum = 450'015'000;
  EXPECT_EQ(repeated({.workers = 2}, times).first, sum);
  EXPECT_EQ(repeated({.workers = 1}, times).first, sum);
}

/// Of the last of so many tasks in an iteration, what runs on the program's thread.
template <class Codelet>
int here_of_last(const Codelet& last, int tasks, std::uint64_t times) {
  int here = 0;
  test::on_threads(1,
                   [&](deed::session& session) {
                     auto x = session.register_data(deed::owner{0}, 0);
                     auto by = session.register_data(
                         deed::owner{0}, ran_here{.program = std::this_thread::get_id()});
                     session.repeat(times, [&] {
                       for (int i = 1; i < tasks; ++i)
                         session.insert_task(bump, deed::read_write(x));
                       session.insert_task(last, deed::read_write(by));
                     });
                     here = session.borrow(deed::read(by))->here;
                   },
                   {.workers = 1});
  return here;
}

TEST(undeferred_tasks, of_a_kept_iteration_cost_little_to_try_where_they_take_a_microsecond) {
  EXPECT_LE(here_of_last(a_microsecond, 1, 20'000), 300);
}

TEST(undeferred_tasks, of_a_kept_iteration_that_turn_out_long_end_that_whichever_are_timed) {
  EXPECT_LE(here_of_last(long_from_20000, 31, 20'300), 10);
}

TEST(undeferred_tasks, that_throw_in_a_kept_iteration_are_named) {
  for (const auto policy : {deed::on_exception::abort, deed::on_exception::propagate}) {
    deed::session_options options = at_once;
    options.exceptions = policy;
    std::string said;
    std::uint64_t followed = 0;
    test::on_threads(
        1,
        [&](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, 0);
          auto y = session.register_data(deed::owner{0}, 0);
          try {
            session.repeat(8, [&] {
              session.insert_task(bump_to_five, deed::read_write(x));
              session.insert_task(follow, deed::write(y), deed::read(x));
            });
            session.wait();
          } catch (const deed::error& thrown) {
            said = thrown.what();
          }
          followed = session.statistics().codelets.at("follow").tasks;
        },
        options);
    EXPECT_THAT(said, HasSubstr("insertion #8")) << said;
    EXPECT_THAT(said, HasSubstr("enough"));
    EXPECT_EQ(followed, 4u);
  }
}

TEST(undeferred, is_chosen_where_brief_tasks_cost_less_so) {
  EXPECT_GE(program().insert(1'000'000, 200, 30, program().brief), 900'000);
  EXPECT_LE(program().insert(1'000'000, 60, 100, program().brief), 100'000);
}

TEST(undeferred, is_not_chosen_for_codelets_that_nobody_has_timed_or_that_take_longer) {
  program here;
  EXPECT_EQ(here.insert(100'000, 200, 30, here.unknown), 0);
  here.brief.took(microseconds(50));
  EXPECT_GT(here.insert(100'000, 200, 30, here.brief), 0);  // It may have been the system.
  here.brief.took(microseconds(50));
  EXPECT_EQ(here.insert(100'000, 200, 30, here.brief), 0);
}

TEST(undeferred, ends_within_some_forty_tasks_where_they_turn_out_long) {
  program here;
  here.insert(100'000, 200, 30, here.brief);
  ASSERT_TRUE(here.choice.on());
  EXPECT_LE(here.insert(10'000, 10'000, 10'000, here.brief), 40);
}

TEST(undeferred, goes_on_soon_with_a_codelet_that_is_new) {
  program here;
  here.insert(100'000, 200, 30, here.brief);
  ASSERT_EQ(here.insert(1'000, 200, 30, here.unknown), 0);
  here.unknown.took(nanoseconds(100));
  here.choice.leave(here.unknown);  // Something waits: it is left behind that.
  for (int i = 0; i < 2 * 4096; ++i) {
    here.choice.leave(here.unknown);
    if (++here.left % 4096 == 0 && here.choice.begins(here.left, here.now))
      here.choice.start(here.now);
  }
  EXPECT_TRUE(here.choice.on());
}

TEST(undeferred, does_not_take_what_is_left_meanwhile_for_a_cost_of_what_runs) {
  program here;
  here.insert(100'000, 200, 30, here.brief);
  ASSERT_TRUE(here.choice.on());
  for (int i = 0; i < 2'000; ++i) {
    for (int n = 0; n < 300; ++n) here.choice.leave(here.brief);  // Something waits.
    here.now += nanoseconds(300 * 200);
    ASSERT_EQ(here.insert(10, 200, 30, here.brief), 10) << i;
  }
}

TEST(undeferred, does_not_take_a_pause_of_the_program_for_a_cost_of_what_runs) {
  program here;
  here.insert(100'000, 200, 30, here.brief);
  for (int i = 0; i < 20; ++i) {
    here.now += std::chrono::milliseconds(10);
    ASSERT_EQ(here.insert(4096, 200, 30, here.brief), 4096) << i;
  }
}

TEST(undeferred, costs_little_to_try_where_workers_keep_up_with_tasks_of_a_microsecond) {
  program here;
  here.insert(2'000'000, 150, 1'500, here.brief);
  EXPECT_LE(here.now.count(), 1.02 * 150 * 2'000'000);
}

TEST(undeferred, times_both_of_two_codelets_that_take_turns) {
  undeferred choice(deed::deferral::off);
  int timed[2] = {};
  nanoseconds now{};
  for (int i = 0; i < 10'000; ++i) {
    now += nanoseconds(50);
    if (!choice.due()) continue;
    ++timed[i % 2];
    static_cast<void>(choice.took(nanoseconds(20), now));
  }
  EXPECT_GT(timed[0], 100);
  EXPECT_GT(timed[1], 100);
}

TEST(undeferred, counts_one_task_that_takes_long_once) {
  undeferred choice(deed::deferral::off);
  nanoseconds now{};
  for (int i = 0; i < 158; ++i) {
    now += nanoseconds(50);
    if (choice.due()) static_cast<void>(choice.took(nanoseconds(20), now));
  }
  static_cast<void>(choice.due());
  now += nanoseconds(10'000'000);
  static_cast<void>(choice.took(nanoseconds(10'000'000), now));
  EXPECT_LE(choice.spent().count(), 10'010'000);
}

TEST(undeferred, says_what_all_tasks_took_by_those_that_it_times) {
  undeferred choice(deed::deferral::off);
  nanoseconds sum{}, now{};
  for (int i = 0; i < 1000; ++i) {
    now += nanoseconds(50);
    if (choice.due()) sum += choice.took(nanoseconds(20), now);
  }
  EXPECT_NEAR(static_cast<double>(sum.count()), 20'000, 32 * 20);
}

}  // namespace
