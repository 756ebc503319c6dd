// SPDX-License-Identifier: MIT
#include "live.hpp"

#include <deed/base/error.hpp>

#include "mpi_start.hpp"
#include "report.hpp"
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace deed::runtime {

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

namespace {

std::string described(int rank, const glance& seen) {
  std::string name = "  rank " + std::to_string(rank);
  name.resize(std::max<std::size_t>(name.size() + 2, 14), ' ');
  const auto behind = std::string(14, ' ');
  std::string text =
      name + (seen.waits.empty() ? "in the program, after " + seen.waited : "in " + seen.waits);
  for (const auto& [codelet, times] : seen.runs)
    text += ", runs `" + codelet + '`' + (times > 1 ? " " + std::to_string(times) + " times" : "");
  if (seen.lacking > 0) text += ", lacks " + seen.lacks;
  if (seen.lacking > 1) text += " and " + std::to_string(seen.lacking - 1) + " more";
  return text + "\n" + behind + grouped(seen.run) + " tasks run here of " + grouped(seen.inserted) +
         " inserted, " + grouped(seen.submitted - std::min(seen.done, seen.submitted)) +
         " not complete (window " + grouped(seen.window) + "), " + amount(seen.sent_bytes) +
         " sent, copies " + amount(seen.copies_bytes) + "\n";
}

/// What all ranks of this process did together.
void add_up(glance& all, const glance& one) {
  all.run += one.run;
  all.inserted = std::max(all.inserted, one.inserted);  // Every rank inserts the same.
  all.submitted += one.submitted;
  all.done += one.done;
  all.sent_bytes += one.sent_bytes;
  all.copies_hit += one.copies_hit;
  all.copies_missed += one.copies_missed;
  all.busy_ns += one.busy_ns;
  all.workers += one.workers;
}

/// What came to it since; nothing where a new session counts from 0.
template <class Number>
double since(Number now, Number before) {
  return now < before ? 0 : static_cast<double>(now - before);
}

/// ", cache 87 %": of the copies that were asked for since.
std::string share_of_hits(const glance& now, const glance& before) {
  const double hits = since(now.copies_hit, before.copies_hit);
  const double asked = hits + since(now.copies_missed, before.copies_missed);
  if (asked == 0) return {};
  return ", cache " + std::to_string(std::lround(100 * hits / asked)) + " %";
}

/// ", left 2.8 s": what is not complete, as fast as since then.
std::string time_left(const glance& now, const glance& before, double seconds) {
  const double done = since(now.done, before.done);
  if (done == 0 || now.submitted <= now.done) return {};
  return ", left " + lasting(since(now.submitted, now.done) / done * seconds * 1e9);
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string name_of_signal(int signal) { return signal == SIGINT ? "SIGINT" : "SIGTERM"; }

void live_board::add(int rank, look what) {
  const std::lock_guard lock(mutex_);
  ranks_[rank] = std::move(what);
}

void live_board::remove(int rank) noexcept {
  const std::lock_guard lock(mutex_);
  ranks_.erase(rank);
}

std::string live_board::status() const {
  constexpr std::size_t most = 64;  // Lines: a screen of virtual ranks is enough.
  std::string text = "deed status " + time_of_day() + "\n";
  const std::lock_guard lock(mutex_);
  std::size_t lines = 0;
  for (const auto& [rank, seen_by] : ranks_) {
    if (++lines > most) break;
    text += described(rank, seen_by(true));
  }
  if (ranks_.size() > most)
    text += "  and " + std::to_string(ranks_.size() - most) + " ranks more\n";
  if (ranks_.empty()) text += "  no session is open\n";
  return text;
}

std::string live_board::progress(double seconds_since_last) {
  const std::lock_guard lock(mutex_);
  if (ranks_.empty()) return {};
  glance now;
  bool all_wait = true;
  for (const auto& [rank, seen_by] : ranks_) {
    const glance seen = seen_by(false);
    add_up(now, seen);
    all_wait = all_wait && !seen.waits.empty();
  }
  const double rate = since(now.run, before_.run) / seconds_since_last;
  const double busy = since(now.busy_ns, before_.busy_ns) / seconds_since_last / 1e7 / now.workers;
  const double sent = since(now.sent_bytes, before_.sent_bytes) / seconds_since_last;
  const std::string hits = share_of_hits(now, before_);
  const std::string left = all_wait ? time_left(now, before_, seconds_since_last) : "";
  before_ = now;
  std::array<char, 64> speed{}, share{};
  std::snprintf(speed.data(), speed.size(), rate < 1000 ? "%.1f/s, " : "%.1fk/s, ",
                rate < 1000 ? rate : rate / 1000);
  if (now.workers > 0) std::snprintf(share.data(), share.size(), "busy %.0f %%, ", busy);
  return "[deed " + time_of_day() + "] " + grouped(now.run) + " tasks run here of " +
         grouped(now.inserted) + " inserted, " + speed.data() + share.data() +
         amount(static_cast<std::uint64_t>(sent)) + "/s sent" + hits + left + "\n";
}

live_watch::live_watch(live_board& board, live_options options) : board_(board), options_(options) {
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    struct sigaction now{};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    sigaddset(&watched_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);  // The threads to come inherit it.
  signals_ = signalfd(-1, &watched_, SFD_CLOEXEC);
  end_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { watch(); });
}

live_watch::~live_watch() {
  const std::uint64_t one = 1;
  if (::write(end_, &one, sizeof one) == sizeof one) thread_.join();
  close(signals_);
  close(end_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void live_watch::watch() {
  using clock = std::chrono::steady_clock;
  constexpr int period_ms = 2000;
  auto last = clock::now();
  for (;;) {
    std::array<pollfd, 2> both{pollfd{signals_, POLLIN, 0}, pollfd{end_, POLLIN, 0}};
    const int ready = poll(both.data(), both.size(), options_.progress ? period_ms : -1);
    if (both[1].revents != 0) return;
    if (ready == 0) {
      const auto now = clock::now();
      const std::chrono::duration<double> passed = now - last;
      last = now;
      if (options_.speaks) say(board_.progress(passed.count()));
      continue;
    }
    signalfd_siginfo came{};
    if (both[0].revents == 0 || read(signals_, &came, sizeof came) != sizeof came) continue;
    if (came.ssi_signo == SIGUSR1) {
      say(board_.status());
      continue;
    }
    const int signal = static_cast<int>(came.ssi_signo);
    if (options_.saves && board_.stopped_by() == 0) {
      board_.stop(signal);
      if (options_.speaks)
        say("deed: " + name_of_signal(signal) +
            ": ends at the next checkpoint; a second signal ends the run at once\n");
      continue;
    }
    const std::string name = name_of_signal(signal);
    std::fflush(stdout);
    const bool by_launcher = signal == SIGTERM && under_launcher();
    if (options_.speaks)
      say("stopped by " + name +
          (by_launcher ? ", which launchers send, too, when another rank has failed" : "") + "\n" +
          board_.status());
    // Nobody is asked: a codelet may run for hours. What is recorded is on disk already.
    std::_Exit(static_cast<int>(exit_code::interrupted));
  }
}

}  // namespace deed::runtime
