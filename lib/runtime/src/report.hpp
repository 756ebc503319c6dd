// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/place.hpp>

#include <string>

/// @file
/// Small words that reports are made of.

namespace deed::runtime {

[[nodiscard]] inline std::string quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

/// "1 rank", "4 ranks".
[[nodiscard]] inline std::string counted(std::uint64_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

}  // namespace deed::runtime
