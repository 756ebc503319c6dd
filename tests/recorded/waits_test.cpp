// SPDX-License-Identifier: MIT
// What programs wait for, as they record it.
#include <deed/runtime/collectives.hpp>
#include <deed/runtime/gate.hpp>
#include <deed/runtime/session.hpp>
#include <deed/trace/events.hpp>
#include <deed/transport/sim.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/late_transfers.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/say/sentence.hpp"
#include "ended_run.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

constexpr int ranks = 3, steps = 400;

constexpr deed::codelet stir{"stir",
                             [](std::vector<double>& mine, const std::vector<double>& left) {
                               mine.front() += left.front();
                             }};

void program(deed::session& session) {
  std::vector<deed::handle<std::vector<double>>> rows;
  for (int r = 0; r < ranks; ++r)
    rows.push_back(session.register_data(deed::owner{r}, std::vector<double>(8192, 1.0)));
  for (int step = 0; step < steps; ++step)
    for (std::size_t r = 0; r < rows.size(); ++r)
      session.insert_task(stir, deed::read_write(rows[r]), deed::read(rows[(r + 1) % rows.size()]));
  session.wait();
}

using program_of_a_rank = void(deed::session&);

std::string recorded(const scratch_folder& folder, program_of_a_rank& program) {
  deed::session_options options;
  options.window = 32;
  options.trace.path = folder.path() + "/run.deed";
  deed::transport::sim_world world(ranks, {.seed = 1});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session session({.rank = self.value,
                           .size = ranks,
                           .door = &door,
                           .time = &world.time(),
                           .simulated = true,
                           .seed = 1,
                           .pass = [&world, self] { world.pass(self); }},
                          options);
    program(session);
    session.close();
  });
  return options.trace.path;
}

TEST(waits_of_programs, in_a_full_window_are_recorded_and_ended) {
  const scratch_folder folder;
  const run events(recorded(folder, program));
  const model things(events);
  constexpr auto window = static_cast<std::uint64_t>(deed::trace::wait_kind::window);
  std::size_t in_window = 0;
  for (const wait_span& each : things.waits()) {
    const event begin = events.events()[each.event];
    if (events.get(begin, field::what) != window) continue;
    ++in_window;
    EXPECT_TRUE(each.ended);
  }
  EXPECT_GT(in_window, 3u);
}

TEST(waits_of_programs, in_a_full_window_are_no_work_of_theirs) {
  const scratch_folder folder;
  const run events(recorded(folder, program));
  const model things(events);
  const time_shares found = shares(things, {});
  ASSERT_EQ(found.workers.size(), std::size_t{ranks});
  for (const worker_time& each : found.workers) {
    std::int64_t sum = 0, program = 0, waits = 0;
    for (const auto& [what, time] : each.parts) {
      sum += time;
      if (what == "program") program = time;
      if (what == "fetch wait" || what == "idle, dependency") waits += time;
    }
    EXPECT_EQ(sum, found.wall);
    EXPECT_LT(program, found.wall / 10);
    EXPECT_GT(waits, found.wall / 4);
  }
}

constexpr deed::codelet take_time{"take_time", [](double& x) {
                                    // deed-check: allow(D706) reason: a long task is wanted
                                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                    x = 1;
                                  }};
constexpr deed::codelet add_to{"add_to", [](double& sum, const double& x) { sum += x; }};

/// Rank 1 has nothing to do until rank 0 has written x.
void late_program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto sum = session.register_data(deed::owner{1}, 0.0);
  session.insert_task(take_time, deed::read_write(x));
  session.insert_task(add_to, deed::read_write(sum), deed::read(x));
  session.wait();
}

TEST(waits_of_workers, name_the_transfers_that_came_late) {
  const scratch_folder folder;
  const ended_run left =
      run_until_it_ends(folder, deed::exit_code::success, late_program, {"--deed-ranks=inproc:2"});
  const run events(left.path);
  const model things(events);
  const std::vector<late_transfer> late = late_transfers(things);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(things.handle_name(things.transfers()[late[0].transfer].handle), "x");
  EXPECT_GT(late[0].waited(), 1'000'000);
}

constexpr deed::codelet mix{"mix", [](double& next, const double& left, const double& right) {
                              const auto end = std::chrono::steady_clock::now() + 1us;
                              while (std::chrono::steady_clock::now() < end) continue;
                              next = (left + right) / 2;
                            }};

/// Two threads that wait for each other's tasks, of a microsecond, again and again.
void meeting_program(deed::session& session) {
  std::vector<deed::handle<double>> points;
  for (int i = 0; i < 4; ++i) points.push_back(session.register_data(deed::owner{0}, 1.0));
  for (std::size_t step = 0; step < 2'000; ++step)
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t from = 2 * (step % 2), to = 2 - from + i;
      session.insert_task(mix, deed::write(points[to]), deed::read(points[from]),
                          deed::read(points[from + 1]));
    }
  session.wait();
}

TEST(waits_of_workers, end_when_their_tasks_are_ready_whoever_runs_them) {
  const scratch_folder folder;
  const ended_run left = run_until_it_ends(folder, deed::exit_code::success, meeting_program,
                                           {"--deed-ranks=inproc:1", "--deed-workers=2"});
  const run events(left.path);
  const model things(events);
  ASSERT_EQ(things.tasks().size(), 4'000u);
  for (const task& each : things.tasks()) {
    EXPECT_NE(each.ready, never);
    EXPECT_GT(each.end, each.begin);
  }
}

/// All ask for a sum, two pass a message on, and each stands at a gate.
void program_with_calls(deed::session& session) {
  const int me = session.rank();
  auto mine = session.register_data(deed::per_rank, 1.0);
  EXPECT_EQ(session.all_reduce(deed::value(me), std::plus<>()), 3);
  if (me == 0) session.isend(deed::read(mine), deed::to{1}, deed::message_tag{7}).wait();
  if (me == 1) session.ireceive(deed::write(mine), deed::from{0}, deed::message_tag{7}).wait();
  const std::vector<int> all = session.gather(deed::value(me), deed::to{2});
  EXPECT_EQ(all.size(), me == 2 ? 3u : 0u);
  auto ready = session.make_gate("ready");
  ready.open();
  ready.wait();
  session.barrier();
}

TEST(waits_of_programs, for_messages_calls_and_gates_are_recorded) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_calls));
  const model things(events);
  std::vector<std::vector<std::string>> said(ranks);
  for (const wait_span& each : things.waits()) {
    EXPECT_TRUE(each.ended);
    const int rank = events.lanes()[each.lane].rank;
    const std::string text = say_event(things, events.events()[each.event]);
    said[static_cast<std::size_t>(rank)].push_back(text.substr(0, text.find(" at ")));
  }
  const std::string message = "waits for the message of ";
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string me = "rank " + std::to_string(rank) + " waits for ";
    const auto& mine = said[static_cast<std::size_t>(rank)];
    for (const char* const what : {"all_reduce", "gather to rank 2", "gate 0", "barrier"})
      EXPECT_THAT(mine, Contains(me + what));
    EXPECT_EQ(std::ranges::count_if(
                  mine, [&](const std::string& each) { return each.find(message) != each.npos; }),
              rank < 2 ? 1 : 0);
  }
}

/// Two of three ranks meet.
void program_with_a_barrier_of_a_group(deed::session& session) {
  deed::group both = session.group({deed::rank{0}, deed::rank{2}});
  if (session.rank() != 1) both.barrier();
}

TEST(waits_of_programs, at_the_barrier_of_a_group_say_so) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_a_barrier_of_a_group));
  const model things(events);
  std::vector<std::string> said;
  for (const wait_span& each : things.waits())
    said.push_back(wait_name(things, events.events()[each.event]));
  EXPECT_EQ(std::ranges::count(said, "barrier of group 0,2"), 2);
  EXPECT_THAT(said, Each(testing::Not(HasSubstr("reduce"))));
}

/// Two of three ranks; the first member is rank 2.
void program_with_calls_of_a_group(deed::session& session) {
  const deed::group both = session.group({deed::rank{2}, deed::rank{0}});
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank());
  auto all = session.register_data(deed::owner{2}, std::vector<double>{});
  if (session.rank() != 1) {
    session.igather(deed::read(mine), deed::write(all), deed::to{0}, deed::within(both)).wait();
    session.ibroadcast(deed::read_write(mine), deed::from{1}, deed::within(both)).wait();
  }
  session.wait();
}

TEST(waits_of_programs, in_calls_of_a_group_are_for_a_member) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_calls_of_a_group));
  const model things(events);
  for (const std::string& each : waits(things, {}, {}).sentences)
    EXPECT_THAT(each, testing::Not(HasSubstr("of whom is not known")));
  std::vector<std::string> said;
  for (const wait_span& each : things.waits())
    said.push_back(wait_name(things, events.events()[each.event]));
  EXPECT_EQ(std::ranges::count(said, "gather to rank 2 in group 2,0"), 2);
  EXPECT_EQ(std::ranges::count(said, "broadcast from rank 0 in group 2,0"), 2);
}

TEST(waits_of_programs, of_the_session_itself_are_at_no_line_of_the_program) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_calls));
  const model things(events);
  std::vector<std::string> said;
  for (const wait_span& each : things.waits())
    said.push_back(say_event(things, events.events()[each.event]));
  EXPECT_THAT(said, Contains("rank 1 waits for the end of the session"));
  EXPECT_THAT(said, Each(AnyOf(HasSubstr(" waits_test.cpp:"), EndsWith("of the session"))));
}

TEST(calls_on_values, are_counted_beside_the_transfers_and_are_none) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_calls));
  const model things(events);
  ASSERT_EQ(things.transfers().size(), 1u) << "the message alone";
  for (const answer& each : {info(things), comm_matrix(things), comm_square(things, {})})
    EXPECT_THAT(each.sentences, Contains("3 all_reduce, 3 gather: programs stood in these calls, "
                                         "each rank counted; what they move is no transfer"));
}

/// Neither waits for what it calls for.
void program_that_sends_and_receives(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0);
  if (session.rank() == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{7});
  if (session.rank() == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{7});
}

TEST(messages, that_nobody_waits_for_have_the_lines_of_their_calls) {
  const scratch_folder folder;
  const run events(recorded(folder, program_that_sends_and_receives));
  const model things(events);
  ASSERT_EQ(things.transfers().size(), 1u);
  EXPECT_THAT(things.sent_at(0), StartsWith("waits_test.cpp:"));
  EXPECT_THAT(things.received_at(0), StartsWith("waits_test.cpp:"));
  EXPECT_NE(things.sent_at(0), things.received_at(0));
  EXPECT_EQ(things.transfers()[0].for_task, deed::trace::no_task);
}

/// Rank 0 sends in one group and then in another with one tag; rank 1 asks for them the other way.
void program_with_two_groups(deed::session& session) {
  const deed::group first = session.group({deed::rank{0}, deed::rank{1}}),
                    second = session.group({deed::rank{0}, deed::rank{1}});
  auto one = session.register_data(deed::per_rank, 1.0),
       two = session.register_data(deed::per_rank, 2.0);
  if (session.rank() == 0) {
    session.isend(deed::read(one), deed::to{1}, deed::message_tag{7}, deed::within(first)).wait();
    session.isend(deed::read(two), deed::to{1}, deed::message_tag{7}, deed::within(second)).wait();
  }
  if (session.rank() == 1) {
    auto later = session.ireceive(deed::write(two), deed::from{0}, deed::message_tag{7},
                                  deed::within(second));
    session.ireceive(deed::write(one), deed::from{0}, deed::message_tag{7}, deed::within(first))
        .wait();
    later.wait();
  }
}

TEST(messages, of_two_groups_with_one_tag_are_those_that_came) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_two_groups));
  const model things(events);
  ASSERT_EQ(things.transfers().size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const transfer& x = things.transfers()[i];
    ASSERT_TRUE(things.received_as(i));
    EXPECT_EQ(things.received_as(i)->handle, x.handle) << "each is received into its twin";
    EXPECT_LE(x.start, x.done_receive);
    EXPECT_NE(x.done_send, never);
  }
}

TEST(waits_of_programs, for_a_message_name_it) {
  const scratch_folder folder;
  const run events(recorded(folder, program_with_calls));
  const model things(events);
  std::vector<int> who;
  for (const wait_span& each : things.waits()) {
    const std::uint32_t message = message_of_wait(things, each);
    if (message == none) continue;
    who.push_back(events.lanes()[each.lane].rank);
    EXPECT_EQ(things.transfers()[message].src, 0);
    EXPECT_EQ(things.transfers()[message].dst, 1);
    EXPECT_EQ(things.tag_of(things.transfers()[message]), 7u);
  }
  EXPECT_THAT(who, UnorderedElementsAre(0, 1)) << "the sender and the receiver";
}

}  // namespace
