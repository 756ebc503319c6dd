// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/gpu/watch.hpp>

#include "cost_history.hpp"
#include "held_datum.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// @file
/// Which worker of a rank runs a task: by where its data are, and how long it takes there.

namespace deed::runtime {

/// A datum of a task. `plan` is null while no device ever had it.
struct choice_operand {
  planned_value* plan = nullptr;
  std::uint64_t bytes = 0;
  bool reads = false;
  bool writes = false;
};

/// A task that several workers can run. Workers: -1 is a processor, else a device.
struct choice_question {
  std::uint64_t number = 0;
  std::string_view codelet{};
  std::span<const choice_operand> operands{};
  std::span<const int> devices{};  ///< That can run it.
  bool here_too = false;           ///< A processor can.
};

/// Keeps a timetable of the processors, the devices and the links between them, and gives each task
/// to who would be done with it first. A codelet that was not measured yet on data of its size is
/// tried on each kind of worker; measurements come from the tasks and copies themselves.
///
/// It decides for this rank alone: which rank runs a task is settled before, by rules that are the
/// same on all ranks.
///
/// Source: the idea is HEFT's earliest finish time (Topcuoglu, Hariri, Wu, TPDS 2002), task by task
/// in the order in which they become ready.
///
/// Threads: any.
/// Cost: O(devices x operands), some hundred nanoseconds.
class worker_choice final : public gpu::driver_watch {
 public:
  /// `kinds`: of the devices; those of one kind are measured together.
  worker_choice(const clock& time, int processors, std::vector<std::string> kinds);

  /// Where measurements are kept between runs. Empty: nothing is wrong, else one line that says so.
  [[nodiscard]] std::string remember(std::string path);
  /// False if they could not be written.
  [[nodiscard]] bool save(int writer) const;

  struct decision {
    int worker = -1;
    std::chrono::nanoseconds finish{};
    std::chrono::nanoseconds moving{};  ///< Time of the links, for what it reads.
  };
  [[nodiscard]] decision choose(const choice_question& task);
  /// It will be so. Every operand of a device has a plan by now.
  void commit(const choice_question& task, const decision& taken);
  /// A processor ran it, or will never: then `took` is zero.
  void ran_here(std::uint64_t task, std::chrono::nanoseconds took);
  /// A device is through with it.
  void ended(std::uint64_t task);
  /// The host gets a value, or gives it a new one.
  void used_by_host(planned_value& plan, bool writes);

  // Of `driver_watch`.
  [[nodiscard]] bool wants_copies() noexcept override;
  void ran(const gpu::task_seen& what) noexcept override;
  void copying(const gpu::copy_seen&) noexcept override {}
  void copied(const gpu::copy_seen& what) noexcept override;
  void evicted(const gpu::eviction_seen&) noexcept override {}

 private:
  using nanoseconds = std::chrono::nanoseconds;
  struct under_way {
    measured_time* measured;
    int worker;
  };
  struct device_table {
    std::string kind, link_to, link_from;
    nanoseconds free_at{}, to_free_at{}, from_free_at{};
    nanoseconds last_end{};  // Of what ran there.
    int open = 0;
  };
  struct arrival {
    nanoseconds at{};  // Of the last operand.
    nanoseconds to_host{}, to_device{};
    nanoseconds moving{};  // What the links are kept busy by it.
  };

  [[nodiscard]] std::string_view kind_of(int worker) const;
  [[nodiscard]] device_table& of(int device) { return devices_[static_cast<std::size_t>(device)]; }
  [[nodiscard]] measured_time& measured(const choice_question& task, int worker);
  [[nodiscard]] arrival arrives(const choice_question& task, int worker, nanoseconds now);
  [[nodiscard]] int least_open(std::span<const int> devices) const;
  [[nodiscard]] decision try_out(const choice_question& task, int worker);
  void close(std::uint64_t task);

  const clock& time_;
  mutable std::mutex mutex_;
  std::vector<device_table> devices_;
  std::vector<nanoseconds> processors_;  // When each is free.
  int open_here_ = 0;
  std::unordered_map<std::uint64_t, under_way> open_;
  cost_history history_;
  std::string path_;
  std::uint64_t copies_ = 0;
};

}  // namespace deed::runtime
