// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/literal.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// @file
/// Load balance: who should own data, judged by what their tasks took.

namespace deed {

/// One datum of a list that is to be balanced.
struct load_item {
  int owner;                      ///< Now.
  std::chrono::nanoseconds took;  ///< By tasks that wrote it, since the last balance.
};

/// A rule that gives each datum of a list an owner, equal on every rank.
///
/// `choose` gets the items and the number of ranks, and returns as many owners. It keeps no state.
class balance_policy {
 public:
  using function = std::vector<int> (*)(std::span<const load_item>, int ranks);

  constexpr balance_policy(literal name, function rule) : name_(name.view()), choose_(rule) {}
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] std::vector<int> choose(std::span<const load_item> items, int ranks) const {
    return choose_(items, ranks);
  }

 private:
  std::string_view name_;
  function choose_;
};

/// Moves data from the rank with most to do to the one with least, as long as that helps both; few
/// data move.
extern const balance_policy fewest_moves;
/// Cuts the list into one piece per rank, as even as the order allows: neighbours stay together.
extern const balance_policy in_pieces;

namespace runtime {

class core;

/// The owners that `policy` wants for a list, on every rank. Waits first. Collective.
[[nodiscard]] std::vector<int> balanced_owners(core& home, std::span<const ownership::slot> list,
                                               const balance_policy& policy, place where);

}  // namespace runtime
}  // namespace deed
