// SPDX-License-Identifier: MIT
#include <deed/trace/recorder.hpp>

#include "shapes.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

/// What recording costs the thread that records: nanoseconds per event with the helper thread on,
/// and with recording off, as JSON. EVENTS is a variable of the environment.
/// Usage: recorder FOLDER, which must not be there yet and is removed again.

namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;
using std::chrono::steady_clock;

template <class Work>
double per_event(long events, Work&& work) {
  const auto start = steady_clock::now();
  for (long i = 0; i < events; ++i) {
    work(static_cast<std::uint64_t>(i));
    asm volatile("" ::: "memory");
  }
  return nanoseconds(steady_clock::now() - start).count() / static_cast<double>(events);
}

/// As a run does: bursts, and between them time in which the helper thread makes packets ready.
double in_bursts(deed::trace::stream& events, long count) {
  constexpr long burst = 4'000;
  double sum = 0;
  for (long i = 0; i < count; i += burst) {
    sum += per_event(burst, [&](std::uint64_t k) { events.task_begin(k, 1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return sum * burst / static_cast<double>((count + burst - 1) / burst * burst);
}

/// Of one event, without what two looks at the clock take.
double rare(deed::trace::stream& events, long count, double share) {
  std::vector<double> taken;
  taken.reserve(static_cast<std::size_t>(count));
  double clock = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const auto start = steady_clock::now();
    clock = std::min(clock, nanoseconds(steady_clock::now() - start).count());
  }
  for (long i = 0; i < count; ++i) {
    if (i % 4'000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = steady_clock::now();
    events.task_begin(static_cast<std::uint64_t>(i), 1);
    taken.push_back(nanoseconds(steady_clock::now() - start).count() - clock);
  }
  const auto at = taken.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(count));
  std::nth_element(taken.begin(), at, taken.end());
  return *at;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "usage: recorder FOLDER (that is not there yet)\n");
    return 64;
  }
  const long events = setting("EVENTS", 2'000'000);
  deed::trace::recorder_options options;
  options.path = argv[1];
  std::uint64_t discarded = 0;
  double on = 0, p999 = 0;
  {
    deed::trace::recorder recorder(options, {});
    deed::trace::stream& lane = recorder.open_stream(deed::trace::stream_kind::worker, 0, "worker");
    on = in_bursts(lane, events);
    p999 = rare(lane, events / 4, 0.999);
    discarded = recorder.discarded();
    recorder.close();
  }
  deed::trace::stream nowhere;
  const double empty = per_event(events, [](std::uint64_t) {});
  const double off = per_event(events, [&](std::uint64_t i) { nowhere.task_begin(i, 1); });
  std::printf(
      "{\"events\": %ld, \"on_ns\": %.2f, \"p999_ns\": %.0f, \"off_ns\": %.2f, "
      "\"discarded\": %llu}\n",
      events, on, p999, std::max(0.0, off - empty), static_cast<unsigned long long>(discarded));
  std::filesystem::remove_all(argv[1]);
}
