// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

/// @file
/// Errors that every rank throws with one text, and which of them prints it.

namespace deed::runtime {

/// Beside `deed::error`, a base of what all ranks throw alike.
class of_all_ranks {
 public:
  static constexpr int nowhere = -1;
  explicit of_all_ranks(bool printed_here, int rank) noexcept
      : printed_here_(printed_here), rank_(rank) {}
  of_all_ranks(const of_all_ranks&) = default;
  virtual ~of_all_ranks() = default;
  [[nodiscard]] bool printed_here() const noexcept { return printed_here_; }
  /// Where it happened, or `nowhere` in particular.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  bool printed_here_;
  int rank_;
};

/// An `Error` of all ranks.
template <class Error>
class common : public Error, public of_all_ranks {
 public:
  template <class... Parts>
  explicit common(const of_all_ranks& how, Parts&&... parts)
      : Error(std::forward<Parts>(parts)...), of_all_ranks(how) {}
};

}  // namespace deed::runtime
