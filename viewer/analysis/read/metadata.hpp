// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// How the files of one rank are laid out, from the text that stands beside them: the part of TSDL
/// (CTF 1.8) that barectf writes.

namespace deed::viewer {

/// A file that cannot be read as what it should be.
class unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One member of a structure.
struct field_layout {
  std::string name;
  std::uint16_t bits = 0;   ///< 0: a text that ends with a zero byte.
  std::uint16_t align = 8;  ///< In bits.
  bool is_signed = false;
};

using structure = std::vector<field_layout>;

struct event_layout {
  std::string name;
  structure payload;
};

struct stream_layout {
  structure packet_context;
  structure event_header;
  std::map<std::uint64_t, event_layout> events;  ///< By the number in the event header.
};

struct trace_layout {
  structure packet_header;
  std::map<std::uint64_t, stream_layout> streams;  ///< By the number in the packet header.
  std::uint64_t hertz = 1'000'000'000;
  std::int64_t offset_seconds = 0;
  std::int64_t offset_stamps = 0;
  std::map<std::string, std::string> environment;
};

/// @throws unreadable with line number and what was expected; never reads past the text.
[[nodiscard]] trace_layout parse_metadata(std::string_view text);

}  // namespace deed::viewer
