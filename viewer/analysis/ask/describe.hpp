// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <string>

/// @file
/// One thing in sentences: what the inspector shows.

namespace deed::viewer {

struct undone_by;

/// "a message of rank 0, tag 1".
[[nodiscard]] std::string say_message(const model& of, const transfer& x);

[[nodiscard]] answer describe_task(const model& of, std::uint32_t index);
[[nodiscard]] answer describe_transfer(const model& of, std::uint32_t index);
/// `left_out`: what an exception undid at that moment.
[[nodiscard]] answer describe_handle(const model& of, std::uint32_t handle, std::int64_t when,
                                     const undone_by& left_out);
[[nodiscard]] answer describe_event(const model& of, std::uint32_t index);

/// That failed, where it is known: of an error the one that it names, of a signal the one that its
/// thread was in; `none`.
[[nodiscard]] std::uint32_t task_that_failed(const model& of, const event& e);
/// Of an error that names a version which was not written yet, as one of an insertion does: which
/// one was; "" of any other.
[[nodiscard]] std::string say_version_of_error(const model& of, std::uint32_t error);
/// A crash outside of tasks: what its thread was in, and what its program had borrowed.
void say_thread_that_failed(const model& of, std::uint32_t signal, answer& into);

}  // namespace deed::viewer
