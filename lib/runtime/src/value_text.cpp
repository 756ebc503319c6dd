// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/runtime/value_text.hpp>

#include <array>
#include <charconv>

namespace deed::runtime {

std::string text_of_number(long long number) { return std::to_string(number); }
std::string text_of_number(unsigned long long number) { return std::to_string(number); }

std::string text_of_number(double number) {
  std::array<char, 32> text{};
  const auto done = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), done.ptr};
}

std::string text_of_bytes(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  for (const std::byte each : bytes) hash = mix(hash, static_cast<std::uint64_t>(each));
  std::array<char, 16> text{};
  const auto done = std::to_chars(text.data(), text.data() + text.size(), hash, 16);
  return std::to_string(bytes.size()) + " bytes, hash " + std::string(text.data(), done.ptr);
}

}  // namespace deed::runtime
