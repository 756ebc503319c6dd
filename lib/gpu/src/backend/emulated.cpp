// SPDX-License-Identifier: MIT
#include "backend/emulated.hpp"

#include <deed/base/random.hpp>

#include "backend/emulated_memory.hpp"
#include "backend/emulated_windows.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace deed::gpu {
namespace {

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

/// Runs a kernel on second addresses of its memory, which end with it.
void run_in_windows(emulated_windows& windows, const emulated_kernel& kernel,
                    std::span<std::byte* const> memory) {
  std::vector<emulated_windows::window> open;
  std::vector<std::byte*> addresses;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    open.push_back(windows.open({memory[i], kernel.memory[i].bytes}));
    addresses.push_back(open.back().address);
  }
  kernel.run(addresses);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (kernel.ended && !open[i].pages.empty()) kernel.ended(i, open[i].pages);
    windows.close(open[i]);
  }
}

constexpr status failed(error_kind kind, operation op) noexcept {
  return {kind, static_cast<int>(kind), op};
}
constexpr status fine(operation op) noexcept { return {error_kind::none, 0, op}; }

}  // namespace

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

emulated_api::emulated_api(const emulated_options& options)
    : machine_(std::make_unique<emulated_machine>(options)) {}
emulated_api::~emulated_api() {
  if (emulated_leftovers* left = machine_->options_.leftovers) {
    const emulated_counters all = counters();
    *left = {all.live_streams, all.live_events, all.live_allocations, all.live_pinned,
             all.busy_streams_destroyed};
  }
}

bool emulated_api::advance() noexcept {
  std::unique_lock lock(machine_->mutex);
  return machine_->advance(lock);
}

nanoseconds emulated_api::now() const noexcept {
  const std::lock_guard lock(machine_->mutex);
  return machine_->time();
}

emulated_counters emulated_api::counters() const {
  const std::lock_guard lock(machine_->mutex);
  emulated_counters all = machine_->counters;
  all.live_streams = machine_->streams_.size();
  all.live_events = machine_->events_.size();
  all.live_pinned = machine_->pinned_.size();
  for (const auto& device : machine_->devices_) {
    if (device->lost) continue;  // Its memory went with it.
    all.live_allocations += device->memory.live();
    all.used_bytes += device->memory.used();
    all.peak_bytes = std::max(all.peak_bytes, device->memory.peak());
  }
  return all;
}

std::byte* emulated_api::shadow(const void* address) const noexcept {
  const std::lock_guard lock(machine_->mutex);
  for (const auto& device : machine_->devices_) {
    if (std::byte* found = device->memory.shadow(address, 1)) return found;
  }
  return nullptr;
}

std::byte* emulated_api::network_address(raw_span memory) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (machine_->options_.network == emulated_network::none) return nullptr;
  std::byte* const bytes = machine_->resolve(memory);
  if (bytes == nullptr || machine_->options_.network == emulated_network::reads) return bytes;
  machine_->something_else_.resize(std::max(machine_->something_else_.size(), memory.bytes));
  return machine_->something_else_.data();
}

std::string emulated_api::native_name(int native) const {
  return std::string(to_string(static_cast<error_kind>(native)));
}

status emulated_api::count(int& devices, std::string& why_none) {
  devices = machine_->devices();
  if (devices > 0) return fine(operation::count);
  why_none = "no emulated device was asked for";
  return failed(error_kind::no_device, operation::count);
}

status emulated_api::attributes(int device, device_attributes& found) {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device)) return failed(error_kind::invalid, operation::attributes);
  found = {.name = "emulated " + std::to_string(device),
           .memory_bytes = machine_->at(device).memory.capacity(),
           .compute_major = 1,
           .multiprocessors = 1,
           .copy_engines = 2};
  return fine(operation::attributes);
}

status emulated_api::memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::memory_info);
  const emulated_memory& memory = machine_->at(device).memory;
  total_bytes = memory.capacity();
  free_bytes = memory.capacity() - memory.used();
  return fine(operation::memory_info);
}

status emulated_api::set_device(int device) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device)) return failed(error_kind::invalid, operation::set_device);
  machine_->current() = device;
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::set_device);
  return fine(operation::set_device);
}

status emulated_api::get_device(int& device) noexcept {
  const std::lock_guard lock(machine_->mutex);
  device = machine_->current();
  return fine(operation::get_device);
}

status emulated_api::allocate(std::size_t bytes, void*& address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  address = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::allocate);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::allocate);
  if (bytes == 0) return fine(operation::allocate);
  address = machine_->at(device).memory.allocate(bytes);
  return address ? fine(operation::allocate)
                 : failed(error_kind::out_of_memory, operation::allocate);
}

status emulated_api::release(void* address) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr) return fine(operation::release);
  for (int i = 0; i < machine_->devices(); ++i) {
    device_state& device = machine_->at(i);
    if (!device.memory.owns(address)) continue;
    // The vendors stop until the device is idle.
    const auto idle = [&] {
      return std::all_of(
          machine_->streams_.begin(), machine_->streams_.end(),
          [&](const auto& entry) { return entry.second->device != i || entry.second->idle(); });
    };
    if (!idle()) {
      ++machine_->counters.blocking_frees;
      machine_->run_until(lock, idle);
    }
    if (!device.memory.release(address)) return failed(error_kind::invalid, operation::release);
    return device.lost ? failed(error_kind::device_lost, operation::release)
                       : fine(operation::release);
  }
  return failed(error_kind::invalid, operation::release);
}

status emulated_api::allocate_pinned(std::size_t bytes, void*& address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  address = ::operator new(bytes, std::align_val_t{4096}, std::nothrow);
  if (address == nullptr) return failed(error_kind::out_of_memory, operation::allocate_pinned);
  machine_->pinned_.emplace(address, bytes);
  return fine(operation::allocate_pinned);
}

status emulated_api::release_pinned(void* address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr) return fine(operation::release_pinned);
  if (machine_->pinned_.erase(address) == 0) {
    return failed(error_kind::invalid, operation::release_pinned);
  }
  ::operator delete(address, std::align_val_t{4096});
  return fine(operation::release_pinned);
}

status emulated_api::register_host(void* address, std::size_t bytes) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  if (address == nullptr || !machine_->registered_.emplace(address, bytes).second) {
    return failed(error_kind::invalid, operation::register_host);
  }
  return fine(operation::register_host);
}

status emulated_api::unregister_host(void* address) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  return machine_->registered_.erase(address) != 0
             ? fine(operation::unregister_host)
             : failed(error_kind::invalid, operation::unregister_host);
}

status emulated_api::create_stream(bool urgent, void*& stream) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  stream = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::create_stream);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::create_stream);
  auto made = std::make_unique<stream_state>();
  made->device = device;
  made->urgent = urgent;
  stream = made.get();
  machine_->numbers_[made.get()] = machine_->streams_made_++;
  machine_->streams_.emplace(made.get(), std::move(made));
  return fine(operation::create_stream);
}

status emulated_api::destroy_stream(stream_ref ref) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  const auto found = machine_->streams_.find(static_cast<stream_state*>(ref.native()));
  if (found == machine_->streams_.end() || found->second->closing) {
    return failed(error_kind::invalid, operation::destroy_stream);
  }
  if (found->second->idle()) {
    machine_->streams_.erase(found);
  } else {
    found->second->closing = true;
    ++machine_->counters.busy_streams_destroyed;
  }
  return fine(operation::destroy_stream);
}

status emulated_api::query_stream(stream_ref ref, bool& idle) noexcept {
  std::unique_lock lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::query_stream);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  idle = stream.idle();
  if (!idle && !machine_->threaded()) machine_->advance(lock);
  return entered;
}

status emulated_api::sync_stream(stream_ref ref) noexcept {
  std::unique_lock lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::sync_stream);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  if (!machine_->run_until(lock, [&] { return stream.idle(); })) {
    return failed(error_kind::timeout, operation::sync_stream);
  }
  machine_->now_ = std::max(machine_->now_, stream.ready_at);
  return entered;
}

status emulated_api::sync_device() noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::sync_device);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::sync_device);
  const bool reached = machine_->run_until(lock, [&] {
    return std::all_of(
        machine_->streams_.begin(), machine_->streams_.end(),
        [&](const auto& entry) { return entry.second->device != device || entry.second->idle(); });
  });
  return reached ? fine(operation::sync_device)
                 : failed(error_kind::timeout, operation::sync_device);
}

status emulated_api::create_event(bool timing, void*& event) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  event = nullptr;
  const int device = machine_->current();
  if (!machine_->exists(device)) return failed(error_kind::no_device, operation::create_event);
  if (machine_->at(device).lost) return failed(error_kind::device_lost, operation::create_event);
  auto made = std::make_unique<event_state>();
  made->device = device;
  made->timing = timing;
  event = made.get();
  machine_->events_.emplace(made.get(), std::move(made));
  return fine(operation::create_event);
}

status emulated_api::destroy_event(event_ref event) noexcept {
  const std::lock_guard lock(machine_->mutex);
  machine_->spend_call();
  return machine_->events_.erase(static_cast<event_state*>(event.native())) != 0
             ? fine(operation::destroy_event)
             : failed(error_kind::invalid, operation::destroy_event);
}

status emulated_api::record(event_ref ref, stream_ref stream) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(stream, operation::record);
  if (!entered.ok()) return entered;
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  auto& on = *static_cast<stream_state*>(stream.native());
  if (event == machine_->events_.end() || event->second->device != on.device) {
    return failed(error_kind::invalid, operation::record);
  }
  event->second->last = std::make_shared<mark>();
  work item;
  item.marks = event->second->last;
  machine_->submit(on, std::move(item));
  return entered;
}

status emulated_api::wait(stream_ref stream, event_ref ref) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(stream, operation::wait);
  if (!entered.ok()) return entered;
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::wait);
  if (!event->second->last) return entered;  // Never recorded: nothing to wait for.
  work item;
  item.awaits = event->second->last;
  machine_->submit(*static_cast<stream_state*>(stream.native()), std::move(item));
  return entered;
}

status emulated_api::query(event_ref ref, bool& done) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::query);
  if (machine_->at(event->second->device).lost) {
    return failed(error_kind::device_lost, operation::query);
  }
  const std::shared_ptr<mark> wanted = event->second->last;
  done = machine_->seen(wanted);
  if (!done) machine_->ask(lock, wanted);
  if (machine_->options_.time != nullptr) done = machine_->seen(wanted);
  return fine(operation::query);
}

status emulated_api::sync_event(event_ref ref) noexcept {
  std::unique_lock lock(machine_->mutex);
  machine_->spend_call();
  const auto event = machine_->events_.find(static_cast<event_state*>(ref.native()));
  if (event == machine_->events_.end()) return failed(error_kind::invalid, operation::sync_event);
  if (machine_->at(event->second->device).lost) {
    return failed(error_kind::device_lost, operation::sync_event);
  }
  const std::shared_ptr<mark> wanted = event->second->last;
  if (!wanted) return fine(operation::sync_event);
  if (!machine_->run_until(lock, [&] { return wanted->done; })) {
    return failed(error_kind::timeout, operation::sync_event);
  }
  machine_->now_ = std::max(machine_->now_, wanted->at);
  return fine(operation::sync_event);
}

status emulated_api::elapsed(event_ref from, event_ref to, nanoseconds& time) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const auto first = machine_->events_.find(static_cast<event_state*>(from.native()));
  const auto last = machine_->events_.find(static_cast<event_state*>(to.native()));
  if (first == machine_->events_.end() || last == machine_->events_.end() ||
      !first->second->timing || !last->second->timing || !first->second->last ||
      !last->second->last || !first->second->last->done || !last->second->last->done) {
    return failed(error_kind::invalid, operation::elapsed);
  }
  time = last->second->last->at - first->second->last->at;
  return fine(operation::elapsed);
}

status emulated_api::copy(stream_ref ref, raw_span to, raw_span from) noexcept {
  std::unique_lock lock(machine_->mutex);
  const operation op = copy_operation(to, from);
  const status entered = machine_->enter(ref, op);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  std::byte* const target = machine_->resolve(to);
  const std::byte* const source = machine_->resolve(from);
  if (target == nullptr || source == nullptr || to.bytes != from.bytes) {
    return failed(error_kind::invalid, op);
  }
  const emulated_costs& costs = machine_->options_.costs;
  double bytes_per_ns = costs.link_bytes_per_ns;
  engine on = op == operation::copy_to_device ? to_device : to_host;
  if (op == operation::copy_peer) {
    if (!machine_->at(stream.device)
             .peers.contains(to.device == stream.device ? from.device : to.device)) {
      return failed(error_kind::not_supported, op);
    }
    bytes_per_ns = costs.peer_bytes_per_ns;
  } else if (op == operation::copy_within) {
    on = compute;
    bytes_per_ns = costs.memory_bytes_per_ns;
  } else if ((to.space == memory_space::device ? to : from).device != stream.device) {
    return failed(error_kind::invalid, op);
  }
  work item;
  item.on = on;
  item.takes = costs.copy_latency +
               nanoseconds(static_cast<long long>(static_cast<double>(to.bytes) / bytes_per_ns));
  const bool corrupt =
      machine_->disturbance_ && machine_->disturbance_->what == fault::effect::corrupt;
  if (corrupt) machine_->disturbance_.reset();
  item.action = [target, source, bytes = to.bytes, corrupt] {
    std::memcpy(target, source, bytes);
    if (corrupt && bytes > 0) target[bytes / 2] ^= std::byte{0x10};
  };
  machine_->submit(stream, std::move(item));
  const bool pageable = to.space == memory_space::host || from.space == memory_space::host;
  if (!pageable) return entered;
  ++machine_->counters.blocking_copies;
  const bool reached = machine_->run_until(lock, [&] { return stream.idle(); });
  machine_->now_ = std::max(machine_->now_, stream.ready_at);
  return reached ? entered : failed(error_kind::timeout, op);
}

status emulated_api::fill(stream_ref ref, raw_span to, unsigned char value) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::fill);
  if (!entered.ok()) return entered;
  std::byte* const target = machine_->resolve(to);
  if (target == nullptr || to.space != memory_space::device) {
    return failed(error_kind::invalid, operation::fill);
  }
  work item;
  item.on = compute;
  item.takes = machine_->options_.costs.copy_latency;
  item.action = [target, bytes = to.bytes, value] { std::memset(target, value, bytes); };
  machine_->submit(*static_cast<stream_state*>(ref.native()), std::move(item));
  return entered;
}

status emulated_api::can_access_peer(int device, int peer, bool& can) noexcept {
  const std::lock_guard lock(machine_->mutex);
  if (!machine_->exists(device) || !machine_->exists(peer)) {
    return failed(error_kind::invalid, operation::can_access_peer);
  }
  can = device != peer && machine_->options_.peers;
  return fine(operation::can_access_peer);
}

status emulated_api::enable_peer(int peer) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (!machine_->exists(peer) || peer == device)
    return failed(error_kind::invalid, operation::enable_peer);
  if (!machine_->options_.peers) return failed(error_kind::not_supported, operation::enable_peer);
  machine_->at(device).peers.insert(peer);
  return fine(operation::enable_peer);
}

status emulated_api::last_error() noexcept {
  const std::lock_guard lock(machine_->mutex);
  const int device = machine_->current();
  if (machine_->exists(device) && machine_->at(device).lost) {
    return failed(error_kind::device_lost, operation::last_error);
  }
  return fine(operation::last_error);
}

status emulated_api::launch(stream_ref ref, emulated_kernel kernel) noexcept {
  const std::lock_guard lock(machine_->mutex);
  const status entered = machine_->enter(ref, operation::launch);
  if (!entered.ok()) return entered;
  auto& stream = *static_cast<stream_state*>(ref.native());
  std::vector<std::byte*> memory;
  for (const touched& part : kernel.memory) {
    memory.push_back(part.bytes == 0 ? part.address
                                     : machine_->resolve({part.address, part.bytes,
                                                          memory_space::device, stream.device}));
    if (memory.back() == nullptr && part.bytes != 0)
      return failed(error_kind::invalid, operation::launch);
  }
  work item;
  item.on = compute;
  item.takes = kernel.takes > nanoseconds{0} ? kernel.takes : machine_->options_.costs.kernel;
  if (machine_->windows_) {
    item.action = [&windows = *machine_->windows_, kernel = std::move(kernel),
                   memory = std::move(memory)] { run_in_windows(windows, kernel, memory); };
  } else {
    item.action = [run = std::move(kernel.run), memory = std::move(memory)] { run(memory); };
  }
  machine_->submit(stream, std::move(item));
  return entered;
}

std::optional<nanoseconds> emulated_api::next_change() noexcept {
  const std::lock_guard lock(machine_->mutex);
  return machine_->next_end();
}

bool emulated_api::disturb(const fault& disturbance) noexcept {
  std::unique_lock lock(machine_->mutex);
  if (disturbance.what == fault::effect::device_lost) {
    const int device = machine_->current();
    if (machine_->exists(device)) machine_->lose(lock, device);
  } else {
    machine_->disturbance_ = disturbance;
  }
  return true;
}

}  // namespace deed::gpu
