// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include "device_parts.hpp"
#include "driver/home_readers.hpp"
#include "driver/pinned.hpp"
#include "memory/arena.hpp"
#include "memory/events.hpp"
#include "memory/reaper.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace deed::gpu {

/// So often in a row a refusal is asked again; then it is taken for an answer.
constexpr int most_refusals = 3;

/// Of so many tasks a right to enqueue stays behind, to say whose it was. Then its memory is that
/// of another's: still one that answers.
constexpr std::size_t most_rights = 1024;

namespace detail {
class task_queue;
}

struct inbox;
struct request;
struct transfer;

/// How a writer ended. Whoever reads what it wrote shares it.
struct ending {
  bool done = false;
  std::exception_ptr error;
};

/// What one node has of a datum.
struct replica {
  replica_state state = replica_state::invalid;
  arena::block block;    ///< Empty on the host: that is the home.
  std::string made_for;  ///< The task that wanted the block; empty: it came ahead of its task.
  unsigned pins = 0;     ///< Requests and copies that need it here.
  event_handle ready;    ///< The contents are there behind it.
  event_list readers;    ///< A write here comes behind these.
  std::uint64_t version = 0;
  std::uint64_t last_use = 0;
  std::uint64_t lent = 0;  ///< Which launch on this device had it last; 0: none.
  transfer* loading = nullptr;
  bool ready_known = true;  ///< False while the last copy of a load is not enqueued.
  bool prefetched = false;  ///< And not used yet.
  std::exception_ptr load_error;

  [[nodiscard]] bool valid() const noexcept {
    return state == replica_state::shared || state == replica_state::modified;
  }
};

struct datum_core : std::enable_shared_from_this<datum_core> {
  std::string name;
  place where;
  std::uint64_t number = 0;         ///< The caller's own.
  std::uint64_t shown = no_number;  ///< The caller's count of its values.
  memory_block home;
  bool stays = true;              ///< The home is the same memory until the end.
  int home_copies = 0;            ///< From and to it, up to the one at which it is pinned.
  bool pinned_here = false;       ///< By the driver, because it came again.
  std::vector<replica> replicas;  ///< Of the host, then of each device.
  std::deque<std::pair<request*, access_mode>> tickets;  ///< In the order of submission.
  std::size_t waiting_writers = 0;                       ///< Of these.
  std::shared_ptr<ending> writer;
  std::uint64_t version = 0;
  std::shared_ptr<inbox> incoming;
  std::function<void()> gone;
  home_readers readers_at_home;  ///< That were let in at once.

  [[nodiscard]] std::size_t bytes() const noexcept { return home.bytes(); }
  [[nodiscard]] bool poisoned() const noexcept { return writer && writer->error; }
  [[nodiscard]] bool loading_elsewhere(int node) const noexcept;
  [[nodiscard]] bool valid_elsewhere(int node) const noexcept;
  [[nodiscard]] bool valid_anywhere() const noexcept { return valid_elsewhere(-1); }
};

/// What driver and lease share.
struct host_request {
  enum state : int { pending, granted, failed, ended };
  std::atomic<int> now{pending};
  std::exception_ptr error;
  std::vector<memory_block> memory;
  std::atomic<std::size_t> arrived{0};  ///< Bytes of the first memory.
  std::function<void()> on_granted;
  std::function<void()> end;  ///< Tells the driver; empty once the driver is gone.
};

/// Two timing events, around something; empty if nobody wants to know.
struct stamps {
  event_handle begin;
  event_handle end;
};

/// A device task or an access of the host.
struct request {
  struct use {
    std::shared_ptr<datum_core> datum;
    access_mode mode;
    std::uint64_t version;
  };
  enum class stage { queued, reserved, running };

  std::uint64_t number = 0;
  std::uint64_t of_caller = no_number;
  bool timed = false;
  int node = 0;
  stage at = stage::queued;
  std::string name;
  place where;
  std::vector<use> uses;
  std::function<void(enqueue&, std::span<const device_memory>)> body;
  std::function<void(std::span<const memory_block>)> on_host;
  std::function<void(std::exception_ptr)> done;
  std::shared_ptr<host_request> lease;
  std::uint64_t to_network_from = 0;  ///< Devices whose memory the network reads, a bit each.
  bool in_pieces = false;             ///< The value may be used while it comes home.
  int refusals = 0;
  bool asked_for_loads = false;
  bool waited_for = false;  ///< With `synchronous`: its kernels have ended.
  std::shared_ptr<ending> result = std::make_shared<ending>();
  std::vector<std::pair<std::string, std::shared_ptr<ending>>> upstream;
  std::shared_ptr<std::exception_ptr> kernel_error;  ///< Of a kernel on an emulated device.
  event_handle end;
  stamps times;  ///< Before and behind what the body enqueued, if it is timed.
  int queue = 0;
};

/// One datum on its way from node to node.
struct transfer {
  struct chunk {
    arena::block staging;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    event_handle done;
  };
  std::shared_ptr<datum_core> datum;
  int from = 0;
  int to = 0;
  copy_reason why = copy_reason::fetch;
  std::uint64_t version = no_number;
  std::uint64_t for_task = no_number;
  bool active = false;
  bool staged = false;  ///< By way of pinned memory of the driver.
  std::size_t issued = 0;
  std::deque<chunk> chunks;
  std::size_t collected = 0;  ///< Bytes that are there, from the front.
  bool in_pieces = false;     ///< Somebody wants to use the front before the end is there:
  std::vector<std::shared_ptr<host_request>> listeners;  ///< these do.
  int refusals = 0;
  bool over = false;
  bool timed = false;
  stamps times;
};

/// A stream and what was recorded on it.
struct lane {
  stream_ref ref;
  std::deque<event_handle> outstanding{};
  std::chrono::nanoseconds front_since{};
};

/// A datum that had memory of a device, and has it no more: a view of it may have been kept.
struct departed {
  arena::block block;
  std::string name;
  place where;
  std::uint64_t lent = 0;  ///< As of its `replica`.
};

struct device_state_of_driver {
  int node = 0;
  int ordinal = 0;
  device_info info;
  device_api* api = nullptr;
  check_api* check = nullptr;
  event_pool events;
  event_pool timers;   ///< That measure time.
  event_handle epoch;  ///< One of them; it happened at `epoch_at` of the driver's clock.
  std::chrono::nanoseconds epoch_at{};
  std::unique_ptr<arena> memory;
  std::unique_ptr<arena> pinned;
  std::shared_ptr<reaper> graves;
  std::deque<lane> compute;
  std::optional<lane> in;
  std::optional<lane> out;
  std::set<int> peers;            ///< Nodes that it may copy from.
  bool failing = false;           ///< Found lost in this step; the end of the step clears up.
  std::atomic<bool> dead{false};  ///< Written by steps, read by any.
  int refusals = 0;               ///< Queries in a row that were answered with an error.
  status why_lost{};
  std::shared_ptr<request> culprit;  ///< The task that lost it, where that is known.
  std::deque<std::shared_ptr<request>> queue;
  std::vector<std::shared_ptr<request>> running;
  std::list<std::unique_ptr<transfer>> to_device;
  std::list<std::unique_ptr<transfer>> to_host;
  std::set<datum_core*> residents;
  std::array<departed, 64> left;  ///< The last ones, in a circle.
  std::uint64_t departures = 0;
  std::size_t prefetched_bytes = 0;
  bool brief_tasks = false;      ///< What was seen to end last had not taken long.
  bool short_of_memory = false;  ///< A task waits for room: nothing is fetched ahead.
  std::size_t next_lane = 0;
};
using device_node = device_state_of_driver;

/// A call of a vendor's runtime that did not do what was asked.
struct call_failed {
  status what;
};

/// A request, or something else to do. The first is the usual one, and takes no memory of its own.
struct message {
  std::shared_ptr<request> fresh;
  std::function<void(driver::core&)> run;  ///< If there is no request.
};

/// What a step tells when it has let go of everything: the end of a task, or something else.
struct callback {
  std::function<void(std::exception_ptr)> done;
  std::exception_ptr error;
  std::function<void()> call;  ///< Instead of the end of a task.
};

/// What other threads ask of the driver, until a step takes it.
struct inbox {
  std::mutex mutex;
  std::vector<message> messages;
  std::atomic<bool> any{false};  ///< Of the messages; written with `mutex` held.
  bool closed = false;
  bool order_checked = false;  ///< Somebody wants to hear of each use. From the beginning.

  bool post(message one) {
    const std::lock_guard lock(mutex);
    if (!closed) messages.push_back(std::move(one));
    any.store(!messages.empty(), std::memory_order_release);
    return !closed;
  }
  bool post(std::function<void(driver::core&)> run) { return post({nullptr, std::move(run)}); }
};

/// The driver behind its interface. All but `inbox`, `adopted` and `open` belongs to whoever has
/// adopted it for a step.
struct driver::core {
  core(device_set set, driver_options wanted);
  ~core();

  // driver.cpp
  bool adopt() noexcept { return !adopted.exchange(true, std::memory_order_acquire); }
  void leave() noexcept { adopted.store(false, std::memory_order_release); }
  bool step();
  bool take_messages();
  void tell_later(std::function<void()> call) {
    callbacks.push_back({{}, nullptr, std::move(call)});
  }
  void tell(const callback& one);
  void drain();
  [[nodiscard]] bool quiet() const;
  void forget_gone_data();
  void retire(const std::shared_ptr<datum_core>& datum, std::function<void()> gone);

  // queue.cpp: asking, launching, ending
  void accept(const std::shared_ptr<request>& fresh);
  void enter(device_node& device);
  bool poll(device_node& device);
  bool complete(device_node& device);
  bool schedule(device_node& device);
  void look_ahead(device_node& device);
  bool launch(device_node& device, const std::shared_ptr<request>& task);
  bool ready_to_launch(device_node& device, request& task, std::exception_ptr& error);
  void release(request& task, const event_handle& end);
  void finish(device_node& device, request& task);
  void fail(const std::shared_ptr<request>& task, std::exception_ptr error);
  void tell_end(request& ended, const std::exception_ptr& error);
  void drop_tickets(request& task);
  [[nodiscard]] bool may_go(const request& task) const;
  [[nodiscard]] std::exception_ptr poison_of(const request& task) const;
  [[nodiscard]] static fault_site site_of(const device_node& device, const status& what,
                                          const request* task, const datum_core* datum);
  [[nodiscard]] static std::exception_ptr error_of(const device_node& device, const status& what,
                                                   const request* task, const datum_core* datum);
  lane& lane_for(device_node& device, const request& task);
  detail::task_queue& lend_right(device_node& device, lane& on, request& task);
  void stream_waits(device_node& device, lane& on, const event_list& events);
  event_handle record(device_node& device, lane& on);
  event_handle event_for(device_node& device, lane& on);

  // times.cpp: when things happened on a device
  void begin_times(device_node& device);
  event_handle stamp(device_node& device, lane& on);
  std::optional<device_times> times_of(device_node& device, const stamps& around);
  void tell_task(device_node& device, const request& task);
  void tell_copy(device_node& device, const transfer& copy);
  [[nodiscard]] static copy_seen description_of(const transfer& copy);

  // host.cpp: the host as a node
  std::shared_ptr<datum_core> lend_at_once(const operand& wanted, std::string_view name,
                                           memory_block& home);
  static void end_read(std::shared_ptr<datum_core> datum);
  bool schedule_host();
  bool grant(const std::shared_ptr<request>& access);
  void end_host(const std::shared_ptr<request>& access, std::exception_ptr error);
  void move_to_host(const std::shared_ptr<request>& task);
  host_lease lend(std::shared_ptr<request> fresh, std::function<void()> granted);
  void grant_now(const std::shared_ptr<request>& access, std::vector<memory_block> memory);

  // network.cpp: the network as a reader of devices
  enum class direct { granted, later, never };
  direct grant_to_network(const std::shared_ptr<request>& access);
  int source_for_network(const request& access);
  void note_network(const request& access);
  bool grant_in_pieces(const std::shared_ptr<request>& access);

  // room.cpp: memory of devices
  enum class room { yes, later, never };
  room reserve(device_node& device, request& task);
  void unreserve(device_node& device, request& task);
  bool take_block(device_node& device, datum_core& datum, std::string_view task, status& why_not);
  void give_block(device_node& device, datum_core& datum, bool evicted = false);
  bool make_room(device_node& device, std::size_t bytes);
  [[nodiscard]] bool busy(const device_node& device) const;
  void clean(device_node& device);

  // transfer.cpp
  void load(datum_core& datum, int node, copy_reason why, const request::use* asked = nullptr,
            std::uint64_t for_task = no_number);
  void start(datum_core& datum, int from, int to, copy_reason why,
             std::uint64_t for_task = no_number);
  bool pin(std::span<std::byte> memory);
  void pin_if_it_comes_again(datum_core& datum);
  bool move_data(device_node& device);
  bool advance(device_node& device, transfer& copy, bool may_begin);
  bool collect(device_node& device, transfer& copy);
  bool issue(device_node& device, transfer& copy);
  bool issue_direct(device_node& device, transfer& copy, lane& on);
  bool issue_chunk(device_node& device, transfer& copy, lane& on);
  void finish(transfer& copy);
  void fail(transfer& copy, std::exception_ptr error);

  // loss.cpp
  void lose(device_node& device, const status& why) noexcept;
  bool clear_up(device_node& device);
  void fail_what_ran(device_node& device);
  void relocate(const std::shared_ptr<request>& task, std::exception_ptr why);

  device_node& node(int number) { return *devices[static_cast<std::size_t>(number - 1)]; }
  [[nodiscard]] std::chrono::nanoseconds now() const {
    return options.time ? options.time->now() : machine_time.now();
  }
  void note_host(const datum_core& datum, bool written, std::string_view task);

  device_set set;
  driver_options options;
  real_clock machine_time;
  std::shared_ptr<inbox> incoming = std::make_shared<inbox>();
  std::atomic<bool> adopted{false};
  std::atomic<std::int64_t> open{0};  ///< Tasks and leases whose end was not told yet.

  pinned_memory pinned;  ///< Of the program.
  std::vector<std::unique_ptr<device_node>> devices;
  std::deque<std::shared_ptr<request>> host_queue;
  std::vector<std::shared_ptr<request>> host_running;
  std::vector<callback> callbacks;
  std::set<std::shared_ptr<datum_core>> data;
  std::vector<std::shared_ptr<datum_core>> retiring;  ///< Given up, and maybe still in use.
  std::uint64_t requests = 0;
  std::uint64_t ticks = 0;
  std::uint64_t records = 0;
  std::vector<std::unique_ptr<detail::task_queue>> rights;  ///< Of the last tasks, in a circle.
  std::uint64_t launches = 0;
  std::vector<touched> touches;  ///< Of the task that is launched just now, to check the order.
  event_list before_it;          ///< What that waits for.
  int current_device = -1;
  device_api* current_api = nullptr;
  statistics counters;
};

namespace detail {

/// What an `enqueue` does, for one task on one stream. It stays when the body has returned, so that
/// a right whose address was kept can say so.
class task_queue {
 public:
  explicit task_queue(driver::core& core) noexcept : core_(core), right_(*this) {}
  task_queue(const task_queue&) = delete;
  task_queue& operator=(const task_queue&) = delete;

  void begin(device_node& device, lane& on, request& task, std::uint64_t launch);
  void end() noexcept { task_ = nullptr; }
  [[nodiscard]] enqueue& right() noexcept { return right_; }
  /// Whether anything may have been enqueued.
  [[nodiscard]] bool used() const noexcept { return used_; }

 private:
  friend class deed::gpu::enqueue;
  /// @throws deed::error D813 if the body has returned.
  void check_time() const;
  /// @throws deed::error D211 if device memory of a datum is named that the task does not use.
  void check_lent(const std::byte* address, std::size_t bytes) const;
  void check_lent(const memory_block& memory) const;
  void check(const status& outcome) const;
  [[nodiscard]] error escaped(const std::string& datum, place registered, std::uint64_t lent) const;
  [[nodiscard]] error escaped_what_left(const std::byte* address) const;
  [[nodiscard]] const task_queue* lent_last(std::uint64_t launch) const;
  [[nodiscard]] std::string described() const;
  void tell_views(emulated_kernel& kernel) const;

  driver::core& core_;
  enqueue right_;
  device_node* device_ = nullptr;
  lane* lane_ = nullptr;
  request* task_ = nullptr;  ///< Null: it has ended.
  bool used_ = false;
  std::uint64_t launch_ = 0;
  std::string name_;  ///< Of the task, also when it has ended.
  place where_;
};

}  // namespace detail
}  // namespace deed::gpu
