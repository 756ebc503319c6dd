// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

/// @file
/// What all ranks did, collected by rank 0 at the end of a session and printed once.

namespace deed::runtime {

/// What one rank tells rank 0.
struct rank_summary {
  int rank = 0;
  std::uint64_t run_ns = 0;  ///< From the beginning of the session to its end.
  std::uint64_t workers = 0;
  deed::statistics counts;
};

/// What rank 0 has heard so far.
class summary {
 public:
  void add(rank_summary&& of);
  [[nodiscard]] std::size_t heard() const;
  /// One screen, or JSON into a file. Call it when all have been heard.
  /// `target` is "text" for standard error, else the name of a file.
  /// @throws deed::error D006 if the file cannot be written; then none is left half-written.
  void print(const std::string& target) const;

 private:
  [[nodiscard]] std::string as_text() const;
  [[nodiscard]] std::string as_json() const;

  mutable std::mutex mutex_;
  std::vector<rank_summary> ranks_;
};

}  // namespace deed::runtime
