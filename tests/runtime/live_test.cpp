// SPDX-License-Identifier: MIT
#include "live.hpp"

#include <deed/runtime/environment.hpp>
#include <deed/runtime/session.hpp>
#include <deed/transport/inproc.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace {

using deed::runtime::glance;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// Two ranks that say what the test lets them say.
struct two_ranks {
  std::array<glance, 2> seen;
  deed::runtime::live_board board;

  two_ranks() {
    for (int rank = 0; rank < 2; ++rank)
      board.add(rank, [this, rank](bool) { return seen.at(static_cast<std::size_t>(rank)); });
  }
  std::string after_two_seconds() { return board.progress(2); }
};

TEST(progress, says_how_much_is_done_and_how_fast) {
  two_ranks run;
  run.after_two_seconds();
  for (glance& each : run.seen) {
    each.inserted = 96'000;
    each.run = 20'640;
    each.sent_bytes = 106 << 20;
    each.busy_ns = 7'200'000'000;
    each.workers = 4;
  }
  EXPECT_THAT(run.after_two_seconds(),
              EndsWith("] 41,280 tasks run here of 96,000 inserted, 20.6k/s, busy 90 %, 106.0 "
                       "MiB/s sent\n"));
  EXPECT_THAT(run.after_two_seconds(), EndsWith(" inserted, 0.0/s, busy 0 %, 0 B/s sent\n"));
}

TEST(progress, says_how_many_copies_were_there_since_the_last_line) {
  two_ranks run;
  run.seen[0].copies_hit = 40;
  run.after_two_seconds();
  run.seen[0].copies_hit += 50;
  run.seen[1].copies_hit = 37;
  run.seen[1].copies_missed = 13;
  EXPECT_THAT(run.after_two_seconds(), EndsWith("/s sent, cache 87 %\n"));
  EXPECT_THAT(run.after_two_seconds(), Not(HasSubstr("cache"))) << "none was asked for";
}

TEST(progress, says_what_is_left_once_all_ranks_wait) {
  two_ranks run;
  for (glance& each : run.seen) each.submitted = 2000;
  run.after_two_seconds();
  for (glance& each : run.seen) each.done = 800;
  run.seen[0].waits = "wait() at heat.cpp:31";
  EXPECT_THAT(run.after_two_seconds(), Not(HasSubstr("left"))) << "rank 1 may insert more";
  run.seen[1].waits = "wait() at heat.cpp:31";
  for (glance& each : run.seen) each.done = 1600;
  EXPECT_THAT(run.after_two_seconds(), EndsWith("/s sent, left 1.00 s\n"));
  EXPECT_THAT(run.after_two_seconds(), Not(HasSubstr("left"))) << "nothing moves: nobody knows";
}

TEST(status, says_what_a_rank_waits_in_or_waited_in_last) {
  two_ranks run;
  run.seen[0].waits = "borrow() of `x` at heat.cpp:33";
  run.seen[1].waited = "wait() at heat.cpp:31";
  EXPECT_THAT(run.board.status(), HasSubstr("rank 0      in borrow() of `x` at heat.cpp:33\n"));
  run.seen[0].lacks = "tag 4 from rank 1";
  run.seen[0].lacking = 3;
  EXPECT_THAT(run.board.status(), HasSubstr("heat.cpp:33, lacks tag 4 from rank 1 and 2 more\n"));
  EXPECT_THAT(run.board.status(),
              HasSubstr("rank 1      in the program, after wait() at heat.cpp:31\n"));
}

TEST(status, names_what_a_rank_lacks) {
  deed::transport::inproc_world made(2);
  const deed::real_clock time;
  deed::runtime::live_board board;
  const auto run = [&](int rank) {
    const deed::runtime::rank_environment mine{.rank = rank,
                                               .size = 2,
                                               .door = &made.at(deed::rank{rank}),
                                               .time = &time,
                                               .board = &board};
    deed::session session(mine);
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    if (rank == 0) {
      session.receive(deed::write(x), deed::from{1}, deed::message_tag{3});
    } else {
      while (board.status().find("lacks a message, tag 3 from rank 1") == std::string::npos)
        std::this_thread::yield();
      session.send(deed::read(x), deed::to{0}, deed::message_tag{3});
    }
    session.wait();
  };
  std::jthread first(run, 0), second(run, 1);
}

TEST(status, says_that_a_rank_is_in_repeat_where_its_tasks_run_in_order) {
  static deed::runtime::live_board board;
  static std::string said;
  static constexpr deed::codelet ask{"ask", [](int& x) {
                                       if (++x == 5) said = board.status();
                                     }};
  deed::transport::inproc_world made(1);
  const deed::real_clock time;
  deed::session session(
      deed::runtime::rank_environment{
          .rank = 0, .size = 1, .door = &made.at(deed::rank{0}), .time = &time, .board = &board},
      {.workers = 1, .defer = deed::deferral::off});
  auto x = session.register_data(deed::owner{0}, 0);
  session.repeat(8, [&] { session.insert_task(ask, deed::read_write(x)); });
  EXPECT_THAT(said, HasSubstr("rank 0      in repeat() at live_test.cpp:"));
}

/// "41 tasks run here of 40 inserted": both numbers, without the commas.
std::array<long, 2> run_and_inserted(std::string line) {
  line.erase(std::remove(line.begin(), line.end(), ','), line.end());
  std::array<long, 2> found{-1, -1};
  std::istringstream words(line.substr(line.find("] ") + 2));
  std::string skip;
  words >> found[0] >> skip >> skip >> skip >> skip >> found[1];
  return found;
}

TEST(progress, has_no_more_tasks_run_than_inserted) {
  static constexpr deed::codelet bump{"bump", [](int& x) { ++x; }};
  deed::transport::inproc_world made(1);
  const deed::real_clock time;
  deed::runtime::live_board board;
  std::atomic<bool> enough{false};
  std::jthread program([&] {
    deed::session session(
        deed::runtime::rank_environment{
            .rank = 0, .size = 1, .door = &made.at(deed::rank{0}), .time = &time, .board = &board},
        {.workers = 1, .defer = deed::deferral::off});
    auto x = session.register_data(deed::owner{0}, 0);
    while (!enough) session.insert_task(bump, deed::read_write(x));
    session.wait();
  });
  long before = 0;
  for (int look = 0; look < 30;) {  // While it runs.
    const std::string line = board.progress(1);
    if (line.empty()) continue;  // It has not begun.
    const auto [run, inserted] = run_and_inserted(line);
    ASSERT_GE(run, 0) << line;
    if (std::exchange(before, run) != run) ++look;
    if (run > inserted) enough = true;
    ASSERT_LE(run, inserted) << line;
  }
  enough = true;
}

}  // namespace
