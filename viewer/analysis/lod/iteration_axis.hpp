// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/lod/track.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// @file
/// An axis on which ranks that run ahead of each other can be compared.

namespace deed::viewer {

/// Each iteration of the program begins at one place on all ranks: where it began on average. Its
/// length there is that of the average, too; what a rank did in it keeps its order and proportions.
/// Iterations are the phases of one name that are numbered: the outermost, and of several names
/// those that are most.
///
/// By the order of tasks, the n-th that a rank began is an iteration, and all are equally long:
/// tasks that begin at one moment, as of virtual ranks, have one place.
///
/// Units: places are nanoseconds, from the begin of the run to its end, as times are.
class iteration_axis {
 public:
  enum class by : std::uint8_t { phases, tasks };

  struct iteration {
    std::int64_t index = 0;
    std::int64_t begin = 0;  ///< Its place.
  };

  explicit iteration_axis(const model& of, by what = by::phases);

  /// There are no iterations: places are times.
  [[nodiscard]] bool empty() const { return iterations_.empty(); }
  [[nodiscard]] by what() const { return what_; }
  /// Of the phases: "step"; "task".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// By place.
  [[nodiscard]] const std::vector<iteration>& iterations() const { return iterations_; }
  /// The place at which the last of them ends.
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Of a rank without iterations the time. Neither goes backwards. Cost: O(log iterations).
  [[nodiscard]] std::int64_t place_of(int rank, std::int64_t time) const;
  [[nodiscard]] std::int64_t time_at(int rank, std::int64_t place) const;
  /// From when to when any rank did something that is between these places.
  [[nodiscard]] time_range times_between(std::int64_t from, std::int64_t to) const;

 private:
  struct knot {
    std::int64_t time = 0, place = 0;
  };

  void take_phases(const model& of);
  void take_tasks(const model& of);
  void put(int rank, std::int64_t time, std::int64_t place);

  by what_ = by::phases;
  std::string name_;
  std::vector<iteration> iterations_;
  std::int64_t end_ = 0;
  std::map<int, std::vector<knot>> knots_;  // By rank; both grow from one to the next.
};

/// The same lanes with places where they have times. Cost: as that of making them.
[[nodiscard]] std::vector<timeline_lane> on_axis(const std::vector<timeline_lane>& lanes,
                                                 const iteration_axis& axis);

}  // namespace deed::viewer
