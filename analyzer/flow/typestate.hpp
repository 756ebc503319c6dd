// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"
#include "flow/state.hpp"

#include <functional>

namespace deed::check {

/// What an event does to what is known.
void apply(const program& all, const event& e, state& now);

/// Calls `look` for every event of a function that can be reached, in some order, with what is
/// known before it, once the facts no longer change. False if they never settled: then `look` was
/// not called.
bool walk(const program& all, const function& f,
          const std::function<void(const event&, const state&)>& look);

/// An element that variables tell: `tiles[k]`. What is known of it is known while `k` and `tiles`
/// stay what they are, and tells nothing where it holds on some path only.
[[nodiscard]] bool is_numbered(const path& p);

/// Whether the gate that a call makes opens at the first opening, as far as is known.
[[nodiscard]] bool opens_once(const event& made);

/// Whether a call that is not looked into may open a gate that it is given, itself or in a lambda.
[[nodiscard]] bool may_open(const program& all, const event& call, const std::string& gate);

/// The tokens among the arguments of a call.
[[nodiscard]] std::vector<const operand*> tokens(const event& call);

}  // namespace deed::check
