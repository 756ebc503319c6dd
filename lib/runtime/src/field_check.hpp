// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/options.hpp>

namespace deed::runtime {

/// What a program wrote into its options itself, which no table of settings has looked at.
/// @throws deed::error D007 for a field with a value that its setting would not take.
const session_options& checked(const session_options& options);

}  // namespace deed::runtime
