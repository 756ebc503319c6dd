// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

/// @file
/// Collective calls that ranks numbered: of recordings that have the members of groups.

namespace deed::viewer {

/// None leaves such a call before all have come.
[[nodiscard]] bool joins_all(trace::collective_kind kind);
/// Calls `needs` with each other member, of `size`, that has to come before one goes on.
void for_each_needed(const trace::collective_call& call, std::size_t size, std::size_t member,
                     const std::function<void(std::size_t)>& needs);

/// What one member recorded of a call.
struct call_part {
  std::int64_t called = never;
  std::int64_t began = never;   ///< What it gives was there, and a thread took it up.
  std::uint32_t event = none;   ///< Of the call.
  std::uint32_t wait = none;    ///< In `model::waits`: for its request, or for what it writes.
  std::uint32_t writes = none;  ///< The datum that it writes here; `none`: memory of the program.
  std::uint32_t write = none;   ///< The event that says so.
  std::int64_t until = never;   ///< Of a wait for a task that reads what it writes: that could run.
};

/// The `number`-th call of a group.
struct numbered_call {
  trace::collective_call what{};  ///< As the first member said that recorded it.
  std::uint32_t number = 0;
  const recorded_group* group = nullptr;
  bool alike = true;             ///< All called for the same.
  std::vector<call_part> parts;  ///< By member.

  [[nodiscard]] int rank(std::size_t member) const { return group->members[member]; }
};

class numbered_calls {
 public:
  explicit numbered_calls(const model& of);
  numbered_calls(const numbered_calls&) = delete;
  numbered_calls& operator=(const numbered_calls&) = delete;

  /// Group after group, as they called.
  [[nodiscard]] const std::vector<numbered_call>& all() const { return all_; }
  /// Of one that did not record the call: all that it did until its recording ends is known, and
  /// this is none of it.
  [[nodiscard]] bool never_called(const model& of, const numbered_call& call,
                                  std::size_t member) const;

 private:
  struct place {
    std::size_t group = 0, member = 0;
  };
  [[nodiscard]] const place* place_of(const model& of, int rank, std::uint32_t group);
  [[nodiscard]] call_part* part_of(const model& of, int rank, std::uint64_t word,
                                   std::uint32_t number);
  void read_calls(const model& of);
  void add_call(const run& of, const event& call, std::uint32_t index, call_part& into);
  void read_waits(const model& of);
  [[nodiscard]] call_part* part_awaited(const model& of, const wait_span& wait);
  [[nodiscard]] call_part* part_behind(int rank, std::uint32_t handle, std::int64_t when) const;
  [[nodiscard]] call_part* part_before(const model& of, const task& last) const;

  recorded_group everyone_;
  std::deque<recorded_group> groups_;
  std::map<std::pair<std::uint32_t, std::vector<int>>, std::size_t> numbers_;  // In `groups_`.
  std::map<std::pair<int, std::uint32_t>, place> places_;
  std::map<std::pair<std::size_t, std::uint32_t>, numbered_call> found_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      own_writes_;  // By lane: of its program, the last.
  std::map<std::pair<int, std::uint32_t>, std::vector<call_part*>> writers_;  // By rank and datum.
  std::map<std::pair<const recorded_group*, std::uint32_t>, std::size_t> index_;  // Of `all_`.
  std::vector<numbered_call> all_;
};

/// Whether a wait is for a call that has a number.
[[nodiscard]] bool has_number(const run& of, const event& wait);

}  // namespace deed::viewer
