// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// @file
/// Numbers as people write them.

namespace deed::viewer {

enum class unit : std::uint8_t { text, count, nanoseconds, bytes, percent, millionths };
/// "ns", "B", "%", "ppm"; of a count "1", of a text "".
[[nodiscard]] std::string_view name_of(unit in);

/// A text for people; one that says a number remembers it, for programs.
class cell : public std::string {
 public:
  cell() = default;
  cell(std::string text) : std::string(std::move(text)) {}  // NOLINT(*-explicit-*)
  cell(const char* text) : std::string(text) {}             // NOLINT(*-explicit-*)
  cell(std::string text, double number, unit in)
      : std::string(std::move(text)), number_(number), unit_(in) {}

  [[nodiscard]] unit in() const { return unit_; }
  [[nodiscard]] double number() const { return number_; }

 private:
  double number_ = 0;
  unit unit_ = unit::text;
};

/// "12.310 ms", "214 us", "0 ns": four digits at most before the unit changes.
[[nodiscard]] cell say_time(std::int64_t nanoseconds);
/// "2.0 MB", "512 B": powers of ten, as the network counts.
[[nodiscard]] cell say_bytes(std::uint64_t bytes);
/// "1,234,567".
[[nodiscard]] cell say_count(std::uint64_t count);
/// "-1,234".
[[nodiscard]] std::string say_value(std::int64_t value);
/// "-1.23 k", "999", "10.0 M": three digits, for where there is little room.
[[nodiscard]] std::string say_short_value(std::int64_t value);
/// "41.2 %", with one digit; of nothing, "-".
[[nodiscard]] cell say_share(std::int64_t part, std::int64_t whole);
/// "1 task", "2 tasks".
[[nodiscard]] std::string say_some(std::uint64_t count, std::string_view noun);
/// "12.3ms", "10us", "5" (nanoseconds), "1.5s".
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace deed::viewer
