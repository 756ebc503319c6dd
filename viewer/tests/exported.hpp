// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/export/export.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

/// @file
/// Exports that are read back by tools that know nothing of deed.

namespace deed::viewer {

using exporter = void (*)(const model&, std::ostream&, const run_part&);

/// What a command prints, and its status.
inline std::pair<std::string, int> output(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), size);
  return {text, ::pclose(pipe)};
}
inline bool there(const std::string& tool) { return output("command -v " + tool).second == 0; }

/// Exports to `otf2` in the folder; or says what is not here, to do so or to read it.
inline std::string missing_for_otf2(const model& of, const scratch_folder& folder) {
  try {
    export_otf2(of, folder.path() + "/otf2");
  } catch (const unreadable& without) {
    return without.what();
  }
  return there("otf2-print") ? "" : "otf2-print is not installed";
}
/// Without its window.
inline std::pair<std::string, int> vite(const std::string& file, const std::string& picture) {
  return output("QT_QPA_PLATFORM=offscreen timeout 60 vite -e " + picture + " " + file);
}
inline std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// A run that is exported.
class exported : public testing::Test {
 protected:
  void open(const std::string& path) {
    run_.emplace(path);
    model_.emplace(*run_);
  }
  std::string file(const char* name, exporter form, const run_part& part = {}) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream out(path, std::ios::binary);
    form(*model_, out, part);
    return path;
  }

  scratch_folder folder_;
  std::optional<run> run_;
  std::optional<model> model_;
};

}  // namespace deed::viewer
