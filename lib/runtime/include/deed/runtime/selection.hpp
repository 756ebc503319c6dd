// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/literal.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>

#include <cstdint>
#include <span>
#include <string_view>

/// @file
/// Who runs a task that writes data of several owners, or of none: selection policies.

namespace deed {

/// One access of a task, as a policy sees it.
class task_part {
 public:
  task_part(access_mode mode, deed::rank owner, std::uint64_t bytes) noexcept
      : mode_(mode), owner_(owner), bytes_(bytes) {}
  [[nodiscard]] access_mode mode() const noexcept { return mode_; }
  [[nodiscard]] deed::rank owner() const noexcept { return owner_; }
  /// What type and extents say, equal on all ranks; parts that grow are not counted.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  access_mode mode_;
  deed::rank owner_;
  std::uint64_t bytes_;
};

/// A task, as a policy sees it: only what all ranks know, so that they agree. Not the rank that
/// asks.
class task_view {
 public:
  task_view(std::span<const task_part> parts, int ranks) noexcept : parts_(parts), ranks_(ranks) {}
  /// The accesses, in the order of the call.
  [[nodiscard]] std::span<const task_part> parts() const noexcept { return parts_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }

 private:
  std::span<const task_part> parts_;
  int ranks_;
};

/// A named rule that chooses a rank. A value: nothing is registered, and nothing has to be undone.
/// The function keeps no state and gives the same answer on every rank.
///
/// @code{.cpp}
/// constexpr deed::selection_policy first_owner{
///     "first_owner", [](const deed::task_view& task) { return task.parts().front().owner(); }};
/// session.use_policy(first_owner);
/// @endcode
class selection_policy {
 public:
  using function = deed::rank (*)(const task_view&);

  constexpr selection_policy(literal name, function rule) : name_(name.view()), choose_(rule) {}

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] deed::rank choose(const task_view& task) const { return choose_(task); }
  friend constexpr bool operator==(const selection_policy&, const selection_policy&) = default;

 private:
  std::string_view name_;
  function choose_;
};

/// The default: the owner of most bytes to be read, each datum once; ties to the lowest rank.
extern const selection_policy most_bytes_read;

/// The policy chooses the rank of this task, whoever owns what it writes. Made by `choose_by`.
struct choose_by_argument {
  selection_policy policy;
  place where;
};
[[nodiscard]] DEED_MODEL("places") inline choose_by_argument
    choose_by(const selection_policy& policy, place where = place::current()) {
  return {policy, where};
}

}  // namespace deed
