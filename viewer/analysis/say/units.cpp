// SPDX-License-Identifier: MIT
#include "analysis/say/units.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace deed::viewer {
namespace {

struct scale {
  const char* name;
  double size;
};

std::string scaled(double value, const scale& in, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value / in.size, in.name);
  return text.data();
}

}  // namespace

std::string_view name_of(unit in) {
  constexpr std::array<std::string_view, 6> names{"", "1", "ns", "B", "%", "ppm"};
  return names[static_cast<std::size_t>(in)];
}

cell say_time(std::int64_t nanoseconds) {
  const auto exact = static_cast<double>(nanoseconds);
  const auto said = [exact](std::string text) {
    return cell(std::move(text), exact, unit::nanoseconds);
  };
  if (nanoseconds < 0) return said("-" + say_time(-(nanoseconds + 1) + 1));
  if (nanoseconds < 1'000) return said(scaled(exact, {"ns", 1}, 0));
  if (nanoseconds < 1'000'000) return said(scaled(exact, {"us", 1e3}, 1));
  if (nanoseconds < 1'000'000'000) return said(scaled(exact, {"ms", 1e6}, 3));
  return said(scaled(exact, {"s", 1e9}, 4));
}

cell say_bytes(std::uint64_t bytes) {
  const auto exact = static_cast<double>(bytes);
  const auto said = [exact](std::string text) { return cell(std::move(text), exact, unit::bytes); };
  if (bytes < 1'000) return said(scaled(exact, {"B", 1}, 0));
  if (bytes < 1'000'000) return said(scaled(exact, {"kB", 1e3}, 1));
  if (bytes < 1'000'000'000) return said(scaled(exact, {"MB", 1e6}, 1));
  return said(scaled(exact, {"GB", 1e9}, 2));
}

cell say_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return {std::move(text), static_cast<double>(count), unit::count};
}

std::string say_value(std::int64_t value) {
  const auto size = static_cast<std::uint64_t>(value);
  return (value < 0 ? "-" : "") + say_count(value < 0 ? 0 - size : size);
}

std::string say_short_value(std::int64_t value) {
  constexpr std::array names{"k", "M", "G", "T", "P", "E"};
  double size = std::abs(static_cast<double>(value));
  if (size < 1'000) return say_value(value);
  std::size_t at = 0;
  for (size /= 1'000; size >= 999.5; size /= 1'000) ++at;
  const int digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return (value < 0 ? "-" : "") + scaled(size, {names[at], 1}, digits);
}

cell say_share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return {scaled(share, {"%", 1}, 1), share, unit::percent};
}

std::string say_some(std::uint64_t count, std::string_view noun) {
  return say_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const std::string whole(text);
  char* end = nullptr;
  const double number = std::strtod(whole.c_str(), &end);
  if (end == whole.c_str() || !std::isfinite(number)) return {};
  std::string_view rest(end);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  double scale = 0;
  if (rest.empty() || rest == "ns") scale = 1;
  if (rest == "us") scale = 1e3;
  if (rest == "ms") scale = 1e6;
  if (rest == "s") scale = 1e9;
  if (scale == 0 || std::abs(number * scale) > 9e18) return {};
  return static_cast<std::int64_t>(std::llround(number * scale));
}

}  // namespace deed::viewer
