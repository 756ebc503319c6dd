// SPDX-License-Identifier: MIT
// Loops as programs have them: data.tiles_vectorise asks the compiler what it made of those of
// lines 10, 15 and 24.
#include <deed/data/tile.hpp>

#include <cstddef>

void by_index(deed::tile<double> y, deed::tile<const double> x) {
  for (std::size_t i = 0; i < y.rows(); ++i)
    for (std::size_t j = 0; j < y.cols(); ++j) y(i, j) = 2 * x(i, j);
}

void by_row(deed::tile<double> y) {
  for (auto row : y)
    for (double& each : row) each *= 2;
}

void stencil(deed::tile<double> next, deed::tile<const double> now) {
  const std::size_t rows = now.rows() - 1, cols = now.cols() - 1;
  const auto sum = [&](std::size_t i, std::size_t j) {
    return now(i - 1, j) + now(i, j - 1) + now(i, j + 1) + now(i + 1, j);
  };
  for (std::size_t i = 1; i < rows; ++i) {
    for (std::size_t j = 1; j < cols; ++j) next(i, j) = 0.25 * sum(i, j);
  }
}
