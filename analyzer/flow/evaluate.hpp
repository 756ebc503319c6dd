// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"
#include "flow/memory.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deed::check {

/// The numbers of one rank, of so many.
class numbers {
 public:
  numbers(const program& all, int rank, int ranks) : all_(all), rank_(rank), ranks_(ranks) {}
  virtual ~numbers() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] outcome evaluate(const value_ref& v);
  void set(const path& where, outcome now);
  /// `object` is given a value: with the parts that stand in braces, or those of what it copies.
  void give(const path& object, const value_ref& v);
  /// What is known of the parts of one object is known of those of another.
  void take_over(const path& from, const path& to);
  void forget(const path& where);
  /// What a call may have written, of what it was given and of what it was called on.
  void forget_written(const event& call);
  /// Where a switch goes; nothing where it is not known.
  [[nodiscard]] std::optional<int> case_of(const block& b);
  /// The part of it that says how many elements a container has.
  [[nodiscard]] static path length_of(path container);
  void exchange(const path& one, const path& other);
  /// A key with every index replaced by its number. Empty where one is not known.
  [[nodiscard]] std::string resolved(const path& where);
  /// A standard container grows by one element, or in another way. Returns where the element is.
  path grow(const path& container, bool by_one);
  /// An element that is made of nothing: a container is empty then.
  void begin_element(const path& element);
  /// What is not known of it may differ between ranks.
  void may_differ(const path& object);
  /// It has another number of elements, which is not known, and the same on all ranks.
  void grow_alike(const path& container);
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
  std::string numbered(const value_ref& index);
  [[nodiscard]] std::string last_of(const std::string& container) const;
  [[nodiscard]] bool is_of_loop(const path& p) const;
  outcome operation(const value& v);
  outcome call(const value& v);
  template <class Look>
  auto inside(const function& callee, const std::string& object,
              const std::vector<value_ref>& given, const Look& look);
  const event* leave_of(const function& callee, bool& same_way);
  std::string returned_element(const part& step, const std::string& object);
  [[nodiscard]] bool keeps_elements(variable_id container) const;
  void give_elements(const path& object, const value& list);
  /// Of the parts of an object, and of itself: what follows its name, and what is known of it.
  [[nodiscard]] memory::parts parts_of(const std::string& object) const;
  void give_parts(const memory::parts& known, const std::string& to);
  void differs_within(const path& where);

  const program& all_;
  int rank_, ranks_;
  int depth_ = 0;
  memory known_;
  std::map<std::string, std::string> iterators_;  // into which container
};

}  // namespace deed::check
