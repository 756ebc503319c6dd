// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// @file
/// How the two ends of a transfer name it alike.

namespace deed::runtime {

/// Counts the transfers of a datum between this rank and each other one. Both ends insert the
/// tasks that make them, in one order, so both come to the same number; of versions they may know
/// differently, since a rank may leave out writes that do not concern it.
///
/// Threads: the submitter.
/// Cost: a pointer until there is a transfer; then 12 bytes per peer, O(log peers).
class transfer_counts {
 public:
  enum class way : std::uint8_t { to_peer, from_peer };

  /// The number of the next transfer that goes this way.
  [[nodiscard]] std::uint32_t next(way direction, std::uint32_t peer) {
    return made(direction, peer)++;
  }
  /// The numbers of so many are used elsewhere.
  void skip(way direction, std::uint32_t peer, std::uint32_t transfers) {
    made(direction, peer) += transfers;
  }

 private:
  struct line {
    std::uint32_t peer;
    std::array<std::uint32_t, 2> made;
  };
  [[nodiscard]] std::uint32_t& made(way direction, std::uint32_t peer) {
    if (lines_ == nullptr) lines_ = std::make_unique<std::vector<line>>();
    auto at = std::ranges::lower_bound(*lines_, peer, {}, &line::peer);
    if (at == lines_->end() || at->peer != peer) at = lines_->insert(at, {peer, {}});
    return at->made[static_cast<std::size_t>(direction)];
  }

  std::unique_ptr<std::vector<line>> lines_;
};

}  // namespace deed::runtime
