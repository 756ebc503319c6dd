// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <string>

/// @file
/// Records in words.

namespace deed::viewer {

/// "w00", "app"; with its rank: "rank 1 w00".
[[nodiscard]] std::string say_lane(const run& of, std::uint32_t lane);
/// "A[3,2] v4".
[[nodiscard]] std::string version_name(const model& of, std::uint32_t handle,
                                       std::uint32_t version);
/// What the number of a field means: "flush_call" for cause 1 of cache_drop; else the number.
[[nodiscard]] std::string say_field(const model& of, const event& e, field f);
/// "fetch wait", "idle, dependency".
[[nodiscard]] std::string state_name(std::uint8_t state);
/// "prefetch", "write-back": why there was a transfer.
[[nodiscard]] std::string reason_name(std::uint8_t reason);
/// "for reading", "for writing": of a borrow.
[[nodiscard]] std::string say_borrow(std::uint64_t kind);
/// "SIGSEGV".
[[nodiscard]] std::string signal_name(std::uint64_t number);
/// Of an error or a signal: "error", "SIGSEGV".
[[nodiscard]] std::string failure_name(const model& of, std::uint32_t index);
/// The task whose write dropped a copy: of another rank, which may call it otherwise.
[[nodiscard]] std::string say_dropping_task(const model& of, const event& drop);
/// "group 0-6/2,9"; of many, which is those that `is_whole`, the first, the last, and how many.
[[nodiscard]] std::string say_group(const recorded_group& group);
/// Of a `collective_call` or of its begin, too: "gather to rank 2 in group 0,2".
[[nodiscard]] std::string name_of_call(const model& of, const event& e);
/// Of the begin of a wait of a program: "wait", "barrier", "all_reduce".
[[nodiscard]] std::string wait_name(const model& of, const event& begin);
/// "all_reduce".
[[nodiscard]] std::string call_name(trace::collective_kind kind);
/// "rank 1 sent A[3,2] v4 to rank 3 for gemm#511".
[[nodiscard]] std::string say_event(const model& of, const event& e);
/// "xfer_post: dir=send handle=A[3,2] version=4 …".
[[nodiscard]] std::string say_raw(const model& of, const event& e);

}  // namespace deed::viewer
