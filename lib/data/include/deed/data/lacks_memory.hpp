// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// That the library has no memory for what it makes itself.

namespace deed::data {

/// D008 of the library, for what a task needs before its body begins; one that a body throws is
/// another.
class lacks_memory : public error {
 public:
  lacks_memory(std::string_view happened, std::uint64_t wanted, std::string_view help)
      : error(error_code::host_memory_exhausted, happened,
              {{"wanted", std::to_string(wanted) + " bytes"}}, help) {}
  /// For a value of a datum.
  explicit lacks_memory(std::uint64_t wanted)
      : lacks_memory("no memory for a value", wanted,
                     "give each rank more memory, or split the value") {}
};

}  // namespace deed::data
