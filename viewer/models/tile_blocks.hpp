// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <QString>

#include <cstdint>
#include <vector>

/// A datum at its place among those that were registered with it.
struct PlacedTile {
    std::uint32_t handle = deed::viewer::none;
    int row = 0, column = 0; ///< Of a line, all in row 0.
};

/// A matrix of tiles, a line of parts, or, last, all data that have no place.
struct TileBlock {
    enum Shape { Grid, Line, Names };
    QString name{};
    Shape shape = Grid;
    std::vector<std::int32_t> rows{}, columns{}; ///< The indices that there are, in order.
    std::vector<PlacedTile> tiles{};             ///< By row, then column.
};

/// The data of a run, in the order of registration; two matrices of one name are two blocks.
std::vector<TileBlock> tileBlocks(const deed::viewer::model &of);
