// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

/// A folder of this process, in memory where there is such a disk, until it ends: for readers that
/// want a file.
inline const std::string& memory_folder() {
  struct folder {
    folder() : name(std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : ".") {
      name += "/deed-fuzz-XXXXXX";
      name = ::mkdtemp(name.data());
    }
    ~folder() { std::filesystem::remove_all(name); }
    std::string name;
  };
  static const folder made;
  return made.name;
}
