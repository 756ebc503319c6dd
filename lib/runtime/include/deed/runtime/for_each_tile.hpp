// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/runtime/session.hpp>
#include <deed/runtime/tile_call.hpp>
#include <deed/runtime/tiled_matrix.hpp>

#include <array>
#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// `deed::for_each_tile`: one task per tile, where it concerns this rank.

namespace deed {

namespace runtime {

/// Asks for its arguments once, for all pairs of indices.
template <class Arguments>
inline constexpr bool takes_symbols =
    std::conjunction_v<std::negation<std::is_invocable<Arguments&, std::size_t, std::size_t>>,
                       std::is_invocable<Arguments&, index, index>>;

template <class T>
struct is_pattern_access : std::false_type {};
template <class T, access_mode Mode>
struct is_pattern_access<pattern_access<T, Mode>> : std::true_type {};

/// An argument that is alike on all ranks and changes nothing but the task itself.
template <class T>
inline constexpr bool is_plain_argument =
    is_pattern_access<T>::value || std::is_same_v<T, flops> || std::is_same_v<T, priority> ||
    (ownership::is_argument<T>::value && !ownership::is_access_list<T>::value);

/// The argument of the task of `(i, j)`.
template <class T, access_mode Mode>
access<T, Mode> argument_at(const pattern_access<T, Mode>& of, std::int64_t i, std::int64_t j) {
  const auto& [tiles, row, col] = of.tiles;
  const auto k = static_cast<std::size_t>(row.at(i, j)) * tiles->rule().cols +
                 static_cast<std::size_t>(col.at(i, j));
  std::byte* const at = tiles->at(k, of.where).handle;
  return ownership::make_access<Mode>(*std::launder(reinterpret_cast<handle<T>*>(at)), of.where);
}
template <class T>
T argument_at(const T& of, std::int64_t, std::int64_t) {
  static_assert(std::is_copy_constructible_v<T>,
                "deed[D202] each task gets a copy of the value; make it one that can be copied");
  return of;
}

template <class T>
void note_use(tile_use*& next, const T& argument) {
  if constexpr (is_pattern_access<T>::value) {
    const auto& [tiles, row, col] = argument.tiles;
    *next++ = {tiles, row, col, nullptr, 0, T::mode, argument.where};
  } else if constexpr (ownership::is_access<T>::value) {
    *next++ = {nullptr, {}, {}, argument.session, argument.datum, T::mode, argument.where};
  }
}

template <class Codelet, class... Arguments>
void insert_tiles(session& home, const tile_region& region, const Codelet& task,
                  const std::tuple<Arguments...>& named) {
  static_assert((is_pattern_access<Arguments>::value || ...),
                "deed[D202] no argument of the tasks depends on their indices; name a tile by "
                "them, or insert one task");
  constexpr std::size_t most = sizeof...(Arguments);
  std::array<tile_use, most> uses;
  tile_use* end = uses.data();
  const auto insert = [&](std::int64_t i, std::int64_t j, bool asks) {
    std::apply(
        [&](const auto&... each) {
          std::tuple<decltype(argument_at(each, i, j))...> concrete{argument_at(each, i, j)...};
          std::apply(
              [&](auto&... argument) {
                if (!asks || home.relevant(argument...)) home.insert_task(task, argument...);
              },
              concrete);
        },
        named);
  };
  std::apply([&](const auto&... each) { (note_use(end, each), ...); }, named);
  insert_tiles(
      home.untyped(),
      {.region = region,
       .uses = {uses.data(), end},
       .plain = (is_plain_argument<Arguments> && ...),
       .codelet = task.info(),
       .priority = std::apply([](const auto&... each) { return priority_of(each...); }, named),
       .insert =
           [](void* with, std::size_t i, std::size_t j, bool asks) {
             (*static_cast<decltype(insert)*>(with))(static_cast<std::int64_t>(i),
                                                     static_cast<std::int64_t>(j), asks);
           },
       .with = const_cast<void*>(static_cast<const void*>(&insert))});
}

}  // namespace runtime

/// Inserts `task` for each pair of indices of `tiles`, with the arguments that `arguments_of(i, j)`
/// gives as a `std::tuple`; leaves out those of which this rank neither owns, runs nor passes on
/// anything, and records what they do. What decides that is what the task itself names, so nothing
/// can be forgotten, and a copy that becomes stale is known to be stale.
///
/// Where `arguments_of` takes two `deed::index`, it is called once, and a rank looks at no task but
/// those that touch a tile which it knows: that it owns, or named before. The space is a
/// `deed::tile_box` (`indices()`, `interior()`) or a `deed::lower_triangle` then, and values are
/// the same in all tasks. Which of the two forms a program takes changes nothing but its cost.
/// A step, of all ranks.
/// Cost: with `std::size_t`, of a task that is left out, that of making its arguments and of one
///   look at each. With `deed::index`, none of most tasks, some 40 nanoseconds of those that
///   use a copy that this rank has or had; of the call 200 bytes, until all its tiles are known.
///   As with `std::size_t` where something looks at every task or the rule of the owners does not
///   hold: recording and checking, `repeat`, open reductions, partitions, a limit of copies, gates
///   and callbacks, several data that are written, a matrix that is written after `migrate`.
/// @throws as `session.insert_task`. With `deed::index` D214, if a tile does not exist, comes
///   before anything is inserted, and tasks that do not concern a rank are not looked at.
///
/// @code{.cpp}
/// deed::for_each_tile(session, now.interior(), relax, [&](deed::index i, deed::index j) {
///   return std::tuple{deed::write(next(i, j)), deed::read(now(i, j)), deed::read(now(i - 1, j))};
/// });
/// @endcode
template <class Tiles, class... Bodies, class Arguments>
DEED_MODEL("submits")
void for_each_tile(session& home, const Tiles& tiles, const codelet<Bodies...>& task,
                   Arguments&& arguments_of) {
  if constexpr (runtime::takes_symbols<Arguments>) {
    static_assert(runtime::known_space<Tiles>,
                  "deed[D202] `deed::index` stands for the indices of a `deed::tile_box` or a "
                  "`deed::lower_triangle`; give one of these, or take `std::size_t`");
    if constexpr (runtime::known_space<Tiles>) {
      using variable = runtime::affine::variable;
      runtime::insert_tiles(home, tiles.region(), task,
                            arguments_of(index::of(variable::i), index::of(variable::j)));
    }
  } else {
    for (auto&& [i, j] : tiles) {
      auto named = arguments_of(i, j);
      std::apply(
          [&](auto&... each) {
            if (home.relevant(each...)) home.insert_task(task, each...);
          },
          named);
    }
  }
}

}  // namespace deed
