// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/utf8.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Protocol buffers, written by hand: numbers, texts, and messages in messages.

namespace deed::viewer {

/// One message. Fields are written in the order of the calls.
/// Source: the encoding of protocol buffers, version 3.
class protobuf_message {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    tag(field, varint_type);
    varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, fixed64_type);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  /// See `valid_utf8`.
  void text(std::uint32_t field, std::string_view value) { piece(field, valid_utf8(value)); }
  void message(std::uint32_t field, const protobuf_message& inner) { piece(field, inner.bytes_); }
  void clear() noexcept { bytes_.clear(); }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::uint32_t varint_type = 0, fixed64_type = 1, length_type = 2;

  void tag(std::uint32_t field, std::uint32_t type) { varint(field << 3 | type); }
  void piece(std::uint32_t field, std::string_view value) {
    tag(field, length_type);
    varint(value.size());
    bytes_ += value;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace deed::viewer
