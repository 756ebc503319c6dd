// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/place.hpp>

#include <exception>
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

/// What an exception says.
[[nodiscard]] inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace deed::runtime
