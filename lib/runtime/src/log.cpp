// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "report.hpp"

#include <iostream>
#include <string>
#include <string_view>

/// @file
/// The log: lines on standard error, each with the time of day and the rank.

namespace deed::runtime {

bool core::logs(log_level level) const noexcept {
  const log_options& wanted = options_.log;
  if (level == log_level::none || level > wanted.level) return false;
  return rank_ == 0 || wanted.all_ranks || level <= log_level::warning;
}

void core::log(log_level level, std::string_view text) const {
  if (!logs(level)) return;
  std::string line = "[deed " + time_of_day() + " rank " + std::to_string(rank_) + "] ";
  if (level <= log_level::warning) line += level == log_level::error ? "error: " : "warning: ";
  std::cerr << line.append(text) + "\n";  // At one go: others print, too.
}

/// "runs `gemm` on C(1,2), A(1,0), B(0,2); task 41, cholesky.cpp:55"
void core::log_task(task_node& task) const {
  std::string text = "runs " + quoted(task.codelet->name);
  const char* between = " on ";
  for (const node_access& each : task.accesses()) {
    const replica& copy = each.datum();
    text += between + label_of(copy.name, copy.i, copy.j);
    between = ", ";
  }
  log(log_level::debug,
      text + "; task " + std::to_string(task.number) + ", " + to_string(task.where));
}

/// "sends A(1,2) to rank 3: 2.0 KiB, for the call at cholesky.cpp:55"
void core::log_transfer(transfer_node& transfer) const {
  const bool sends = transfer.kind == node_kind::send;
  const replica& copy = transfer.only.datum();
  const int peer = sends ? transfer.sending.peer.value : transfer.receiving.peer.value;
  const std::uint64_t bytes = sends ? transfer.sending.what.bytes : transfer.arrived;
  log(log_level::debug, (sends ? "sends " : "has received ") + label_of(copy.name, copy.i, copy.j) +
                            (sends ? " to" : " from") + " rank " + std::to_string(peer) + ": " +
                            amount(bytes) + ", for the call at " + to_string(transfer.where));
}

}  // namespace deed::runtime
