// SPDX-License-Identifier: MIT
#include "thread_times.hpp"

#include "report.hpp"

#include <algorithm>
#include <cmath>

namespace deed {

double codelet_use::mean_ns() const noexcept {
  return timed == 0 ? 0 : sum_ns / static_cast<double>(timed);
}

double codelet_use::deviation_ns() const noexcept {
  if (timed < 2) return 0;
  const auto n = static_cast<double>(timed);
  return std::sqrt(std::max(0.0, (sum_of_squares - sum_ns * sum_ns / n) / (n - 1)));
}

double codelet_use::total_ns() const noexcept { return mean_ns() * static_cast<double>(tasks); }

void codelet_use::add(const codelet_use& more) noexcept {
  tasks += more.tasks;
  on_devices += more.on_devices;
  timed += more.timed;
  sum_ns += more.sum_ns;
  sum_of_squares += more.sum_of_squares;
}

namespace runtime {
namespace {

/// Adds to what one thread writes and others read.
void add(std::atomic<std::int64_t>& sum, std::chrono::nanoseconds more) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + more.count(), std::memory_order_relaxed);
}

}  // namespace

thread_times::entry& thread_times::meet(const known_codelet& codelet) {
  auto fresh = std::make_unique<entry>(codelet);
  const std::lock_guard lock(mutex_);
  if (codelet.index >= entries_.size()) entries_.resize(codelet.index + std::size_t{1});
  entries_[codelet.index] = std::move(fresh);
  return *entries_[codelet.index];
}

void thread_times::took(const known_codelet& codelet, time passed) {
  constexpr time several_wake_ups = std::chrono::microseconds(100);
  codelet.took(passed);
  entry& known = entry_of(codelet);
  known.may_last = passed > several_wake_ups;
  codelet_use& of = known.others;
  const auto ns = static_cast<double>(passed.count());
  const std::lock_guard lock(mutex_);
  ++of.timed;
  of.sum_ns += ns;
  of.sum_of_squares += ns * ns;
}

void thread_times::ran_on_device(const known_codelet& codelet) {
  codelet_use& of = entry_of(codelet).others;
  const std::lock_guard lock(mutex_);
  ++of.on_devices;
}

void thread_times::rested(time passed) noexcept {
  add(idle_ns_, passed);
  rest_ += passed;
}

void thread_times::called(time passed) noexcept { add(in_calls_ns_, passed); }

void thread_times::end_wait(const awaited& what) {
  const time passed = rest_;
  goes_on();
  const auto same = [&](const wait& known) {
    return known.from == what.from && known.where.line() == what.where.line() &&
           known.name == what.name &&
           std::string_view(known.where.file_name()) == what.where.file_name();
  };
  const std::lock_guard lock(mutex_);
  auto known = std::ranges::find_if(waits_, same);
  if (known == waits_.end()) {
    if (waits_.size() == most_waits) {
      known = std::ranges::min_element(waits_, {}, &wait::total);
      if (known->total >= passed) return;
      waits_.erase(known);
    }
    waits_.push_back({std::string(what.name), what.from, what.where, 0, {}, {}, -1, -1});
    known = std::prev(waits_.end());
  }
  ++known->times;
  known->total += passed;
  if (passed <= known->longest) return;
  known->longest = passed;
  known->i = what.i;
  known->j = what.j;
}

void thread_times::add_to(statistics& sum) const {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<entry>& each : entries_) {
    if (each == nullptr) continue;
    codelet_use used = each->others;
    used.tasks = each->tasks.load(std::memory_order_relaxed);
    sum.codelets[std::string(each->codelet->name)].add(used);
  }
  for (const wait& each : waits_) {
    const bool call = each.from < 0;
    sum.waits.push_back({.what = call ? each.name : quoted(each.name),
                         .from = each.from,
                         .where = call ? "" : to_string(each.where),
                         .times = each.times,
                         .total = each.total,
                         .longest = each.longest,
                         .longest_for = each.i < 0 ? "" : label_of(each.name, each.i, each.j)});
  }
}

}  // namespace runtime
}  // namespace deed
