// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/generate/event_log.hpp"

#include <cstdint>
#include <string>

namespace deed::viewer {

/// Rank 0 sends x to rank 1 three times, as versions 1 to 3: a thread there waits 300 us for the
/// first, and 20 us for the second; for the third nobody does.
inline void record_late_transfer(const std::string& path) {
  constexpr int comm = event_log::progress, worker = event_log::first_worker;
  const auto fetch_wait = static_cast<std::uint64_t>(trace::worker_state::fetch_wait),
             idle = static_cast<std::uint64_t>(trace::worker_state::idle_no_task),
             handle = static_cast<std::uint64_t>(trace::reason_kind::handle);
  event_log log(path, 2, 1, 1);
  for (int rank = 0; rank < 2; ++rank)
    log.rank(rank).handle_registered({.handle = 0, .name = "x", .bytes = 800});
  const auto send = [&](std::uint64_t version, std::int64_t from, std::int64_t to) {
    log.add(from, 0, comm, record::xfer_start, {0, version, 1, 0, 0});
    log.add(to, 0, comm, record::xfer_done, {0, version, 1, 0, 0});
    log.add(to, 1, comm, record::xfer_done, {0, version, 0, 0, 1});
  };
  log.add(10'000, 1, worker, record::state, {fetch_wait, handle, 0});
  send(1, 250'000, 310'000);
  log.add(312'000, 1, worker, record::state, {idle, 0, 0});
  log.add(400'000, 1, worker, record::state, {fetch_wait, handle, 0});
  send(2, 401'000, 420'000);
  log.add(421'000, 1, worker, record::state, {idle, 0, 0});
  send(3, 500'000, 900'000);
  log.add(1'000'000, 1, worker, record::state, {idle, 0, 0});
  log.close();
}

}  // namespace deed::viewer
