// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What a reader has to know of a run before its times mean anything.

namespace deed::viewer {

/// "28.483 ms: rank 1 was ended by SIGSEGV": what failed first in the run, which others may wait
/// for; empty: nothing did.
[[nodiscard]] std::string say_first_failure(const model& of);

/// The first record of a program that ended its run on purpose, which is no failure; `none`.
[[nodiscard]] std::uint32_t first_stop(const model& of);
/// "8.0 us: rank 1 stops the run on purpose, with exit code 74: …"; empty: it did not.
[[nodiscard]] std::string say_stop(const model& of);

/// A rank that did not end its recording, and said nothing more.
struct silent_rank {
  int rank = 0;
  std::int64_t since = 0;
};
/// Those that were cut off; while a rank is still recorded, only if its silence lasts at least a
/// hundredth of the run. None of virtual ranks.
[[nodiscard]] std::vector<silent_rank> silent_ranks(const model& of);
/// "rank 0, rank 1 did not end their recording, they were killed or still run", of virtual ranks,
/// too; empty: all did.
[[nodiscard]] std::string say_left_open(const run& of);
/// "rank 1 (last record at 1.4945 s) did not close its recording: it was killed, or says nothing
/// since". Of ranks that crashed or stopped the run nothing: `say_first_failure` and `say_stop` say
/// so. Where all ended so, each in a process of its own, another sentence says which of them may
/// have been the first, as far as the recording shows it. Of virtual ranks, that their process was
/// killed.
[[nodiscard]] std::vector<std::string> say_silent_ranks(const model& of);

/// The same of virtual ranks, which live and die together: "rank 1 (last record at 40.2 us) records
/// nothing more". What its threads did last goes on; none of them is silent.
[[nodiscard]] std::string say_still_ranks(const model& of);

/// By lane: whether its thread is there to run tasks, as `breakdown` and `waits` count them.
/// Workers are, and the program where its rank has none, or where it ran tasks.
[[nodiscard]] std::vector<bool> lanes_of_workers(const model& of);

/// What the metadata of a rank say beside the layout of its records.
using environment = std::map<std::string, std::string>;

/// Of a run in which one rank's version 3 is not another's. Cost: O(events).
[[nodiscard]] std::string say_guarded(const model& of);
/// The seed that ordered a run on virtual ranks; 0: they ran in the order of virtual time. None:
/// the run had real ranks, or was made up.
[[nodiscard]] std::optional<std::uint64_t> seed_in(const environment& of);
[[nodiscard]] std::optional<std::uint64_t> seed_of(const run& of);
/// That times mean little in an order that a seed chose; empty where they mean what they say.
[[nodiscard]] std::string say_seed(std::optional<std::uint64_t> seed);
/// What times are in the order of virtual time.
inline constexpr std::string_view in_virtual_time =
    "virtual ranks in the order of virtual time: a task takes what its deed::flops say, and "
    "nothing without them";
/// The same, where tasks took no time: "all 104 tasks took no time"; else empty.
[[nodiscard]] std::string say_no_flops(const model& of);

/// "clocks of rank 0 and rank 2 may be 4.655 ms apart, and messages between them take 34.0 us": of
/// the two ranks whose clocks are furthest apart, among those where that says little of what a
/// message took; empty: there are none. Cost: O(transfers), none where clocks are one.
[[nodiscard]] std::string say_clock_errors(const model& of);

/// What a run that `slice` made holds of the run it is of, on its own axis; none: it is whole.
[[nodiscard]] std::optional<time_range> slice_in(const environment& of, std::int64_t origin);
[[nodiscard]] std::optional<time_range> sliced_to(const run& of);
/// What is known of a run: of a slice its part, of a ring what comes after what it gave up.
[[nodiscard]] time_range known_part(const run& of);
/// A range that was asked for, as far as the run has it; without one, what is known of the run.
[[nodiscard]] time_range looked_at(const run& of, const std::optional<time_range>& asked);
/// "not recorded: the slice ends at 3.000 ms", of a time that is not in it; else empty.
[[nodiscard]] std::string say_outside(const run& of, const time_range& asked);
[[nodiscard]] std::string say_slice(const std::optional<time_range>& part);

/// In place of an answer that nobody can give: one of the categories that it needs, by their names
/// in DEED_TRACE_EVENTS, was not recorded.
[[nodiscard]] std::optional<answer> not_recorded(const model& of,
                                                 std::initializer_list<std::string_view> needed);
/// The same of a time that is not in a slice.
[[nodiscard]] std::optional<answer> not_known_in(const model& of,
                                                 const std::optional<time_range>& asked);
/// The same of a moment outside of a slice, or of which not all ranks have records left.
[[nodiscard]] std::optional<answer> not_known_at(const model& of, std::int64_t when);

/// All of it, as the first sentences of an answer about times.
[[nodiscard]] std::vector<std::string> caveats(const model& of);

}  // namespace deed::viewer
