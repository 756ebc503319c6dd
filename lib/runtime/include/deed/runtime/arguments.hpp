// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/handle.hpp>

#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// What a task may be told beside its data and values: where it runs.

namespace deed {

/// Every rank of the session.
struct everywhere_t {
  explicit everywhere_t() = default;
};
inline constexpr everywhere_t everywhere{};

/// Says that a value comes later: reading before the first write is D208.
struct uninitialised_t {
  explicit uninitialised_t() = default;
};
inline constexpr uninitialised_t uninitialised{};

/// How much a task computes, in operations: what it takes in the time of virtual ranks, which do
/// ten per nanosecond. On real ranks it says nothing.
struct flops {
  std::uint64_t count;
};

/// The task runs on this rank. Made by `on`.
struct on_argument {
  deed::rank where_to_run;
  place where;
};
[[nodiscard]] DEED_MODEL("places") inline on_argument
    on(deed::rank target, place where = place::current()) {
  return {target, where};
}

/// The task runs where the owner of a datum is. Made by `on_owner_of`.
struct on_owner_argument {
  ownership::slot datum;
  place where;
};
template <class T>
[[nodiscard]] DEED_MODEL("places") on_owner_argument
    on_owner_of(const handle<T>& h, place where = place::current()) {
  return {h.untyped().datum(where), where};
}

/// The task runs on each of these ranks, which gets what it reads; all of them hold what it writes
/// then, and nothing is sent back. The owners of what it writes have to be among them (D401).
class DEED_MODEL("places", "each") on_each {
 public:
  on_each(everywhere_t, place where = place::current()) : where_(where) {}
  on_each(std::vector<deed::rank> ranks, place where = place::current())
      : ranks_(std::move(ranks)), where_(where), all_(false) {}

  /// Null: every rank.
  [[nodiscard]] const std::vector<deed::rank>* ranks() const noexcept {
    return all_ ? nullptr : &ranks_;
  }
  [[nodiscard]] place where() const noexcept { return where_; }

 private:
  std::vector<deed::rank> ranks_;
  place where_;
  bool all_ = true;
};

}  // namespace deed
