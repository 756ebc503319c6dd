// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include <cstdint>
#include <map>
#include <optional>
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
  trace::stream_kind kind{};
  std::string name;
  std::vector<outlined_packet> packets;  ///< In their order; none of a packed file.
};

/// What the files of a rank say of it.
struct outlined_rank {
  int rank = 0;
  bool present = false;
  std::map<std::string, std::string> environment;  ///< Of its metadata: "hostname", "pid".
  std::uint64_t bytes = 0;                         ///< Of events.
  std::uint64_t discarded = 0;
  std::optional<std::int64_t> lost_from;  ///< When the first of them found no packet.
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t from = 0;  ///< Events before it were given up; 0: none were.
  bool ended = false;     ///< Closed by its recorder; otherwise it was killed, or is still running.
  bool goes_on = false;   ///< After the end of a slice.
  bool has_gaps = false;  ///< Of a slice: events were missing in its run already.
  bool damaged = false;   ///< A file is cut off, or is no recording from some byte on.
};

struct outlined_codelet {
  std::string name;
  std::string place;
};

struct run_outline {
  std::string path;
  std::vector<outlined_lane> lanes;     ///< By rank, then name; none of definitions.
  std::vector<outlined_rank> ranks;     ///< Also those of which there is no trace.
  std::int64_t origin = 0;              ///< Where times count from, since the Unix epoch.
  std::int64_t end = 0;                 ///< Of the last packet; of a slice, of what was asked for.
  std::uint64_t bytes = 0;              ///< Of all files.
  bool packed = false;                  ///< Some files are, and tell nothing.
  std::vector<std::string> incomplete;  ///< What is seen to be missing or damaged: sentences.
};

/// What is damaged is left out; reading the run says so.
/// @throws unreadable if there is no rank that can be read.
/// Cost: a look at each packet's header, a few microseconds.
[[nodiscard]] run_outline outline_of(const std::string& path);

/// What the definitions of all ranks name, each name once. Cost: a look at every definition.
[[nodiscard]] std::vector<outlined_codelet> outlined_codelets(const std::string& path);

}  // namespace deed::viewer
