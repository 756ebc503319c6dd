// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/data/datum.hpp>
#include <deed/ownership/access.hpp>
#include <deed/ownership/handle.hpp>
#include <deed/runtime/contribution_rule.hpp>

#include <concepts>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

/// @file
/// Data that many tasks add to at once: `deed::reduction`, and the token `reduce(h)`.

namespace deed {

/// How the contributions to a datum become one value: an operation whose order does not matter, and
/// the value that changes nothing. `operation(a, b)` gives the value, or, as `void(T&, const T&)`,
/// changes the first one.
///
/// Contributions are added up per worker, then per rank, then along a tree to the owner. With
/// `reproducible`, each rank adds up in the order of the program, so that the same ranks give the
/// same bits in every run; contributions of one rank then run one after the other.
///
/// @code{.cpp}
/// auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
/// @endcode
template <class Operation, class T>
struct DEED_MODEL("calls", 0) reduction {
  Operation operation;
  T identity;
  bool reproducible = false;

  static constexpr bool gives = std::is_invocable_r_v<T, const Operation&, const T&, const T&>;
  static constexpr bool changes = requires(const Operation& apply, T& sum, const T& more) {
    { apply(sum, more) } -> std::same_as<void>;
  };
  static_assert(gives || changes,
                "deed[D605] the operation takes something else; write `T(const T&, const T&)` or "
                "`void(T&, const T&)`");
};
template <class Operation, class T>
reduction(Operation, T) -> reduction<Operation, T>;
template <class Operation, class T>
reduction(Operation, T, bool) -> reduction<Operation, T>;

/// The deed to a datum that tasks may contribute to. Moves, and is used in every other way, as
/// `handle<T>`.
template <class T, class Operation>
class [[nodiscard]] DEED_MODEL("type", "handle") reducible : public handle<T> {
 public:
  explicit reducible(handle<T>&& plain) noexcept : handle<T>(std::move(plain)) {}
};

/// Asks to contribute: the task gets a value of its own, which is the identity or what others
/// contributed before it on this rank.
/// @throws as `read`.
template <class T, class Operation>
DEED_MODEL("accesses", "reduce")
access<T, access_mode::reduce> reduce(reducible<T, Operation>& h, place where = place::current()) {
  return ownership::make_access<access_mode::reduce>(h, where);
}
template <class T>
access<T, access_mode::reduce> reduce(const handle<T>&) {
  static_assert(sizeof(T) == 0,
                "deed[D601] this handle was registered without a reduction; give "
                "`register_data` one: `deed::reduction{std::plus<>{}, 0.0}`");
}

namespace runtime {

template <class T, class Operation>
class typed_rule final : public contribution_rule {
  using storage = typename data::datum_traits<T>::storage;
  static_assert(std::is_same_v<storage, T>,
                "deed[D601] a view has no value to reduce; register a std::vector or a number");

 public:
  explicit typed_rule(reduction<Operation, T> wanted)
      : contribution_rule(wanted.reproducible), wanted_(std::move(wanted)) {}
  void construct(void* at) const override { ::new (at) T(wanted_.identity); }
  void combine(void* into, const void* from) const override {
    T& sum = *static_cast<T*>(into);
    const T& more = *static_cast<const T*>(from);
    if constexpr (reduction<Operation, T>::changes) {
      wanted_.operation(sum, more);
    } else {
      sum = wanted_.operation(std::as_const(sum), more);
    }
  }

 private:
  reduction<Operation, T> wanted_;
};

}  // namespace runtime
}  // namespace deed
