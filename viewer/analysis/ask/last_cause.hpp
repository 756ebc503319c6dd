// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/contributions.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <span>
#include <string>

/// @file
/// What a task waited for.

namespace deed::viewer {

/// What made a task ready last: a transfer to its rank, one from its rank of a version that the
/// task writes over, or a task before it.
struct cause {
  std::uint32_t transfer = none;
  std::uint32_t task = none;  ///< Of a transfer, the task that wrote what it brought.
  std::int64_t at = never;    ///< Never: neither.
  bool sends = false;         ///< The transfer goes away from the rank.
};
[[nodiscard]] cause last_cause(const model& of, const task& t);
/// The same, of one version that the task reads.
[[nodiscard]] cause cause_of_version(const model& of, const task& t, std::uint32_t handle,
                                     std::uint32_t version);

/// The last send that a task waited for to write over what was sent; `none` if it became ready
/// otherwise.
[[nodiscard]] std::uint32_t awaited_send(const model& of, const task& t);

/// The task that wrote what a transfer moves, of a message on its sender; of a reduction, the last
/// there that contributed. `none`: not known.
[[nodiscard]] std::uint32_t writer_of(const model& of, const transfer& x);

/// The transfer that brought what another passes on, or of what is added up there, the last;
/// `none`: it was written there, or did not come.
[[nodiscard]] std::uint32_t came_to_sender(const model& of, const transfer& x);

/// The last that the sender of a transfer added up to what it moves; none: that is no reduction, or
/// came to it as a whole.
[[nodiscard]] contribution last_added_up(const model& of, const transfer& x);

/// All that a rank added up to a version of a reduction; the same of what a transfer moves. Empty:
/// it is none, or came to the rank as a whole.
[[nodiscard]] std::span<const contribution> added_up(const model& of, int rank,
                                                     std::uint32_t handle, std::uint32_t version);
[[nodiscard]] std::span<const contribution> added_up_at_sender(const model& of, const transfer& x);

/// The first transfer that brought a version to a rank; null: none did.
[[nodiscard]] const transfer* arrival(const model& of, std::uint32_t handle, std::uint32_t version,
                                      int rank);

/// "A[3,2] v4 from rank 2", "potrf#3 on rank 1"; empty: neither.
[[nodiscard]] std::string say_cause(const model& of, const cause& why);

}  // namespace deed::viewer
