// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>

/// @file
/// Numbers with a kind: a rank is no tag, and neither is an `int`. What would convert them is
/// deleted, on a line that says why: the compilers print it.

// The check of literals is an attribute that Clang alone has.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
#endif

namespace deed {

namespace detail {

template <class I>
concept number = std::integral<I> && !std::same_as<I, bool>;
/// Clang looks at literals, which are `int`.
template <class I>
concept other_number = number<I> && !std::same_as<I, int>;

}  // namespace detail

/// One member of a run. Range: `[0, session.size())`.
struct DEED_MODEL("type", "rank") rank {
  constexpr explicit rank(int number) noexcept
      DEED_REFUSE_IF(number < 0, "deed[D410] a rank is negative; ranks are [0, session.size())")
      : value(number) {}
  template <detail::other_number I>
  constexpr explicit rank(I number) noexcept : value(static_cast<int>(number)) {}
  template <std::integral I>
  rank(I) = delete;  // deed[D410] a bare number is no rank; write `deed::rank{r}`
  int value;
  friend constexpr auto operator<=>(rank, rank) = default;
};

/// The rank that holds the current value of a datum, and runs its writers by default.
struct DEED_MODEL("type", "owner") owner {
  constexpr explicit owner(int number) noexcept
      DEED_REFUSE_IF(number < 0, "deed[D109] an owner is negative; owners are [0, session.size())")
      : value(number) {}
  template <detail::other_number I>
  constexpr explicit owner(I number) noexcept : value(static_cast<int>(number)) {}
  template <std::integral I>
  owner(I) = delete;  // deed[D109] a bare number is no owner; write `deed::owner{r}`
  int value;
  friend constexpr auto operator<=>(owner, owner) = default;
};

/// Says that every rank has one private datum of its own: `register_data(per_rank, …)`.
struct per_rank_t {
  explicit per_rank_t() = default;
};
inline constexpr per_rank_t per_rank{};

/// The name of a datum between ranks. Left out, it is the number of the registration.
struct DEED_MODEL("type", "tag") tag {
  template <detail::number I>
  constexpr explicit tag(I number) noexcept : value(static_cast<std::uint64_t>(number)) {}
  template <std::integral I>
  tag(I) = delete;  // deed[D106] a bare number is no tag; write `deed::tag{n}`
  std::uint64_t value;
  friend constexpr auto operator<=>(tag, tag) = default;
};

/// What an explicit message is matched by, beside its sender. Never an MPI tag.
struct DEED_MODEL("type", "message_tag") message_tag {
  template <detail::number I>
  constexpr explicit message_tag(I number) noexcept : value(static_cast<std::uint64_t>(number)) {}
  template <std::integral I>
  message_tag(I) = delete;    // deed[D106] a bare number is no tag; write `deed::message_tag{n}`
  message_tag(tag) = delete;  // deed[D106] the tag of a datum; write `deed::message_tag{n}`
  [[nodiscard]] static constexpr message_tag max() noexcept {
    return message_tag{std::numeric_limits<std::int64_t>::max()};
  }
  std::uint64_t value;
  friend constexpr auto operator<=>(message_tag, message_tag) = default;
};

/// The rank that a message comes from.
struct DEED_MODEL("type", "peer") from {
  template <detail::number I>
  constexpr explicit from(I number) noexcept : value(static_cast<int>(number)) {}
  template <std::integral I>
  from(I) = delete;  // deed[D514] a bare number is no peer; write `deed::from{r}`
  int value;
};

/// The rank that a message goes to.
struct DEED_MODEL("type", "peer") to {
  template <detail::number I>
  constexpr explicit to(I number) noexcept : value(static_cast<int>(number)) {}
  template <std::integral I>
  to(I) = delete;  // deed[D514] a bare number is no peer; write `deed::to{r}`
  int value;
};

}  // namespace deed

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
