// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/gpu/device.hpp>
#include <deed/gpu/watch.hpp>
#include <deed/ownership/ledger.hpp>
#include <deed/trace/recorder.hpp>

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

/// @file
/// What devices do, in the recording of their rank.

namespace deed::runtime {

/// Made only where devices are recorded. Tells another watch as well.
///
/// Threads: as each function says.
class device_recording final : public gpu::driver_watch {
 public:
  /// `next` may be null. `in_our_time`: whether emulated devices live in the session's time. Else
  /// nothing they do takes any.
  device_recording(const clock& time, gpu::driver_watch* next, bool in_our_time) noexcept
      : time_(time), next_(next), in_our_time_(in_our_time) {}

  /// From now on; `to` lives longer. Threads: nobody steps yet.
  void start(trace::recorder& to, const gpu::device_set& all);

  /// The versions that a task of this rank finds of its data, in their order. Threads: the
  /// submitter, before the task can be ready.
  void inserted(std::uint64_t task, std::span<const ownership::effect> effects);
  /// They are forgotten; `gpu::no_number` for what was not known. Threads: any.
  [[nodiscard]] std::vector<std::uint64_t> take_versions(std::uint64_t task, std::size_t data);

  // Of `driver_watch`.
  [[nodiscard]] bool wants_copies() noexcept override;
  void ran(const gpu::task_seen& what) noexcept override;
  void copying(const gpu::copy_seen& what) noexcept override;
  void copied(const gpu::copy_seen& what) noexcept override;
  void evicted(const gpu::eviction_seen& what) noexcept override;
  void took_memory(const gpu::memory_seen& what) noexcept override;
  void gave_memory(const gpu::memory_seen& what) noexcept override;

 private:
  struct stamps {
    std::uint64_t begin, end;
  };
  void count_memory(const gpu::memory_seen& what) noexcept;
  [[nodiscard]] stamps stamps_of(std::size_t device, const gpu::device_times& when) const noexcept;
  /// The device that makes the copy.
  [[nodiscard]] static std::size_t maker_of(const gpu::copy_seen& copy) noexcept {
    return static_cast<std::size_t>(copy.to >= 0 ? copy.to : copy.from);
  }

  const clock& time_;
  gpu::driver_watch* const next_;
  const bool in_our_time_;
  trace::recorder* recorder_ = nullptr;
  std::vector<trace::stream*> streams_;  // By device; their writer is who steps.
  std::vector<bool> has_time_;           // By device.
  std::vector<std::uint16_t> in_use_;    // By device: the name of the counter of its bytes.
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> versions_;  // By task.
};

}  // namespace deed::runtime
