// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What samples print: progress while they run, one screen of numbers at the end.

namespace sample {

/// The number behind `--name=`. @throws deed::stop_run if it is no positive number.
inline int positive(const std::string& option) {
  const std::string text = option.substr(option.find('=') + 1);
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number < 1) {
    throw deed::stop_run(deed::exit_code::bad_option,
                         option + ": a number of at least 1 is wanted");
  }
  return number;
}

/// Wall time, in named pieces.
class phases {
 public:
  void end(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    done_.emplace_back(name, std::chrono::duration<double, std::milli>(now - begin_).count());
    begin_ = now;
  }
  [[nodiscard]] const std::vector<std::pair<const char*, double>>& done() const { return done_; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<std::pair<const char*, double>> done_;
};

/// A line on a terminal that is written over; ten lines in a file.
inline void show_progress(int done, int all) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\rstep %d of %d%s", done, all, done == all ? "\r\033[K" : "");
  } else if (done * 10 / all != (done - 1) * 10 / all) {
    std::fprintf(stderr, "step %d of %d\n", done, all);
  }
}

/// What one rank tells rank 0.
struct rank_counts {
  std::uint64_t tasks, messages, bytes, hits, saved, on_devices;
  double busy_ms;
};

inline rank_counts counts_of(const deed::statistics& of) {
  rank_counts sum{of.tasks_run,
                  0,
                  0,
                  of.cache_hits,
                  of.cache_bytes_saved,
                  of.tasks_on_devices,
                  std::chrono::duration<double, std::milli>(of.busy).count()};
  for (const auto& [peer, sent] : of.sent_to) {
    sum.messages += sent.transfers;
    sum.bytes += sent.payload_bytes;
  }
  return sum;
}

/// Prints a table of all ranks, on rank 0: the first eight, then the rest as a sum. A step.
inline void report(deed::session& session, const phases& times) {
  const rank_counts mine = counts_of(session.statistics());
  std::vector<rank_counts> all;
  for (int r = 0; r < session.size(); ++r) {
    auto theirs = session.register_data(deed::owner{r}, [&] { return mine; }, {.name = "counts"});
    session.fetch(deed::read(theirs), deed::to{0});
    if (session.rank() == 0) all.push_back(*session.borrow(deed::read(theirs)));
  }
  if (session.rank() != 0) return;

  const auto line = [](const std::string& name, const rank_counts& of) {
    std::printf("  %-10s%9llu%10.0f ms%10llu%10.2f MiB%12llu%10.2f MiB\n", name.c_str(),
                static_cast<unsigned long long>(of.tasks), of.busy_ms,
                static_cast<unsigned long long>(of.messages),
                static_cast<double>(of.bytes) / (1 << 20), static_cast<unsigned long long>(of.hits),
                static_cast<double>(of.saved) / (1 << 20));
  };
  const auto add = [](rank_counts sum, const rank_counts& each) {
    return rank_counts{sum.tasks + each.tasks,    sum.messages + each.messages,
                       sum.bytes + each.bytes,    sum.hits + each.hits,
                       sum.saved + each.saved,    sum.on_devices + each.on_devices,
                       sum.busy_ms + each.busy_ms};
  };
  const auto sum_from = [&](std::size_t first) {
    rank_counts sum{};
    for (std::size_t r = first; r < all.size(); ++r) sum = add(sum, all[r]);
    return sum;
  };
  std::printf("  %-10s%9s%13s%10s%14s%12s%14s\n", "rank", "tasks", "busy", "messages", "sent",
              "cache hits", "bytes saved");
  constexpr std::size_t shown = 8;
  const std::size_t few = std::min(all.size(), shown);
  for (std::size_t r = 0; r < few; ++r) line(std::to_string(r), all[r]);
  if (all.size() > few)
    line(std::to_string(few) + ".." + std::to_string(all.size() - 1), sum_from(few));
  if (all.size() > 1) line("all", sum_from(0));
  if (const auto on_devices = sum_from(0).on_devices; on_devices != 0)
    std::printf("  tasks on devices: %llu\n", static_cast<unsigned long long>(on_devices));
  std::printf("  time");
  for (const auto& [name, ms] : times.done()) std::printf("   %s %.1f ms", name, ms);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace sample
