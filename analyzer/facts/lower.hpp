// SPDX-License-Identifier: MIT
#pragma once

#include "facts/unit.hpp"

#include <memory>

namespace deed::check {

/// The events of one body. Null where Clang can make no graph of it.
[[nodiscard]] std::unique_ptr<function> lower(unit& facts, const clang::FunctionDecl& body);

}  // namespace deed::check
