// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <deed/base/error.hpp>

#include "whole_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace deed::runtime {
namespace {

[[noreturn]] void refuse(const std::string& file) {
  throw error(error_code::cannot_write, "the summary cannot be written",
              {{"file", file}, {"because", std::strerror(errno)}},
              "name a file in a folder that can be written: `--deed-summary=FILE`");
}

}  // namespace

double rank_summary::in_tasks_ns() const {
  if (in_virtual_time) return static_cast<double>(counts.busy.count());
  double sum = 0;
  for (const auto& [name, used] : counts.codelets) sum += used.total_ns();
  return sum;
}

double rank_summary::overhead_ns() const {
  const auto all = static_cast<double>(run_ns * workers);
  const auto others = static_cast<double>(counts.idle.count() + counts.program.count());
  return std::max(0.0, all - others - in_tasks_ns());
}

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");  // `getrusage` counts what ran before `exec`, too.
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view name = "VmHWM:";
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10) << 10;
  }
  return 0;
}

void summary::add(rank_summary&& of) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::lower_bound(ranks_, of.rank, {}, &rank_summary::rank);
  ranks_.insert(at, std::move(of));
}

std::size_t summary::heard() const {
  const std::lock_guard lock(mutex_);
  return ranks_.size();
}

void summary::print(const std::string& target) const {
  if (target == "text") {
    std::fputs(as_text(ranks_).c_str(), stderr);
    return;
  }
  if (!write_whole(target, as_json(ranks_))) refuse(target);
}

}  // namespace deed::runtime
