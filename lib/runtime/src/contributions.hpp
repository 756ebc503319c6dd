// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/type_operations.hpp>
#include <deed/runtime/contribution_rule.hpp>

#include "failures.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

/// @file
/// The values that tasks of one rank contribute to at the same time.

namespace deed::runtime {

/// Values of one type, as many as tasks contributed at once: each worker finds one of its own.
class contributions {
 public:
  contributions(const data::type_operations& type, std::shared_ptr<const contribution_rule> rule)
      : type_(&type), rule_(std::move(rule)) {}
  contributions(const contributions&) = delete;
  contributions& operator=(const contributions&) = delete;
  ~contributions();

  /// A value that no task has now. Threads: any.
  [[nodiscard]] void* take();
  void give_back(void* value) noexcept;
  /// A task did not contribute what it should have: there will be no sum.
  void spoil(const shared_failure& why) noexcept {
    const std::lock_guard lock(mutex_);
    spoiled_ = why;
  }
  /// Why there is no sum; null: there is one. Threads: as `add_up`.
  [[nodiscard]] const shared_failure& spoiled() const noexcept { return spoiled_; }
  /// All of them in one, which the caller keeps; null if there was none. Threads: no task has one.
  [[nodiscard]] std::byte* add_up();
  [[nodiscard]] const contribution_rule& rule() const noexcept { return *rule_; }

 private:
  const data::type_operations* type_;
  std::shared_ptr<const contribution_rule> rule_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
  shared_failure spoiled_;
};

}  // namespace deed::runtime
