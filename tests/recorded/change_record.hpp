// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/run.hpp"

#include <fstream>
#include <iterator>
#include <string>

/// @file
/// Damage to a recording, as small as can be.

inline std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Finds the bytes of a record in its stream's first file, and adds one to a field. False: they are
/// not there, or twice.
inline bool change_record(const std::string& folder, const deed::viewer::run& seen,
                          const deed::viewer::event& e, deed::viewer::field f) {
  const deed::viewer::lane& of = seen.lanes()[e.lane];
  const std::string file =
      folder + "/rank-00000" + std::to_string(of.rank) + "/" + of.name + ".000";
  std::string text = text_of(file);
  std::size_t bytes = 0;
  std::size_t before = 0;
  for (const deed::viewer::field each : seen.fields(e)) {
    if (each == f) before = bytes;
    bytes += seen.bytes_of(e, each);
  }
  std::string wanted(reinterpret_cast<const char*>(e.payload), bytes);
  const std::size_t at = text.find(wanted);
  if (at == std::string::npos || text.find(wanted, at + 1) != std::string::npos) return false;
  text[at + before] = static_cast<char>(text[at + before] + 1);
  std::ofstream(file, std::ios::binary) << text;
  return true;
}
