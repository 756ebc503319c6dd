// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// How far it is known that all ranks of a run count the changes of one ledger.

namespace deed::viewer {

/// By rank. Ranks compare their counts when an epoch ends: of what one recorded behind the last
/// that all ended, a program with guards of its own may be the reason why it does not fit. A run
/// that ended well compared all. Cost: O(events).
[[nodiscard]] std::vector<std::int64_t> ledgers_agreed_until(const model& of);

}  // namespace deed::viewer
