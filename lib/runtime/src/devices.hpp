// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/random.hpp>
#include <deed/gpu/driver.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/runtime/options.hpp>
#include <deed/runtime/statistics.hpp>
#include <deed/transport/endpoint.hpp>

#include "device_recording.hpp"
#include "failures.hpp"
#include "worker_choice.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// @file
/// The devices of one rank: which tasks run there, and who has the value of a datum meanwhile.

namespace deed::runtime {

class core;
struct context;
struct node;
struct replica;
class kept_views;
struct task_node;

/// A value on a device, and its memory at home, which is not as it was.
struct trial_value {
  std::vector<std::byte> home;
  std::optional<gpu::coherent_datum> datum;
  std::optional<gpu::host_lease> lease;
};

/// Which devices the ranks of a session have. The same on every rank.
struct device_kinds {
  struct kind {
    bool somewhere = false;
    bool everywhere = false;
    std::vector<bool> on;  // By rank; filled only where some have it and some do not.
    [[nodiscard]] bool at(std::uint32_t rank) const {
      return everywhere || (somewhere && on[rank]);
    }
  };
  kind cuda, hip;
};

/// Between the task graph and the driver of the devices.
///
/// A task that goes to a device counts as past for the graph as soon as the driver has it: the
/// driver keeps the order from there on, so that tasks of one device follow each other without the
/// processor. Whoever needs a value on the host afterwards takes a lease of it: tasks on
/// processors, messages, borrows, ends of data. A datum that no device ever touched costs nothing.
///
/// | the datum | task here | task on a device | message, borrow | end |
/// |---|---|---|---|---|
/// | never on a device | runs | is held, then submitted | begins | ends |
/// | held | lease, then runs | submitted | lease, then begins | given up, then ends |
///
/// Threads: any, but for what a comment excepts.
class devices {
 public:
  /// Null if there are none. `summary` says so in one line, with the reasons.
  static std::unique_ptr<devices> open(core& home, const rank_environment& environment,
                                       const session_options& options, std::string& summary);
  ~devices();

  /// A node waits for nothing any more. True if it is not to be run now: a device runs it, or it
  /// comes again when its values are here.
  bool take(context& self, node& ready);
  /// A task that a processor is to run, once all that are ready have their workers: else the
  /// devices would wait meanwhile. Null if there is none.
  [[nodiscard]] task_node* next_parked();
  [[nodiscard]] bool any_parked() const noexcept {
    return parked_count_.load(std::memory_order_acquire) != 0;
  }
  /// Why a node that was leased has no values; null if it has.
  [[nodiscard]] shared_failure lacking(const node& leased);
  /// The node that has a lease is done with its data.
  void release(node& done) noexcept;
  /// Looks after the devices; asks up to `polls` times for news. True if there were any.
  bool step(context& self, int polls);

  /// Something is under way that only a step brings on.
  [[nodiscard]] bool busy() const noexcept {
    return under_way_.load(std::memory_order_acquire) != 0 || driver_.asked();
  }
  /// True for one thread at a time, while they are busy: it looks after them instead of sleeping.
  [[nodiscard]] bool watch() noexcept {
    return busy() && !watched_.exchange(true, std::memory_order_acq_rel);
  }
  /// How long a thread that watches them may sleep.
  [[nodiscard]] std::chrono::nanoseconds until_next() const;
  void look_away() noexcept { watched_.store(false, std::memory_order_release); }

  [[nodiscard]] bool have(gpu::backend kind) const;
  [[nodiscard]] bool pin(std::span<std::byte> memory) { return driver_.pin(memory); }
  void unpin(const std::byte* address) noexcept { driver_.unpin(address); }
  /// Devices whose memory the network says it reads, a bit each.
  [[nodiscard]] std::uint64_t readable(const transport::endpoint_limits& network) const;
  /// A value that is on the device alone, for a trial; its lease is ready.
  [[nodiscard]] std::unique_ptr<trial_value> make_trial(int device, std::vector<std::byte> bytes);
  /// The network is done with them.
  void end_trial(std::vector<std::unique_ptr<trial_value>>& values);
  /// From now on messages are sent from the memory of these devices.
  void send_from(std::uint64_t these) noexcept { direct_ = these; }
  /// What a message that has a lease is sent from, if that is the memory of a device; else empty.
  [[nodiscard]] const_memory_block to_send(const node& leased);
  /// Whether what a message that has a lease is sent from is still on its way home.
  [[nodiscard]] bool comes_in_pieces(const node& leased);
  /// How many bytes of it are there, from the front; `lost` is set if no more will come.
  [[nodiscard]] std::uint64_t arrived(const node& leased, std::exception_ptr& lost) noexcept;
  /// Whether what tasks take on processors is to be told to `ran_here`.
  [[nodiscard]] bool measures() const noexcept { return choice_ != nullptr; }
  void ran_here(const task_node& task, std::chrono::nanoseconds took);
  /// What a recording keeps of a task that no device will run.
  void forget(const task_node& task);
  /// Null unless devices are recorded.
  [[nodiscard]] device_recording* recording() noexcept { return recording_.get(); }
  void start_recording(trace::recorder& to) {
    if (recording_ != nullptr) recording_->start(to, driver_.devices());
  }

  /// With `device_options::check_order`: what the driver failed to order. Empty: nothing.
  [[nodiscard]] std::string unordered() const;
  void add_to(deed::statistics& sum) const;
  /// What each device held at most and holds now, and the names of what it holds.
  [[nodiscard]] std::string residency() const;
  /// Brings home what lies in memory of the program. Threads: the last one; nothing is under way.
  /// @throws deed::gpu::data_lost if the value went with its device.
  void bring_home(context& self, replica& datum);

 private:
  struct device_scratch;
  struct on_device;  // A task that a device has.
  struct arrival {
    node* which;
    std::shared_ptr<on_device> ended;  // Null: a lease was granted, or a datum was given up.
  };

  /// How a worker is chosen where several can run a task.
  enum class rule : std::uint8_t {
    at_random,  // Simulated: any order and any place is right, so all are tried.
    spread,     // Emulated devices that are there for their errors: they are never faster.
    by_cost,
    by_program,
  };
  struct way {  // To a worker; the device's memory may still refuse.
    int worker = -1;
    bool by_cost = false;
    worker_choice::decision costs{};
  };

  devices(core& home, gpu::device_set found, const rank_environment& environment,
          const session_options& options, std::uint64_t seed);
  [[nodiscard]] static rule rule_for(const gpu::device_set& found,
                                     const rank_environment& environment,
                                     const session_options& options);
  [[nodiscard]] gpu::driver_watch* watcher() const noexcept;
  [[nodiscard]] way choose(task_node& task);
  [[nodiscard]] way choose_by_program(task_node& task, const std::vector<int>& able);
  [[nodiscard]] way spread(const task_node& task, const std::vector<int>& able) const;
  [[nodiscard]] std::vector<choice_operand> operands_of(task_node& task) const;
  void commit(task_node& task, const way& to);
  void park(task_node& task);
  [[nodiscard]] bool can_run(const task_node& task, const gpu::device_info& device) const;
  [[nodiscard]] static bool can_hold(const replica& datum) noexcept;
  [[nodiscard]] held_datum* hold(replica& datum, bool writes);
  bool hold_all(task_node& task);
  /// False: a processor runs it.
  bool start(context& self, task_node& task, const way& to);
  [[nodiscard]] std::unique_ptr<device_scratch> scratch_for(task_node& task);
  void submit(context& self, task_node& task, const way& to,
              std::unique_ptr<device_scratch> scratch);
  /// `anew`: nothing is kept of what it writes.
  bool lease(node& wanting, bool anew = false);
  /// Whether it may leave from a device, or while it comes home.
  [[nodiscard]] bool may_go_early(const node& wanting) const;
  bool give_up(node& end);
  void arrive(arrival news);
  void receive(context& self, const arrival& news);
  void finish(context& self, on_device& ended);
  void come_back(context& self, node& ready);

  // device_failures.cpp
  [[nodiscard]] static std::exception_ptr reason_of(const std::exception_ptr& error);
  void end_run(context& self, const std::exception_ptr& error, std::uint32_t datum);
  void tell(context& self, const std::exception_ptr& error, std::uint32_t datum);
  void tell_of(context& self, task_node& task, const std::exception_ptr& error);
  void go_without(context& self, node& back, const std::exception_ptr& error);

  core& home_;
  const clock& time_;
  const rule rule_;
  const std::function<std::optional<gpu::device_id>(const worker_request&)> program_;
  const gpu::emulated_costs costs_;
  const bool emulated_readable_;
  std::uint64_t direct_ = 0;  // Devices that messages leave directly; set before there are any.
  std::mutex random_mutex_;
  random_source random_;
  std::unique_ptr<worker_choice> choice_;        // Null unless costs decide.
  std::unique_ptr<device_recording> recording_;  // Null unless devices are recorded.
  std::atomic<std::int64_t> under_way_{0};
  std::atomic<bool> watched_{false};
  std::vector<std::atomic<int>> waiting_;  // Tasks that a device has.
  std::mutex holding_;
  std::mutex leases_mutex_;
  std::unordered_map<const node*, gpu::host_lease> leases_;
  std::unordered_set<const node*> in_pieces_;  // Of them: values that are still coming home.
  std::mutex parked_mutex_;
  std::vector<task_node*> parked_;  // A heap, by number.
  std::atomic<std::size_t> parked_count_{0};
  std::mutex arrivals_mutex_;
  std::vector<arrival> arrivals_;
  std::unique_ptr<kept_views> kept_views_;  // Null unless verify mode looks for them.
  gpu::driver driver_;                      // Last: its work in flight uses the others.
};

}  // namespace deed::runtime
