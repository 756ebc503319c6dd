// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// What the headers of packets tell of a run: a first picture, before its events are read.

namespace deed::viewer {

struct outlined_packet {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint64_t bytes = 0;  ///< Of events.
  bool lost = false;        ///< Events that found no packet since the one before.
};

/// One stream.
struct outlined_lane {
  int rank = 0;
  std::uint32_t kind = 0;  ///< A `trace::stream_kind`.
  std::string name;
  std::vector<outlined_packet> packets;  ///< In their order; none of a packed file.
};

struct run_outline {
  std::string path;
  std::vector<outlined_lane> lanes;  ///< By rank, then name; none of definitions.
  std::int64_t end = 0;              ///< Times count from the first packet, or a virtual zero.
  std::uint64_t bytes = 0;           ///< Of all files.
  bool packed = false;               ///< Some files are, and tell nothing.
};

/// What is damaged is left out; reading the run says so.
/// @throws unreadable if there is no rank that can be read.
/// Cost: a look at each packet's header, a few microseconds.
[[nodiscard]] run_outline outline_of(const std::string& path);

}  // namespace deed::viewer
