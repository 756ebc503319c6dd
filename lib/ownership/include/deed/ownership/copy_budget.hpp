// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/registrar.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

/// @file
/// How many bytes of other ranks' data a rank may keep, and which copy goes when there is no room.

namespace deed::ownership {

/// A rank's copy of a datum that another rank owns.
struct copy {
  slot datum;
  std::uint32_t rank;
  friend bool operator==(const copy&, const copy&) = default;
};

/// The copies of every rank in the order of their last use, within one budget per rank.
///
/// Uses are counted in the order of the sequence, so a copy that a submitted task still needs is
/// younger than one that none needs: what goes first is what is needed again last, as far as the
/// sequence is known.
/// Copyable and comparable by value: equal budgets decide alike.
/// Threads: one at a time. Cost: O(log copies of the rank) per use; nothing while unlimited.
class copy_budget {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  explicit copy_budget(std::uint64_t bytes = unlimited) : bytes_(bytes) {}

  [[nodiscard]] bool limited() const noexcept { return bytes_ != unlimited; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Bytes that `rank` keeps.
  [[nodiscard]] std::uint64_t held(std::uint32_t rank) const;

  /// A copy of this datum is so large.
  void weigh(slot datum, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t weight(slot datum) const { return weights_[datum]; }
  /// `rank` has a copy, and uses it: it is the youngest from now on.
  void use(copy used) {
    if (limited()) use_limited(used);
  }
  void forget(copy gone) {
    if (limited()) forget_limited(gone);
  }
  /// Chooses copies of `rank`, the oldest first, so that `wanted` more bytes fit when they go.
  /// Never one of `needed`. Appends them to `chosen`; forgets nothing.
  void choose(std::uint32_t rank, std::uint64_t wanted, const std::function<bool(slot)>& needed,
              std::vector<copy>& chosen) const;

  friend bool operator==(const copy_budget&, const copy_budget&) = default;

 private:
  struct shelf {
    std::map<std::uint64_t, slot> by_use;  // The oldest first.
    std::unordered_map<slot, std::uint64_t> last_use;
    std::uint64_t bytes = 0;
    friend bool operator==(const shelf&, const shelf&) = default;
  };

  void use_limited(copy used);
  void forget_limited(copy gone);

  std::uint64_t bytes_;
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> weights_;              // By datum.
  std::unordered_map<std::uint32_t, shelf> ranks_;  // Of ranks that keep copies.
};

}  // namespace deed::ownership
