// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

/// @file
/// What the two programs of an explicit message call it: each names a datum of its own.

namespace deed::viewer {

/// Keeps: a reference to the model.
class message_ends {
 public:
  /// `only`: nothing is asked of another transfer.
  /// Cost: a look at each wait of a program; with `only`, of those of its two ranks.
  explicit message_ends(const model& of, std::uint32_t only = none);

  /// "y v6": what it is received into; of other transfers, and where that is not recorded, the
  /// version that was sent.
  [[nodiscard]] std::string received_as(std::uint32_t transfer) const;
  [[nodiscard]] std::string sent_as(std::uint32_t transfer) const;
  /// The line that sends it, "heat.cpp:57", and the one that receives it. Recordings of before have
  /// those alone that the program of that rank waited for by name; else empty.
  [[nodiscard]] std::string sent_at(std::uint32_t transfer) const;
  [[nodiscard]] std::string received_at(std::uint32_t transfer) const;

 private:
  using waits_of_messages = std::unordered_map<std::uint32_t, std::uint32_t>;  // Their begins.
  [[nodiscard]] std::string line(const waits_of_messages& of, std::uint32_t transfer) const;

  const model& of_;
  waits_of_messages sends_, receives_;
};

}  // namespace deed::viewer
