// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/trace/events.hpp>

#include "analysis/match/recorded_group.hpp"
#include "analysis/read/run.hpp"
#include "analysis/store/flat_index.hpp"
#include "analysis/store/unset_vector.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// @file
/// What the events of a run are about: data, tasks and transfers, matched across ranks.

namespace deed::viewer {

/// A moment that was not recorded.
inline constexpr std::int64_t never = -1;
/// No task, no transfer.
inline constexpr std::uint32_t none = ~std::uint32_t{0};

/// A time of a run; both ends included.
struct time_range {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

struct datum {
  bool known = false;
  std::string name;         ///< "A[3,2]"; "column#3" where several have one name.
  std::string group;        ///< "A".
  std::uint64_t bytes = 0;  ///< As its type and its extents say: of a vector, of the object.
  /// Of its value when it was registered; `trace::no_size`: not known. Of a datum per rank, the
  /// largest.
  std::uint64_t held = trace::no_size;
  std::int32_t i = -1;
  std::int32_t j = -1;
  std::uint32_t home = 0;
  int home_reporter = 0;  ///< The rank whose location is `loc`.
  std::uint32_t loc = none;
  std::span<const std::uint32_t> events;  ///< All that name this handle, in time order.
  std::span<const std::uint32_t> writes;  ///< Accesses of finished writers, by the end of their
                                          ///< tasks, also of those that failed.

  /// Whether every rank has one of its own.
  [[nodiscard]] bool is_per_rank() const { return home == trace::every_rank; }
};

/// 16 bytes: of a long run these tables are most of the memory. A number of 29 bits is enough, as
/// a run has at most 2^32 events, and a task makes about ten.
struct access {
  static constexpr std::uint32_t most_tasks = std::uint32_t{1} << 29, most_modes = 8;

  std::uint32_t task : 29 = most_tasks - 1;
  std::uint32_t mode : 3 = 0;
  std::uint32_t handle = 0;
  std::uint32_t ver_in = 0;
  std::uint32_t ver_out = 0;
  // A contribution to a reduction, 3, does neither: the value changes when the reduction is closed.
  [[nodiscard]] bool reads() const { return mode != 1 && mode != 3 && mode != 4; }
  [[nodiscard]] bool writes() const { return mode != 0 && mode != 3 && mode != 4; }
};

struct task {
  static constexpr std::uint64_t most_accesses = (std::uint64_t{1} << 16) - 1;  // As of a record.
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << 48) - 1;    // As of a record.

  std::uint64_t number : 48 = 0;  ///< The submission index on its rank.
  std::uint64_t accesses : 16 = 0;
  int rank = 0;               ///< The executor.
  std::uint32_t codelet = 0;  ///< In `model::codelets`.
  std::uint32_t loc = none;
  std::uint32_t lane = none;
  std::int64_t submit = never, ready = never, begin = never, end = never;
  std::uint64_t ready_by = 0;
  std::uint32_t first_access = 0;
  std::uint8_t ready_cause = 0;
  std::uint8_t status = 0;

  [[nodiscard]] bool threw() const { return has(trace::task_status::threw); }
  [[nodiscard]] bool was_cancelled() const { return has(trace::task_status::cancelled); }
  /// It ended, and what it was to write is not there.
  [[nodiscard]] bool failed() const { return threw() || was_cancelled(); }

 private:
  [[nodiscard]] bool has(trace::task_status what) const {
    return status == static_cast<std::uint8_t>(what);
  }
};

/// The reason of an explicit message of the program: its two ends may name two data.
[[nodiscard]] constexpr bool is_message(std::uint64_t reason) {
  return reason == static_cast<std::uint64_t>(trace::transfer_reason::user);
}

/// One datum in one version from one rank to another: (handle, version, src, dst, seq).
struct transfer {
  std::uint32_t handle = 0;
  std::uint32_t version = 0;
  int src = 0;
  int dst = 0;
  std::uint16_t seq = 0;
  std::uint8_t reason = 0;
  bool redundant : 1 = false;  ///< This rank pair moved this version before.
  bool came_back : 1 = false;  ///< It migrated away, and back before anybody wrote it.
  /// The first of its posts, which name its tag: `model::tag_of`.
  std::uint32_t post_event = none;
  std::uint64_t bytes = 0;
  std::uint64_t for_task = ~std::uint64_t{0};
  std::int64_t post_send = never, start = never, done_send = never, post_receive = never,
               done_receive = never;
  std::int64_t start_receive = never;  ///< Its receiver began to look for it.

  /// When the bytes left, as well as it is known: of those that arrived, not before their receiver
  /// looked for them.
  [[nodiscard]] std::int64_t begin() const {
    if (start != never) return start;
    const std::int64_t latest = std::max(post_send != never ? post_send : post_receive,
                                         done_receive != never ? start_receive : never);
    return latest != never ? latest : end();
  }
  [[nodiscard]] std::int64_t end() const {
    return done_receive != never ? done_receive : done_send;
  }
  /// Since when it could be on the wire: a receiver does not take a version while tasks still use
  /// the one before.
  [[nodiscard]] std::int64_t on_the_wire() const { return std::max(begin(), start_receive); }
  /// When its bytes left, as far as records of their moving say so: not of posts alone, nor of a
  /// sender that was ready for a receiver that has not looked for them.
  [[nodiscard]] std::int64_t left() const {
    const bool began = start != never || start_receive != never;
    const bool had = start_receive != never || done_receive != never;
    return has_left() && began && had ? on_the_wire() : never;
  }
  /// Since when both ranks had to do with it.
  [[nodiscard]] std::int64_t at_receiver() const { return std::max(on_the_wire(), post_receive); }
  /// Since when its sender could give it away.
  [[nodiscard]] std::int64_t offered() const { return std::max(post_send, start); }
  /// Its sender had to keep it until its receiver asked for it.
  [[nodiscard]] bool receiver_was_late() const {
    return offered() != never && offered() < post_receive && done_send >= post_receive;
  }
  /// Its bytes have left, as far as one of the ranks said.
  [[nodiscard]] bool has_left() const { return start != never || end() != never; }
  [[nodiscard]] bool is(trace::transfer_reason why) const {
    return reason == static_cast<std::uint8_t>(why);
  }
  [[nodiscard]] bool is_message() const { return is(trace::transfer_reason::user); }
  /// It was called for, and nothing says that it moved.
  [[nodiscard]] bool never_took_place() const { return end() == never && left() == never; }
  /// What a better program would not have sent.
  [[nodiscard]] bool in_vain() const { return redundant || came_back; }
};

struct codelet {
  std::string name;
  std::string place;
  std::uint32_t colour = 0;
};

/// A span of a lane that is no task: what the worker did from an event on. When that was and
/// because of what, the event says: `model::begin_of`, `model::reason_of`.
struct state_span {
  static constexpr std::uint32_t most_lanes = std::uint32_t{1} << 24;  // Each is a file at least.

  std::uint32_t lane : 24 = 0;
  std::uint32_t state : 8 = 0;
  std::uint32_t event = none;
  std::int64_t end = 0;
  [[nodiscard]] bool is(trace::worker_state what) const {
    return state == static_cast<std::uint8_t>(what);
  }
};
static_assert(sizeof(access) == 16 && sizeof(task) == 72 && sizeof(transfer) == 88 &&
              sizeof(state_span) == 16);

/// What a worker that had nothing to do waited for.
struct state_reason {
  trace::reason_kind kind = trace::reason_kind::none;
  std::uint64_t number = 0;
};

/// A wait of the program on one lane.
struct wait_span {
  std::uint32_t lane = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t event = none;  ///< Its begin.
  std::uint8_t what = 0;       ///< For which it waited, a `trace::wait_kind`.
  bool ended = false;
};

/// A part of the program that it named, on one thread. Its begin has the name.
struct phase_span {
  std::uint32_t lane = 0;
  std::uint32_t depth = 0;  ///< So many lie around it.
  std::uint32_t event = none;
  std::uint32_t end_event = none;  ///< None: it did not end.
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One value of one rank over time.
struct value_series {
  int rank = 0;
  std::uint32_t name = 0;  ///< A text of the rank.
  std::vector<std::uint32_t> events;
};

/// "A[3,2]" of "A(3,2)", as reports of errors call an element of a collection; "A[3,*]" of
/// "A(3,*)". Any other name is as it was.
[[nodiscard]] std::string as_recorded(std::string name);

/// Whether a record is the post of an explicit message, which has a `trace::message_call` where
/// others have the task that they are for.
[[nodiscard]] bool posts_message(const run& of, const event& e);
/// Of a record of a transfer.
[[nodiscard]] std::uint32_t short_tag_of(const run& of, const event& e);

/// A number that a rank uses, among those of all ranks.
[[nodiscard]] constexpr std::uint64_t by_rank(int rank, std::uint64_t id) {
  return (static_cast<std::uint64_t>(rank) << 44) ^ id;
}

/// What ranks call the codelets: the place of each in `model::codelets`.
class codelet_numbers {
 public:
  void put(int rank, std::uint64_t id, std::uint32_t codelet) { of_[by_rank(rank, id)] = codelet; }
  /// `none` if the rank has none of that number.
  [[nodiscard]] std::uint32_t find(int rank, std::uint64_t id) const {
    const auto found = of_.find(by_rank(rank, id));
    return found == of_.end() ? none : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> of_;
};

class contributions;
class meetings;
class time_errors;
struct device_copy;

/// Keeps: a pointer to the run, which has to outlive it.
/// Cost: two passes over the events.
class model {
 public:
  explicit model(const run& from);

  [[nodiscard]] const run& events() const { return *run_; }
  [[nodiscard]] const std::vector<datum>& data() const { return data_; }
  [[nodiscard]] const std::vector<task>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<transfer>& transfers() const { return transfers_; }
  [[nodiscard]] const std::vector<codelet>& codelets() const { return codelets_; }
  /// By lane, then time.
  [[nodiscard]] const std::vector<state_span>& states() const { return states_; }
  /// What one thread did between tasks, by time.
  [[nodiscard]] std::span<const state_span> states_of(std::uint32_t lane) const;
  [[nodiscard]] std::int64_t begin_of(const state_span& s) const {
    return run_->events().time(s.event);
  }
  [[nodiscard]] state_reason reason_of(const state_span& s) const;
  /// As the thread said it: idle for a dependency also where its rank had no task left, but data to
  /// send.
  [[nodiscard]] trace::worker_state state_as_said(const state_span& s) const {
    return static_cast<trace::worker_state>(
        run_->get(run_->events()[s.event], field::state, s.state));
  }
  /// By lane, then time.
  [[nodiscard]] const std::vector<wait_span>& waits() const { return waits_; }
  /// By lane, then the number of the event.
  [[nodiscard]] const std::vector<phase_span>& phases() const { return phases_; }
  [[nodiscard]] std::span<const phase_span> phases_of(std::uint32_t lane) const;
  /// That begins or ends with an event; null if none does.
  [[nodiscard]] const phase_span* phase_of(std::uint32_t event) const;
  /// The one around it; null if there is none.
  [[nodiscard]] const phase_span* around(const phase_span& inner) const;
  /// "step 3"; "solve" where no phase of this name has another number than 0.
  [[nodiscard]] std::string phase_name(const phase_span& of) const;
  /// By rank, in the order of their first.
  [[nodiscard]] const std::vector<value_series>& values() const { return values_; }
  /// Null if the event has no value.
  [[nodiscard]] const value_series* values_of(std::uint32_t event) const;
  [[nodiscard]] std::string value_name(const value_series& of) const;
  [[nodiscard]] std::int64_t value_of(std::uint32_t event) const {
    return static_cast<std::int64_t>(run_->get(run_->events()[event], field::value));
  }
  [[nodiscard]] std::span<const access> accesses(const task& of) const {
    return {accesses_.data() + of.first_access, of.accesses};
  }
  [[nodiscard]] const unset_vector<access>& all_accesses() const { return accesses_; }
  /// All that name a datum, in time order; none of one that no rank registered: damaged files name
  /// any.
  [[nodiscard]] std::span<const std::uint32_t> events_of(std::uint32_t handle) const;
  /// 0 where nobody recorded its post.
  [[nodiscard]] std::uint64_t tag_of(const transfer& x) const;
  /// As its other records have it.
  [[nodiscard]] std::uint32_t short_tag_of(const transfer& x) const;
  /// Transfers of one datum, by the time they began.
  [[nodiscard]] std::span<const std::uint32_t> transfers_of(std::uint32_t handle) const;
  /// Those of a version to a rank, by the time they began. Cost: a search among those of the datum.
  [[nodiscard]] std::span<const std::uint32_t> transfers_to(int rank, std::uint32_t handle,
                                                            std::uint32_t version) const;
  /// Those of a version from a rank, by the end of the send; first those that did not end.
  [[nodiscard]] std::span<const std::uint32_t> transfers_from(int rank, std::uint32_t handle,
                                                              std::uint32_t version) const;
  /// Where programs stood until others were there. Cost: sorts their waits when it is asked for
  /// first. Threads: any.
  [[nodiscard]] const meetings& met() const;
  /// Of what the values of reductions are made. Cost: a pass over accesses and transfers when it is
  /// asked for first. Threads: any.
  [[nodiscard]] const contributions& contributed() const;
  /// How far times of its ranks may be apart. Cost: as that of fitting clocks when it is asked for
  /// first. Threads: any.
  [[nodiscard]] const time_errors& clock_errors() const;
  /// What devices copied, by lane, then by their begin. Cost: a pass over the events when it is
  /// asked for first, none without devices. Threads: any.
  [[nodiscard]] const std::vector<device_copy>& device_copies() const;
  /// Of one device.
  [[nodiscard]] std::span<const device_copy> device_copies_of(std::uint32_t lane) const;
  /// What the receiver of an explicit message calls what it brings; nothing where it did not record
  /// that it asked for it.
  struct datum_version {
    std::uint32_t handle = 0, version = 0;
  };
  [[nodiscard]] std::optional<datum_version> received_as(std::uint32_t transfer) const;
  /// The line that called for an explicit message at one end, "heat.cpp:57"; empty where it was not
  /// recorded, as by deed of before.
  [[nodiscard]] std::string sent_at(std::uint32_t transfer) const;
  [[nodiscard]] std::string received_at(std::uint32_t transfer) const;
  /// Of the post of one end.
  [[nodiscard]] std::string called_at(const event& post) const;
  /// The explicit message of a record of a rank, by what its two ends have in common. Its number
  /// has 16 bits: of several with one, that of the version that it brings, or the last that the
  /// rank had posted by then.
  [[nodiscard]] std::uint32_t message_of(const event& e) const;
  /// The explicit message that brought a version to a rank, as the rank itself calls it: the
  /// transfer has the names of its sender. `none` if it was another transfer, or no message.
  [[nodiscard]] std::uint32_t message_that_brought(std::uint32_t handle, std::uint32_t version,
                                                   int rank) const;
  /// The task of a rank that wrote a version, and had before a moment; of data of which each rank
  /// has its own, several do. `none` if it was not recorded.
  [[nodiscard]] std::uint32_t writer_on(int rank, std::uint32_t handle, std::uint32_t version,
                                        std::int64_t until) const;
  /// Errors and signals, in time order.
  [[nodiscard]] const std::vector<std::uint32_t>& failures() const { return failures_; }
  /// Where a program ended its run on purpose, which is no failure; in time order.
  [[nodiscard]] const std::vector<std::uint32_t>& stops() const { return stops_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(run_->ranks().size()); }
  /// Until when it is known what a rank did: the end of the run, and of a rank that did not end its
  /// recording, its last record. Of virtual ranks, the end of the run: they live and die together.
  [[nodiscard]] std::int64_t known_until(int rank) const;
  /// Of one thread of it: one that crashed did nothing more, while others may still have recorded.
  [[nodiscard]] std::int64_t lane_known_until(std::uint32_t lane) const;
  /// Of a run that is still recorded, whose ranks are read one after the other, the last moment at
  /// which all is known of those that are there to the end; else the end.
  [[nodiscard]] std::int64_t head() const;
  /// Since when every task that ran is recorded with its accesses: of a run that is recorded from a
  /// moment on, some that were submitted before still ran.
  [[nodiscard]] std::int64_t all_told_from() const { return all_told_from_; }
  /// The end of a task that has begun; of one without, until when it is known.
  [[nodiscard]] std::int64_t end_of(const task& t) const {
    return t.end != never ? t.end : std::max(t.begin, lane_known_until(t.lane));
  }

  /// What a rank's number of a codelet means, in `codelets`; `none` if it was not recorded.
  [[nodiscard]] std::uint32_t codelet_of(int rank, std::uint64_t id) const {
    return codelet_numbers_.find(rank, id);
  }
  [[nodiscard]] std::uint32_t find_task(int rank, std::uint64_t number) const;
  [[nodiscard]] std::string handle_name(std::uint32_t handle) const;
  /// Ranks count their own tasks, too, as those of `for_each_tile` with `deed::index`: then several
  /// have a task of one number, and what one rank calls a task means nothing on another.
  [[nodiscard]] bool ranks_count_alike() const { return ranks_count_alike_; }
  /// Of the rank that counts so: "gemm#511", "gemm#511 on rank 2" where another rank has a task of
  /// this number, too, and "task 511" if there is none.
  [[nodiscard]] std::string task_name(int rank, std::uint64_t number) const;
  [[nodiscard]] std::string task_name(std::uint32_t index) const;
  /// "gemm#511", for where the rank is said already.
  [[nodiscard]] std::string task_label(std::uint32_t index) const;
  /// "gemm#511 on rank 2".
  [[nodiscard]] std::string task_on_rank(std::uint32_t index) const;
  /// All of that label; with its rank, the one.
  [[nodiscard]] std::vector<std::uint32_t> tasks_called(const std::string& name) const;
  /// What a transfer is for; `none` if that is not recorded.
  [[nodiscard]] std::uint32_t task_for(const transfer& x) const;
  [[nodiscard]] std::string name_task_for(const transfer& x) const;
  /// "main.cpp:88", or "a line that was not recorded".
  [[nodiscard]] std::string place(int rank, std::uint32_t loc) const;
  [[nodiscard]] bool is_place(int rank, std::uint32_t loc) const;
  [[nodiscard]] std::string text(int rank, std::uint32_t id) const;
  /// Of a backtrace, as recorded; empty if there is none.
  [[nodiscard]] std::string_view frames(int rank, std::uint32_t id) const;
  /// The group to which a rank gave a number; null if it recorded none.
  [[nodiscard]] const recorded_group* group_of(int rank, std::uint32_t number) const;
  /// "A[3,2]", or "A(3,2)" as an error calls it; "token", "#17".
  [[nodiscard]] std::optional<std::uint32_t> find_handle(const std::string& name) const;
  /// The task that wrote (handle, version); `none` if it was not recorded.
  [[nodiscard]] std::uint32_t writer(std::uint32_t handle, std::uint32_t version) const;

 private:
  struct number_hash {
    std::size_t operator()(std::uint64_t key) const noexcept { return mix(key, 0); }
  };

  void find_idle_without_tasks();
  void read_definitions();
  void read_definition(const event& e, int rank);
  void number_tasks();
  void share_number(std::uint64_t number);
  [[nodiscard]] bool is_shared(std::uint64_t number) const {
    return number < shared_numbers_.size() && shared_numbers_[number];
  }
  void forget_foreign_numbers();
  void find_untold();
  [[nodiscard]] std::optional<std::size_t> place_of_version(std::uint32_t handle,
                                                            std::uint32_t version) const;
  datum& datum_at(std::uint32_t handle);
  void sort_writes();
  void find_writers();
  void find_messages();
  void mark_redundant();
  [[nodiscard]] std::span<const std::uint32_t> of_datum(const unset_vector<std::uint32_t>& all,
                                                        std::uint32_t handle) const;
  void sort_by_ends(std::uint32_t handle);
  void mark_came_back(std::uint32_t handle);
  void name_handles();
  void find_numbered_phases();

  const run* run_;
  std::unordered_map<int, std::int64_t> last_of_unended_;  // Their last records.
  std::int64_t all_told_from_ = 0;
  std::vector<datum> data_;
  std::vector<task> tasks_;
  unset_vector<access> accesses_;
  std::vector<transfer> transfers_;
  std::vector<codelet> codelets_;
  std::vector<state_span> states_;
  std::vector<wait_span> waits_;
  std::vector<phase_span> phases_;
  std::vector<value_series> values_;
  std::vector<std::uint32_t> failures_;
  std::vector<std::uint32_t> stops_;
  std::unordered_map<std::uint32_t, std::int64_t> crashed_;  // Threads, and when.
  std::unordered_set<std::uint64_t> numbered_phases_;        // Their names, by rank.
  // Of one datum after the other; where each begins, and behind the last one.
  std::vector<std::uint32_t> first_transfer_;
  unset_vector<std::uint32_t> transfers_by_time_, transfers_by_receiver_, transfers_by_sender_;
  struct found_meetings;
  std::shared_ptr<found_meetings> met_;  // Of a copy of this they are the same.
  struct found_contributions;
  std::shared_ptr<found_contributions> contributed_;
  struct found_errors;
  std::shared_ptr<found_errors> clock_errors_;
  struct found_copies;
  std::shared_ptr<found_copies> device_copies_;
  /// 48 bytes for all three per message.
  struct known_message {
    std::uint32_t short_tag = 0;
    int src = 0, dst = 0;
    std::uint16_t seq = 0;
    std::uint32_t transfer = none;
    [[nodiscard]] auto key() const { return std::tuple(short_tag, src, dst, seq); }
  };
  struct brought_version {
    int rank = 0;
    std::uint32_t handle = 0, version = 0;
    std::uint32_t transfer = none;
    [[nodiscard]] auto key() const { return std::tuple(rank, handle, version); }
  };
  struct message_posts {
    std::uint32_t transfer = none;
    std::uint32_t send = none, receive = none;  // Events.
  };
  [[nodiscard]] message_posts posts_of(std::uint32_t transfer) const;
  std::vector<message_posts> posts_;      // By transfer.
  std::vector<known_message> messages_;   // By key.
  std::vector<brought_version> brought_;  // By key; of several with one, the last counts.
  unset_vector<std::uint32_t> writes_;    // `datum::writes`, one after the other.
  // All ranks count one sequence of tasks, and most often one rank runs a task: by number, the
  // first task that has it. The table has those of other ranks.
  std::vector<std::uint32_t> task_of_number_;
  flat_index<std::uint64_t, number_hash> task_index_;
  std::vector<bool> shared_numbers_;  // By number: whether several ranks have such a task.
  bool ranks_count_alike_ = true;
  std::unordered_map<std::uint64_t, std::string> places_;
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_map<std::uint64_t, std::string> frames_;
  std::unordered_map<std::uint64_t, recorded_group> groups_;
  codelet_numbers codelet_numbers_;
  std::unordered_map<std::string, std::uint32_t> codelet_names_;
  // By datum and version, as far as a datum's versions are about as many as its writes; the table
  // has the others.
  std::vector<std::uint32_t> writer_of_version_;
  std::vector<std::size_t> versions_of_;  // Where those of each datum begin, and the end.
  flat_index<std::uint64_t, number_hash> writers_;
  std::unordered_map<std::string, std::uint32_t> handle_names_;
};

}  // namespace deed::viewer
