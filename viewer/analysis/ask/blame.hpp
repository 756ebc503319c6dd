// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/call_causes.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/ask/receivers.hpp"
#include "analysis/match/contributions.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/model.hpp"
#include "analysis/store/flat_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Which rank a thread waited for.

namespace deed::viewer {

/// What was waited for last: one of these.
struct awaited_link {
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  place_in_call call{};
  bool sends = false;  // The transfer goes away from the rank that waited for its end.
  [[nodiscard]] bool is_known() const {
    return task != none || transfer != none || call.call != none;
  }
};

/// A part of a span, and the rank that its thread waited for.
struct blamed_part {
  int rank = -1;
  time_range time;
  int circle = -1;  ///< The first rank of a circle that all stand in; no circle: -1.
};

/// A program that stands for another one, which stands for a third meanwhile, waits for that: who
/// is blamed stood for nobody, or nobody knows for whom. In a wait for all a program stands for who
/// sent to its rank last, or took from it, while that had no task to run. Where they stand in a
/// circle, each waits for the next one, and who waits for a rank of it for the first that it comes
/// to. Who waits for data that a rank passes on waits for that rank only when it has them.
///
/// A task for which another rank waits may have waited itself, for data or for a collective call,
/// and so may what a rank gives to such a call: the time before it could run is that of the rank
/// for which it waited.
///
/// Cost: sorts tasks, transfers and stays once; then O(log n) for a span, and what it leads to of
/// what programs and tasks waited for during it.
class blame {
 public:
  explicit blame(const model& of);
  /// The parts of a span of a thread without work that are blamed on a rank.
  [[nodiscard]] std::vector<blamed_part> parts_of(const state_span& s) const;

 private:
  /// A transfer to one rank, in the order of (handle, rank, begin).
  struct incoming {
    std::uint64_t to = 0;  // The rank above, the handle below.
    std::int64_t begin = 0;
    std::int64_t reach = 0;  // The latest end of those of this datum up to here; unended: for ever.
    std::int64_t end = never;
    std::uint32_t transfer = none;
  };

  using link = awaited_link;

  /// A time in which the program of a rank stood for another rank.
  struct stand {
    int awaited = -1;
    time_range time;
    std::int64_t called = 0;  // By when that had come, sent or asked: then its program is not late.
    link by{};                // What it stood for, if that tells more.
  };

  /// The cause of a wait: a rank, or what was waited for.
  struct culprit {
    int rank = -1;
    link by{};
  };

  /// What a thread said of a span.
  struct said {
    trace::worker_state state;
    state_reason reason;
  };

  struct way_hash {
    std::size_t operator()(std::uint64_t to) const noexcept { return mix(to); }
  };
  using moment = std::pair<std::int64_t, std::uint32_t>;  // With a task or a transfer.
  using by_time = std::vector<moment>;

  void find_tasks();
  void find_came();
  void find_incoming();
  [[nodiscard]] std::pair<std::size_t, std::size_t> way_of(std::uint64_t to) const;
  [[nodiscard]] culprit by_cause(const state_span& s, const said& why, int here) const;
  [[nodiscard]] std::uint32_t by_data(const state_span& s, const said& why, int here) const;
  void find_held();
  void find_origins();
  void find_stands();
  void stand_at_meetings(int here, std::vector<stand>& into) const;
  [[nodiscard]] bool knows_last(const meeting_stay& stay) const;
  void stand_in_borrows(int here, std::vector<stand>& into) const;
  void stand_for_data(int here, std::span<const wait_span* const> borrows,
                      std::vector<stand>& into) const;
  [[nodiscard]] std::optional<stand> by_last_of_datum(time_range when, std::uint32_t handle,
                                                      int here) const;
  void stand_for_requests(int here, std::vector<stand>& into) const;
  void stand_for_all(int here, std::span<const time_range> waits, std::vector<stand>& into) const;
  [[nodiscard]] std::optional<stand> by_last_of_all(time_range when, int here) const;
  [[nodiscard]] std::optional<stand> by_last_call(time_range when, int here) const;
  [[nodiscard]] std::vector<time_range> busy(int here) const;
  [[nodiscard]] std::optional<stand> by_last_receiver(time_range when, int here) const;
  [[nodiscard]] static std::optional<stand> by_receiver(time_range when, const transfer& x);
  [[nodiscard]] std::optional<stand> by_sender(time_range when, std::uint32_t index) const;
  [[nodiscard]] std::optional<stand> by_message(time_range when, std::uint32_t message,
                                                int here) const;
  void by_stands(time_range when, int here, std::vector<bool>& above,
                 std::vector<blamed_part>& into) const;
  static void in_circle_of(int awaited, blamed_part& part);
  void pass_on(const stand& part, std::vector<bool>& above, std::vector<blamed_part>& into) const;
  void by_link(time_range when, link at, std::vector<bool>& above,
               std::vector<blamed_part>& into) const;
  [[nodiscard]] link through_call(time_range& when, const place_in_call& place,
                                  std::vector<bool>& above, std::vector<blamed_part>& into) const;
  [[nodiscard]] link through_task(time_range& when, std::uint32_t index, std::vector<bool>& above,
                                  std::vector<blamed_part>& into) const;
  [[nodiscard]] link through_transfer(time_range& when, std::uint32_t index,
                                      std::vector<bool>& above,
                                      std::vector<blamed_part>& into) const;
  [[nodiscard]] link through_send(time_range& when, std::uint32_t index, std::vector<bool>& above,
                                  std::vector<blamed_part>& into) const;
  [[nodiscard]] link before_passed_on(time_range& when, const transfer& x, std::uint32_t first,
                                      std::vector<bool>& above,
                                      std::vector<blamed_part>& into) const;
  void by_program(const stand& part, std::vector<bool>& above,
                  std::vector<blamed_part>& into) const;
  [[nodiscard]] link released_by(const task& t) const;
  [[nodiscard]] link by_call_or_sum(const task& t) const;
  [[nodiscard]] std::uint32_t kept_out_by(const transfer& x) const;
  [[nodiscard]] contribution last_made(const transfer& x) const;
  void by_data_of(time_range when, std::uint32_t awaited, int here, std::vector<bool>& above,
                  std::vector<blamed_part>& into) const;
  [[nodiscard]] std::vector<time_range> on_own_device(std::uint32_t awaited, int here,
                                                      time_range when) const;
  [[nodiscard]] std::uint32_t passed_on(const transfer& x) const;
  [[nodiscard]] std::uint32_t never_came(const transfer& x) const;
  [[nodiscard]] culprit by_next(const state_span& s) const;
  [[nodiscard]] std::uint32_t by_missing(const state_span& s, int here) const;
  [[nodiscard]] std::uint32_t by_last(const state_span& s, int here) const;
  [[nodiscard]] std::uint32_t by_handle(time_range when, std::uint32_t handle, int here) const;
  [[nodiscard]] std::uint32_t arrived(std::uint32_t handle, std::uint32_t version, int dst,
                                      std::int64_t until) const;

  const model& of_;
  const meetings& meetings_;
  const bool stands_still_;                             // The run ended in a deadlock.
  const std::vector<std::vector<program_stay>> stays_;  // By rank.
  std::vector<by_time> tasks_;                          // By lane, as they began.
  const bool has_devices_;
  const std::vector<bool> works_;                    // By lane: it is there to run tasks.
  std::vector<by_time> came_;                        // By rank: transfers, as they were there.
  std::vector<std::vector<std::uint32_t>> missing_;  // By rank: never there; the first need first.
  std::vector<by_time> held_;                        // By rank: sends, as receivers asked for them.
  std::vector<std::vector<stand>> stands_;           // By rank, by time; none of them in two.
  std::vector<incoming> incoming_;                   // Data one after the other.
  flat_index<std::uint64_t, way_hash> ways_;         // Numbers of ranks with a datum.
  std::vector<std::uint32_t> ends_of_ways_;          // In `incoming_`.
  const call_causes calls_;
  const receivers receivers_;
  // Of a task that waited for one of its rank, the first of those; of any other, itself.
  std::vector<std::uint32_t> origins_;
};

}  // namespace deed::viewer
