// SPDX-License-Identifier: MIT
#pragma once

#include "written_run.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>

/// @file
/// Runs in which ranks wait for each other.

namespace deed::viewer {

inline constexpr std::uint64_t idle_no_task = 2, idle_dependency = 3, borrowed = 1, barrier = 3,
                               gate = 5, request = 7, collective = 8, clocks = 9;
inline constexpr std::int64_t us = 1'000;

class blamed_run : public testing::Test {
 protected:
  void say(std::int64_t when, int rank, std::uint64_t state) {
    log.add(when, rank, worker, record::state, {state, 0, 0});
  }
  void stay(int rank, std::uint64_t kind, std::int64_t begin, std::int64_t end) {
    log.add(begin, rank, app, record::wait_begin, {kind, 1, 0});
    log.add(end, rank, app, record::wait_end, {kind, 1});
  }
  /// A task of a rank that reads nothing.
  void run_task(int rank, std::uint64_t number, std::int64_t submit, std::int64_t begin,
                std::int64_t end) {
    log.add(submit, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 0});
    log.add(submit, rank, app, record::task_ready, {number, 0, 0});
    log.add(begin, rank, worker, record::task_begin, {number, 0});
    log.add(end, rank, worker, record::task_end, {number, 0});
  }
  /// Rank 0 comes to a barrier last, each of the others leaves the one before late.
  void write_barriers() {
    run_task(0, 0, 1 * us, 2 * us, 90 * us);
    for (int rank = 0; rank < 3; ++rank) {
      if (rank != 0) say(2 * us, rank, idle_no_task);
      stay(rank, barrier, rank == 0 ? 90 * us : (10 + rank) * us, (95 + 5 * rank) * us);
      stay(rank, barrier, (96 + 5 * rank) * us, 110 * us);
    }
    log.add(120 * us, 0, app, record::phase_push, {1, 0});
  }
  /// A message that waits at its sender until a task has opened its gate.
  void write_gate() {
    register_two(log);
    run_task(1, 0, 1 * us, 2 * us, 50 * us);
    log.add(51 * us, 1, worker, record::gate_open, {0, 0, 0});
    log.add(5 * us, 0, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 4, nobody});
    log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 0, 4, nobody});
    log.add(52 * us, 1, worker, record::xfer_start, {0, 0, 0, 0, send, 0});
    log.add(53 * us, 1, worker, record::xfer_done, {0, 0, 0, 0, send, 0});
    log.add(60 * us, 0, worker, record::xfer_done, {0, 0, 1, 0, receive, 0});
    log.add(6 * us, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1});
    log.add(6 * us, 0, app, record::task_access, {1, 0, 0, read_it, 0, 0});
    log.add(60 * us, 0, worker, record::task_ready, {1, 2, 0});
    log.add(60 * us, 0, worker, record::task_begin, {1, 0});
    log.add(70 * us, 0, worker, record::task_end, {1, 0});
  }

  const scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 3, 1, 1};
};

/// Rank 1 offers a datum at 10 us, for which the program of rank 2 asks at 80 us.
class late_receiver : public blamed_run {
 protected:
  late_receiver() {
    register_two(log);
    run_task(1, 0, 1 * us, 2 * us, 10 * us);
    log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, 2, 0, 24, 0, 0, 1});
    log.add(10 * us, 1, worker, record::xfer_start, {0, 0, 2, 0, send, 0});
    stay(1, 2, 4 * us, 83 * us);
    say(11 * us, 1, idle_dependency);
    log.add(80 * us, 2, app, record::task_submit, {1, 0, 2, 0, 0, 1});
    log.add(80 * us, 2, app, record::task_access, {1, 0, 0, read_it, 0, 0});
    log.add(80 * us, 2, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 0, 1});
    log.add(82 * us, 2, worker, record::xfer_done, {0, 0, 1, 0, receive, 0});
    log.add(82 * us, 1, worker, record::xfer_done, {0, 0, 2, 0, send, 0});
    log.add(82 * us, 2, worker, record::task_ready, {1, 2, 0});
    log.add(82 * us, 2, worker, record::task_begin, {1, 0});
    log.add(85 * us, 2, worker, record::task_end, {1, 0});
    say(83 * us, 1, idle_no_task);
  }
};

/// A worker of rank 2 waits for a datum from 10 us on, which the program of rank 0 offers at 80 us:
/// from 20 us to 75 us it stood for the message of rank 1.
class late_sender : public blamed_run {
 protected:
  late_sender() {
    register_two(log);
    log.add(5 * us, 0, app, record::xfer_post, {receive, 1, 1, 1, 0, 24, 3, 4, nobody});
    log.add(20 * us, 0, app, record::wait_begin, {request, 1, 0, 1, 1, 1});
    log.add(70 * us, 1, app, record::xfer_post, {send, 1, 0, 0, 0, 24, 3, 4, nobody});
    log.add(70 * us, 1, worker, record::xfer_start, {1, 0, 0, 0, send, 3});
    log.add(71 * us, 1, worker, record::xfer_done, {1, 0, 0, 0, send, 3});
    log.add(74 * us, 0, worker, record::xfer_done, {1, 1, 1, 0, receive, 3});
    log.add(75 * us, 0, app, record::wait_end, {request, 1});
    log.add(8 * us, 2, app, record::task_submit, {1, 0, 2, 0, 0, 1});
    log.add(8 * us, 2, app, record::task_access, {1, 0, 0, read_it, 0, 0});
    log.add(8 * us, 2, app, record::xfer_post, {receive, 0, 0, 0, 0, 24, 0, 0, 1});
    say(10 * us, 2, fetch_wait);
    log.add(80 * us, 0, app, record::xfer_post, {send, 0, 0, 2, 0, 24, 0, 0, 1});
    log.add(80 * us, 0, worker, record::xfer_start, {0, 0, 2, 0, send, 0});
    log.add(84 * us, 0, worker, record::xfer_done, {0, 0, 2, 0, send, 0});
    log.add(85 * us, 2, worker, record::xfer_done, {0, 0, 0, 0, receive, 0});
    log.add(85 * us, 2, worker, record::task_ready, {1, 2, 0});
    log.add(85 * us, 2, worker, record::task_begin, {1, 0});
    log.add(95 * us, 2, worker, record::task_end, {1, 0});
  }
};

/// Ranks 1 and 2 contribute to a reduction of rank 0, rank 2 at 10 us and rank 1 at 50 us. Tasks of
/// rank 0, at 54 us, and of rank 2, at 60 us, read its value.
class reduced_run : public blamed_run {
 protected:
  reduced_run() {
    constexpr std::uint64_t reduce_it = 3, by_sum = 5, by_submit = 0, by_transfer = 2,
                            by_program = 3;
    log.rank(0).handle_registered({.handle = 0, .name = "sum", .bytes = 8, .home_rank = 0});
    say(3 * us, 0, idle_dependency);
    for (const int rank : {2, 1}) {
      const auto number = static_cast<std::uint64_t>(rank);
      const std::int64_t end = rank == 1 ? 50 * us : 10 * us;
      runs(rank, {number, reduce_it, 0}, {by_submit, 0}, {1 * us, 2 * us, end});
      moves({rank, 0}, by_sum, nobody, {2 * us, end + 1 * us, end + 2 * us});
    }
    say(10 * us, 2, idle_dependency);
    runs(0, {5, read_it, 1}, {by_program, 0}, {53 * us, 54 * us, 55 * us});
    moves({0, 2}, 0, 6, {3 * us, 53 * us, 60 * us});
    runs(2, {6, read_it, 1}, {by_transfer, 1}, {60 * us, 60 * us, 90 * us});
  }
  struct ends {
    int from, to;
  };
  struct use {
    std::uint64_t task, mode, version;
  };
  using times = std::array<std::int64_t, 3>;

  void moves(ends of, std::uint64_t reason, std::uint64_t task, const times& when) {
    const auto src = static_cast<std::uint64_t>(of.from), dst = static_cast<std::uint64_t>(of.to);
    log.add(when[0], of.from, app, record::xfer_post, {send, 0, 1, dst, 0, 8, 0, reason, task});
    log.add(when[0], of.to, app, record::xfer_post, {receive, 0, 1, src, 0, 8, 0, reason, task});
    log.add(when[1], of.from, net, record::xfer_start, {0, 1, dst, 0, send, 0});
    log.add(when[2], of.from, net, record::xfer_done, {0, 1, dst, 0, send, 0});
    log.add(when[2], of.to, net, record::xfer_done, {0, 1, src, 0, receive, 0});
  }
  /// Ready because of something, when, and from when to when it runs.
  void runs(int rank, const use& of, std::pair<std::uint64_t, std::uint64_t> why,
            const times& when) {
    const std::int64_t inserted = (of.mode == read_it ? 3 : 1) * us;
    log.add(inserted, rank, app, record::task_submit,
            {of.task, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(inserted, rank, app, record::task_access,
            {of.task, 0, 0, of.mode, of.version, of.version});
    log.add(when[0], rank, worker, record::task_ready, {of.task, why.first, why.second});
    log.add(when[1], rank, worker, record::task_begin, {of.task, 0});
    log.add(when[2], rank, worker, record::task_end, {of.task, 0});
  }
};

}  // namespace deed::viewer
