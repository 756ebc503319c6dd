// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/generate/event_log.hpp"

#include <cstdint>
#include <string>

namespace deed::viewer {

/// Which record says what a thread waited for.
enum class told_by { thread, next_task, program };

/// Rank 0 sends x to rank 1 three times, as versions 1 to 3: a thread there waits 300 us for the
/// first, and 20 us for the second; for the third nobody does.
inline void record_late_transfer(const std::string& path, told_by who = told_by::thread) {
  constexpr int comm = event_log::progress;
  const int waits = who == told_by::program ? event_log::application : event_log::first_worker;
  event_log log(path, 2, 1, 1);
  const auto fetch_wait = static_cast<std::uint64_t>(trace::worker_state::fetch_wait),
             idle = static_cast<std::uint64_t>(trace::worker_state::idle_no_task),
             in_wait = static_cast<std::uint64_t>(trace::wait_kind::handle),
             handle = who == told_by::thread
                          ? static_cast<std::uint64_t>(trace::reason_kind::handle)
                          : 0;
  const auto reads = [&](std::uint64_t task, std::uint64_t version, std::int64_t when) {
    if (who != told_by::next_task) return;
    const auto came = static_cast<std::uint64_t>(trace::ready_cause::transfer);
    log.add(when, 1, comm, record::task_ready, {task, came, version});
    log.add(when, 1, waits, record::task_begin, {task, 0});
    log.add(when, 1, waits, record::task_end, {task, 0});
  };
  for (int rank = 0; rank < 2; ++rank)
    log.rank(rank).handle_registered({.handle = 0, .name = "x", .bytes = 800});
  const auto send = [&](std::uint64_t version, std::int64_t from, std::int64_t to) {
    log.add(from, 0, comm, record::xfer_start, {0, version, 1, 0, 0});
    log.add(to, 0, comm, record::xfer_done, {0, version, 1, 0, 0});
    log.add(to, 1, comm, record::xfer_done, {0, version, 0, 0, 1});
  };
  if (who == told_by::next_task)
    for (const std::uint64_t task : {1u, 2u})
      log.add(5'000, 1, event_log::application, record::task_submit, {task, 0, 1, 0, 0, 0});
  if (who == told_by::program) log.add(9'000, 1, waits, record::wait_begin, {in_wait, 0, 0});
  log.add(10'000, 1, waits, record::state, {fetch_wait, handle, 0});
  send(1, 250'000, 310'000);
  reads(1, 1, 312'000);
  log.add(312'000, 1, waits, record::state, {idle, 0, 0});
  if (who == told_by::program) log.add(313'000, 1, waits, record::wait_end, {in_wait, 0});
  log.add(400'000, 1, waits, record::state, {fetch_wait, handle, 0});
  send(2, 401'000, 420'000);
  reads(2, 2, 421'000);
  log.add(421'000, 1, waits, record::state, {idle, 0, 0});
  send(3, 500'000, 900'000);
  log.add(1'000'000, 1, waits, record::state, {idle, 0, 0});
  log.close();
}

}  // namespace deed::viewer
