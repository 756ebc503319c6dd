// SPDX-License-Identifier: MIT
// Ranks that submit different programs, beside what they print (reports/): what the comparison
// costs those that agree, and who must not wait for whom.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using test::each_world;
using test::outcome;
using test::simulated_world;
using testing::HasSubstr;

/// Frames of rank 0 beside those of transfers, in a program that waits so often.
std::uint64_t frames_of(const test::world& in, int waits) {
  std::uint64_t frames = 0;
  const auto ended = in.run(4, [&](deed::session& session) {
    for (int i = 0; i < waits; ++i) session.wait();
    session.barrier();
    if (session.rank() != 0) return;
    for (const auto& [_, sent] : session.statistics().sent_to) frames += sent.other_frames;
  });
  for (const outcome& each : ended) EXPECT_EQ(each.text, "");
  return frames;
}

TEST(ranks_that_agree, pay_for_the_logarithm_of_their_waits) {
  simulated_world([](const test::world& in) {
    constexpr std::uint64_t rounds = 2 * 10,
                            most_neighbours = 2;  // In the tree; rank 0 is its root.
    EXPECT_LE(frames_of(in, 1000), frames_of(in, 0) + rounds * most_neighbours);
  });
}

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

std::string line(int number) { return "divergence_test.cpp:" + std::to_string(number); }

TEST(ranks_that_differ, learn_of_it_in_wait_before_they_use_a_value) {
  each_world([](const test::world& in) {
    std::atomic<bool> used{false};
    const auto all = in.run(2, [&](deed::session& session) {
      auto d = session.register_data(deed::owner{0}, 1.0, {.name = "d"});
      auto sum = session.register_data(deed::owner{1}, 0.0, {.name = "sum"});
      session.insert_task(add, deed::read_write(sum), deed::read(d));
      if (session.rank() == 0) session.insert_task(bump, deed::read_write(d));
      session.insert_task(add, deed::read_write(sum), deed::read(d));
      session.wait();
      used = true;
    });
    EXPECT_TRUE(!used || in.is == test::world::kind::threads);  // Which may be late for it.
    for (const outcome& each : all) EXPECT_EQ(each.code, deed::error_code::guard_forgets);
  });
}

/// The sender learns that it was refused before the receiver has looked at it, now and then.
TEST(ranks_that_differ, hear_of_a_refused_message_from_who_refused_it) {
  const auto once = [](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      std::vector<double> own(session.rank() == 0 ? 64 : 32);
      auto rows = session.register_data(deed::per_rank, deed::in_place(own), {.name = "rows"});
      if (session.rank() == 0) session.send(deed::read(rows), deed::to{1}, deed::message_tag{3});
      if (session.rank() == 1)
        session.receive(deed::write(rows), deed::from{0}, deed::message_tag{3});
      session.wait();  // It may pass on rank 0: then the end of `rows` meets the report.
    });
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::message_sizes_differ);
      EXPECT_THAT(each.text, HasSubstr("512 bytes sent, 256 bytes awaited"));
    }
  };
  simulated_world(once);
  for (int i = 0; i < 200; ++i) once({test::world::kind::threads, 1});
}

/// The one that fits nothing need not be the last with its tag.
TEST(ranks_that_differ, hear_of_the_message_that_does_not_fit_and_of_none_behind_it) {
  simulated_world([](const test::world& in) {
    int wrong = 0;
    const auto all = in.run(2, [&](deed::session& session) {
      std::vector<double> long_rows(64), short_rows(32);
      auto wide =
          session.register_data(deed::per_rank, deed::in_place(long_rows), {.name = "wide"});
      auto slim =
          session.register_data(deed::per_rank, deed::in_place(short_rows), {.name = "slim"});
      if (session.rank() == 0) {
        session.send(deed::read(wide), deed::to{1}, deed::message_tag{3});
        wrong = __LINE__ - 1;
        session.send(deed::read(slim), deed::to{1}, deed::message_tag{3});
      } else {
        session.receive(deed::write(slim), deed::from{0}, deed::message_tag{3});
        session.receive(deed::write(slim), deed::from{0}, deed::message_tag{3});
      }
      session.wait();
    });
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::message_sizes_differ);
      EXPECT_THAT(each.text,
                  HasSubstr("sends 512 bytes, `std::span<double>`, `wide`, at " + line(wrong)));
    }
  });
}

/// Tags of two groups have nothing to do with each other.
TEST(ranks_that_differ, hear_of_the_message_of_the_group_in_which_it_was_received) {
  simulated_world([](const test::world& in) {
    int wrong = 0;
    const auto all = in.run(2, [&](deed::session& session) {
      std::vector<double> long_rows(64), other_rows(64), short_rows(32);
      auto wide =
          session.register_data(deed::per_rank, deed::in_place(long_rows), {.name = "wide"});
      auto other =
          session.register_data(deed::per_rank, deed::in_place(other_rows), {.name = "other"});
      auto slim =
          session.register_data(deed::per_rank, deed::in_place(short_rows), {.name = "slim"});
      const deed::group both = session.group({deed::rank{0}, deed::rank{1}});
      constexpr deed::message_tag tag{3};
      if (session.rank() == 0) {
        session.send(deed::read(wide), deed::to{1}, tag);
        wrong = __LINE__ - 1;
        session.send(deed::read(other), deed::to{1}, tag, deed::within(both));
      } else {
        session.receive(deed::write(slim), deed::from{0}, tag);
        session.receive(deed::write(other), deed::from{0}, tag, deed::within(both));
      }
      session.wait();
    });
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::message_sizes_differ);
      EXPECT_THAT(each.text,
                  HasSubstr("sends 512 bytes, `std::span<double>`, `wide`, at " + line(wrong)));
    }
  });
}

TEST(ranks_that_differ, do_not_insert_a_task_in_vain) {
  each_world([](const test::world& in) {
    int here = 0, there = 0;
    const auto all = in.run(3, [&](deed::session& session) {
      auto x = session.register_data(deed::owner{1}, 1.0, {.name = "x"});
      session.insert_task(bump, deed::read_write(x));
      if (session.rank() == 1) there = __LINE__ - 1;
      if (session.rank() == 2) session.insert_task(bump, deed::read_write(x));
      if (session.rank() == 2) here = __LINE__ - 1;
      session.wait();
      // Threads may take longer than a wait lingers; they are told at the end, then.
      EXPECT_EQ(in.is, test::world::kind::threads) << "rank " << session.rank() << " goes on";
    });
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::rank_must_take_part);
      EXPECT_THAT(each.text, HasSubstr("rank 1 must take part in a task that it has to run"));
      EXPECT_THAT(each.text, HasSubstr("inserted 2 tasks for rank 1, the newest at " + line(here)));
      EXPECT_THAT(each.text, HasSubstr("inserted 1 of them, the newest at " + line(there)));
    }
  });
}

TEST(ranks_that_differ, hear_of_a_checkpoint_or_its_resumption_by_its_name) {
  const std::string folder = testing::TempDir() + "diverging_checkpoint";
  simulated_world([&](const test::world& in) {
    const auto one_rank = in.run(2, [&](deed::session& session) {
      if (session.rank() == 0) session.checkpoint(folder, 5);
    });
    for (const outcome& each : one_rank) {
      EXPECT_EQ(each.code, deed::error_code::rank_leaves_early);
      EXPECT_THAT(each.text, HasSubstr("some ranks leave before `checkpoint()`"));
      EXPECT_THAT(each.text, HasSubstr("stands in `checkpoint()` at " + line(__LINE__ - 5)));
    }
    const auto other_epoch = in.run(2, [&](deed::session& session) {
      session.checkpoint(folder, 5 + static_cast<std::uint64_t>(session.rank()));
    });
    for (const outcome& each : other_epoch) {
      EXPECT_EQ(each.code, deed::error_code::step_not_reached);
      EXPECT_THAT(each.text, HasSubstr("ranks do not agree on the epoch of a checkpoint"));
    }
    const auto resumes = in.run(2, [&](deed::session& session) {
      if (session.rank() == 1) static_cast<void>(session.resume(folder));
    });
    for (const outcome& each : resumes)
      EXPECT_THAT(each.text, HasSubstr("some ranks leave before `resume()`"));
  });
  EXPECT_FALSE(std::filesystem::exists(folder));
}

using four_lines = std::array<int, 4>;

/// Rank 1 forgets a call of a group in its third step, and all stand in later ones when nothing
/// goes on.
void forget_call(deed::session& session, int forgotten, four_lines& lines) {
  auto group = session.group({deed::rank{3}, deed::rank{1}, deed::rank{0}});
  const auto within = deed::within(group);
  auto conf = session.register_data(deed::per_rank, 0.5, {.name = "conf"});
  auto all = session.register_data(deed::per_rank, std::vector<double>(3), {.name = "all"});
  auto total = session.register_data(deed::per_rank, 0.0, {.name = "total"});
  for (int step = 0; step < 4 && session.rank() != 2; ++step) {
    const int left_out = step == 2 && session.rank() == 1 ? forgotten : -1;
    lines[0] = __LINE__ + 1;
    if (left_out != 0) session.broadcast(deed::read_write(conf), deed::from{0}, within);
    lines[1] = __LINE__ + 1;
    if (left_out != 1) session.gather(deed::read(conf), deed::write(all), deed::to{1}, within);
    lines[2] = __LINE__ + 2;
    if (left_out != 2)
      session.all_reduce(deed::read(conf), deed::write(total), std::plus<>{}, within);
    lines[3] = __LINE__ + 1;
    group.barrier();
  }
  session.barrier();
}

TEST(ranks_that_differ, hear_of_the_first_collective_call_that_is_another_one) {
  constexpr std::array calls{"`broadcast` from rank 3", "`gather` to rank 1", "`all_reduce`",
                             "`barrier`"};
  for (std::size_t forgotten = 0; forgotten < 3; ++forgotten) {
    simulated_world([&](const test::world& in) {
      four_lines lines{};
      const auto ended = in.run(4, [&](deed::session& session) {
        forget_call(session, static_cast<int>(forgotten), lines);
      });
      const auto call = [&](std::size_t which) {
        return std::string(calls[which]) + ", at " + line(lines[which]);
      };
      for (const outcome& each : ended) {
        EXPECT_EQ(each.code, deed::error_code::collectives_differ);
        EXPECT_THAT(each.text,
                    HasSubstr("calls " + call(forgotten + 1) + ", as collective call #" +
                              std::to_string(8 + forgotten) + ", where rank 0 calls " +
                              call(forgotten) + "; it may have left that out   <-- likely cause"));
        EXPECT_THAT(each.text, HasSubstr("help: make the call at " + line(lines[forgotten]) +
                                         " on every member of the group"));
      }
    });
  }
}

/// Then the types of a call differ before anybody waits for ever.
TEST(ranks_that_differ, hear_of_a_call_left_out_where_the_next_one_is_of_another_type) {
  simulated_world([&](const test::world& in) {
    int first = 0;
    const auto ended = in.run(3, [&](deed::session& session) {
      auto a = session.register_data(deed::per_rank, 1, {.name = "a"});
      auto b = session.register_data(deed::per_rank, 1.0, {.name = "b"});
      auto all = session.register_data(deed::per_rank, std::vector<double>(3), {.name = "all"});
      first = __LINE__ + 1;
      if (session.rank() != 1) session.broadcast(deed::read_write(a), deed::from{0});
      session.broadcast(deed::read_write(b), deed::from{0});
      session.all_gather(deed::read(b), deed::write(all));
      session.wait();
    });
    for (const outcome& each : ended) {
      EXPECT_EQ(each.code, deed::error_code::collectives_differ);
      EXPECT_THAT(
          each.text,
          HasSubstr("rank 1  calls `broadcast` of `double` from rank 0, at " + line(first + 1) +
                    ", as collective call #0, where rank 0 calls `broadcast` of `int` from "
                    "rank 0, at " +
                    line(first) + "; it may have left that out"));
    }
  });
}

/// What it calls where the others call the first one is alike but for its line.
TEST(ranks_that_differ, hear_which_call_was_left_out_where_the_last_one_is_missing) {
  simulated_world([&](const test::world& in) {
    four_lines lines{};
    const auto ended = in.run(3, [&](deed::session& session) {
      auto group = session.group({deed::rank{0}, deed::rank{1}});
      if (group.rank() < 0) return;
      lines[0] = __LINE__ + 1;
      if (session.rank() == 0) group.barrier();
      lines[1] = __LINE__ + 1;
      group.barrier();
      group.barrier();
    });
    for (const outcome& each : ended) {
      EXPECT_EQ(each.code, deed::error_code::step_not_reached);
      EXPECT_THAT(each.text, HasSubstr("rank 1  has not made this call; it may have left out the "
                                       "one at " +
                                       line(lines[0]) + "   <-- likely cause"));
    }
  });
}

/// Whoever waits is not held up by a rank that waits for it.
TEST(ranks_that_agree, may_wait_for_each_other_behind_a_wait) {
  each_world([](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      auto x = session.register_data(deed::per_rank, 1.0, {.name = "x"});
      constexpr deed::message_tag tag{1};
      if (session.rank() == 0) {
        session.wait();
        session.send(deed::read(x), deed::to{1}, tag);
      } else {
        session.ireceive(deed::write(x), deed::from{0}, tag).wait();
        session.wait();
      }
    });
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(ranks_that_differ, do_not_wait_for_one_that_has_thrown) {
  constexpr deed::message_tag tag{3};
  deed::transport::sim_world made(2, {.seed = 1});
  std::vector<std::string> said(2);
  made.run([&](deed::rank self, deed::transport::endpoint& door) {
    try {
      deed::session session({.rank = self.value,
                             .size = 2,
                             .door = &door,
                             .time = &made.time(),
                             .simulated = true,
                             .seed = 1,
                             .pass = [&made, self] { made.pass(self); }});
      if (self.value == 0) {
        auto some = session.register_data(deed::per_rank, std::vector<double>(64));
        session.send(deed::read(some), deed::to{1}, tag);
        static_cast<void>(session.borrow(deed::read_write(some)));  // The message is on its way.
        throw std::runtime_error("gives up");
      }
      auto there = session.register_data(deed::per_rank, std::vector<float>(4));
      session.receive(deed::write(there), deed::from{0}, tag);
      session.wait();
    } catch (const std::exception& thrown) {
      said[static_cast<std::size_t>(self.value)] = thrown.what();
    }
  });
  EXPECT_EQ(said[0], "gives up");
  EXPECT_THAT(said[1], testing::HasSubstr("deed[D510]"));
}

TEST(an_exception, is_heard_of_though_memory_of_the_program_is_waited_for) {
  simulated_world([](const test::world& in) {
    const auto ended = in.run(2, [](deed::session& session) {
      constexpr deed::codelet accumulate{"accumulate",
                                         [](std::span<double> a, const double& b) { a[0] += b; }};
      std::vector<double> memory(1);
      auto from = session.register_data(deed::owner{1}, 2.0);
      auto into = session.register_data(deed::owner{0}, deed::in_place(memory));
      if (session.rank() == 1) throw std::runtime_error("gives up");
      session.insert_task(accumulate, deed::read_write(into), deed::read(from));
      throw std::runtime_error("gives up, too");
    });
    EXPECT_EQ(ended[0].text, "gives up, too");
    EXPECT_EQ(ended[1].text, "gives up");
  });
}

}  // namespace
