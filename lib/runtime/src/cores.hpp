// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The processor cores that the launcher granted.

namespace deed::runtime {

/// Cores of this process's mask, at least 1.
[[nodiscard]] int granted_cores();

}  // namespace deed::runtime
