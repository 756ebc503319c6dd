// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/place.hpp>
#include <deed/gpu/coherence.hpp>
#include <deed/gpu/device.hpp>
#include <deed/gpu/launch.hpp>
#include <deed/gpu/stats.hpp>
#include <deed/gpu/watch.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// @file
/// `driver`: runs tasks on devices and keeps data coherent. What `lib/runtime` uses.

namespace deed::gpu {

/// One datum of a task, and how it is used.
struct operand {
  const coherent_datum* datum = nullptr;
  access_mode mode = access_mode::read;
  std::uint64_t version = no_number;  ///< The caller's count of what it finds, for the watch.
};

/// Device memory of one operand, as a body gets it.
struct device_memory {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool written = false;

  /// The typed view; `T` is const for operands that are only read.
  template <class T>
  [[nodiscard]] device_span<T> as() const {
    return {device_ptr<T>(reinterpret_cast<T*>(address)), bytes / sizeof(T)};
  }
};

/// A task for one device.
struct device_task {
  device_id device{0};
  std::string name;
  std::uint64_t number = 0;  ///< The caller's own, for the watch.
  bool timed = false;        ///< Tell the watch when it ran: costs two events.
  std::vector<operand> operands;
  /// Enqueues the work and returns; the memory is that of the operands, in order.
  std::function<void(enqueue&, std::span<const device_memory>)> body;
  /// Runs instead if the device cannot: lost, or too small. May be empty.
  std::function<void(std::span<const memory_block>)> on_host;
  /// Called once, by whoever steps, when the task is complete or has failed. Must not throw.
  std::function<void(std::exception_ptr)> done;
  place where{};  ///< Where the user inserted it, for reports.
};

/// A body for emulated devices from one for the host: runs `on_host` on the device's own bytes.
[[nodiscard]] std::function<void(enqueue&, std::span<const device_memory>)> emulated_body(
    std::function<void(std::span<const memory_block>)> on_host,
    std::chrono::nanoseconds takes = {});

struct host_request;

/// Access of the host to data; ends with it.
///
/// | state | ready() | memory() | destroyed |
/// |---|---|---|---|
/// | pending | false | empty | withdrawn: never granted |
/// | granted | true | the homes of the operands | released: later accesses go on |
/// | failed | true; error() is set | empty | – |
///
/// One of `acquire_to_send` may be granted while its value is still on its way home: then `arrived`
/// grows, or it fails. `memory` is that of the lease: it is not to be used when that has moved.
class [[nodiscard]] host_lease {
 public:
  host_lease(host_lease&&) noexcept = default;
  host_lease& operator=(host_lease&&) = delete;
  ~host_lease();

  [[nodiscard]] bool ready() const noexcept;
  [[nodiscard]] std::exception_ptr error() const noexcept;
  [[nodiscard]] std::span<const memory_block> memory() const noexcept;
  /// Of a lease of `acquire_to_send`: how many bytes are there, from the front.
  [[nodiscard]] std::size_t arrived() const noexcept;

 private:
  friend class driver;
  explicit host_lease(std::shared_ptr<host_request> request) noexcept
      : request_(std::move(request)) {}
  host_lease(std::shared_ptr<datum_core> read, memory_block home) noexcept
      : read_(std::move(read)), home_(home) {}

  std::shared_ptr<host_request> request_;
  std::shared_ptr<datum_core> read_;  ///< Instead of a request: it was granted at once.
  memory_block home_;                 ///< Of that.
};

/// A view that a kernel of an emulated device had: its addresses are closed, and are not used again
/// for a long time.
struct ended_view {
  std::span<const std::byte> pages;
  std::string task;
  std::uint64_t number = 0;  ///< Of the task, the caller's own.
  place inserted{};
  std::string handle;
  place registered{};
  std::string device;
};

struct driver_options {
  int depth = 4;                ///< Tasks on a device at once; of brief ones eight times as many.
  int look_ahead = 8;           ///< Tasks behind them whose inputs are fetched ahead.
  double prefetch_share = 0.3;  ///< Of a device's memory, at most.
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< Of a staged copy.
  int chunks = 4;                                  ///< In flight per copy.
  /// `acquire_to_send` grants the home of so many bytes while they arrive there; 0: never.
  std::size_t pieces_from_bytes = std::size_t{8} << 20;
  /// The home of a datum of so many bytes is pinned when it is copied from or to a second time,
  /// and until the datum ends; a refusal is no error. 0: never.
  std::size_t pin_from_bytes = std::size_t{1} << 20;
  bool synchronous = false;  ///< `DEED_GPU_SYNC`: pins a fault on its task.
  std::chrono::nanoseconds patience = std::chrono::seconds(120);  ///< For one event.
  const clock* time = nullptr;    ///< The session's; the machine's if null.
  driver_watch* watch = nullptr;  ///< Lives as long as the driver; may be null.
  /// Hears of views of emulated devices with `windows`, before they are closed. Threads: those of
  /// the devices, several at once. Must not throw.
  std::function<void(const ended_view&)> view_ended{};
};

/// Runs tasks on devices, in an order that agrees with the order of submission for each datum.
///
/// | call | who, when | blocks |
/// |---|---|---|
/// | `submit`, `acquire`, `prefetch`, `retire`, `hold` | any thread, any time; also from `done` |
/// never | | `step` | any idle worker; one at a time does the work, the others return at once |
/// never | | `idle`, `stats`, `report` | any thread | until a running step ends |
///
/// Callbacks run in the thread that steps, with nothing held: they may call every function.
/// Dependencies between device tasks are events: a task is launched as soon as its inputs are
/// ordered, not when they are complete. Errors never leave `step`; they go to the tasks concerned.
class driver {
 public:
  explicit driver(device_set devices, driver_options options = {});
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;
  /// Waits for the work in flight; what was not started is dropped.
  ~driver();

  [[nodiscard]] const device_set& devices() const noexcept;

  /// Makes a datum of memory that the caller keeps. `home.space` says if it is pinned; `number` is
  /// the caller's own, for the watch. `stays`: the memory is the same until `gone` is called; only
  /// then the driver may pin it.
  /// @throws deed::error D906 if `home` is not contiguous.
  [[nodiscard]] coherent_datum hold(memory_block home, std::string name,
                                    place where = place::current(), std::uint64_t number = 0,
                                    bool stays = true);
  /// The datum is not used any more. `gone` is called when nothing touches its home memory.
  void retire(coherent_datum datum, std::function<void()> gone = {});

  /// @throws deed::error D209 if a datum stands twice in it, once written; D812 if there is no such
  /// device.
  void submit(device_task task);
  /// `granted` is called when the lease is ready; may be empty.
  /// A datum that is only read, is valid at home and has no writer before this is granted at once,
  /// if nobody steps just now.
  [[nodiscard]] host_lease acquire(std::span<const operand> operands, std::string name = "the host",
                                   std::function<void()> granted = {},
                                   place where = place::current());
  [[nodiscard]] host_lease acquire(std::initializer_list<operand> operands,
                                   std::string name = "the host",
                                   std::function<void()> granted = {},
                                   place where = place::current()) {
    return acquire(std::span(operands.begin(), operands.size()), std::move(name),
                   std::move(granted), where);
  }
  /// Read access for the network. Where the value is on a device alone, one of `devices` (a bit
  /// each), the memory is that of the device, as the network names it, and the space says so; the
  /// work that wrote it is complete. Else as `acquire`; but a large value may be used while it
  /// comes home, as far as `arrived` says.
  [[nodiscard]] host_lease acquire_to_send(const coherent_datum& datum, std::uint64_t devices,
                                           std::string name = "the network",
                                           std::function<void()> granted = {},
                                           place where = place::current());
  /// A stream of the caller's own, for a body that uses several: it joins them with
  /// `enqueue::join`.
  /// @throws deed::gpu::gpu_error D010 or D011 if the device refuses.
  [[nodiscard]] stream open_stream(device_id device);
  /// Devices may use the memory directly from now on: what is held in it is copied without a stop
  /// on the way. False if they cannot; then it is as before. The caller keeps it until `unpin`.
  /// Blocks: while the vendors' runtimes pin it.
  [[nodiscard]] bool pin(std::span<std::byte> memory);
  /// The end of that; nothing held in it is in use.
  void unpin(const std::byte* address) noexcept;
  /// A hint: the datum will be read there.
  void prefetch(const coherent_datum& datum, device_id device);

  /// Does what can be done now. True if anything happened.
  bool step();
  /// True if every task, lease and copy has ended.
  [[nodiscard]] bool idle() const;
  /// When to step next, on a clock that others move; empty where nobody knows. Blocks: never, but
  /// for a running step of the emulated devices.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next_change() const;
  /// True if something was asked for that no step has looked at. Blocks: never.
  [[nodiscard]] bool asked() const noexcept;

  [[nodiscard]] statistics stats() const;
  [[nodiscard]] residency usage(device_id device) const;
  [[nodiscard]] bool usable(device_id device) const;
  [[nodiscard]] replica_state state(const coherent_datum& datum) const;  ///< On the host.
  [[nodiscard]] replica_state state(const coherent_datum& datum, device_id device) const;
  /// What stands on which device: bytes, name, state, the task that wanted it there, and where it
  /// was registered. Empty if nothing.
  [[nodiscard]] std::string report() const;

  struct core;

 private:
  std::unique_ptr<core> core_;
};

}  // namespace deed::gpu
