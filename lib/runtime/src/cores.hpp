// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

/// @file
/// The processor cores that the launcher granted, and one rank's part of them.

namespace deed::runtime {

struct core_share;

/// Some cores of this machine, in the order of their numbers. Copies share what they know.
class core_set {
 public:
  /// None.
  core_set() = default;
  /// Those of this process's mask: what the launcher granted.
  [[nodiscard]] static core_set granted();
  /// What one of several ranks of this machine gets, from the masks of all of them as `mask` gives
  /// them. Ranks with the same mask share it in their order.
  [[nodiscard]] core_share share_of(const std::vector<std::string>& masks, int self) const;
  /// One of so many equal parts; none if there are fewer cores than parts.
  [[nodiscard]] core_set part(int index, int parts) const;

  [[nodiscard]] int count() const noexcept { return static_cast<int>(cores_.size()); }
  /// The processing units of all of them, as a list of numbers: `0-3,8`.
  [[nodiscard]] std::string mask() const;
  /// Binds the calling thread to its part of the cores, if each of `of` threads has one; else it
  /// stays where it may go. A system that refuses loses speed only.
  void bind(int number, int of) const;
  /// Binds the calling thread as `bind` does, if it runs elsewhere now, until the last of what is
  /// returned goes; then it may go where it could before. Null: it stays as it is.
  /// Cost: 20 ns if it is there, else some microseconds, and as many at the end.
  [[nodiscard]] std::shared_ptr<const void> visit(int number, int of) const;

 private:
  struct machine;

  std::shared_ptr<const machine> machine_;
  std::vector<int> cores_;  // Numbers within the mask.
};

/// One rank's cores.
struct core_share {
  core_set own;  ///< Nobody else's. None if masks overlap in part, or there are more ranks.
  int fair;      ///< That it may keep busy, beside those that may use the same; at least 1.
};

}  // namespace deed::runtime
