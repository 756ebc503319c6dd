// SPDX-License-Identifier: MIT
#include "heartbeat.hpp"

#include "live.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace deed::runtime {

heartbeat::heartbeat(seconds limit, duties what) : limit_(limit), duties_(std::move(what)) {}

void heartbeat::start() {
  thread_ = std::thread([this] { beat(); });
}

void heartbeat::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void heartbeat::answered(const sign_of_life& sign) {
  const std::lock_guard lock(mutex_);
  heard_ = std::max(heard_, sign.number);
  does_ = sign.does;
  heard_at_ = time_of_day();
}

void heartbeat::beat() {
  const clock::duration period = clock::duration(limit_) / 4;
  clock::time_point last = clock::now();
  for (std::unique_lock lock(mutex_); !ended_.wait_for(lock, period, [this] { return ends_; });) {
    const clock::time_point now = clock::now();
    // Who was stopped himself, by a debugger or the system, knows nothing of the others.
    if (now - last > 2 * period) unanswered_since_ = now;
    last = now;
    lock.unlock();
    duties_.look();
    judge(now);
    lock.lock();
  }
}

/// Threads: its own.
void heartbeat::judge(clock::time_point now) {
  std::unique_lock lock(mutex_);
  const bool answers = heard_ == asked_;
  const bool silent = !answers && (reported_ || now - unanswered_since_ >= limit_);
  const bool changes = silent != reported_;
  reported_ = silent;
  if (answers) unanswered_since_ = now;
  const std::uint64_t next = answers ? ++asked_ : 0;
  const std::string did = does_, heard_at = heard_at_;
  lock.unlock();
  if (changes) duties_.report(silent, did, heard_at);
  if (answers) duties_.ask(next);
}

}  // namespace deed::runtime
