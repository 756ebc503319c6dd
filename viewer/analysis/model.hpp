// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>

#include "analysis/read/run.hpp"
#include "analysis/store/flat_index.hpp"
#include "analysis/store/number_index.hpp"
#include "analysis/store/unset_vector.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// @file
/// What the events of a run are about: data, tasks and transfers, matched across ranks.

namespace deed::viewer {

/// A moment that was not recorded.
inline constexpr std::int64_t never = -1;
/// No task, no transfer.
inline constexpr std::uint32_t none = ~std::uint32_t{0};

struct datum {
  bool known = false;
  std::string name;   ///< "A[3,2]"; "column#3" where several have one name.
  std::string group;  ///< "A".
  std::uint64_t bytes = 0;
  std::int32_t i = -1;
  std::int32_t j = -1;
  std::uint32_t home = 0;
  int home_reporter = 0;  ///< The rank whose location is `loc`.
  std::uint32_t loc = none;
  std::span<const std::uint32_t> events;  ///< All that name this handle, in time order.
  std::span<const std::uint32_t> writes;  ///< Accesses of finished writers, by the end of their
                                          ///< tasks.
};

struct access {
  std::uint32_t task = none;
  std::uint32_t handle = 0;
  std::uint32_t ver_in = 0;
  std::uint32_t ver_out = 0;
  std::uint8_t mode = 0;
  // A contribution to a reduction, 3, does neither: the value changes when the reduction is closed.
  [[nodiscard]] bool reads() const { return mode != 1 && mode != 3 && mode != 4; }
  [[nodiscard]] bool writes() const { return mode != 0 && mode != 3 && mode != 4; }
};

struct task {
  std::uint64_t number = 0;   ///< The submission index on its rank.
  int rank = 0;               ///< The executor.
  std::uint32_t codelet = 0;  ///< In `model::codelets`.
  std::uint32_t loc = none;
  std::uint32_t lane = none;
  std::int64_t submit = never, ready = never, begin = never, end = never;
  std::uint64_t ready_by = 0;
  std::uint32_t first_access = 0;
  std::uint32_t accesses = 0;
  std::uint8_t ready_cause = 0;
  std::uint8_t status = 0;
};

/// One datum in one version from one rank to another: (handle, version, src, dst, seq).
struct transfer {
  std::uint32_t handle = 0;
  std::uint32_t version = 0;
  int src = 0;
  int dst = 0;
  std::uint32_t seq = 0;
  std::uint8_t reason = 0;
  bool redundant = false;  ///< This rank pair moved this version before.
  bool came_back = false;  ///< It migrated away, and back before anybody wrote it.
  std::uint64_t bytes = 0;
  std::uint64_t tag = 0;
  std::uint64_t for_task = ~std::uint64_t{0};
  std::int64_t post_send = never, start = never, done_send = never, post_receive = never,
               done_receive = never;
  std::int64_t start_receive = never;  ///< Its receiver began to look for it.
  std::uint32_t post_event = none;

  /// When the bytes left, as well as it is known.
  [[nodiscard]] std::int64_t begin() const {
    return start != never ? start : post_send != never ? post_send : post_receive;
  }
  [[nodiscard]] std::int64_t end() const {
    return done_receive != never ? done_receive : done_send;
  }
  /// Since when it could be on the wire: a receiver does not take a version while tasks still use
  /// the one before.
  [[nodiscard]] std::int64_t on_the_wire() const { return std::max(begin(), start_receive); }
  /// Its bytes have left, as far as one of the ranks said.
  [[nodiscard]] bool has_left() const { return start != never || end() != never; }
  /// What a better program would not have sent.
  [[nodiscard]] bool in_vain() const { return redundant || came_back; }
};

struct codelet {
  std::string name;
  std::string place;
  std::uint32_t colour = 0;
};

/// A span of a lane that is no task: what the worker did, and because of what.
struct state_span {
  std::uint32_t lane = 0;
  std::uint32_t event = none;  ///< At which it begins.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint8_t state = 0;
  std::uint8_t reason_kind = 0;
  std::uint64_t reason = 0;
};

/// A wait of the program on one lane.
struct wait_span {
  std::uint32_t lane = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t event = none;  ///< Its begin.
  bool ended = false;
};

/// Keeps: a pointer to the run, which has to outlive it.
/// Cost: one pass over the events.
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
  /// By lane, then time.
  [[nodiscard]] const std::vector<wait_span>& waits() const { return waits_; }
  [[nodiscard]] std::span<const access> accesses(const task& of) const {
    return {accesses_.data() + of.first_access, of.accesses};
  }
  [[nodiscard]] const std::vector<access>& all_accesses() const { return accesses_; }
  /// All that name a datum, in time order; none of one that no rank registered: damaged files name
  /// any.
  [[nodiscard]] std::span<const std::uint32_t> events_of(std::uint32_t handle) const;
  /// Transfers of one datum, by the time they began.
  [[nodiscard]] const std::vector<std::uint32_t>& transfers_of(std::uint32_t handle) const;
  [[nodiscard]] int ranks() const { return static_cast<int>(run_->ranks().size()); }
  /// Until when it is known what a rank did: the end of the run, and of a rank that did not end its
  /// recording, its last record. Of virtual ranks, the end of the run: they live and die together.
  [[nodiscard]] std::int64_t known_until(int rank) const;
  /// The end of a task that has begun; of one without, until when it is known.
  [[nodiscard]] std::int64_t end_of(const task& t) const {
    return t.end != never ? t.end : std::max(t.begin, known_until(t.rank));
  }

  [[nodiscard]] std::uint32_t find_task(int rank, std::uint64_t number) const;
  [[nodiscard]] std::string handle_name(std::uint32_t handle) const;
  /// "gemm#511", and "task 511" if the codelet was not recorded.
  [[nodiscard]] std::string task_name(int rank, std::uint64_t number) const;
  [[nodiscard]] std::string task_name(std::uint32_t index) const;
  /// "main.cpp:88", or "a line that was not recorded".
  [[nodiscard]] std::string place(int rank, std::uint32_t loc) const;
  [[nodiscard]] std::string text(int rank, std::uint32_t id) const;
  /// "A[3,2]", "token", "#17".
  [[nodiscard]] std::optional<std::uint32_t> find_handle(const std::string& name) const;
  /// The task that wrote (handle, version); `none` if it was not recorded.
  [[nodiscard]] std::uint32_t writer(std::uint32_t handle, std::uint32_t version) const;

 private:
  struct number_hash {
    std::size_t operator()(std::uint64_t key) const noexcept { return mix(key, 0); }
  };
  struct transfer_key {
    std::uint32_t handle = 0, version = 0, src = 0, dst = 0, seq = 0;
    [[nodiscard]] std::size_t hash() const noexcept {
      return mix(mix(std::uint64_t{handle} << 32 | version, std::uint64_t{src} << 32 | dst), seq);
    }
    friend bool operator==(const transfer_key&, const transfer_key&) = default;
  };
  /// An explicit message: its two ends name different data. Also what one rank calls it: then with
  /// the handle and the version, without the other rank.
  struct message_key {
    std::uint64_t tag = 0;
    std::uint32_t src = 0, dst = 0, seq = 0, handle = none, version = 0;
    friend bool operator==(const message_key&, const message_key&) = default;
  };
  struct message_hash {
    std::size_t operator()(const message_key& key) const noexcept {
      return mix(mix(key.tag, std::uint64_t{key.src} << 32 | key.dst),
                 mix(key.seq, std::uint64_t{key.handle} << 32 | key.version));
    }
  };

  void read_definition(const event& e, int rank);
  void read_work(const event& e, std::uint32_t index, int rank);
  void read_moves();
  void read_move(const event& e, std::uint32_t index, int rank);
  std::uint32_t task_at(int rank, std::uint64_t number);
  std::uint32_t new_task(int rank, std::uint64_t number);
  [[nodiscard]] std::optional<std::size_t> place_of_version(std::uint32_t handle,
                                                            std::uint32_t version) const;
  void fetch_number(std::uint32_t index) const;
  void fetch_task(std::uint32_t index) const;
  [[nodiscard]] transfer_key key_of(const event& e) const;
  transfer& transfer_at(const event& e, int rank);
  [[nodiscard]] message_key name_on(const event& e, int rank) const;
  transfer& message_at(const event& e, int rank);
  transfer& new_transfer(const transfer_key& key);
  void end_wait(const event& e);
  void begin_state(const event& e, std::uint32_t index, std::uint8_t state,
                   std::uint8_t reason_kind, std::uint64_t reason);
  datum& datum_at(std::uint32_t handle);
  void name_codelet(task& of, int rank, std::uint64_t id);
  void end_state(std::uint32_t lane, std::int64_t at);
  void end_spans();
  void sort_accesses();
  void sort_writes();
  void find_writers();
  void mark_redundant();
  void mark_came_back(std::uint32_t handle);
  void name_handles();

  const run* run_;
  std::unordered_map<int, std::int64_t> last_of_unended_;  // Their last records.
  std::vector<datum> data_;
  std::vector<task> tasks_;
  std::vector<access> accesses_;
  std::vector<transfer> transfers_;
  std::vector<codelet> codelets_;
  std::vector<state_span> states_;
  std::vector<wait_span> waits_;
  std::vector<std::optional<state_span>> open_states_;
  std::vector<std::vector<std::uint32_t>> transfers_of_;
  unset_vector<std::uint32_t> writes_;  // `datum::writes`, one after the other.
  // All ranks count one sequence of tasks, and most often one rank runs a task: by number, the
  // first task that has it. The table has those of other ranks.
  std::vector<std::uint32_t> task_of_number_;
  flat_index<std::uint64_t, number_hash> task_index_;
  number_index transfer_index_;
  flat_index<message_key, message_hash> message_index_;
  flat_index<message_key, message_hash> posted_;  // Messages of one rank.
  std::vector<bool> says_states_;                 // By lane.
  std::vector<std::vector<wait_span>> waiting_;   // By lane: waits that have not ended yet.
  std::unordered_map<std::uint64_t, std::string> places_;
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> codelet_index_;  // (rank, id) -> codelets_.
  std::unordered_map<std::string, std::uint32_t> codelet_names_;
  // By datum and version, as far as a datum's versions are about as many as its writes; the table
  // has the others.
  std::vector<std::uint32_t> writer_of_version_;
  std::vector<std::size_t> versions_of_;  // Where those of each datum begin, and the end.
  flat_index<std::uint64_t, number_hash> writers_;
  std::unordered_map<std::string, std::uint32_t> handle_names_;
};

}  // namespace deed::viewer
