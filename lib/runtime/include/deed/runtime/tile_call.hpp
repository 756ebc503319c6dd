// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/ownership/registrar.hpp>
#include <deed/runtime/tile_pattern.hpp>
#include <deed/runtime/tile_space.hpp>

#include <cstddef>
#include <span>

/// @file
/// What the typed skin of `for_each_tile` hands to compiled code.

namespace deed::runtime {

/// What each task of a call does with one of its tiles, or with a datum that is the same in all.
struct tile_use {
  tile_records* tiles;  ///< Null: the datum `fixed` of `session`.
  affine row, col;
  const ownership::registrar* session;
  ownership::slot fixed;
  access_mode mode;
  place where;
};

/// A call of `for_each_tile` with symbolic indices.
struct tile_call {
  tile_region region;
  std::span<const tile_use> uses;
  bool plain;  ///< The tasks have tiles, values and a priority, and nothing else.
  ownership::codelet_info codelet;
  int priority;
  /// Inserts the task of a pair; `asks`: if it concerns this rank.
  void (*insert)(void* with, std::size_t i, std::size_t j, bool asks);
  void* with;
};

/// @throws deed::error D214 if a tile does not exist; then nothing was inserted; what `insert`
///   throws.
void insert_tiles(core& home, const tile_call& what);

}  // namespace deed::runtime
