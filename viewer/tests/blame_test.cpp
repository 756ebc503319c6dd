// SPDX-License-Identifier: MIT
// Whom answers blame for time that was lost, in runs that were written by hand.
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/say/sentence.hpp"
#include "blamed_run.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(blamed_run, waits_at_a_barrier_for_the_rank_that_came_last) {
  write_barriers();
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things()),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(79 * us, 0, 5 * us),
                          ElementsAre(78 * us, 0, 0)));
}

TEST_F(blamed_run, stands_at_a_barrier_at_a_moment) {
  write_barriers();
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].waits, 1);
  EXPECT_EQ(edges[0].awaited, 0);
  EXPECT_THAT(edges[0].because, HasSubstr("`barrier`, where it stands since 11.0 us"));
  EXPECT_FALSE(edges[0].in_cycle);
  EXPECT_THAT(wait_graph(run.things(), 90 * us), testing::IsEmpty());
  EXPECT_THAT(text_of(waits(run.things(), 50 * us)), HasSubstr("2 waits at 50.0 us"));
}

TEST_F(blamed_run, stands_at_a_barrier_at_the_end_of_a_range) {
  write_barriers();
  const opened run(folder, log);
  const auto said_until = [&](std::int64_t end) {
    return text_of(waits(run.things(), {}, run_part(run.things(), time_range{0, end}, {}, "")));
  };
  EXPECT_THAT(said_until(50 * us), HasSubstr("2 waits at the end of the range, 50.0 us"));
  EXPECT_THAT(said_until(run.events().end()), HasSubstr("at the end of the trace"));
}

/// What a worker did, by its name; it adds up to the whole run.
std::map<std::string, std::int64_t> parts_of(const model& of, std::size_t rank) {
  const time_shares all = shares(of, {});
  std::map<std::string, std::int64_t> found;
  std::int64_t sum = 0;
  for (const auto& [what, time] : all.workers.at(rank).parts) {
    if (time != 0) found[what] = time;
    sum += time;
  }
  EXPECT_EQ(sum, all.wall);
  return found;
}

TEST_F(blamed_run, stands_at_a_barrier_and_is_not_idle_there) {
  write_barriers();
  const opened run(folder, log);
  const auto parts = parts_of(run.things(), 1);
  EXPECT_EQ(parts.at("barrier"), 98 * us);
  EXPECT_EQ(parts.at("idle, no task"), 20 * us);
}

/// Rank 2 comes to a gather at 70 us, for which the root, rank 0, stood there since 10 us and comes
/// to the barrier behind it last.
TEST_F(blamed_run, passes_on_the_blame_of_who_stood_for_another_meanwhile) {
  const auto gather =
      deed::trace::collective_call{deed::trace::collective_kind::gather, 0, 0}.word();
  const auto gathers = [&](int rank, std::int64_t begin, std::int64_t end) {
    log.add(begin, rank, app, record::wait_begin, {collective, gather, 0});
    log.add(end, rank, app, record::wait_end, {collective, gather});
  };
  for (int rank = 0; rank < 3; ++rank) say(2 * us, rank, idle_no_task);
  gathers(0, 10 * us, 75 * us);
  gathers(1, 5 * us, 6 * us);
  gathers(2, 70 * us, 71 * us);
  stay(0, barrier, 85 * us, 90 * us);
  stay(1, barrier, 8 * us, 91 * us);
  stay(2, barrier, 72 * us, 92 * us);
  log.add(120 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things()),
              ElementsAre(ElementsAre(0, 0, 60 * us), ElementsAre(17 * us, 0, 60 * us),
                          ElementsAre(13 * us, 0, 0)));
}

/// What a collective call brings: nobody says which rank came to that last.
TEST_F(blamed_run, names_a_borrow_that_no_task_ended) {
  constexpr std::uint64_t handle = 1;
  log.rank(0).handle_registered(
      {.handle = 1, .name = "total", .bytes = 8, .home_rank = deed::trace::every_rank});
  say(1 * us, 0, idle_no_task);
  stay(0, handle, 10 * us, 50 * us);
  run_task(0, 0, 60 * us, 61 * us, 90 * us);
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("borrow"), 40 * us);
  std::vector<std::string> steps;
  for (const path_step& each : critical_path(run.things())) steps.emplace_back(each.kind);
  EXPECT_THAT(steps, ElementsAre("submission", "borrow", "submission", "queueing", "compute"));
  EXPECT_THAT(text_of(say_critical_path(run.things())),
              HasSubstr("total, by the program of rank 0"));
}

/// Rank 0 has sent what a task wrote and inserted nothing more; on rank 1 a task waits for another.
TEST_F(blamed_run, is_no_dependency_where_no_task_is_left) {
  run_task(0, 0, 1 * us, 2 * us, 10 * us);
  say(10 * us, 0, idle_dependency);
  log.add(1 * us, 1, app, record::task_submit, {1, 0, 1, 0, 0, 0});
  say(10 * us, 1, idle_dependency);
  log.add(80 * us, 1, worker, record::task_begin, {1, 0});
  log.add(90 * us, 1, worker, record::task_end, {1, 0});
  log.add(100 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("idle, no task"), 90 * us);
  EXPECT_FALSE(parts_of(run.things(), 0).contains("idle, dependency"));
  EXPECT_EQ(parts_of(run.things(), 1).at("idle, dependency"), 70 * us);
}

/// Of what was left out nobody knows whether there was any.
TEST_F(blamed_run, is_idle_as_it_said_where_tasks_were_not_recorded) {
  say(10 * us, 0, idle_dependency);
  log.add(100 * us, 0, app, record::phase_push, {1, 0});
  log.close();
  leave_out(folder.path() + "/run.deed", "task");
  const run events(folder.path() + "/run.deed");
  EXPECT_EQ(parts_of(model(events), 0).at("idle, dependency"), 90 * us);
}

/// The task of rank 1 is inserted before the slice and begins behind it; rank 0 has none.
TEST_F(blamed_run, is_idle_in_a_slice_as_in_the_run) {
  for (const int rank : {0, 1}) say(10 * us, rank, idle_dependency);
  for (const std::uint64_t number : {1u, 2u})
    run_task(1, number, 1 * us, static_cast<std::int64_t>(80 + number) * us,
             static_cast<std::int64_t>(81 + number) * us);
  log.add(100 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  for (const std::int64_t from : {30 * us, 70 * us}) {  // Most of the second is not in the slice.
    const time_range range{from, from + 10 * us};
    const std::string path = folder.path() + "/from_" + std::to_string(from) + ".deed";
    slice(run.events(), path, {range, {}});
    const deed::viewer::run events(path);
    const model part(events);
    for (const model* const each : {&run.things(), &part}) {
      EXPECT_EQ(parts_of_rank(*each, 0, range).at("idle, no task"), 10 * us);
      EXPECT_EQ(parts_of_rank(*each, 1, range).at("idle, dependency"), 10 * us);
    }
    EXPECT_EQ(part.tasks().size(), 1u) << "one of them tells it";
    EXPECT_THAT(text_of(info(part)), HasSubstr("0 tasks, 0 finished"));
    EXPECT_EQ(say_gaps(run.things(), 4, {}).rows.at(0).at(5), "nothing more");
    EXPECT_EQ(say_gaps(part, 4, {}).rows.at(0).at(5), "not in the slice");
  }
}

/// Rank 1 passes on to rank 0 what a message of rank 2 brought, of which the end is lost.
TEST_F(blamed_run, is_not_passed_on_for_what_had_come_though_nobody_says_when) {
  constexpr std::uint64_t message = 4;
  log.rank(2).handle_registered({.handle = 0, .name = "weights", .bytes = 24, .home_rank = 2});
  log.add(2 * us, 1, app, record::xfer_post, {receive, 0, 1, 2, 0, 24, 7, message, nobody});
  log.add(3 * us, 2, app, record::xfer_post, {send, 0, 1, 1, 0, 24, 7, message, nobody});
  log.add(5 * us, 2, net, record::xfer_start, {0, 1, 1, 0, send, 7});
  log.add(2 * us, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 24, 0, 0, 6});
  log.add(6 * us, 1, app, record::xfer_post, {send, 0, 1, 0, 0, 24, 0, 0, 6});
  log.add(70 * us, 1, net, record::xfer_start, {0, 1, 0, 0, send, 0});
  log.add(90 * us, 0, net, record::xfer_done, {0, 1, 1, 0, receive, 0});
  say(10 * us, 0, fetch_wait);
  say(90 * us, 0, idle_no_task);
  for (int rank = 0; rank < 3; ++rank) log.add(100 * us, rank, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(wait_matrix(run.things())[0][2], 0);
  EXPECT_EQ(wait_matrix(run.things())[0][1], 80 * us);
}

/// The weights, of rank 2, never leave it; rank 1 should pass them on to a task of rank 0.
TEST_F(blamed_run, is_not_blamed_for_what_never_came_to_it) {
  log.rank(2).handle_registered({.handle = 0, .name = "weights", .bytes = 24, .home_rank = 2});
  const auto post = [&](std::int64_t when, int rank, std::uint64_t way, std::uint64_t peer,
                        std::uint64_t task) {
    log.add(when, rank, app, record::xfer_post, {way, 0, 0, peer, 0, 24, 0, 0, task});
  };
  post(2 * us, 1, receive, 2, 5);
  post(3 * us, 1, send, 0, 6);
  post(2 * us, 0, receive, 1, 6);
  say(4 * us, 0, fetch_wait);
  for (int rank = 0; rank < 3; ++rank) log.add(100 * us, rank, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  EXPECT_EQ(wait_matrix(run.things())[0][1], 0);
  EXPECT_EQ(wait_matrix(run.things())[0][2], 96 * us);
}

/// Each rank passes on what it waits for itself.
TEST_F(blamed_run, waits_in_a_circle_of_ranks_that_pass_on_one_version) {
  log.rank(0).handle_registered({.handle = 0, .name = "weights", .bytes = 24, .home_rank = 0});
  for (int rank = 0; rank < 3; ++rank) {
    const auto before = static_cast<std::uint64_t>((rank + 2) % 3),
               behind = static_cast<std::uint64_t>((rank + 1) % 3);
    log.add(2 * us, rank, app, record::xfer_post, {receive, 0, 1, before, 0, 24, 0, 0, nobody});
    log.add(3 * us, rank, app, record::xfer_post, {send, 0, 1, behind, 0, 24, 0, 0, nobody});
  }
  log.add(100 * us, 2, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 3u);
  for (const wait_edge& each : edges) {
    EXPECT_TRUE(each.in_cycle);
    EXPECT_EQ(each.awaited, (each.waits + 2) % 3) << "the rank before it";
  }
}

/// As where messages of others keep it awake: it says what it waits for at 600 us.
TEST_F(blamed_run, rests_in_a_wait_while_no_task_can_run_whenever_it_says_so) {
  constexpr std::uint64_t for_all = 2;
  log.add(1 * us, 0, app, record::task_submit, {0, 0, 0, 0, 0, 0});
  log.add(1 * us, 0, app, record::task_ready, {0, 0, 0});
  log.add(2 * us, 0, app, record::wait_begin, {for_all, 1, 0});
  log.add(3 * us, 0, app, record::task_begin, {0, 0});
  log.add(10 * us, 0, app, record::task_end, {0, 0});
  log.add(600 * us, 0, app, record::state, {fetch_wait, 0, 0});
  log.add(700 * us, 0, app, record::wait_end, {for_all, 1});
  const opened run(folder, log);
  const auto parts = parts_of(run.things(), 0);
  EXPECT_FALSE(parts.contains("scheduling"));
  EXPECT_EQ(parts.at("fetch wait"), 690 * us);
}

/// The program stands at a barrier to which rank 1 never comes, and says nothing until its error.
TEST_F(blamed_run, stands_at_a_barrier_behind_its_last_task) {
  log.add(1 * us, 0, app, record::task_submit, {0, 0, 0, 0, 0, 0});
  log.add(1 * us, 0, app, record::task_ready, {0, 0, 0});
  log.add(2 * us, 0, app, record::wait_begin, {barrier, 1, 0});
  log.add(3 * us, 0, app, record::task_begin, {0, 0});
  log.add(10 * us, 0, app, record::task_end, {0, 0});
  log.add(900 * us, 0, app, record::wait_end, {barrier, 1});
  log.add(950 * us, 0, app, record::state, {idle_no_task, 0, 0});
  const opened run(folder, log);
  const auto parts = parts_of(run.things(), 0);
  EXPECT_FALSE(parts.contains("scheduling"));
  EXPECT_EQ(parts.at("barrier"), (900 - 10 + 3 - 2) * us);
}

TEST_F(late_sender, is_whom_an_idle_thread_waits_for) {
  const opened run(folder, log);
  EXPECT_THAT(text_of(waits(run.things(), 50 * us)),
              ContainsRegex("rank 2 w00 +10.0 us +fetch wait +task#1 +weights v0 from rank 0, not "
                            "sent yet +85.0 us +rank 1\n"));
  EXPECT_THAT(text_of(waits(run.things(), {}, time_range{0, 82 * us})),
              ContainsRegex("weights v0 from rank 0, on its way since 80.0 us +85.0 us +rank 0\n"));
  const auto edges = wait_graph(run.things(), 82 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].because, "weights v0, on its way since 80.0 us");
  EXPECT_EQ(edges[0].to, "rank 0");
}

/// Its program inserts the next task at 300 us, and stood in a `wait()` until then.
TEST_F(blamed_run, has_an_idle_thread_that_waits_for_its_program) {
  constexpr std::uint64_t for_all = 2;
  run_task(0, 0, 1 * us, 2 * us, 10 * us);
  say(10 * us, 0, idle_no_task);
  stay(0, for_all, 20 * us, 200 * us);
  run_task(0, 1, 300 * us, 300 * us, 310 * us);
  const opened run(folder, log);
  EXPECT_THAT(text_of(waits(run.things(), 100 * us)),
              HasSubstr("its program, which stands in `wait` since 20.0 us"));
  EXPECT_THAT(text_of(waits(run.things(), 250 * us)), HasSubstr("its program, which is at work"));
}

/// It says so after 40 us of the run, or has a task before.
TEST_F(blamed_run, has_not_started_before_the_first_that_a_worker_says) {
  for (const int rank : {0, 1}) stay(rank, barrier, 5 * us, 6 * us);
  run_task(1, 0, 8 * us, 30 * us, 35 * us);
  for (const int rank : {0, 1}) say(40 * us, rank, idle_no_task);
  log.add(100 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("not started yet"), 40 * us);
  EXPECT_FALSE(parts_of(run.things(), 0).contains("not recorded"));
  EXPECT_EQ(parts_of(run.things(), 1).at("not started yet"), 30 * us);
  EXPECT_EQ(parts_of(run.things(), 1).at("scheduling"), 5 * us);
  const table gaps = say_gaps(run.things(), 9);
  const auto first = std::ranges::find_if(
      gaps.rows, [](const auto& row) { return row[0] == "rank 1 w00" && row[1] == "0 ns"; });
  ASSERT_NE(first, gaps.rows.end());
  EXPECT_EQ((*first)[4], "not started yet, 100.0 %") << "as in the table of all workers";
}

/// Rank 0 is silent until its first task, which it ends with; rank 1 says one thing, its last.
TEST_F(blamed_run, has_not_started_before_the_first_record_of_a_worker_without_states) {
  for (const int rank : {0, 1}) stay(rank, barrier, 5 * us, 6 * us);
  run_task(0, 0, 8 * us, 30 * us, 35 * us);
  say(60 * us, 1, idle_no_task);
  log.add(100 * us, 2, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  EXPECT_EQ(parts_of(run.things(), 0).at("not started yet"), 30 * us);
  EXPECT_FALSE(parts_of(run.things(), 0).contains("not recorded"));
  EXPECT_EQ(parts_of(run.things(), 1).at("not started yet"), 60 * us);
  EXPECT_FALSE(parts_of(run.things(), 1).contains("not recorded"));
  EXPECT_EQ(parts_of(run.things(), 2),
            (std::map<std::string, std::int64_t>{{"not started yet", 100 * us}}))
      << "a worker that never said anything";
}

/// Rank 0 never comes to the second barrier; nobody ended the recording.
TEST_F(blamed_run, waits_at_a_barrier_to_which_a_rank_never_comes) {
  for (int rank = 0; rank < 3; ++rank) {
    stay(rank, barrier, 5 * us, 6 * us);
    say(8 * us, rank, idle_no_task);
    if (rank != 0) log.add((10 + rank) * us, rank, app, record::wait_begin, {barrier, 1, 0});
    log.add(50 * us, rank, worker, record::phase_push, {1, 0});
  }
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), run.events().end());
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].waits, 1);
  EXPECT_EQ(edges[0].awaited, 0);
  EXPECT_THAT(edges[0].because,
              HasSubstr("`barrier`, where it stands since 11.0 us; rank 0 has not come"));
  EXPECT_THAT(wait_graph(run.things(), 9 * us), testing::IsEmpty());
  EXPECT_EQ(wait_matrix(run.things())[1][0], 39 * us);
}

/// Rank 0 has left the program, and waits at its end for those who stand at the barrier for it.
TEST_F(blamed_run, waits_at_the_end_for_those_who_wait_at_a_barrier) {
  constexpr std::uint64_t end = 3;  // A kind of meeting.
  for (int rank = 0; rank < 3; ++rank) {
    stay(rank, barrier, 5 * us, 6 * us);
    say(8 * us, rank, idle_no_task);
    log.add((10 + rank) * us, rank, app, record::wait_begin, {barrier, rank == 0 ? end : 1, 0});
    log.add(50 * us, rank, worker, record::phase_push, {1, 0});
  }
  const opened run(folder, log, left::killed);
  std::vector<std::pair<int, int>> waits;
  std::vector<wait_edge> edges = wait_graph(run.things(), run.events().end());
  mark_cycles(edges);
  for (const wait_edge& each : edges) {
    EXPECT_TRUE(each.in_cycle) << each.waits << " for " << each.awaited;
    waits.emplace_back(each.waits, each.awaited);
  }
  EXPECT_THAT(waits, testing::UnorderedElementsAre(std::pair(0, 1), std::pair(0, 2),
                                                   std::pair(1, 0), std::pair(2, 0)));
}

/// Rank 2 comes to the first gather and not to the second, for which the root stands there when all
/// are killed; rank 1 gave its part, and waits for the root in a broadcast.
TEST_F(blamed_run, waits_in_a_gather_to_which_a_rank_never_comes) {
  using enum deed::trace::collective_kind;
  const auto call = [](auto kind) { return deed::trace::collective_call{kind, 0, 0}.word(); };
  for (int rank = 0; rank < 3; ++rank) say(2 * us, rank, idle_no_task);
  for (int rank = 0; rank < 3; ++rank) {
    log.add(rank == 2 ? 8 * us : 4 * us, rank, app, record::wait_begin,
            {collective, call(gather), 0});
    log.add(9 * us, rank, app, record::wait_end, {collective, call(gather)});
  }
  log.add(10 * us, 0, app, record::wait_begin, {collective, call(gather), 0});
  log.add(10 * us, 1, app, record::wait_begin, {collective, call(gather), 0});
  log.add(11 * us, 1, app, record::wait_end, {collective, call(gather)});
  log.add(12 * us, 1, app, record::wait_begin, {collective, call(broadcast), 0});
  for (int rank = 0; rank < 3; ++rank) log.add(50 * us, rank, worker, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), run.events().end());
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_THAT(edges[0].because, HasSubstr("`gather to rank 0`, where it stands since 10.0 us; rank "
                                          "2 has not come to its wait there"));
  EXPECT_EQ(std::pair(edges[0].waits, edges[0].awaited), std::pair(0, 2));
  EXPECT_EQ(std::pair(edges[1].waits, edges[1].awaited), std::pair(1, 0));
  EXPECT_EQ(wait_matrix(run.things())[0][2], 44 * us) << "in the first, too";
  slice(run.events(), folder.path() + "/part.deed", {time_range{20 * us, 40 * us}, {}});
  const deed::viewer::run part(folder.path() + "/part.deed");
  EXPECT_THAT(
      text_of(waits(model(part), {})),
      HasSubstr("rank 0 stands in `gather to rank 0` since 10.0 us: for whom is not known"));
}

/// Rank `here` asks for what rank `sender` never sends, stands there, and its worker says so.
void receive_for_ever(event_log& log, int here, int sender) {
  const std::int64_t when = (3 + here) * us;
  log.add(when, here, app, record::xfer_post,
          {receive, 0, 1, static_cast<std::uint64_t>(sender), 0, 24, 7, 4, nobody});
  log.add(when, here, app, record::wait_begin, {request, 5, 0, 1, 0, 1});
  log.add(when + us, here, worker, record::state, {fetch_wait, 0, 0});
}

/// All of a circle stand for ever: none of them is the cause of the others.
TEST_F(blamed_run, waits_in_a_ring_of_receives_for_the_rank_before) {
  register_two(log);
  for (const int rank : {0, 1, 2}) {
    receive_for_ever(log, rank, (rank + 2) % 3);
    log.add(100 * us, rank, worker, record::phase_push, {1, 0});
  }
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things()),
              ElementsAre(ElementsAre(0, 0, 96 * us), ElementsAre(95 * us, 0, 0),
                          ElementsAre(0, 94 * us, 0)));
}

/// Rank 0 waits for rank 1, which is in a circle with rank 2, as soon as that stands, too.
TEST_F(blamed_run, waits_for_the_first_rank_of_a_circle) {
  register_two(log);
  receive_for_ever(log, 0, 1);
  receive_for_ever(log, 1, 2);
  receive_for_ever(log, 2, 1);
  for (const int rank : {0, 1, 2}) log.add(100 * us, rank, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[0], ElementsAre(0, 95 * us, 1 * us));
}

/// A rank in a wait may record nothing more: it stands there until the deadlock is told.
TEST_F(blamed_run, waits_in_a_deadlock_for_the_rank_before_one_that_records_nothing_more) {
  register_two(log);
  for (const int rank : {0, 1, 2}) receive_for_ever(log, rank, (rank + 2) % 3);
  const auto told = log.rank(0).text("deed[D511] deadlock: every rank waits for another");
  for (const int rank : {0, 1})
    log.add(100 * us, rank, app, record::error, {511, none, none, nobody, 0, 0, none, told});
  const opened run(folder, log, left::killed);
  const auto matrix = wait_matrix(run.things());
  EXPECT_THAT(matrix[0], ElementsAre(0, 0, 96 * us));
  EXPECT_THAT(matrix[1], ElementsAre(95 * us, 0, 0));
}

/// Rank 0 was killed at 20 us, or still runs: nobody closed its recording; the others wait for it.
TEST_F(blamed_run, waits_for_a_rank_that_records_nothing_more) {
  for (int rank = 0; rank < 3; ++rank) {
    if (rank != 0) log.add((10 + rank) * us, rank, app, record::wait_begin, {barrier, 1, 0});
    log.add((rank == 0 ? 20 : 50) * us, rank, worker, record::phase_push, {1, 0});
  }
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), run.events().end());
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_THAT(edges[0].because,
              HasSubstr("rank 0 has not come; rank 0 records nothing since 20.0 us"));
  EXPECT_THAT(wait_graph(run.things(), 15 * us)[0].because,
              testing::Not(HasSubstr("records nothing")));
}

/// Ranks 0 and 2 have not come to the barrier at 50 us, whoever comes last; a slice that ends then
/// knows no more.
TEST_F(blamed_run, waits_for_all_that_have_not_come_as_a_slice_does) {
  for (int rank = 0; rank < 3; ++rank) {
    say(2 * us, rank, idle_no_task);
    stay(rank, barrier, rank == 0 ? 60 * us : rank == 1 ? 10 * us : 90 * us, 95 * us);
    log.add(120 * us, rank, app, record::phase_push, {1, 0});
  }
  const opened run(folder, log);
  const run_part range(run.things(), time_range{0, 50 * us}, {}, "");
  const answer whole = waits(run.things(), {}, range);
  EXPECT_THAT(text_of(whole), HasSubstr("2 waits at the end of the range, 50.0 us"));
  EXPECT_THAT(text_of(whole), HasSubstr("since 10.0 us; rank 0 has not come"));
  EXPECT_THAT(text_of(whole), HasSubstr("since 10.0 us; rank 2 has not come"));
  slice(run.events(), folder.path() + "/part.deed", {time_range{0, 50 * us}, {}});
  const deed::viewer::run events(folder.path() + "/part.deed");
  const model part(events);
  const answer cut = waits(part, {});
  EXPECT_THAT(text_of(cut), HasSubstr("2 waits at the end of the slice, 50.0 us"));
  EXPECT_THAT(text_of(cut), HasSubstr("who of them comes last is not known"));
  EXPECT_EQ(text_of({{}, {cut.tables[0], cut.tables[1]}}),
            text_of({{}, {whole.tables[1], whole.tables[2]}}));
}

/// Ranks that record do so when they begin and end; nobody's program is at work then.
TEST(comparing_clocks, is_no_work_of_the_program) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  for (int rank = 0; rank < 2; ++rank) {
    const auto stay = [&](std::uint64_t kind, std::int64_t begin, std::int64_t end) {
      log.add(begin, rank, app, record::wait_begin, {kind, 0, 0});
      log.add(end, rank, app, record::wait_end, {kind, 0});
    };
    stay(barrier, 1 * us, 2 * us);
    if (rank == 1) stay(clocks, 2 * us, 42 * us);  // Rank 0 answers.
    stay(barrier, rank == 1 ? 42 * us : 2 * us, 43 * us);
    log.add(60 * us, rank, app, record::phase_push, {1, 0});
    stay(barrier, 70 * us, 71 * us);
  }
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("barrier"), 43 * us);
  EXPECT_EQ(parts_of(run.things(), 1).at("barrier"), 3 * us);
  EXPECT_EQ(parts_of(run.things(), 1).at("comparing clocks"), 40 * us);
  for (const std::size_t rank : {0u, 1u})
    EXPECT_EQ(parts_of(run.things(), rank).at("program"), 28 * us);
}

/// The next datum of another rank has nothing to do with it.
TEST_F(blamed_run, waits_in_a_collective_call_for_the_rank_that_came_last) {
  constexpr std::uint64_t all_reduce = 6;
  register_two(log);
  for (int rank = 0; rank < 3; ++rank) {
    const std::int64_t comes = (rank == 2 ? 70 : 10 + rank) * us;
    log.add(comes, rank, app, record::wait_begin, {collective, all_reduce, 0});
    say(comes, rank, idle_dependency);
    log.add(80 * us, rank, app, record::wait_end, {collective, all_reduce});
    say(80 * us, rank, idle_no_task);
  }
  log.add(100 * us, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1});
  log.add(100 * us, 0, app, record::task_access, {1, 0, 0, read_it, 0, 0});
  write_transfer(log, 0, 0, 1, {100 * us, 110 * us, -1, 120 * us});
  log.add(120 * us, 0, worker, record::task_ready, {1, 2, 0});
  log.add(121 * us, 0, worker, record::task_begin, {1, 0});
  log.add(130 * us, 0, worker, record::task_end, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(
      wait_matrix(run.things(), run_part(run.things(), time_range{0, 90 * us}, {}, "")),
      ElementsAre(ElementsAre(0, 0, 60 * us), ElementsAre(0, 0, 59 * us), ElementsAre(0, 0, 0)));
  EXPECT_EQ(parts_of(run.things(), 0).at("collective call"), 70 * us);
  EXPECT_FALSE(parts_of(run.things(), 0).contains("idle, dependency"));
  const auto edges = wait_graph(run.things(), 30 * us);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[1].awaited, 2);
  EXPECT_THAT(edges[1].because, HasSubstr("`all_reduce`, where it stands since 11.0 us"));
}

/// Rank 0 has ended at 20 us; its worker says nothing more.
TEST_F(blamed_run, does_not_compute_after_its_end) {
  for (int rank = 0; rank < 2; ++rank) {
    stay(rank, barrier, 1 * us, 2 * us);
    say(2 * us, rank, idle_no_task);
    log.add((rank == 0 ? 20 : 100) * us, rank, app, record::phase_push, {1, 0});
  }
  const opened run(folder, log);
  EXPECT_THAT(text_of(breakdown(run.things(), {})),
              HasSubstr("idle, no task: 116.0 us of it while the program"));
}

/// Rank 1 stands in the `wait()` of a request; rank 2 never asks for what it sent.
TEST_F(blamed_run, waits_for_a_receiver_that_never_asks) {
  register_two(log);
  log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, 2, 0, 24, 3, 4, nobody});
  log.add(4 * us, 1, worker, record::xfer_start, {0, 0, 2, 0, send, 0});
  log.add(5 * us, 1, app, record::wait_begin, {request, 0, 0});
  for (int rank = 0; rank < 3; ++rank) log.add(50 * us, rank, worker, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), 40 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].waits, 1);
  EXPECT_EQ(edges[0].awaited, 2);
}

/// Rank 1 stands in the `wait()` of two sends, which rank 2 and rank 0 take late.
TEST_F(blamed_run, waits_for_requests_and_is_not_idle_there) {
  register_two(log);
  const auto send_one = [&](std::uint64_t seq, int dst, std::int64_t begin, std::int64_t end) {
    const auto to = static_cast<std::uint64_t>(dst);
    log.add(begin, 1, app, record::xfer_post, {send, 0, 0, to, seq, 24, seq, 4, nobody});
    log.add(begin, 1, worker, record::xfer_start, {0, 0, to, seq, send, seq});
    log.add(end, dst, app, record::xfer_post, {receive, 0, 0, 1, seq, 24, seq, 4, nobody});
    log.add(end, dst, worker, record::xfer_done, {0, 0, 1, seq, receive, seq});
    log.add(end, 1, worker, record::xfer_done, {0, 0, to, seq, send, seq});
    stay(1, request, begin, end);
  };
  say(2 * us, 1, idle_no_task);
  send_one(0, 2, 10 * us, 40 * us);
  send_one(1, 0, 50 * us, 70 * us);
  for (int rank = 0; rank < 3; ++rank) {
    stay(rank, barrier, 75 * us, 80 * us);
    stay(rank, barrier, (rank == 0 ? 99 : 98) * us, 100 * us);
  }
  stay(1, gate, 80 * us, 82 * us);
  stay(2, borrowed, 81 * us, 83 * us);
  say(90 * us, 1, idle_dependency);
  send_one(2, 2, 92 * us, 97 * us);
  log.add(100 * us, 1, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], ElementsAre(21 * us, 0, 35 * us));
  const auto parts = parts_of(run.things(), 1);
  EXPECT_EQ(parts.at("request wait"), 55 * us);
  EXPECT_EQ(parts.at("idle, no task"), 36 * us);
  std::vector<std::string> names;
  for (const wait_span& each : run.things().waits())
    names.push_back(wait_name(run.things(), run.events().events()[each.event]));
  EXPECT_THAT(names, testing::IsSupersetOf({"request wait", "gate 1", "borrow"}));
}

/// Rank 1 waits for a message: rank 2 sends it at 40 us, what it brings is there at 45 us. Then for
/// one that was sent before, and for one that never is.
TEST_F(blamed_run, waits_for_the_sender_of_an_awaited_message) {
  register_two(log);
  const auto wait_for = [&](std::uint64_t version, std::int64_t begin, std::int64_t end) {
    log.add(begin, 1, app, record::wait_begin, {request, 1, 0, 1, 1, version});
    log.add(end, 1, app, record::wait_end, {request, 1});
  };
  const auto message = [&](std::uint64_t seq, std::int64_t asked, std::int64_t sent) {
    log.add(asked, 1, app, record::xfer_post, {receive, 1, seq + 1, 2, seq, 24, 3, 4, nobody});
    if (sent == 0) return;
    log.add(sent, 2, app, record::xfer_post, {send, 0, 7, 1, seq, 24, 3, 4, nobody});
    log.add(sent, 2, worker, record::xfer_start, {0, 7, 1, seq, send, 3});
    log.add(sent + 5 * us, 1, worker, record::xfer_done, {1, seq + 1, 2, seq, receive, 3});
  };
  say(2 * us, 1, idle_no_task);
  message(0, 9 * us, 40 * us);
  wait_for(1, 10 * us, 45 * us);
  message(1, 46 * us, 46 * us);
  wait_for(2, 48 * us, 51 * us);
  message(2, 60 * us, 0);
  wait_for(3, 61 * us, 80 * us);
  log.add(100 * us, 1, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], ElementsAre(0, 0, 30 * us + 19 * us));
}

/// The worker of rank 1 waits for data from 5 us on, its program for a message from 10 us on, which
/// is sent at 40 us: what it is on its way is nobody's.
TEST_F(blamed_run, waits_for_a_message_no_longer_than_its_sender_needs) {
  register_two(log);
  say(5 * us, 1, fetch_wait);
  log.add(4 * us, 1, app, record::xfer_post, {receive, 1, 1, 2, 0, 24, 3, 4, nobody});
  log.add(10 * us, 1, app, record::wait_begin, {request, 1, 0, 1, 1, 1});
  log.add(40 * us, 2, app, record::xfer_post, {send, 0, 7, 1, 0, 24, 3, 4, nobody});
  log.add(40 * us, 2, worker, record::xfer_start, {0, 7, 1, 0, send, 3});
  log.add(45 * us, 1, worker, record::xfer_done, {1, 1, 2, 0, receive, 3});
  log.add(46 * us, 1, app, record::wait_end, {request, 1});
  say(46 * us, 1, idle_no_task);
  log.add(100 * us, 1, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], ElementsAre(0, 0, 35 * us));
  EXPECT_EQ(parts_of(run.things(), 1).at("request wait"), 36 * us);
  EXPECT_EQ(parts_of(run.things(), 1).at("fetch wait"), 5 * us);
}

TEST_F(late_receiver, is_waited_for) {
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things()),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 0, 69 * us), ElementsAre(0, 0, 0)));
}

/// Rank 0 offers a datum at 10 us, for which rank 1 asks at 75 us, behind its wait for all: that is
/// for what rank 2 offers at 70 us, and for a task.
class late_behind_a_wait_for_all : public blamed_run {
 protected:
  void move(std::uint64_t handle, std::uint64_t from, std::uint64_t to, std::int64_t offered,
            std::int64_t asked, std::int64_t came) {
    const auto src = static_cast<int>(from), dst = static_cast<int>(to);
    log.add(offered, src, app, record::xfer_post, {send, handle, 0, to, 0, 24, handle, 0, nobody});
    log.add(offered, src, app, record::xfer_start, {handle, 0, to, 0, send, handle});
    log.add(asked, dst, app, record::xfer_post,
            {receive, handle, 0, from, 0, 24, handle, 0, nobody});
    log.add(came, dst, worker, record::xfer_done, {handle, 0, from, 0, receive, handle});
    log.add(came, src, worker, record::xfer_done, {handle, 0, to, 0, send, handle});
  }
  late_behind_a_wait_for_all() {
    register_two(log);
    constexpr std::uint64_t all = 2;
    stay(0, all, 12 * us, 80 * us);
    say(12 * us, 0, idle_dependency);
    say(80 * us, 0, idle_no_task);
    stay(1, all, 5 * us, 72 * us);
    run_task(1, 0, 1 * us, 20 * us, 30 * us);
    move(1, 2, 1, 70 * us, 4 * us, 71 * us);
    move(0, 0, 1, 10 * us, 75 * us, 76 * us);
    log.add(90 * us, 0, worker, record::phase_push, {1, 0});
  }
};

TEST_F(late_behind_a_wait_for_all, is_no_cause_of_that_wait) {
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[0], ElementsAre(0, 15 * us, 48 * us));
}

TEST_F(late_receiver, is_waited_for_at_a_moment) {
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].waits, 1);
  EXPECT_EQ(edges[0].awaited, 2);
  EXPECT_THAT(edges[0].because, HasSubstr("weights v0, offered since 10.0 us and not asked for"));
  EXPECT_THAT(wait_graph(run.things(), 81 * us),
              testing::Each(testing::Field(&wait_edge::waits, testing::Ne(1))));
}

/// Rank 1 passes on to rank 2 what rank 0 has not sent: whatever rank 1 asked for it for, rank 0 is
/// waited for.
TEST_F(blamed_run, waits_for_the_first_in_a_chain_of_what_is_passed_on) {
  register_two(log);
  const auto moves = [&](std::int64_t when, std::uint64_t from, std::uint64_t to,
                         std::uint64_t task) {
    log.add(when, static_cast<int>(from), app, record::xfer_post,
            {send, 0, 1, to, 0, 24, 0, 0, task});
    log.add(when, static_cast<int>(to), app, record::xfer_post,
            {receive, 0, 1, from, 0, 24, 0, 0, task});
  };
  for (const int rank : {1, 2}) {
    const auto number = static_cast<std::uint64_t>(rank);
    log.add(1 * us, rank, app, record::task_submit, {number, 0, number, 0, 0, 0});
  }
  moves(2 * us, 0, 1, 1);
  moves(3 * us, 1, 2, 2);
  log.add(60 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  std::vector<std::string> said;
  for (const wait_edge& each : wait_graph(run.things(), 50 * us))
    said.push_back(each.from + " waits for " + each.to + ", of " + std::to_string(each.awaited) +
                   ": " + each.because);
  EXPECT_THAT(said,
              ElementsAre("task#1 waits for rank 0, of 0: weights v1, asked for at 2.0 us",
                          "task#2 waits for rank 0, of 0: weights v1, asked for at 3.0 us, which "
                          "rank 1 passes on"));
}

/// Rank 1 passes on to rank 2 at 70 us what comes to it at 60 us; both asked for it at 5 us.
TEST_F(blamed_run, waits_in_a_chain_for_who_has_what_is_passed_on) {
  register_two(log);
  const auto moves = [&](std::uint64_t from, std::uint64_t to, std::int64_t left,
                         std::int64_t came) {
    const auto src = static_cast<int>(from), dst = static_cast<int>(to);
    log.add(5 * us, src, app, record::xfer_post, {send, 0, 1, to, 0, 24, 0, 0, to});
    log.add(5 * us, dst, app, record::xfer_post, {receive, 0, 1, from, 0, 24, 0, 0, to});
    log.add(left, src, worker, record::xfer_start, {0, 1, to, 0, send, 0});
    log.add(came, src, worker, record::xfer_done, {0, 1, to, 0, send, 0});
    log.add(came, dst, worker, record::xfer_done, {0, 1, from, 0, receive, 0});
  };
  say(10 * us, 2, fetch_wait);
  moves(0, 1, 50 * us, 60 * us);
  moves(1, 2, 61 * us, 70 * us);
  say(70 * us, 2, idle_no_task);
  log.add(100 * us, 2, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[2], ElementsAre(50 * us, 10 * us, 0));
}

TEST_F(reduced_run, waits_for_who_contributed_last) {
  const opened run(folder, log);
  const auto time = wait_matrix(run.things());
  EXPECT_THAT(time[0], ElementsAre(0, 51 * us, 0)) << "also where it adds up itself";
  EXPECT_THAT(time[2], ElementsAre(8 * us, 42 * us, 0)) << "then rank 0 added up and sent";
}

/// Of a rank that contributed last itself: for what rank 0 takes then.
TEST_F(reduced_run, is_waited_for_in_a_borrow) {
  say(50 * us, 1, idle_no_task);
  moves({0, 1}, 8, nobody, {4 * us, 61 * us, 62 * us});
  log.add(4 * us, 1, app, record::wait_begin, {borrowed, 0, 0});
  log.add(62 * us, 1, app, record::wait_end, {borrowed, 0});
  log.add(90 * us, 1, worker, record::state, {0, 0, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], ElementsAre(9 * us, 0, 0));
}

TEST_F(late_sender, is_blamed_for_what_it_did_not_stand_for_another) {
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[2], ElementsAre(25 * us, 50 * us, 0));
}

/// Rank 1 offers a message at 10 us, for which the task before keeps the place at rank 2 until
/// 60 us. What the next task makes of it, rank 0 waits for.
TEST_F(blamed_run, waits_for_who_could_not_take_a_message) {
  register_two(log);
  const auto message = [&](std::uint64_t handle, int from, int to, const std::array<int, 3>& when) {
    const auto src = static_cast<std::uint64_t>(from), dst = static_cast<std::uint64_t>(to);
    log.add(3 * us, from, app, record::xfer_post, {send, handle, 1, dst, 0, 24, 5, 4, nobody});
    log.add(3 * us, to, app, record::xfer_post, {receive, handle, 1, src, 0, 24, 5, 4, nobody});
    log.add(when[0] * us, from, worker, record::xfer_start, {handle, 1, dst, 0, send, 5});
    log.add(when[0] * us, from, worker, record::xfer_done, {handle, 1, dst, 0, send, 5});
    log.add(when[1] * us, to, worker, record::xfer_start, {handle, 1, src, 0, receive, 5});
    log.add(when[2] * us, to, worker, record::xfer_done, {handle, 1, src, 0, receive, 5});
  };
  run_task(2, 0, 1 * us, 2 * us, 60 * us);
  message(0, 1, 2, {10, 60, 61});
  log.add(4 * us, 2, app, record::task_submit, {1, 0, 2, 0, 0, 2});
  log.add(4 * us, 2, app, record::task_access, {1, 0, 0, read_it, 1, 1});
  log.add(4 * us, 2, app, record::task_access, {1, 1, 1, write_it, 0, 1});
  log.add(61 * us, 2, worker, record::task_ready, {1, 2, 1});
  log.add(61 * us, 2, worker, record::task_begin, {1, 0});
  log.add(70 * us, 2, worker, record::task_end, {1, 0});
  say(12 * us, 0, fetch_wait);
  message(1, 2, 0, {70, 70, 71});
  say(71 * us, 0, idle_no_task);
  log.add(100 * us, 0, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[0], ElementsAre(0, 1 * us, 58 * us));
}

/// A task of rank 1 writes over what rank 2 cannot take until its task ends at 60 us.
TEST_F(blamed_run, waits_for_who_takes_late_what_a_task_writes_over) {
  register_two(log);
  run_task(2, 0, 1 * us, 2 * us, 60 * us);
  log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, 2, 0, 24, 0, 0, 7});
  log.add(4 * us, 1, worker, record::xfer_start, {0, 0, 2, 0, send, 0});
  say(5 * us, 1, idle_dependency);
  log.add(4 * us, 1, app, record::task_submit, {1, 0, 1, 0, 0, 1});
  log.add(4 * us, 1, app, record::task_access, {1, 0, 0, write_it, 0, 1});
  log.add(3 * us, 2, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 0, 7});
  log.add(60 * us, 2, worker, record::xfer_start, {0, 0, 1, 0, receive, 0});
  log.add(61 * us, 2, worker, record::xfer_done, {0, 0, 1, 0, receive, 0});
  log.add(61 * us, 1, worker, record::xfer_done, {0, 0, 2, 0, send, 0});
  log.add(61 * us, 1, worker, record::task_ready, {1, 2, 0});
  log.add(61 * us, 1, worker, record::task_begin, {1, 0});
  log.add(70 * us, 1, worker, record::task_end, {1, 0});
  log.add(100 * us, 1, worker, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], ElementsAre(0, 0, 55 * us));
}

/// What goes from rank 0 to rank 1 comes back later: rank 0 does not wait for that to send it.
TEST_F(blamed_run, waits_in_no_circle_for_what_comes_back) {
  register_two(log);
  const auto moves = [&](std::int64_t when, std::uint64_t from, std::uint64_t to) {
    log.add(when, static_cast<int>(from), app, record::xfer_post,
            {send, 0, 1, to, 0, 24, 0, 0, nobody});
    log.add(when, static_cast<int>(to), app, record::xfer_post,
            {receive, 0, 1, from, 0, 24, 0, 0, nobody});
  };
  moves(2 * us, 0, 1);
  moves(3 * us, 1, 0);
  log.add(60 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_THAT(edges, testing::Each(testing::Field(&wait_edge::in_cycle, false)));
}

}  // namespace
