// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// @file
/// What a timeline draws, so that its cost follows the pixels and not the events.

namespace deed::viewer {

enum class span_type : std::uint8_t { task, state, send, receive, wait };

/// Why a span must be seen at every zoom.
enum span_flag : std::uint8_t { flag_error = 1, flag_redundant = 2, flag_unfinished = 4 };

struct track_span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t ref = none;  ///< Into the model's table of `type`; for a wait, the event.
  std::uint16_t kind = 0;    ///< Codelet, state, or 0: what the colour depends on.
  span_type type = span_type::task;
  std::uint8_t flags = 0;
};

/// One pixel of a track.
struct track_pixel {
  float tasks = 0;               ///< The share that is work: tasks, transfers and waits; 0 .. 1.
  float states = 0;              ///< The share that is a worker's state between tasks.
  std::uint32_t longest = none;  ///< The span of work with most time.
  std::uint32_t longest_state = none;  ///< The state with most time.
  std::uint8_t flags = 0;
};

/// Spans in time order, and a tree of fan-out 8 above them.
class track {
 public:
  track() = default;
  explicit track(std::vector<track_span> spans);

  [[nodiscard]] const std::vector<track_span>& spans() const { return spans_; }
  /// Indices [first, last) of the spans that touch [from, to].
  [[nodiscard]] std::pair<std::size_t, std::size_t> touching(std::int64_t from,
                                                             std::int64_t to) const;
  /// Fills `row` with what [from, to] looks like. Cost: O(pixels), whatever the number of spans.
  void draw(std::int64_t from, std::int64_t to, std::span<track_pixel> row) const;

 private:
  struct node {
    std::int64_t begin;
    std::int64_t end;  // The latest of all spans below.
    struct share {
      std::int64_t covered = 0;  // Sum of durations.
      std::int64_t longest_time = -1;
      std::uint32_t longest = none;
      void add(std::int64_t time, std::int64_t one, std::uint32_t index);
    } work, states;
    std::uint8_t flags = 0;
  };
  std::vector<track_span> spans_;
  std::vector<std::int64_t> ends_;  // Until each eighth span the latest, for the search.
  std::vector<std::vector<node>> levels_;
};

/// One lane of the timeline: a stream and what was drawn from it.
struct timeline_lane {
  std::uint32_t lane = none;  ///< Of the run.
  int rank = 0;
  bool runs_tasks = false;    ///< A worker, or the program's thread where that works.
  std::vector<track> tracks;  ///< Workers: tasks and states in one; progress: sends, receives.
  track waits;                ///< Of the program: what lies in them is in `tracks`.
};

/// By rank, then application, workers, progress: all of the run, with what is in `part` on them.
[[nodiscard]] std::vector<timeline_lane> make_lanes(const model& of, const run_part& part = {});

}  // namespace deed::viewer
