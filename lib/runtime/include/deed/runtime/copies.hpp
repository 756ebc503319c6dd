// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>

#include <optional>

/// @file
/// The untyped side of what a program says about copies of other ranks' data.

namespace deed::runtime {

class core;

[[nodiscard]] bool keeps_copies(const core& home) noexcept;
void keep_copies(core& home, bool on, place where);
/// One datum, or all.
void flush(core& home, std::optional<ownership::slot> datum, place where);
[[nodiscard]] bool holds(const core& home, ownership::slot datum, std::optional<int> rank);

}  // namespace deed::runtime
