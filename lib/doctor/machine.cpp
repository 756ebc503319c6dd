// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace deed::doctor {
namespace {

template <std::size_t size>
void copy_text(std::array<char, size>& into, std::string_view text) {
  std::copy_n(text.data(), std::min(text.size(), size - 1), into.data());
}

bool has(const machine_facts& facts, std::size_t thread) {
  return (facts.granted[thread / 64] >> (thread % 64) & 1) != 0;
}

void look_at_cores(machine_facts& facts) {
  facts.hardware_threads = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return;
  for (std::size_t i = 0; i < std::min<std::size_t>(most_threads, CPU_SETSIZE); ++i) {
    if (CPU_ISSET(i, &mask)) facts.granted[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

/// Of /proc/meminfo, whose figures are in KiB.
std::uint64_t memory_named(std::string_view name) {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    std::getline(file, unit);
    if (key == name) return kibibytes * 1024;
  }
  return 0;
}

void look_at_memory(machine_facts& facts) {
  facts.memory_bytes = memory_named("MemTotal:");
  facts.available_bytes = memory_named("MemAvailable:");
  struct statvfs shared{};
  if (::statvfs("/dev/shm", &shared) == 0)
    facts.shared_memory_bytes = std::uint64_t{shared.f_bavail} * shared.f_frsize;
  rlimit lockable{};
  if (::getrlimit(RLIMIT_MEMLOCK, &lockable) == 0)
    facts.lockable_bytes =
        lockable.rlim_cur == RLIM_INFINITY ? ~std::uint64_t{0} : lockable.rlim_cur;
}

}  // namespace

machine_facts look_at_machine(std::string_view devices) {
  machine_facts facts;
  static_cast<void>(::gethostname(facts.host.data(), facts.host.size() - 1));
  look_at_cores(facts);
  look_at_memory(facts);
  std::error_code ignored;
  facts.has_infiniband = std::filesystem::exists("/dev/infiniband", ignored);
  copy_text(facts.devices, devices);
  return facts;
}

std::string cores_of(const machine_facts& facts) {
  std::string text;
  for (std::size_t i = 0; i < most_threads; ++i) {
    if (!has(facts, i)) continue;
    std::size_t last = i;
    while (last + 1 < most_threads && has(facts, last + 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(i);
    if (last > i) text += "-" + std::to_string(last);
    i = last;
  }
  return text;
}

std::size_t shared_by(const machine_facts& one, const machine_facts& two) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.granted.size(); ++i)
    count += static_cast<std::size_t>(std::popcount(one.granted[i] & two.granted[i]));
  return count;
}

std::size_t count_granted(const machine_facts& facts) { return shared_by(facts, facts); }

}  // namespace deed::doctor
