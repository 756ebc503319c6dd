// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/match/shared_rows.hpp"
#include "analysis/model.hpp"
#include "analysis/store/number_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// @file
/// The tasks of one rank, and what its threads did between them.

namespace deed::viewer {

/// From the records of one rank, which are near each other in memory, also its tables: so ranks are
/// read side by side, and a record costs no miss of the cache.
class rank_work {
 public:
  /// `all`: the tasks of all ranks.
  rank_work(const run& from, int rank, const codelet_numbers& codelets, std::vector<task>& all);

  /// Whether `read` has a use for such a record.
  [[nodiscard]] static constexpr bool wants(record what) {
    switch (what) {
      case record::task_submit:
      case record::task_access:
      case record::task_ready:
      case record::task_begin:
      case record::task_end:
      case record::kernel:
      case record::state:
      case record::wait_begin:
      case record::wait_end:
      case record::counter:
      case record::phase_push:
      case record::phase_pop:
      case record::error:
      case record::fatal_signal:
      case record::stop_run:
        return true;
      default:
        return false;
    }
  }
  /// In the order of time.
  void read(const event& e, std::uint32_t index);
  /// What is open ends at `until`, and where its thread crashed, there.
  void end(std::int64_t until);

  // What was found; whoever takes it leaves nothing.
  shared_rows<task> tasks;
  std::vector<access> accesses;  ///< Of places in `tasks`; each task's in order of time.
  std::vector<wait_span> waits;
  std::vector<phase_span> phases;
  std::vector<value_series> values;
  std::vector<std::uint32_t> failures;  ///< Errors and signals.
  std::vector<std::uint32_t> stops;     ///< Of the run, on purpose.
  /// What a thread did between tasks, thread after thread.
  [[nodiscard]] std::vector<std::vector<state_span>> take_states();

 private:
  struct thread {
    std::optional<state_span> open;
    bool says_states = false;
    std::vector<wait_span> waiting;        // They have not ended yet.
    std::vector<std::uint32_t> in_phases;  // Of `phases`, as they lie in each other.
    std::vector<state_span> states;
    std::int64_t crashed = never;
  };

  [[nodiscard]] thread& thread_of(const event& e) { return threads_[e.lane - first_lane_]; }
  [[nodiscard]] static std::size_t hash_of(std::uint64_t number) noexcept;
  std::uint32_t place_of(std::uint64_t number, std::uint32_t event);
  task& task_of(const event& e, std::uint32_t index);
  void name_codelet(task& of, std::uint64_t id) const;
  void begin_state(const event& e, std::uint32_t index, std::uint8_t state);
  static void end_state(thread& of, std::int64_t at);
  void could_run(task& of, std::uint32_t index);
  void begins(const task& of, std::uint32_t index);
  void end_looking(thread& of, std::int64_t at, trace::worker_state rest) const;
  [[nodiscard]] trace::worker_state rest_at_end() const;
  void end_wait(const event& e);
  void begin_phase(const event& e, std::uint32_t index);
  void end_phase(const event& e, std::uint32_t index);
  void add_value(const event& e, std::uint32_t index);

  const run* run_;
  int rank_;
  std::int64_t known_from_ = 0;          // What the rank did.
  std::vector<std::uint32_t> codelets_;  // Of small numbers; the table has all.
  const codelet_numbers* all_codelets_;
  std::uint32_t first_lane_ = 0;
  std::vector<thread> threads_;
  std::uint64_t can_run_ = 0;  // Tasks that are ready, and have not begun.
  // Events: when the last one that could run began, and when the next one could run.
  std::uint32_t none_since_ = none, one_since_ = none;
  std::uint64_t inserted_ = 0, begun_ = 0;  // Tasks.
  number_index places_;                     // In `tasks`, by the task's number.
  std::uint32_t last_ = none;               // Records of one task follow each other.
};

}  // namespace deed::viewer
