// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What `wait()` throws when a task threw.

namespace deed {

/// D807: an exception left a task. Names the codelet, the insertion, the data and what was thrown.
class task_error : public error {
 public:
  task_error(std::string codelet, std::uint64_t number, int rank, const std::string& thrown,
             std::vector<fact> facts)
      : error(error_code::task_threw, "task `" + codelet + "` threw: " + thrown, std::move(facts),
              "catch it inside the codelet"),
        codelet_(std::move(codelet)),
        number_(number),
        rank_(rank) {}

  [[nodiscard]] const std::string& codelet() const noexcept { return codelet_; }
  /// Of the insertion, in the sequence of the rank that ran it.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Where it ran.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  std::string codelet_;
  std::uint64_t number_;
  int rank_;
};

}  // namespace deed
