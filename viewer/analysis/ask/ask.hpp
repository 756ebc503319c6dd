// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The questions. Each has its own file; the command line and the window print the same answers.

namespace deed::viewer {

[[nodiscard]] answer info(const model& of);
struct run_outline;
/// As far as the headers of packets and the definitions tell it.
[[nodiscard]] answer info(const run_outline& of);
/// `since_epoch`: times as nanoseconds of the Unix epoch, which do not depend on the other ranks.
[[nodiscard]] answer print(const model& of, const std::vector<std::string>& records,
                           const run_part& part, std::size_t limit, bool since_epoch = false);
enum class stats_by : std::uint8_t { codelet, rank, worker };
/// Counts and times of tasks. `histogram`: also how many took how long, in powers of two.
[[nodiscard]] answer stats(const model& of, const run_part& part,
                           const std::vector<stats_by>& by = {stats_by::codelet, stats_by::rank},
                           bool histogram = false);
enum class cache_by : std::uint8_t { rank, handle };
/// Hits, misses by kind and drops by cause.
[[nodiscard]] answer cache(const model& of, const run_part& part = {},
                           cache_by by = cache_by::rank);
/// Two ranks whose fastest messages, of the same size, take at least three times as long as those
/// of other pairs. One there and one back count together: then it does not matter what the two
/// clocks say.
struct slow_link {
  int low = 0;
  int high = 0;
  std::int64_t took = 0;   ///< There and back.
  std::int64_t usual = 0;  ///< The median of all pairs.
};
[[nodiscard]] std::vector<slow_link> slow_links(const model& of, const run_part& part = {});
[[nodiscard]] answer comm_matrix(const model& of, const run_part& part = {});
enum class traffic_of : std::uint8_t { messages, bytes, time, redundant };
/// One of its columns as a square: rows send, columns receive.
[[nodiscard]] answer comm_square(const model& of, traffic_of what, const run_part& part = {});
/// What `bench` may ask: "open", "stats".
[[nodiscard]] std::vector<std::string_view> bench_questions();
/// How long questions take, in milliseconds; of none, all of them.
[[nodiscard]] answer bench(const model& of, const std::vector<std::string>& what = {});

/// Why one transfer repeats an earlier one of the same version to the same rank, or brings back
/// what migrated away and was not written since.
struct repeat {
  std::uint32_t transfer = none;
  std::uint32_t earlier = none;
  std::string cause;  ///< Of `repeat_causes`.
  std::string place;  ///< The line or the task that dropped it; "a line that was not recorded".
  std::string sentence;
  std::string not_known;  ///< Why the cause is not: "rank 0 is not recorded"; else empty.
};
[[nodiscard]] std::vector<repeat> repeats(const model& of, std::optional<std::uint32_t> handle);
/// The causes that a repeat may have.
inline constexpr std::array<std::string_view, 7> repeat_causes{
    "flush_call", "cache_off", "capacity", "migrate", "race", "ping_pong", "unknown"};
/// Of a slice, or where a recorder forgot: repeats of earlier transfers are not known to be any.
void say_unknown_before(const model& of, answer& into);
/// Where a part has none of them: "in this part no version was sent twice to one rank; the run has
/// 3 such transfers, the first at 1.2 ms". Of explicit messages: "no copy was sent twice to one
/// rank; 2 versions were sent more than once by explicit messages of the program".
[[nodiscard]] std::string say_no_repeat(const model& of, const std::vector<repeat>& of_run,
                                        std::optional<std::uint32_t> handle, const run_part& part,
                                        std::string_view cause = {});
/// Of those transfers that lie in `part`; with a cause: of those that have it.
[[nodiscard]] answer why_twice(const model& of, std::optional<std::uint32_t> handle,
                               const run_part& part = {}, std::string_view cause = {});
enum class loss_by : std::uint8_t { cause, line, handle };
/// Of each transfer that the critical path has: for how long. Nothing where there is no path.
using critical_times = std::map<std::uint32_t, std::int64_t>;
[[nodiscard]] std::optional<critical_times> critical_times_of(const model& of);
/// Bytes and time that repeats took, also of the critical path; the most bytes first.
[[nodiscard]] answer redundant(const model& of, loss_by by, const run_part& part = {});

[[nodiscard]] answer who_owned(const model& of, std::uint32_t handle, std::int64_t when,
                               std::optional<int> rank = {});
/// What failed first in `part`, and who owned `handle` then; without one, the datum that the error
/// names.
[[nodiscard]] answer at_first_error(const model& of, std::optional<std::uint32_t> handle,
                                    const run_part& part = {});
/// What programs called for, when they did, and what happened, in order of time: with the runs of
/// tasks. With a version: from the task that wrote it to the last one that read it.
[[nodiscard]] answer history(const model& of, std::uint32_t handle, const run_part& part = {},
                             std::optional<std::uint32_t> version = {});
/// Of the data to which something happened in `part`.
[[nodiscard]] answer state(const model& of, std::int64_t when, const run_part& part = {});
/// The same when the first error came, as `at_first_error` has it; there is one.
[[nodiscard]] answer state_at_first_error(const model& of, const run_part& part = {});

/// A broken rule of ownership, with the event that shows it.
struct finding {
  std::string rule;
  std::string sentence;
  std::uint32_t handle = none;
  std::uint32_t version = 0;
  int rank = 0;
  std::int64_t time = 0;
};
struct rule {
  std::string name;
  std::string promise;
};
[[nodiscard]] std::vector<rule> rules();
/// Rules are decided for the whole run; `only_rule`, if it is not empty, and `part` choose which
/// findings are told.
[[nodiscard]] std::vector<finding> check(const model& of, const std::string& only_rule = {},
                                         const run_part& part = {});
/// Whether it is one of `part`, as its record is.
[[nodiscard]] bool lies_in(const model& of, const run_part& part, const finding& each);
[[nodiscard]] answer say_check(const model& of, const std::string& only_rule,
                               const run_part& part = {});

/// What two runs did otherwise: tasks by the version they write, transfers, times per codelet.
[[nodiscard]] answer diff(const model& a, const model& b);
class same_tasks;
/// Parts of two runs. What is in either of them is compared with the whole other run, where it may
/// have happened at another time or on another rank.
struct part_of_both {
  run_part a, b;
};
/// Without `with_times`: what they did, but not how long it took. Of `part`: its tasks, transfers
/// and data; `same` is of the same part.
[[nodiscard]] answer diff(const model& a, const model& b, const same_tasks& same, bool with_times,
                          const part_of_both& part = {});

/// Who waits for whom at a moment.
struct wait_edge {
  std::string from;
  std::string to;
  std::string because;
  bool in_cycle = false;
  int waits = -1, awaited = -1;  ///< Ranks.
  std::int64_t since = 0;
  bool later = false;  ///< Its rank waits for an earlier version of the datum, too.
  std::uint32_t transfer = none;
};
/// Marks the edges whose ends reach each other.
void mark_cycles(std::vector<wait_edge>& edges);
[[nodiscard]] std::vector<wait_edge> wait_graph(const model& of, std::int64_t when);
/// Time that the threads that run tasks, of the ranks of the rows, waited for the ranks of the
/// columns: a part of what `shares` calls fetch wait, idle, dependency, idle, no task, or blocked.
/// Of `part`, its range and the ranks that wait.
[[nodiscard]] std::vector<std::vector<std::int64_t>> wait_matrix(const model& of,
                                                                 const run_part& part = {});
/// A task that began long after it was ready and its worker had nothing else to do.
struct late_task {
  std::uint32_t task = none;
  std::int64_t since = 0;  ///< When it could have begun.
};
/// Those of `part`, by time. Long is more than 100 us and more than its codelet mostly takes.
[[nodiscard]] std::vector<late_task> late_tasks(const model& of, const run_part& part = {});
[[nodiscard]] answer waits(const model& of, std::optional<std::int64_t> at,
                           const run_part& part = {});

/// What one worker or device did: names of codelets and states, and their times; with "not
/// recorded" they add up to the range.
struct worker_time {
  std::uint32_t lane = 0;
  std::vector<std::pair<std::string, std::int64_t>> parts;  ///< In the order of `shares`.
};
struct time_shares {
  std::int64_t wall = 0;
  std::vector<std::pair<std::string, std::int64_t>> sums;  ///< Most time first.
  std::vector<worker_time> workers;  ///< Behind those of each rank, its devices.
};
/// Of `part`, its range and its ranks.
[[nodiscard]] time_shares shares(const model& of, const run_part& part);
enum class shares_per : std::uint8_t { worker, rank, host };
[[nodiscard]] answer breakdown(const model& of, const run_part& part,
                               shares_per per = shares_per::worker);

/// One step of the longest chain of causes, from the end of the run backwards.
/// 56 bytes: of a long run there are tens of thousands.
struct path_step {
  /// "compute", "network", "queueing", "submission", "not started yet", "wait" of the program,
  /// "borrow": it waited for a value, and what made that come is not known, "receiver busy": it was
  /// there, or could have been, and its rank was in a task; "copy" to or from a device; "comparing
  /// clocks" of ranks.
  std::string_view kind;  ///< A literal.
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int program = -1;  ///< Of a submission and a wait: the rank whose program took the time.
  std::uint32_t borrowed = none;  ///< Of a borrow: the datum.
  std::uint32_t copy = none;      ///< Of a copy, and of what queued for one: the record of its end.
};
[[nodiscard]] std::vector<path_step> critical_path(const model& of);
/// The chain is that of the whole run; of `part`, its steps and their times. Brief tasks
/// that repeat, or take turns, are one line, with `every_step` each step.
[[nodiscard]] answer say_critical_path(const model& of, std::vector<path_step> path,
                                       const run_part& part = {}, bool every_step = false);
[[nodiscard]] answer say_critical_path(const model& of, const run_part& part = {},
                                       bool every_step = false);

}  // namespace deed::viewer
