/* SPDX-License-Identifier: MIT */
#pragma once
/* What the benchmarks of a heated plate have in common: Jacobi's iteration on a torus of tiles. */

#include "shapes.h"
#include <stddef.h>

enum { plate_tiles = 16, tile_edge = 64, tile_size = tile_edge * tile_edge, plate_steps = 100 };

static inline double first_value(size_t i, size_t j) { return (double)((i * 31 + j * 17) % 101); }

static inline void fill_tile(double* tile, size_t row, size_t col) {
  for (size_t i = 0; i < tile_edge; ++i)
    for (size_t j = 0; j < tile_edge; ++j) tile[i * tile_edge + j] = first_value(row + i, col + j);
}

/* One row of a tile's new values. */
static inline void relax_row(double* next, const double* here, const double* above,
                             const double* below, const double* left, const double* right) {
  for (size_t j = 0; j < tile_edge; ++j) {
    const double west = j > 0 ? here[j - 1] : left[tile_edge - 1];
    const double east = j + 1 < tile_edge ? here[j + 1] : right[0];
    next[j] = 0.25 * (above[j] + below[j] + west + east);
  }
}

/* A tile's new values, from it, the rows above and below, and its neighbours left and right. */
static inline void relax_between(double* next, const double* here, const double* above,
                                 const double* below, const double* left, const double* right) {
  const size_t edge = tile_edge;
  for (size_t i = 0; i < edge; ++i) {
    const double* const north = i > 0 ? here + (i - 1) * edge : above;
    const double* const south = i + 1 < edge ? here + (i + 1) * edge : below;
    relax_row(next + i * edge, here + i * edge, north, south, left + i * edge, right + i * edge);
  }
}

/* The row of a tile that touches the tile below. */
static inline const double* last_row(const double* tile) {
  return tile + (tile_edge - 1) * tile_edge;
}

/* A tile's new values, from it and its four neighbours. */
static inline void relax_tile(double* next, const double* here, const double* above,
                              const double* below, const double* left, const double* right) {
  relax_between(next, here, last_row(above), below, left, right);
}
