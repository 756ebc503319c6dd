// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>

#include "backend/emulated.hpp"
#include "backend/emulated_memory.hpp"
#include "backend/emulated_windows.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

/// @file
/// What the calls of the emulated device work on: streams, events, engines, and who does their
/// work.

namespace deed::gpu::emulation {

using std::chrono::nanoseconds;

enum engine : int { compute, to_device, to_host, none };

/// What one call of `record` left behind. A wait keeps the mark of the record that it saw.
struct mark {
  bool done = false;
  nanoseconds at{};
};

struct work {
  engine on = none;
  nanoseconds takes{};
  nanoseconds submitted{};
  std::uint64_t not_before_step = 0;  // A delay, where time is not what orders.
  bool stuck = false;
  std::function<void()> action;
  std::shared_ptr<mark> awaits;  // A wait.
  std::shared_ptr<mark> marks;   // A record.
};

struct stream_state {
  int device = 0;
  bool urgent = false;
  bool running = false;
  bool closing = false;
  nanoseconds ready_at{};
  std::deque<work> queue;
  [[nodiscard]] bool idle() const noexcept { return queue.empty() && !running; }
};

struct event_state {
  int device = 0;
  bool timing = false;
  std::shared_ptr<mark> last;
};

struct device_state {
  device_state(std::size_t bytes, bool shared) : memory(bytes, shared) {}
  emulated_memory memory;
  nanoseconds free_at[3]{};
  bool engine_running[3]{};
  bool lost = false;
  std::set<int> peers;
};

[[nodiscard]] constexpr status failed(error_kind kind, operation op) noexcept {
  return {kind, static_cast<int>(kind), op};
}
[[nodiscard]] constexpr status fine(operation op) noexcept { return {error_kind::none, 0, op}; }

class emulated_machine {
 public:
  explicit emulated_machine(const emulated_options& options)
      : options_(options), choice_(options.seed) {
    for (int i = 0; i < options.devices; ++i) {
      devices_.push_back(std::make_unique<device_state>(options.memory_bytes, options.windows));
    }
    if (options.windows) windows_.emplace();
    if (options.schedule != emulated_schedule::threaded) return;
    for (int i = 0; i < options.devices; ++i) {
      for (const engine on : {compute, to_device, to_host}) {
        threads_.emplace_back([this, i, on](std::stop_token stop) { serve(stop, i, on); });
      }
    }
  }
  ~emulated_machine() {
    for (auto& thread : threads_) thread.request_stop();
    {
      const std::lock_guard lock(mutex);
      changed_.notify_all();
    }
    threads_.clear();
    for (const auto& [address, bytes] : pinned_) ::operator delete(address, std::align_val_t{4096});
  }

  // All below are called with `mutex` held.
  [[nodiscard]] bool threaded() const noexcept {
    return options_.schedule == emulated_schedule::threaded;
  }
  [[nodiscard]] int devices() const noexcept { return static_cast<int>(devices_.size()); }
  [[nodiscard]] bool exists(int device) const noexcept { return device >= 0 && device < devices(); }
  device_state& at(int device) { return *devices_[static_cast<std::size_t>(device)]; }
  int& current() { return current_[std::this_thread::get_id()]; }
  void spend_call() noexcept { now_ += options_.costs.call; }
  [[nodiscard]] nanoseconds time() const noexcept {
    return options_.time != nullptr ? options_.time->now() : now_;
  }

  /// The checks that every call on a stream begins with.
  status enter(stream_ref ref, operation op) {
    spend_call();
    auto* stream = static_cast<stream_state*>(ref.native());
    if (!streams_.contains(stream) || stream->closing) return failed(error_kind::invalid, op);
    if (at(stream->device).lost) return failed(error_kind::device_lost, op);
    if (current() != stream->device) return failed(error_kind::invalid, op);
    return fine(op);
  }

  void submit(stream_state& stream, work item) {
    item.submitted = time();
    if (disturbance_ && item.on != none) {
      if (disturbance_->what == fault::effect::delay) {
        item.takes += disturbance_->by;
        item.not_before_step = counters.steps + 40;
      }
      if (disturbance_->what == fault::effect::stuck) item.stuck = true;
      disturbance_.reset();
    }
    stream.queue.push_back(std::move(item));
    changed_.notify_all();
  }

  [[nodiscard]] bool runnable(const stream_state& stream) const {
    if (stream.running || stream.queue.empty()) return false;
    const work& head = stream.queue.front();
    if (head.stuck) return false;
    if (!threaded() && head.not_before_step > counters.steps) return false;
    if (head.awaits && !head.awaits->done) return false;
    return head.on == none ||
           !devices_[static_cast<std::size_t>(stream.device)]->engine_running[head.on];
  }
  [[nodiscard]] nanoseconds start_of(const stream_state& stream) const {
    const work& head = stream.queue.front();
    nanoseconds start = std::max(stream.ready_at, head.submitted);
    if (head.awaits) start = std::max(start, head.awaits->at);
    if (head.on != none) {
      start = std::max(start, devices_[static_cast<std::size_t>(stream.device)]->free_at[head.on]);
    }
    return start;
  }

  /// Runs the head of the stream; the lock is given up meanwhile.
  void run_head(std::unique_lock<std::mutex>& lock, stream_state& stream) {
    work item = std::move(stream.queue.front());
    stream.queue.pop_front();
    device_state& device = at(stream.device);
    nanoseconds start = std::max(stream.ready_at, item.submitted);
    if (item.awaits) start = std::max(start, item.awaits->at);
    if (item.on != none) start = std::max(start, device.free_at[item.on]);
    stream.running = true;
    if (item.on != none) device.engine_running[item.on] = true;
    if (item.action) {
      lock.unlock();
      if (threaded() && item.not_before_step != 0) std::this_thread::sleep_for(item.takes);
      item.action();
      item.action = nullptr;
      lock.lock();
    }
    stream.running = false;
    const nanoseconds end = start + item.takes;
    stream.ready_at = end;
    if (item.on != none) {
      device.engine_running[item.on] = false;
      device.free_at[item.on] = end;
      counters.engine_busy[item.on] += item.takes;
    }
    if (item.marks) {
      item.marks->done = true;
      item.marks->at = end;
    }
    if (options_.time != nullptr) ends_.insert(end);
    ++counters.steps;
    if (stream.closing && stream.idle()) streams_.erase(&stream);
    changed_.notify_all();
  }

  /// One step of the one-threaded schedules.
  bool advance(std::unique_lock<std::mutex>& lock) {
    std::vector<stream_state*> heads;
    for (const auto& [key, stream] : streams_) {
      if (runnable(*stream)) heads.push_back(stream.get());
    }
    if (heads.empty()) {
      // Delays count steps, so time goes on when nothing else can.
      const bool delayed = std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
        const auto& queue = entry.second->queue;
        return !queue.empty() && !queue.front().stuck &&
               queue.front().not_before_step > counters.steps;
      });
      if (delayed) ++counters.steps;
      return delayed;
    }
    // The map is ordered by address, which differs from run to run; the number of a stream does
    // not.
    std::sort(heads.begin(), heads.end(),
              [&](auto* a, auto* b) { return numbers_.at(a) < numbers_.at(b); });
    if (options_.schedule == emulated_schedule::timed) {
      run_head(lock, **std::min_element(heads.begin(), heads.end(), [&](auto* a, auto* b) {
                 return start_of(*a) < start_of(*b);
               }));
    } else {
      run_head(lock, *heads[choice_.below(heads.size())]);
    }
    return true;
  }

  /// Whether the host sees the mark as done. In virtual time that is later than the execution.
  [[nodiscard]] bool seen(const std::shared_ptr<mark>& wanted) const noexcept {
    if (!wanted) return true;
    return wanted->done && (options_.schedule != emulated_schedule::timed || wanted->at <= time());
  }

  /// Lets work happen until `reached`; false if it never will be.
  template <class Reached>
  bool run_until(std::unique_lock<std::mutex>& lock, Reached reached) {
    if (threaded()) {
      // Work that is stuck would never wake us.
      return changed_.wait_for(lock, std::chrono::seconds(2), reached);
    }
    while (!reached()) {
      if (!advance(lock)) return false;
    }
    return true;
  }

  /// The host asks, and gets no: the machine makes some progress.
  void ask(std::unique_lock<std::mutex>& lock, const std::shared_ptr<mark>& wanted) {
    if (threaded()) return;
    if (options_.schedule == emulated_schedule::stepped) {
      advance(lock);
      return;
    }
    // Execute what begins before now, then let the clock run to the end of what was asked for.
    for (;;) {
      const stream_state* first = nullptr;
      for (const auto& [key, stream] : streams_) {
        if (runnable(*stream) && (!first || start_of(*stream) < start_of(*first)))
          first = stream.get();
      }
      const bool until_now = wanted->done || options_.time != nullptr;
      if (!first || (until_now && start_of(*first) > time())) break;
      if (!advance(lock)) break;
    }
    if (wanted->done) now_ = std::max(now_, std::min(wanted->at, now_ + 10 * options_.costs.call));
  }

  [[nodiscard]] std::optional<nanoseconds> next_end() {
    ends_.erase(ends_.begin(), ends_.upper_bound(time()));
    return ends_.empty() ? std::nullopt : std::optional(*ends_.begin());
  }

  void lose(std::unique_lock<std::mutex>& lock, int device) {
    device_state& lost = at(device);
    lost.lost = true;
    for (auto& [key, stream] : streams_) {
      if (stream->device != device) continue;
      for (auto& item : stream->queue) {
        if (item.marks) item.marks->done = true;
      }
      stream->queue.clear();
    }
    changed_.notify_all();
    // A kernel is a function of the program, and may use what ends when its task has failed.
    changed_.wait(lock, [&] {
      return std::none_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
        return entry.second->device == device && entry.second->running;
      });
    });
  }

  void serve(const std::stop_token& stop, int device, engine on) {
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      stream_state* next = nullptr;
      for (const auto& [key, stream] : streams_) {
        if (stream->queue.empty() || stream->device != device) continue;
        const work& head = stream->queue.front();
        if ((head.on == none ? compute : head.on) != on) continue;
        if (runnable(*stream)) next = stream.get();
      }
      if (next) {
        run_head(lock, *next);
      } else {
        changed_.wait(lock);
      }
    }
  }

  /// The bytes of a span, or null if it does not name live memory of its space.
  [[nodiscard]] std::byte* resolve(const raw_span& span) {
    if (span.space != memory_space::device) return span.address;
    return exists(span.device) ? at(span.device).memory.shadow(span.address, span.bytes) : nullptr;
  }

  std::mutex mutex;
  emulated_counters counters;
  const emulated_options options_;
  random_source choice_;
  std::vector<std::unique_ptr<device_state>> devices_;
  std::optional<emulated_windows> windows_;
  std::map<stream_state*, std::unique_ptr<stream_state>> streams_;
  std::map<const stream_state*, std::uint64_t> numbers_;
  std::map<event_state*, std::unique_ptr<event_state>> events_;
  std::map<void*, std::size_t> pinned_;
  std::map<void*, std::size_t> registered_;
  std::map<std::thread::id, int> current_;
  std::uint64_t streams_made_ = 0;
  std::optional<fault> disturbance_;
  nanoseconds now_{};
  std::set<nanoseconds> ends_;             // Of work, on a clock that others move.
  std::vector<std::byte> something_else_;  // Of a network that lies.
  std::condition_variable changed_;
  std::vector<std::jthread> threads_;
};

}  // namespace deed::gpu::emulation
