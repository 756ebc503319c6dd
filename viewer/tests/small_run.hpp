// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/generate/generate.hpp"
#include "analysis/read/run.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

/// @file
/// A run that a test changes, and what it looks at.

namespace deed::viewer {

/// Of two ranks.
inline std::string small_run(const std::string& path, std::uint64_t seed = 7) {
  generator_options options;
  options.path = path;
  options.tiles = 6;
  options.ranks = 2;
  options.seed = seed;
  generate(options);
  return path;
}

/// The bytes of a file.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void replace_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// How many events babeltrace2 reads, and whether it was content.
inline std::pair<std::uint64_t, bool> babeltrace(const std::string& path) {
  FILE* const pipe = ::popen(("babeltrace2 " + path + " 2>/dev/null | grep -c ^").c_str(), "r");
  unsigned long long count = 0;
  const bool read = std::fscanf(pipe, "%llu", &count) == 1;
  ::pclose(pipe);
  const int status = std::system(("babeltrace2 " + path + " >/dev/null 2>&1").c_str());
  return {count, read && status == 0};
}

/// By their names in the folder.
inline std::map<std::string, std::string> all_files(const std::string& path) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      found[std::filesystem::relative(entry.path(), path).string()] =
          text_of(entry.path().string());
  return found;
}

/// Of rank 0.
inline void replace_in_metadata(const std::string& run, const std::string& was,
                                const std::string& by) {
  const std::string file = run + "/rank-000000/metadata";
  std::string text = text_of(file);
  ASSERT_NE(text.find(was), std::string::npos) << was;
  replace_file(file, text.replace(text.find(was), was.size(), by));
}

inline std::uint64_t events_in(const std::string& path) { return run(path).events().size(); }

}  // namespace deed::viewer
