// SPDX-License-Identifier: MIT
// Memory of the program that an exception ends while a session still works on it.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using testing::AllOf;
using testing::HasSubstr;

struct unrelated : std::runtime_error {
  unrelated() : std::runtime_error("unrelated") {}
};

enum class stage : int { waits, runs, done };
std::atomic<stage>& reached() {
  static std::atomic<stage> now{stage::waits};
  return now;
}
constexpr deed::codelet look_late{"look_late", [](std::span<const double> x) {
                                    reached() = stage::runs;
                                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                    if (x.front() == 0) reached() = stage::done;
                                  }};
constexpr deed::codelet bump{"bump", [](std::span<double> x) { x.front() += 1; }};

/// A program for each rank, on threads; its exception ends its session.
template <class... Programs>
void run_on_threads(const deed::session_options& options, Programs&&... programs) {
  constexpr int ranks = sizeof...(programs);
  deed::transport::inproc_world made(ranks);
  const deed::real_clock time;
  std::vector<std::jthread> threads;
  int next = 0;
  const auto start = [&](const auto& program) {
    threads.emplace_back([&, r = next++] {
      const deed::runtime::rank_environment mine{
          .rank = r, .size = ranks, .door = &made.at(deed::rank{r}), .time = &time};
      try {
        deed::session joined(mine, options);
        program(joined);
      } catch (const unrelated&) {
        return;
      }
    });
  };
  (start(programs), ...);
}

TEST(memory_in_place, outlives_the_task_that_runs_when_an_exception_passes) {
  run_on_threads({.workers = 1}, [&](deed::session& session) {
    try {
      std::vector<double> memory(8);
      auto x = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "x"});
      session.insert_task(look_late, deed::read(x));
      while (reached() == stage::waits) std::this_thread::yield();
      throw unrelated();
    } catch (const unrelated&) {
      EXPECT_EQ(reached(), stage::done);
      throw;
    }
  });
}

TEST(memory_in_place, is_not_received_into_once_an_exception_has_passed) {
  constexpr std::size_t size = std::size_t{1} << 17;
  std::vector<double> memory(size);
  std::atomic<bool> passed{false}, sent{false};
  run_on_threads(
      {.workers = 1},
      [&](deed::session& session) {
        std::vector<double> ones(size, 1.0);
        auto x = session.register_data(deed::per_rank, deed::in_place(ones), {.name = "x"});
        while (!passed) std::this_thread::yield();
        session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        sent = true;
        throw unrelated();
      },
      [&](deed::session& session) {
        try {
          auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
          session.receive(deed::write(x), deed::from{0}, deed::message_tag{3});
          throw unrelated();
        } catch (const unrelated&) {
          passed = true;
          while (!sent) std::this_thread::yield();
          EXPECT_EQ(memory, std::vector<double>(size));
          throw;
        }
      });
}

/// Another rank's task, whose value would come to this one, never runs.
void leave_in_use(deed::session& session, std::vector<double>& memory) {
  auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
  session.receive(deed::write(x), deed::from{(session.rank() + 1) % 2}, deed::message_tag{3});
  throw unrelated();
}

TEST(memory_in_place, that_was_in_use_ends_the_session_and_it_says_so) {
  test::simulated_world([](const test::world& ranks) {
    const auto all = ranks.run(2, [](deed::session& session) {
      std::vector<double> memory(8), more(8);
      auto y = session.register_data(deed::per_rank, deed::in_place(more), {.name = "y"});
      EXPECT_THROW(leave_in_use(session, memory), unrelated);
      session.insert_task(bump, deed::read_write(y));
    });
    for (const test::outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::session_closed);
      EXPECT_THAT(each.text, AllOf(HasSubstr("an exception passed memory"), HasSubstr("`x` at"),
                                   HasSubstr("stopping_test.cpp")));
    }
  });
}

TEST(memory_in_place, that_was_in_use_makes_close_throw) {
  test::simulated_world([](const test::world& ranks) {
    const auto all = ranks.run(2, [](deed::session& session) {
      std::vector<double> memory(8);
      EXPECT_THROW(leave_in_use(session, memory), unrelated);
    });
    for (const test::outcome& each : all)
      EXPECT_EQ(each.code, deed::error_code::session_closed) << each.text;
  });
}

constexpr deed::codelet fail_late{"fail_late", [](std::span<double> x) {
                                    if (x.size() == 8) throw std::domain_error("eight");
                                  }};

TEST(memory_in_place, that_ends_after_a_failure_leaves_that_to_be_thrown) {
  test::simulated_world([](const test::world& ranks) {
    const auto all = ranks.run(2, [](deed::session& session) {
      std::vector<double> memory(8), more(8);
      auto z = session.register_data(deed::per_rank, deed::in_place(more), {.name = "z"});
      session.insert_task(fail_late, deed::read_write(z));
      {
        auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
        session.receive(deed::write(x), deed::from{1 - session.rank()}, deed::message_tag{3});
      }
      EXPECT_THROW(session.wait(), std::exception);  // A program may hide it; `close` does not.
    });
    for (const test::outcome& each : all) EXPECT_THAT(each.text, HasSubstr("eight"));
  });
}

TEST(memory_in_place, that_ends_a_session_leaves_borrows_of_devices_alone) {
  deed::session_options options{.workers = 1};
  options.devices.cuda = options.devices.hip = false;
  options.devices.emulated.devices = 1;
  run_on_threads(options, [](deed::session& session) {
    std::vector<double> memory(8), more(8);
    auto y = session.register_data(deed::per_rank, deed::in_place(more), {.name = "y"});
    session.insert_task(bump, deed::read_write(y));
    const auto lent = session.borrow(deed::read(y));
    auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
    session.receive(deed::write(x), deed::from{0}, deed::message_tag{3});
    throw unrelated();
  });
}

TEST(memory_in_place, that_nothing_uses_any_more_may_be_passed) {
  test::each_world([](const test::world& ranks) {
    const auto all = ranks.run(2, [](deed::session& session) {
      const auto pass = [&] {
        std::vector<double> memory(8);
        auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
        session.insert_task(bump, deed::read_write(x));
        session.wait();
        throw unrelated();
      };
      std::vector<double> more(8);
      auto y = session.register_data(deed::per_rank, deed::in_place(more), {.name = "y"});
      for (int i = 0; i < 3; ++i) EXPECT_THROW(pass(), unrelated);
      session.insert_task(bump, deed::read_write(y));
      session.wait();
      EXPECT_EQ(more.front(), 1);
    });
    for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

}  // namespace
