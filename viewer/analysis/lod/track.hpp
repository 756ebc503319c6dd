// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/lod/curve.hpp"
#include "analysis/model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What a timeline draws, so that its cost follows the pixels and not the events.

namespace deed::viewer {

enum class span_type : std::uint8_t { task, state, send, receive, wait, phase, value, copy };

/// Why a span must be seen at every zoom.
enum span_flag : std::uint8_t {
  flag_error = 1,
  flag_redundant = 2,
  flag_unfinished = 4,
  flag_stop = 8,  ///< The program ended the run on purpose, which is no error.
};

struct track_span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// Into the model's table of `type`; for a wait, a phase, a value and a copy, the event.
  std::uint32_t ref = none;
  std::uint16_t kind =
      0;  ///< Codelet, state, stay, reason of a transfer, a way of copies, or 0: its looks.
  span_type type = span_type::task;
  std::uint8_t flags = 0;
};

/// The kind of a state in which a thread had no task while the program of its rank waited for other
/// programs, and of such a wait: this, and the `trace::wait_kind`.
constexpr std::uint16_t first_stay = 256;
[[nodiscard]] constexpr std::uint16_t kind_of_stay(std::uint8_t what) {
  return static_cast<std::uint16_t>(first_stay + what);
}
/// The kinds of copies.
constexpr std::uint16_t copy_from_device = 0, copy_to_device = 1;
struct program_stay;
/// Of a state, in a piece of it that `cut_by_stays` cuts.
[[nodiscard]] std::uint16_t kind_of_state(const state_span& state, const program_stay* in);
/// Of a kind of states, as the answers have it: "fetch wait", "collective call".
[[nodiscard]] std::string name_of_state(std::uint16_t kind);

/// One pixel of a track.
struct track_pixel {
  float tasks = 0;               ///< The share that is work: tasks, transfers and waits; 0 .. 1.
  float states = 0;              ///< The share that is a worker's state between tasks.
  std::uint32_t longest = none;  ///< The span of work with most time.
  std::uint32_t longest_state = none;  ///< The state with most time.
  std::uint8_t flags = 0;
};

/// Spans in time order, and above them a tree: 32 below each leaf, 8 below each other node.
/// Cost: 16 bytes per span, and 2 for the tree.
class track {
 public:
  track() = default;
  explicit track(std::vector<track_span> spans);

  [[nodiscard]] std::size_t size() const { return spans_.size(); }
  [[nodiscard]] bool empty() const { return spans_.empty(); }
  [[nodiscard]] track_span span(std::size_t i) const;
  /// All of them, by value.
  [[nodiscard]] auto spans() const {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t i) { return span(i); });
  }
  /// Indices [first, last) of the spans that touch [from, to].
  [[nodiscard]] std::pair<std::size_t, std::size_t> touching(std::int64_t from,
                                                             std::int64_t to) const;
  /// Fills `row` with what [from, to] looks like. Cost: O(pixels), whatever the number of spans.
  void draw(std::int64_t from, std::int64_t to, std::span<track_pixel> row) const;

 private:
  static constexpr std::size_t leaf_size = 32, fan_out = 8;
  static constexpr std::uint32_t too_long = ~std::uint32_t{0};  // 4.29 seconds.

  /// Its times count from the begin of the first span below its leaf.
  struct stored_span {
    std::uint32_t after = 0;
    std::uint32_t length = 0;  // `too_long`: both times are in `long_`.
    std::uint32_t ref = none;
    std::uint16_t kind = 0;
    span_type type = span_type::task;
    std::uint8_t flags = 0;
  };
  struct long_span {
    std::size_t index = 0;
    std::int64_t begin = 0, end = 0;
  };
  /// Spans of one sort below a node.
  struct share {
    std::int64_t covered = 0;        // Sum of durations.
    std::uint32_t longest = none;    // With most time.
    std::uint32_t longest_time = 0;  // Of it; `too_long`: the span says how long it is.
  };
  struct node {
    node() = default;
    explicit node(std::int64_t from) : begin(from), end_and_flags(from * 256) {}
    [[nodiscard]] std::int64_t end() const { return end_and_flags >> 8; }
    [[nodiscard]] std::uint8_t flags() const {
      return static_cast<std::uint8_t>(end_and_flags & 0xff);
    }
    void reach(std::int64_t end, std::uint8_t more_flags) {
      end_and_flags = std::max(this->end(), end) * 256 | flags() | more_flags;
    }

    std::int64_t begin = 0;
    // Above, the latest end of all spans below: a run lasts less than 2^53 ns.
    std::int64_t end_and_flags = 0;
    share work, states;
  };

  [[nodiscard]] static node leaf_of(const track_span& s, std::size_t index);
  [[nodiscard]] std::int64_t longest_time(const share& of) const;
  void add(share& to, const share& more) const;
  void add(node& to, const node& more) const;
  void store(const track_span& s);

  std::vector<stored_span> spans_;
  std::vector<long_span> long_;
  std::vector<std::int64_t> ends_;  // By leaf, the latest until then: for the search.
  std::vector<std::vector<node>> levels_;
};

/// What a lane shows: what its stream did, or what the program says of itself.
enum class lane_sort : std::uint8_t { work, phases, values };

/// One lane of the timeline: a stream and what was drawn from it.
struct timeline_lane {
  std::uint32_t lane = none;  ///< Of the run.
  int rank = 0;
  bool runs_tasks = false;  ///< A worker, or the program's thread where that works.
  /// Workers: tasks and states in one; progress: sends, receives; devices: kernels, copies.
  std::vector<track> tracks;
  track waits;  ///< Of the program: what lies in them is in `tracks`.
  lane_sort sort = lane_sort::work;
  std::string name = {};  ///< Of phases, of which each track has those of one depth, and values.
  curve values = {};
  const value_series* series = nullptr;  ///< That `values` is of.
};

/// By rank, then application, workers, progress: all of the run, with what is in `part` on them.
[[nodiscard]] std::vector<timeline_lane> make_lanes(const model& of, const run_part& part = {});
/// The same, with the copies of devices on their lanes, a track for each way; and above the lanes
/// of each rank its phases, a lane for each thread that has some, and its values.
[[nodiscard]] std::vector<timeline_lane> make_timeline(const model& of);
/// From the first event of its rank, or the begin of a slice, until a worker's first record, if
/// nothing was lost then: it had not started yet. One that never wrote any, as long as it is known.
[[nodiscard]] std::optional<time_range> not_started(const model& of, std::uint32_t lane);

}  // namespace deed::viewer
