// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include "memory/arena.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What the measurements share, with a GPU and without: clocks, the table, the library's calls in a
/// line each, and the two goals that need no device.

namespace goals {

using deed::gpu::access_mode;
using deed::gpu::coherent_datum;
using deed::gpu::device_memory;
using deed::gpu::device_task;
using deed::gpu::driver;
using deed::gpu::enqueue;

constexpr int rounds = 7;  // The best counts.
constexpr std::size_t mib = std::size_t{1} << 20;

inline double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Of all threads of this process.
inline double processor() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double best(const std::function<double()>& measured) {
  double least = measured();  // The first warms up, and counts only if it is the best.
  for (int i = 1; i < rounds; ++i) least = std::min(least, measured());
  return least;
}

/// Memory of the program as it comes.
inline deed::memory_block pageable(std::vector<double>& values) {
  const std::size_t bytes = values.size() * sizeof(double);
  return {reinterpret_cast<std::byte*>(values.data()), bytes, 1, bytes, deed::memory_space::host};
}

inline void settle(driver& on) {
  while (!on.idle()) on.step();
}
inline void finish(driver& on, const deed::gpu::host_lease& lease) {
  while (!lease.ready()) on.step();
  if (lease.error()) std::rethrow_exception(lease.error());
}
inline void bring_home(driver& on, const coherent_datum& datum, access_mode mode) {
  finish(on, on.acquire({{&datum, mode}}));
}

/// GG6: a block of 1 MiB, taken and given back; in nanoseconds.
inline double time_of_a_hit(deed::gpu::arena& memory) {
  constexpr int times = 100'000;
  return best([&] {
           const double begin = wall();
           for (int i = 0; i < times; ++i) {
             deed::gpu::arena::block block;
             deed::gpu::event_list behind;
             if (!memory.allocate(mib, block, behind).ok()) throw std::runtime_error("no memory");
             memory.release(block, {});
           }
           return wall() - begin;
         }) *
         1e9 / times;
}

/// GG8: a datum that is valid at home, lent to a reader and given back; in nanoseconds.
inline double time_of_what_is_here(driver& on) {
  constexpr int times = 100'000;
  std::vector<double> x(512);
  const coherent_datum datum = on.hold(pageable(x), "x");
  on.step();  // It knows of it.
  return best([&] {
           const double begin = wall();
           for (int i = 0; i < times; ++i) bring_home(on, datum, access_mode::read);
           return wall() - begin;
         }) *
         1e9 / times;
}

/// One line of the table. `ratio` is of what the goal is about, which need not be the two columns';
/// 0: there is none.
inline void row(const char* goal, const std::string& what, const std::string& hand,
                const std::string& deed, double ratio, const char* wanted) {
  char text[16] = "-";
  if (ratio != 0) std::snprintf(text, sizeof text, "%.3f", ratio);
  std::printf("| %s | %s | %s | %s | %s | %s |\n", goal, what.c_str(), hand.c_str(), deed.c_str(),
              text, wanted);
  std::fflush(stdout);
}
inline std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", value, unit);
  return text;
}
inline std::string speed(std::size_t bytes, double seconds) {
  return number(static_cast<double>(bytes) / 1e9 / seconds, "GB/s");
}

}  // namespace goals
