// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>

/// @file
/// One thing in sentences: what the inspector shows.

namespace deed::viewer {

[[nodiscard]] answer describe_task(const model& of, std::uint32_t index);
[[nodiscard]] answer describe_transfer(const model& of, std::uint32_t index);
[[nodiscard]] answer describe_handle(const model& of, std::uint32_t handle, std::int64_t when);
[[nodiscard]] answer describe_event(const model& of, std::uint32_t index);

}  // namespace deed::viewer
