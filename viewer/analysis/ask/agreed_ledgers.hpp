// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// How far it is known that all ranks of a run count the changes of one ledger.

namespace deed::viewer {

/// By rank. Each records a digest of its ledger when an epoch ends, in each `wait()`; the runtime
/// itself compares them in the 1st, 2nd, 4th, 8th … alone. Of what a rank recorded behind the last
/// of these that all ended, a program with guards of its own may be the reason why it does not fit.
/// A run that ended well compared all. Cost: O(events).
[[nodiscard]] std::vector<std::int64_t> ledgers_agreed_until(const model& of);

}  // namespace deed::viewer
