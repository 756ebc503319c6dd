// SPDX-License-Identifier: MIT
// Whether tasks go to the thread that wrote their data, by what they take there and elsewhere.
#include "locality.hpp"

#include <deed/deed.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/transport/inproc.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using deed::runtime::locality;
using std::chrono::nanoseconds;

/// So many tasks are timed on each of both.
void run(locality& of, int count, nanoseconds near, nanoseconds far) {
  for (int i = 0; i < count; ++i) {
    of.took(true, near);
    of.took(false, far);
  }
}

TEST(locality, pays_where_tasks_take_an_eighth_longer_elsewhere) {
  locality slow, alike;
  run(slow, 100, nanoseconds(3'000), nanoseconds(4'000));
  run(alike, 100, nanoseconds(3'000), nanoseconds(3'300));
  EXPECT_TRUE(slow.pays());
  EXPECT_FALSE(alike.pays());
}

TEST(locality, is_not_known_before_both_are) {
  locality near, far;
  for (int i = 0; i < 100; ++i) {
    near.took(true, nanoseconds(3'000));
    far.took(false, nanoseconds(9'000));
  }
  EXPECT_FALSE(near.pays());
  EXPECT_FALSE(far.pays());
}

TEST(locality, goes_on_until_tasks_take_no_longer_elsewhere) {
  locality all;
  run(all, 100, nanoseconds(3'000), nanoseconds(5'000));
  run(all, 1'000, nanoseconds(3'000), nanoseconds(3'200));
  EXPECT_TRUE(all.pays());
  run(all, 1'000, nanoseconds(3'000), nanoseconds(2'900));
  EXPECT_FALSE(all.pays());
}

TEST(locality, is_not_deceived_by_one_task_that_the_system_stopped) {
  locality all;
  run(all, 100, nanoseconds(3'000), nanoseconds(3'000));
  all.took(false, std::chrono::milliseconds(20));
  EXPECT_FALSE(all.pays());
}

std::atomic<int> stage{0};

/// Whether that was soon enough.
bool await(int wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (stage.load() < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return stage.load() >= wanted;
}

constexpr deed::codelet make{"make", [](std::thread::id& by) {
                               by = std::this_thread::get_id();
                               stage = 1;
                             }};
constexpr deed::codelet keep_busy{"keep_busy", [](bool& ended) {
                                    stage = 2;
                                    ended = await(3);
                                  }};
constexpr deed::codelet come_first{"come_first", [](int& x) { x = 1; }};
constexpr deed::codelet wait_for_it{"wait_for_it", [](bool& ended, const int&) {
                                      stage = 3;
                                      ended = await(4);
                                    }};
constexpr deed::codelet make_again{"make_again", [](bool& same, std::thread::id& by, const int&) {
                                     same = by == std::this_thread::get_id();
                                     stage = 4;
                                   }};

/// The worker writes a datum, and is kept busy. The program's thread runs what makes two tasks
/// ready: it keeps the one, in which it waits for the other, which writes that datum.
TEST(locality, sends_a_task_to_the_thread_that_wrote_its_data) {
  deed::transport::inproc_world world(1);
  const deed::real_clock time;
  deed::session alone(
      {.rank = 0, .size = 1, .door = &world.at(deed::rank{0}), .time = &time, .by_data = true},
      {.workers = 2, .defer = deed::deferral::on});
  auto by = alone.register_data(deed::owner{0}, std::thread::id());
  auto first = alone.register_data(deed::owner{0}, 0);
  auto same = alone.register_data(deed::owner{0}, false);
  auto busy = alone.register_data(deed::owner{0}, false),
       waits = alone.register_data(deed::owner{0}, false);
  alone.insert_task(make, deed::read_write(by));
  ASSERT_TRUE(await(1));
  alone.insert_task(keep_busy, deed::read_write(busy));
  ASSERT_TRUE(await(2));
  alone.insert_task(come_first, deed::read_write(first));
  alone.insert_task(wait_for_it, deed::read_write(waits), deed::read(first));
  alone.insert_task(make_again, deed::read_write(same), deed::read_write(by), deed::read(first));
  alone.wait();
  EXPECT_TRUE(*alone.borrow(deed::read(busy)) && *alone.borrow(deed::read(waits)));
  EXPECT_TRUE(*alone.borrow(deed::read(same)));
  alone.close();
}

}  // namespace
