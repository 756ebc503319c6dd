// SPDX-License-Identifier: MIT
#pragma once

#include "failures.hpp"

#include <exception>
#include <utility>

/// @file
/// What goes wrong on a device, in the terms of the task graph.

namespace deed::runtime {

/// What a body threw on a device, and whose it was: who reads what the task writes learns of both.
class body_failed final : public std::exception {
 public:
  explicit body_failed(shared_failure why) noexcept : why_(std::move(why)) {}
  [[nodiscard]] const char* what() const noexcept override { return why_->happened.c_str(); }
  [[nodiscard]] const shared_failure& why() const noexcept { return why_; }

 private:
  shared_failure why_;
};

/// Behind what a reader was told: the error of the task that failed first, or that the contents
/// went with their device.
[[nodiscard]] std::exception_ptr root_of(std::exception_ptr error);

/// The same as what ranks tell each other.
[[nodiscard]] shared_failure failure_of_device(const std::exception_ptr& error, int rank);

}  // namespace deed::runtime
