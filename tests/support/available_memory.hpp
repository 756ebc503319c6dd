// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

/// In bytes; 0 where it cannot be known. For tests that skip themselves on a small machine.
inline std::size_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string label, unit;
  for (std::size_t kib = 0; in >> label >> kib; std::getline(in, unit)) {
    if (label == "MemAvailable:") return kib << 10;
  }
  return 0;
}
