// SPDX-License-Identifier: MIT
// Programs that wait for explicit messages, in runs that were written by hand: whom `waits` blames,
// and how the critical path goes on.
#include <deed/base/place.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/say/sentence.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t request = 7, user = 4, idle_no_task = 2, idle_dependency = 3;
constexpr std::int64_t us = 1'000;

/// Handle 0 is what a rank sends, handle 1 what it receives: v1 at first.
class messages_between_programs : public testing::Test {
 protected:
  messages_between_programs() {
    register_two(log);
    for (int rank = 0; rank < 3; ++rank)
      log.add(1, rank, worker, record::state, {idle_no_task, 0, 0});
  }
  /// From a rank to the next one.
  void sends(int rank, std::uint64_t tag, std::int64_t posts, std::int64_t starts,
             std::int64_t done) {
    const auto to = static_cast<std::uint64_t>(rank) + 1;
    log.add(posts, rank, app, record::xfer_post, {send, 0, 0, to, 0, 24, tag, user, nobody});
    log.add(starts, rank, worker, record::xfer_start, {0, 0, to, 0, send, tag});
    log.add(done, rank, worker, record::xfer_done, {0, 0, to, 0, send, tag});
  }
  void receives(int rank, std::uint64_t tag, std::int64_t posts, std::int64_t done,
                std::uint64_t version = 1) {
    const auto from = static_cast<std::uint64_t>(rank) - 1;
    log.add(posts, rank, app, record::xfer_post,
            {receive, 1, version, from, 0, 24, tag, user, nobody});
    log.add(done, rank, worker, record::xfer_done, {1, version, from, 0, receive, tag});
  }
  void waits_to_send(int rank, std::uint64_t tag, std::int64_t from, std::int64_t to) {
    const auto peer = static_cast<std::uint64_t>(rank) + 1;
    log.add(from, rank, app, record::wait_begin, {request, 1, 0, 2, 0, 0, peer, tag});
    log.add(to, rank, app, record::wait_end, {request, 1});
  }
  void waits_to_receive(int rank, std::int64_t from, std::int64_t to, std::uint64_t version = 1) {
    log.add(from, rank, app, record::wait_begin, {request, 1, 0, 1, 1, version});
    log.add(to, rank, app, record::wait_end, {request, 1});
  }
  void run_task(int rank, std::uint64_t number, std::int64_t submit, std::int64_t end) {
    log.add(submit, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 0});
    log.add(submit, rank, app, record::task_ready, {number, 0, 0});
    log.add(submit, rank, worker, record::task_begin, {number, 0});
    log.add(end, rank, worker, record::task_end, {number, 0});
  }
  /// As the task before a message, of the datum that is sent.
  void writes(int rank, std::int64_t begin, std::int64_t end) {
    log.add(begin, rank, app, record::task_submit,
            {0, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(begin, rank, app, record::task_access, {0, 0, 0, 1, 0, 0});
    log.add(begin, rank, app, record::task_ready, {0, 0, 0});
    log.add(begin, rank, worker, record::task_begin, {0, 0});
    log.add(end, rank, worker, record::task_end, {0, 0});
  }
  std::vector<std::string> steps() {
    const opened run(folder, log);
    std::vector<std::string> said;
    for (const path_step& each : critical_path(run.things()))
      said.push_back(std::string(each.kind) + " " + std::to_string(each.begin / us) + "-" +
                     std::to_string(each.end / us) +
                     (each.program < 0 ? "" : " by " + std::to_string(each.program)));
    return said;
  }
  std::vector<std::vector<std::int64_t>> matrix() {
    const opened run(folder, log);
    return wait_matrix(run.things());
  }

  scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 3, 1, 1};
};

/// Rank 0 offers at 10 us what rank 1 asks for at 80 us.
TEST_F(messages_between_programs, lead_from_a_send_to_the_program_that_asked_late) {
  sends(0, 7, 10 * us, 10 * us, 90 * us);
  receives(1, 7, 80 * us, 90 * us);
  waits_to_send(0, 7, 11 * us, 91 * us);
  run_task(0, 1, 95 * us, 99 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-80 by 1", "network 80-90", "wait 90-91 by 0",
                                   "submission 91-95 by 0", "compute 95-99"));
  EXPECT_THAT(matrix()[0], ElementsAre(0, 69 * us, 0));
}

/// The thread says nothing between the request and the task that the program inserts behind it.
TEST_F(messages_between_programs, are_waited_for_by_a_thread_that_goes_on_with_a_task) {
  writes(0, 2 * us, 8 * us);
  sends(0, 7, 3 * us, 9 * us, 90 * us);
  receives(1, 7, 80 * us, 90 * us);
  waits_to_send(0, 7, 4 * us, 91 * us);
  log.add(10 * us, 0, worker, record::state, {idle_dependency, 0, 0});
  run_task(0, 1, 92 * us, 99 * us);
  EXPECT_THAT(matrix()[0], ElementsAre(0, 70 * us, 0));
}

/// Two of one version to one rank, by their tags: the first is late, and was waited for.
TEST_F(messages_between_programs, that_are_sent_are_told_apart_by_their_tags) {
  sends(0, 7, 10 * us, 10 * us, 90 * us);
  sends(0, 8, 11 * us, 11 * us, 13 * us);
  receives(1, 8, 2 * us, 13 * us, 2);
  receives(1, 7, 80 * us, 90 * us);
  waits_to_send(0, 7, 20 * us, 91 * us);
  run_task(0, 1, 95 * us, 99 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-80 by 1", "network 80-90", "wait 90-91 by 0",
                                   "submission 91-95 by 0", "compute 95-99"));
  EXPECT_THAT(matrix()[0], ElementsAre(0, 60 * us, 0));
}

/// What rank 0 sends, its own task writes until 50 us: nobody else is to blame.
TEST_F(messages_between_programs, lead_from_a_send_to_the_task_that_wrote_it) {
  writes(0, 2 * us, 50 * us);
  sends(0, 7, 3 * us, 51 * us, 60 * us);
  receives(1, 7, 3 * us, 60 * us);
  waits_to_send(0, 7, 4 * us, 61 * us);
  run_task(0, 1, 65 * us, 70 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-2 by 0", "compute 2-50", "network 50-60",
                                   "wait 60-61 by 0", "submission 61-65 by 0", "compute 65-70"));
  EXPECT_THAT(matrix()[0], ElementsAre(0, 0, 0));
}

/// Rank 1 sends what it received from rank 0, whose program was late: two messages, no task.
TEST_F(messages_between_programs, lead_from_one_program_over_another_to_a_third) {
  sends(0, 7, 50 * us, 50 * us, 52 * us);
  receives(1, 7, 2 * us, 55 * us);
  waits_to_receive(1, 3 * us, 56 * us);
  sends(1, 7, 60 * us, 60 * us, 62 * us);
  receives(2, 7, 2 * us, 66 * us);
  waits_to_receive(2, 3 * us, 67 * us);
  run_task(2, 1, 70 * us, 80 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-50 by 0", "network 50-55", "wait 55-56 by 1",
                                   "submission 56-60 by 1", "network 60-66", "wait 66-67 by 2",
                                   "submission 67-70 by 2", "compute 70-80"));
  EXPECT_THAT(matrix(), ElementsAre(ElementsAre(0, 0, 0), ElementsAre(47 * us, 0, 0),
                                    ElementsAre(47 * us, 10 * us, 0)))
      << "rank 2 waits for rank 0 as long as rank 1 does";
}

/// Rank 1 passes on what comes to it at 50 us; it asked for both before.
TEST_F(messages_between_programs, lead_over_a_rank_that_passes_one_on) {
  sends(0, 7, 40 * us, 40 * us, 42 * us);
  receives(1, 7, 2 * us, 50 * us);
  log.add(3 * us, 1, app, record::xfer_post, {send, 1, 1, 2, 0, 24, 9, user, nobody});
  log.add(51 * us, 1, worker, record::xfer_start, {1, 1, 2, 0, send, 9});
  log.add(55 * us, 1, worker, record::xfer_done, {1, 1, 2, 0, send, 9});
  receives(2, 9, 2 * us, 60 * us);
  waits_to_receive(2, 3 * us, 61 * us);
  run_task(2, 1, 70 * us, 80 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-40 by 0", "network 40-50", "network 50-60",
                                   "wait 60-61 by 2", "submission 61-70 by 2", "compute 70-80"));
}

/// Neither program waits for a request: what says the lines is the call of each.
TEST_F(messages_between_programs, are_named_with_the_lines_that_called_for_them) {
  const deed::place sends = deed::place::current();
  const deed::place receives = deed::place::current();
  const auto at = [](const deed::place& where) {
    return "message_path_test.cpp:" + std::to_string(where.line());
  };
  const auto call = [](std::uint32_t line) { return deed::trace::message_call{line}.word(); };
  log.add(2 * us, 1, app, record::xfer_post,
          {receive, 1, 1, 0, 0, 24, 7, user, call(log.rank(1).location(receives))});
  log.add(40 * us, 0, app, record::xfer_post,
          {send, 0, 0, 1, 0, 24, 7, user, call(log.rank(0).location(sends))});
  log.add(41 * us, 0, worker, record::xfer_start, {0, 0, 1, 0, send, 7});
  log.add(42 * us, 0, worker, record::xfer_done, {0, 0, 1, 0, send, 7});
  log.add(50 * us, 1, worker, record::xfer_done, {1, 1, 0, 0, receive, 7});
  log.add(3 * us, 1, app, record::task_submit, {2, 0, 1, 0, 0, 1});
  log.add(3 * us, 1, app, record::task_access, {2, 0, 1, read_it, 1, 1});
  log.add(50 * us, 1, worker, record::task_ready, {2, 2, std::uint64_t{1} << 32 | 1});
  log.add(51 * us, 1, worker, record::task_begin, {2, 0});
  log.add(60 * us, 1, worker, record::task_end, {2, 0});
  const opened run(folder, log);
  const model& things = run.things();
  ASSERT_EQ(things.transfers().size(), 1u);
  EXPECT_EQ(things.sent_at(0), at(sends));
  EXPECT_EQ(things.received_at(0), at(receives));
  EXPECT_EQ(things.transfers()[0].for_task, nobody) << "a line is no task";
  EXPECT_THAT(text_of(say_critical_path(things)),
              HasSubstr("message tag 7, sent at " + at(sends) + ", received at " + at(receives)));
  EXPECT_THAT(text_of(waits(things, 20 * us)), HasSubstr("asked for at 2.0 us by " + at(receives)));
  EXPECT_THAT(text_of(history(things, 0, {})), HasSubstr("24 B, message at " + at(sends)));
  EXPECT_THAT(text_of(history(things, 1, {})), HasSubstr("24 B, message at " + at(receives)));
}

/// The network takes longer than the receiver was late; its sender had to keep it all the same.
TEST_F(messages_between_programs, that_were_kept_are_the_lateness_of_their_receiver) {
  sends(0, 7, 10 * us, 10 * us, 140 * us);
  receives(1, 7, 60 * us, 141 * us);
  waits_to_receive(1, 61 * us, 142 * us);
  run_task(1, 1, 150 * us, 160 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-60 by 1", "network 60-141", "wait 141-142 by 1",
                                   "submission 142-150 by 1", "compute 150-160"));
}

/// Of two of one version and one tag, each wait is for the one that ends with it.
TEST_F(messages_between_programs, of_one_tag_are_told_apart_by_their_ends) {
  for (const std::uint64_t seq : {0u, 1u}) {
    const auto at = static_cast<std::int64_t>(40 * seq);
    log.add(10 * us, 0, app, record::xfer_post, {send, 0, 0, 1, seq, 24, 7, user, nobody});
    log.add(2 * us, 1, app, record::xfer_post, {receive, 1, seq + 1, 0, seq, 24, 7, user, nobody});
    log.add(11 * us, 0, worker, record::xfer_start, {0, 0, 1, seq, send, 7});
    log.add((40 + at) * us, 0, worker, record::xfer_done, {0, 0, 1, seq, send, 7});
    log.add((39 + at) * us, 1, worker, record::xfer_done, {1, seq + 1, 0, seq, receive, 7});
  }
  waits_to_send(0, 7, 12 * us, 41 * us);
  waits_to_send(0, 7, 42 * us, 81 * us);
  const opened run(folder, log);
  std::vector<int> numbers;
  for (const wait_span& each : run.things().waits())
    numbers.push_back(run.things().transfers()[message_of_wait(run.things(), each)].seq);
  EXPECT_THAT(numbers, ElementsAre(0, 1));
}

/// Each waits at one moment for what the other sends, and nothing takes any time.
TEST_F(messages_between_programs, that_take_no_time_do_not_lead_around_for_ever) {
  for (int rank = 0; rank < 2; ++rank) {
    const auto peer = static_cast<std::uint64_t>(1 - rank);
    log.add(10 * us, rank, app, record::xfer_post, {send, 0, 0, peer, 0, 24, 7, user, nobody});
    log.add(10 * us, rank, app, record::xfer_post, {receive, 1, 1, peer, 0, 24, 7, user, nobody});
    for (int i = 0; i < 3; ++i) {
      log.add(10 * us, rank, app, record::wait_begin, {request, 1, 0, 1, 1, 1});
      log.add(10 * us, rank, app, record::wait_end, {request, 1});
    }
    log.add(10 * us, rank, worker, record::xfer_start, {0, 0, peer, 0, send, 7});
    log.add(10 * us, rank, worker, record::xfer_done, {0, 0, peer, 0, send, 7});
    log.add(10 * us, rank, worker, record::xfer_done, {1, 1, peer, 0, receive, 7});
  }
  run_task(0, 1, 30 * us, 40 * us);
  EXPECT_THAT(steps(), ElementsAre("submission 0-30 by 0", "compute 30-40"));
}

}  // namespace
