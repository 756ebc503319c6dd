// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <functional>
#include <optional>

/// @file
/// Branches, and ends of loops, that each rank decides by what it alone knows: a file, a clock, its
/// own datum. What depends on the rank alone is run on all ranks, and compared there.

namespace deed::check {

struct own_split {
  const block* at = nullptr;
  int id = 0;
  int end = 0;  // where its ways meet
  rank_dependence why;
};

/// Says at which condition ranks may differ, and where what makes it differ comes from.
void explain(diagnostic& d, const span& condition, const rank_dependence& why);

/// Whether a function has the split of a condition itself, and not in what it calls.
[[nodiscard]] bool has_split(const function& own, const span& condition);

/// Looks at those of the function itself, branches first. A callee's are looked at there, where a
/// `return` is seen as what it is, but for those by data that only its caller knows. One that
/// leaves the function is D405.
void for_each_own_split(const whole_function& seen,
                        const std::function<void(const own_split&)>& look);

/// A call on one way of a split, and whether the way, and the other, come back to the split before
/// they meet.
struct lone_call {
  const event* call = nullptr;
  int block = -1;
  bool goes_round = false, other_goes_round = false;
};
/// The nearest call of those wanted, where the other way has none.
[[nodiscard]] std::optional<lone_call> on_one_way(const whole_function& seen, const own_split& at,
                                                  const std::function<bool(const event&)>& wanted);

/// Whether a condition on the rank, or on an owner, decides whether a block runs.
[[nodiscard]] bool is_guarded(const whole_function& seen, int block);
/// Whether a condition on the rank, other than that of the split, leads some ranks past a call, as
/// one that leaves a loop around it does not.
[[nodiscard]] bool is_for_some(const whole_function& seen, const lone_call& what,
                               const own_split& behind);
/// A task on data that have an owner, in the function or what it calls.
[[nodiscard]] bool is_shared_task(const whole_function& seen, const event& e);
/// `x[session.rank()]`: each rank names a datum of its own.
[[nodiscard]] bool is_of_own(const whole_function& seen, const path& datum);
/// A step that no rule of its own asks for: D107 registrations, D610 flush, D611 migrate, D612
/// ends.
[[nodiscard]] bool is_plain_step(const event& e);

}  // namespace deed::check
