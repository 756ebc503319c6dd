// SPDX-License-Identifier: MIT
#include "control.hpp"
#include "core.hpp"
#include "report.hpp"

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

/// @file
/// A rank that does not answer any more: what the others know of it, and what they say.

namespace deed::runtime {

void core::start_heartbeat() {
  const bool may_ask = environment_.process && !environment_.one_thread && size() > 1;
  if (!may_ask || options_.silence.limit.count() <= 0) return;
  const int next = (rank_ + 1) % size();
  heartbeat_ = std::make_unique<heartbeat>(
      options_.silence.limit,
      heartbeat::duties{
          .look =
              [this] {
                if (engine_->progress()) team_->wake_everybody();
              },
          .ask = [this, next](std::uint64_t number) { tell(*engine_, next, control::ask, number); },
          .report = [this, next](
                        bool silent, const std::string& did,
                        const std::string& at) { report_silence(next, silent, did, at); }});
  heartbeat_->start();
}

/// "runs `gemm`, `gemm`". Threads: any.
std::string core::doing() const {
  if (team_ == nullptr) return "ends its session";
  std::string text;
  for (const auto& each : team_->contexts()) {
    const known_codelet* const now = each->runs.load(std::memory_order_acquire);
    if (now != nullptr) text += (text.empty() ? "runs " : ", ") + quoted(now->name);
  }
  if (!text.empty()) return text;
  const std::string waits = look(false).waits;
  return waits.empty() ? "is in the program" : "is in " + waits;
}

/// A warning, unless it is to end the run: from outside a rank that swaps looks like one that is
/// dead.
void core::report_silence(int rank, bool silent, const std::string& did,
                          const std::string& heard_at) {
  const std::string name = "rank " + std::to_string(rank);
  if (!silent) {
    if (logs(log_level::warning))
      std::cerr << "deed: " + name + " answers again, at " + time_of_day() + "\n";
    return;
  }
  const error about(
      error_code::peer_silent,
      name + " is silent for " + std::to_string(options_.silence.limit.count()) + " s",
      {{name, heard_at.empty() ? "has not yet said what it does" : "at " + heard_at + ": " + did},
       {"asked by", "rank " + std::to_string(rank_)}},
      "look at " + name + "; `DEED_SILENCE` sets the limit, 0 turns this off");
  if (options_.silence.abort) return fail(std::make_exception_ptr(about));
  if (logs(log_level::warning))
    std::cerr << std::string(about.what()) + "\n";  // At one go: others print, too.
}

}  // namespace deed::runtime
