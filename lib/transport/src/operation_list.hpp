// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/push_list.hpp>
#include <deed/transport/transfer.hpp>

#include <utility>

/// @file
/// Lists of operations, linked through the operations themselves. An operation is in one at most.

namespace deed::transport::detail {

/// First in, first out.
class operation_list {
 public:
  operation_list() = default;
  operation_list(operation_list&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  operation_list& operator=(operation_list&& other) noexcept {
    first_ = std::exchange(other.first_, nullptr);
    last_ = std::exchange(other.last_, nullptr);
    return *this;
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] operation_state* front() const noexcept { return first_; }
  [[nodiscard]] operation_state* back() const noexcept { return last_; }

  void push_back(operation_state& operation) noexcept {
    operation.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &operation;
    last_ = &operation;
  }
  operation_state* pop_front() noexcept {
    operation_state* const front = first_;
    if (front != nullptr && (first_ = front->next) == nullptr) last_ = nullptr;
    return front;
  }
  /// The first that `fits`, taken out; null if none does. @note O(length).
  template <class Predicate>
  operation_state* take(Predicate fits) noexcept {
    operation_state* before = nullptr;
    for (operation_state* at = first_; at != nullptr; before = at, at = at->next) {
      if (!fits(*at)) continue;
      (before == nullptr ? first_ : before->next) = at->next;
      if (last_ == at) last_ = before;
      return at;
    }
    return nullptr;
  }
  /// Before the first with a lower priority.
  void push_by_priority(operation_state& operation) noexcept {
    operation_state** at = &first_;
    while (*at != nullptr && (*at)->priority >= operation.priority) {
      at = &(*at)->next;
    }
    operation.next = *at;
    if (*at == nullptr) last_ = &operation;
    *at = &operation;
  }

 private:
  operation_state* first_ = nullptr;
  operation_state* last_ = nullptr;
};

/// Many threads push, the holder of the progress lock takes all.
class submission_queue {
 public:
  void push(operation_state& operation) noexcept { pushed_.push(operation); }
  [[nodiscard]] bool empty() const noexcept { return pushed_.empty(); }
  /// All, oldest first, linked by `next`.
  [[nodiscard]] operation_state* take() noexcept {
    operation_state* newest = pushed_.take();
    operation_state* oldest = nullptr;
    while (newest != nullptr) {
      operation_state* const older = newest->next;
      newest->next = oldest;
      oldest = std::exchange(newest, older);
    }
    return oldest;
  }

 private:
  push_list<operation_state> pushed_;
};

}  // namespace deed::transport::detail
