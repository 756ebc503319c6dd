// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/gpu/device.hpp>
#include <deed/trace/options.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// @file
/// What a caller may say beside the data themselves.

namespace deed {

/// A tag, or none.
class optional_tag : public std::optional<deed::tag> {
 public:
  using std::optional<deed::tag>::optional;
  /// Is there so that the compiler has one thing to say, not one of each function.
  template <std::integral I>
  optional_tag(I) {  // NOLINT(*-explicit-*)
    static_assert(sizeof(I) == 0, "deed[D106] a bare number is no tag; write `deed::tag{n}`");
  }
};

/// Of one registration. Left out: the tag is the number of the registration, the name is "unnamed".
struct DEED_MODEL("type", "options") data_options {
  optional_tag tag = std::nullopt;
  std::string_view name = "unnamed";  ///< Copied.
};

/// What happens when a codelet throws.
enum class on_exception : std::uint8_t {
  abort,      ///< One report, all ranks end, exit code 70.
  propagate,  ///< Dependants are cancelled; `wait()` throws the same `task_error` on every rank.
};

/// Whether ranks leave out tasks that do not concern them.
enum class pruning : std::uint8_t {
  on,       ///< `session.relevant(…)` and `for_each_tile` say what concerns a rank.
  off,      ///< They say yes always: every rank inserts every task.
  compare,  ///< `deed::run` runs the program twice, off and on, and compares the values (D402).
};

/// Whether tasks that wait for nothing run in `insert_task` itself, on the program's thread. They
/// do so only while nothing else waits on their rank, and not where a run is recorded, observed or
/// verified, where the rank has devices, or on virtual ranks.
enum class deferral : std::uint8_t {
  automatic,  ///< Brief ones, where they were measured to be quicker so.
  on,         ///< None does: workers run them all.
  off,        ///< All do: a debugger shows the line of the program that inserted what it stops in.
};

/// Whether messages leave the memory of a device without a stop in the host's.
enum class device_network : std::uint8_t {
  automatic,  ///< Where MPI says that it can, and a trial transfer at the start proves it.
  on,         ///< The same; where they are not, rank 0 says why in one line.
  off,        ///< Never: what leaves a device is copied to the host first.
};

/// How much a line of the log matters.
enum class log_level : std::uint8_t {
  none,     ///< Of a setting: not one line. Of a line: it is never printed.
  error,    ///< What the program says is wrong. deed's own errors are reports, printed always.
  warning,  ///< What deserves a look, but ends nothing.
  info,     ///< What is said once: that there are no devices, which checkpoint a run goes on from.
  debug,    ///< Every task that begins, and every value that leaves or arrives.
};

/// What is printed of the log, on standard error.
struct log_options {
  log_level level = log_level::info;  ///< Lines that matter as much, or more.
  /// Also `info` and `debug` of ranks other than 0; errors and warnings are printed of all.
  bool all_ranks = false;
};

/// Where `session.checkpoint(epoch)` writes, and at which epochs.
struct checkpoint_options {
  std::string folder{};     ///< Empty: it writes nothing.
  std::uint64_t every = 1;  ///< Epochs that are no multiple of it are passed over; at least 1.
  /// Another rank, on another machine where there is one, keeps a copy of what each rank writes, in
  /// its own folder: also of `session.checkpoint(folder, epoch)`. Equal on all ranks.
  bool partner = false;
};

/// What is done of a rank that does not answer any more, under MPI. A long task is no silence.
struct silence_options {
  std::chrono::seconds limit{10};  ///< After so long it is reported (D003); 0: never.
  bool abort = false;              ///< Also end the run then.
};

/// A task that several workers of its rank can run.
struct worker_request {
  std::uint64_t number = 0;  ///< Of the task, in this rank's sequence of insertions, from 0.
  std::string_view codelet;
  bool processor = false;                   ///< A processor can.
  std::span<const gpu::device_id> devices;  ///< That can; at least one.
};

/// What a run in verify mode looks at, beside what every run does. Equal on all ranks.
struct verify_options {
  /// All that is submitted is kept; ranks compare it at every `wait()`, and name what differs.
  bool global = false;
  /// All messages are kept: a report names both ends. Simulated ranks buffer none (D512).
  bool messages = false;
  bool leaks = false;  ///< At the end: what nobody used, waited for, opened or ended.
  bool pages = false;  ///< What a task only reads cannot be written while it runs (D201, D204).

  [[nodiscard]] bool any() const noexcept { return global || messages || leaks || pages; }
};

/// Of one session.
struct session_options {
  int workers = 0;   ///< Threads that run tasks at once, up to 4096; 0: one per core of the rank.
  bool bind = true;  ///< Each worker to cores of its own, inside the launcher's mask.
  /// Tasks that may wait here before `insert_task` helps to run them; at least 1.
  std::size_t window = 4096;
  deferral defer = deferral::automatic;
  on_exception exceptions = on_exception::abort;
  /// What all ranks did, at the end: "text" prints one screen on standard error, anything else is
  /// the file that gets it as JSON; empty: none. Rank 0's holds.
  std::string summary{};
  /// The file that a proved deadlock leaves behind, as JSON, with all that the ranks wait for;
  /// empty: none, or `hang.json` in the folder of a recorded run. Rank 0's holds.
  std::string hang_report{};
  bool cache = true;  ///< Keep copies of other ranks' data until they are out of date.
  /// Bytes of such copies that a rank may have at once, the values' growing parts not counted. The
  /// one used longest ago goes first. Equal on all ranks.
  std::uint64_t cache_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Ranks of one machine hand small messages over in memory that they share, where all of them
  /// say so and can; else MPI has them all.
  bool shares_memory = true;
  deed::pruning pruning = deed::pruning::on;
  bool checksums = false;  ///< A hash of each message's bytes, compared on arrival (D004).
  silence_options silence{};
  log_options log{};
  verify_options checks{};
  checkpoint_options checkpoint{};
  std::string
      resume{};  ///< The folder that `session.resume()` looks into; empty: it finds nothing.
  /// Devices of this rank. Simulated ranks have emulated ones only.
  gpu::device_options devices{};
  device_network mpi_gpu = device_network::automatic;  ///< Equal on all ranks.
  /// Which of its rank's workers runs a task: one of the request's devices, or empty for a
  /// processor. Left out, it is who would be done first, by where the data are and how long the
  /// codelet took there before. Threads: those that run tasks, several at once.
  std::function<std::optional<gpu::device_id>(const worker_request&)> worker_rule{};
  /// The file in which measured times are kept between runs, for one machine; "auto" is one in the
  /// user's cache, "off" none. Simulated ranks keep none by themselves.
  std::string history = "auto";
  bool device_sync = false;         ///< Wait for each body on a device, to pin a fault on its task.
  trace::recorder_options trace{};  ///< Where and what to record; an empty path records nothing.
};

}  // namespace deed
