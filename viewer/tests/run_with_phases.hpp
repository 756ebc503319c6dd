// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/generate/event_log.hpp"

#include <cstdint>
#include <string>

namespace deed::viewer {

/// Rank 0 solves in four steps, each with an exchange, and records what is left; rank 1 does not
/// end its solve, and has a phase of a callback, too.
inline void record_phases(const std::string& path) {
  constexpr int app = event_log::application, worker = event_log::first_worker;
  event_log log(path, 2, 1, 1);
  std::uint64_t solve = 0, step = 0, exchange = 0, callback = 0, residual = 0, balance = 0;
  for (int rank = 0; rank < 2; ++rank) {
    trace::recorder& to = log.rank(rank);
    solve = to.text("solve");
    step = to.text("step");
    exchange = to.text("exchange");
    callback = to.text("callback");
    residual = to.text("residual");
    balance = to.text("balance");
  }
  log.add(10'000, 0, app, record::phase_push, {solve, 0});
  log.add(10'000, 1, app, record::phase_push, {solve, 0});
  std::int64_t at = 12'000;
  for (std::uint64_t i = 0; i < 4; ++i, at += 20'000) {
    log.add(at, 0, app, record::phase_push, {step, i});
    log.add(at + 1'000, 0, app, record::phase_push, {exchange, 0});
    log.add(at + 6'000, 0, app, record::phase_pop, {exchange, 0});
    log.add(at + 7'000, 0, worker, record::task_begin, {i, 0});
    log.add(at + 15'000, 0, worker, record::task_end, {i, 0});
    log.add(at + 17'000, 0, app, record::counter, {residual, std::uint64_t{4'000} >> (2 * i)});
    log.add(at + 17'500, 1, app, record::counter,
            {balance, static_cast<std::uint64_t>(std::int64_t{-5})});
    log.add(at + 18'000, 0, app, record::phase_pop, {step, i});
  }
  log.add(40'000, 1, worker, record::phase_push, {callback, 0});
  log.add(60'000, 1, worker, record::phase_pop, {callback, 0});
  log.add(95'000, 0, app, record::phase_pop, {solve, 0});
  log.add(100'000, 1, worker, record::state, {2, 0, 0});
  log.close();
}

}  // namespace deed::viewer
