// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>

#include <memory>
#include <utility>

/// @file
/// `deed::group`: some ranks of a session, with an order of their own.

namespace deed {

namespace runtime {
struct group_state;
}

/// Some ranks of a session. Made by `session.group(…)`; `within(group)` lets a message or a
/// collective count in its ranks. Owners and placements always count in those of the session.
///
/// Keeps: nothing; the session keeps what it needs. Threads: the one that made the session.
class group {
 public:
  explicit group(std::shared_ptr<runtime::group_state> made) noexcept : state_(std::move(made)) {}

  /// Of this rank in the group; -1 if it is no member.
  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;
  /// The rank in the session of a member.
  [[nodiscard]] deed::rank in_session(int member) const;
  /// Returns when every member has called it.
  DEED_MODEL("blocks") void barrier(place where = place::current());

  /// For the library.
  [[nodiscard]] const std::shared_ptr<runtime::group_state>& state() const noexcept {
    return state_;
  }

 private:
  std::shared_ptr<runtime::group_state> state_;
};

/// Of an intercommunicator: the group that this rank is in, and the other one. Made by
/// `session.groups(…)`.
struct group_pair {
  group local, remote;
};

/// Made by `within`.
struct DEED_MODEL("type", "within") within_argument {
  std::shared_ptr<runtime::group_state> what;
};
/// `to`, `from` and roots count in the ranks of `what`, and messages of other groups with the same
/// tag are others.
[[nodiscard]] inline within_argument within(const group& what) { return {what.state()}; }

/// Made by `among`.
struct DEED_MODEL("type", "among") among_argument {
  std::shared_ptr<runtime::group_state> what;
};
/// The members of `what` alone give or take parts, in their order; the root counts in the session
/// and need not be one of them. For gather, scatter and broadcast, which every rank then calls.
[[nodiscard]] inline among_argument among(const group& what) { return {what.state()}; }

}  // namespace deed
