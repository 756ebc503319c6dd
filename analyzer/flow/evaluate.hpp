// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace deed::check {

/// What a value is on one rank: its number if that is known, and whether all ranks have the same.
struct outcome {
  std::optional<std::int64_t> number;
  bool uniform = false;
  bool whole = false;  // of an object: all ranks have the same in every part of it
};

/// The numbers of one rank, of so many.
class numbers {
 public:
  numbers(const program& all, int rank, int ranks) : all_(all), rank_(rank), ranks_(ranks) {}
  virtual ~numbers() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] outcome evaluate(const value_ref& v);
  void set(const path& where, outcome now);
  void forget(const path& where);
  /// What a call may have written, of what it was given and of what it was called on.
  void forget_written(const event& call);
  /// How many elements a container has, also one that is a copy.
  [[nodiscard]] outcome length(const value_ref& container);
  /// The part of it that says how many elements a container has.
  [[nodiscard]] static path length_of(path container);
  void exchange(const path& one, const path& other);
  /// A key with every index replaced by its number. Empty where one is not known.
  [[nodiscard]] std::string resolved(const path& where);
  /// A standard container grows by one element, or in another way. Returns where the element is.
  path grow(const path& container, bool by_one);
  /// `it = begin(container)`, `it = end(container)`, `++it`.
  bool iterate(const path& iterator, const value_ref& from);
  void advance(const path& iterator);

 protected:
  // The owner of a datum, and whether a guard holds here: what only the ledger knows.
  virtual outcome owner_of(const path&) { return {}; }
  virtual outcome guard(const value&) { return {}; }
  /// What a borrow reads.
  virtual outcome content(const path&) { return {}; }

 private:
  outcome look_up(const path& where);
  outcome operation(const value& v);
  outcome call(const value& v);
  outcome returned_by(const function& callee);
  std::pair<outcome, outcome> given(const value_ref& argument);
  void differs_within(const path& where);

  const program& all_;
  int rank_, ranks_;
  int depth_ = 0;
  std::map<std::string, outcome> known_;
  std::map<std::string, std::string> iterators_;  // into which container
};

}  // namespace deed::check
