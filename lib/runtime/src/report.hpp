// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/place.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

/// @file
/// Small words that reports are made of.

namespace deed::runtime {

/// An object, since of functions argument-dependent lookup would prefer `std::quoted`.
inline constexpr auto quoted = [](std::string_view name) { return "`" + std::string(name) + "`"; };

/// "now(3,4)"; "a" for what is no part of a collection.
[[nodiscard]] inline std::string label_of(std::string_view name, int i, int j) {
  std::string label(name);
  if (i >= 0) label += "(" + std::to_string(i) + "," + std::to_string(j) + ")";
  return label;
}

[[nodiscard]] inline std::string rank_label(int rank) { return "rank " + std::to_string(rank); }

/// "1 rank", "4 ranks".
[[nodiscard]] inline std::string counted(std::uint64_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// "96,000".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// "1.5 MiB".
[[nodiscard]] inline std::string amount(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

/// "710 us", "31.2 ms", "1.20 s": three digits.
[[nodiscard]] inline std::string lasting(double ns) {
  constexpr std::array units{"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 999.5 && unit + 1 < units.size(); ++unit) ns /= 1000;
  std::array<char, 32> text{};
  const int decimals = unit == 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, ns, units[unit]);
  return text.data();
}

inline constexpr const char* no_memory =
    "deed[D008] there is too little memory\n"
    "  wanted  by the program, or for what is kept of its tasks and messages\n"
    "  help: give each rank more memory, or a smaller window";
inline constexpr const char* no_standard_exception = "an exception that is no std::exception";

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
