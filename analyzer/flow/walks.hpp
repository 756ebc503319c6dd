// SPDX-License-Identifier: MIT
#pragma once

#include "flow/state.hpp"

/// @file
/// Range-based loops over containers of handles: what is done to each element is done to the one
/// that a name tells, `cells[0]` or `table.at("mass")`, once the loop has come to its end.

namespace deed::check {

/// `it = begin(container)`.
void begin_walk(const event& e, state& now);

/// A task or a message takes the element at which an iterator is.
void visit(const event& e, const operand& token, state& now);

/// A loop has come to its end, and its tasks wait for borrows of elements.
void end_walk(const value_ref& condition, state& now);

/// A task waits for a borrow of the datum. Of many tasks, more would tell nothing new.
void wait_for_end(const fact& borrow, const path& datum, const event& task, state& now);

}  // namespace deed::check
