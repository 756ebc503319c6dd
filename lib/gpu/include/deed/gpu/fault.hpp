// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/gpu/space.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What can go wrong with a device: kinds, the error that says so, and plans that make it happen.

namespace deed::gpu {

/// What a vendor's runtime says, in words that all of them share.
enum class error_kind : std::uint8_t {
  none,
  no_device,
  out_of_memory,
  invalid,         ///< A wrong argument, or a call at a wrong time.
  launch_failed,   ///< A kernel could not start; the device goes on.
  illegal_access,  ///< A kernel touched foreign memory. The device is lost.
  device_lost,     ///< Nothing works any more on this device.
  copy_failed,     ///< One copy failed; the device goes on.
  timeout,         ///< Nothing came back in time. The device counts as lost.
  not_supported,
};
[[nodiscard]] std::string_view to_string(error_kind kind) noexcept;
/// True if the device cannot be used any more.
[[nodiscard]] constexpr bool is_sticky(error_kind kind) noexcept {
  return kind == error_kind::illegal_access || kind == error_kind::device_lost ||
         kind == error_kind::timeout;
}

/// A call of a vendor's runtime.
enum class operation : std::uint8_t {
  count,
  attributes,
  memory_info,
  set_device,
  get_device,
  allocate,
  release,
  allocate_pinned,
  release_pinned,
  register_host,
  unregister_host,
  create_stream,
  destroy_stream,
  query_stream,
  sync_stream,
  sync_device,
  create_event,
  destroy_event,
  record,
  wait,
  query,
  sync_event,
  elapsed,
  copy_to_device,
  copy_to_host,
  copy_within,
  copy_peer,
  fill,
  can_access_peer,
  enable_peer,
  last_error,
  launch,
};
inline constexpr int operations = static_cast<int>(operation::launch) + 1;
[[nodiscard]] std::string_view to_string(operation op) noexcept;

/// Outcome of one call of a vendor's runtime. The layer above adds names and throws.
struct [[nodiscard]] status {
  error_kind kind = error_kind::none;
  int native = 0;  ///< The vendor's own number.
  operation op = operation::count;
  [[nodiscard]] constexpr bool ok() const noexcept { return kind == error_kind::none; }
};

/// What an error knows of where it happened; empty where it does not apply.
struct fault_site {
  int device = -1;
  std::string device_name{};
  std::string task{};
  std::string data{};  ///< All that the task names: "`y`, `x`".
  std::string handle{};
  std::size_t bytes = 0;
  std::string native_name{};  ///< "cudaErrorMemoryAllocation (2)".
  std::string where{};        ///< "heat.cpp:57", where the task was inserted.
  std::uint64_t number = 0;   ///< Of the task: the caller's own.
  /// Where nobody can tell which task it was: all that it may be, "`good` at heat.cpp:57, …".
  std::string one_of{};
  std::string after{};  ///< Where it was another: that one, "`relax` at heat.cpp:61".
};

/// A device refused, failed or was lost. Codes: D009 out of memory, D010 a call failed, D011 lost.
class gpu_error : public error {
 public:
  gpu_error(status outcome, fault_site site);

  [[nodiscard]] error_kind kind() const noexcept { return outcome_.kind; }
  [[nodiscard]] operation op() const noexcept { return outcome_.op; }
  [[nodiscard]] const fault_site& site() const noexcept { return site_; }

 protected:
  gpu_error(error_code code, std::string happened, std::vector<fact> facts, std::string_view help,
            status outcome, fault_site site);

 private:
  status outcome_;
  fault_site site_;
};

/// A task needs more memory than its device has; never thrown where a `on_host` body can run
/// instead.
class device_capacity_error : public gpu_error {
 public:
  device_capacity_error(fault_site site, std::size_t capacity_bytes);
};

/// What a reader gets instead of the contents of a datum that was lost: code D011.
class data_lost : public gpu_error {
 public:
  data_lost(fault_site site, std::string reason, std::exception_ptr cause = nullptr);
  /// The error of the task that should have written them, or of the device that had them.
  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }

 private:
  std::exception_ptr cause_;
};

/// A fault that is made on purpose.
struct fault {
  enum class effect : std::uint8_t {
    fail,         ///< The call returns `kind` and does nothing.
    drop,         ///< The call says that all is well and does nothing. `wait` and `record` only.
    device_lost,  ///< The call, and every later one on that device, returns `device_lost`.
    delay,        ///< What the call enqueues takes `by` longer. Emulated devices only.
    stuck,        ///< What the call enqueues never ends. Emulated devices only.
    corrupt,      ///< One byte of what the call copies is changed. Emulated devices only.
  };
  effect what = effect::fail;
  error_kind kind = error_kind::device_lost;
  std::chrono::nanoseconds by{};
};

/// Which calls meet a fault.
struct fault_rule {
  /// Of every operation if empty.
  std::vector<operation> on{};
  std::uint64_t nth = 0;    ///< The nth call that fits, from 1.
  std::uint64_t every = 0;  ///< Each nth one.
  double probability = 0;
  std::uint64_t seed = 1;
  fault make{};
};

/// Faults for a device set: `{{.on = {operation::allocate}, .nth = 3, .make = {…}}}`.
struct fault_plan {
  std::vector<fault_rule> rules;
  std::uint64_t* calls = nullptr;  ///< How many there were, when the devices have ended; for tests.
};

}  // namespace deed::gpu
