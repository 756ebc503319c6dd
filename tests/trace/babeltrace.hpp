// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// @file
/// The oracle of the trace tests: an unmodified babeltrace2.

/// A new folder that is gone at the end of its scope.
class scratch_folder {
 public:
  scratch_folder() {
    std::string form = testing::TempDir() + "deed-trace-XXXXXX";
    path_ = ::mkdtemp(form.data());
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "/rank-000000/w00.000", sorted.
inline std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string().substr(folder.size()));
  std::sort(files.begin(), files.end());
  return files;
}

/// What a shell command prints; a failure of the command is one of the test.
inline std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 65536> part{};
  while (const std::size_t read = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), read);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << text.substr(0, 3000);
  return text;
}

inline std::string babeltrace_text(const std::string& folder) {
  return output_of("babeltrace2 2>/dev/null " + folder);
}

/// Events that are no definitions.
inline std::uint64_t babeltrace_count(const std::string& folder) {
  const std::string text = output_of("babeltrace2 2>/dev/null " + folder);
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find("WARNING") == std::string::npos && line.find(" worker: ") == std::string::npos &&
        line.starts_with('['))
      ++lines;
    at = end + 1;
  }
  return lines;
}
