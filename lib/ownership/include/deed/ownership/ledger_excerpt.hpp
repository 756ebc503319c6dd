// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

/// @file
/// What a ledger said before a few of its decisions.

namespace deed::ownership {

/// What a ledger says of the data that an iteration names, before it: a copy of the whole takes as
/// long as all data are many, this as the iteration is long.
///
/// Of a ledger without open reductions and without a budget for copies, to which no datum is added
/// and of which none is removed meanwhile; both `decides_as` finds out, but for one that is removed
/// and takes the place of another.
/// Threads: one at a time. Cost: a look into a table for each datum that is named, and some 100
/// bytes for the first of one.
class ledger::excerpt {
 public:
  /// Of no datum yet.
  explicit excerpt(const ledger& now);
  /// To be called before a decision that names `datum`; only the first call for one counts. A slot
  /// that is none is left out: checks of the call say so.
  void keep(const ledger& now, slot datum);
  /// As it was, of a datum that was kept.
  [[nodiscard]] std::uint32_t version(slot datum) const { return entries_.at(datum).version; }

 private:
  friend class ledger;

  std::unordered_map<slot, entry> entries_;
  std::map<slot, std::uint32_t> preferred_;
  slot slots_;
  std::size_t free_;  // How many.
  bool keeps_;
};

}  // namespace deed::ownership
