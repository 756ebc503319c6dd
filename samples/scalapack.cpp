// SPDX-License-Identifier: MIT
// A matrix as ScaLAPACK keeps it: blocks are dealt to a grid of ranks in turn, and each rank has
// its own in one array, column by column. Tasks factorise the matrix where it lies; when they are
// done the arrays are the program's again, and hold what pdpotrf would have left there. Source:
// ScaLAPACK Users' Guide (Blackford et al., SIAM 1997), section 4.3.
#include <deed/deed.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

namespace {

using tile = deed::tile<double>;  // The transpose of a block: a block's columns are its rows.
using const_tile = deed::tile<const double>;

constexpr std::size_t size = 200, edge = 24;  // Blocks at the far edges are smaller.
constexpr double untouched = -1;              // What no task may change.

double element(std::size_t i, std::size_t j) {  // Symmetric, and positive definite.
  const std::size_t low = std::min(i, j), high = std::max(i, j);
  return static_cast<double>((low * 7919 + high * 104729) % 1000) / 1000 + (i == j ? size : 0.0);
}

/// A matrix in ScaLAPACK's descriptor. Its first block is on the first rank of the grid.
struct descriptor {
  std::size_t m, n, mb, nb;  ///< Rows and columns, of the matrix and of a block.
  std::size_t lld;           ///< From one column to the next in the array of this rank.
};
/// How many of `n` rows or columns are on row or column `which` of `all` of the grid.
std::size_t numroc(std::size_t n, std::size_t nb, int which, int all) {
  const auto mine = static_cast<std::size_t>(which), ranks = static_cast<std::size_t>(all);
  const std::size_t whole = n / nb, blocks = whole / ranks, over = whole % ranks;
  return (blocks + (mine < over ? 1 : 0)) * nb + (mine == over ? n % nb : 0);
}
/// Block `(i, j)` in the array of its rank. On the others, which give none, its extents count.
tile block_of(const descriptor& a, deed::block_cyclic grid, double* array, std::size_t i,
              std::size_t j) {
  const std::size_t rows = std::min(a.mb, a.m - i * a.mb), cols = std::min(a.nb, a.n - j * a.nb);
  if (array == nullptr) return {nullptr, cols, rows};
  const std::size_t row = i / static_cast<std::size_t>(grid.grid_rows) * a.mb;
  const std::size_t col = j / static_cast<std::size_t>(grid.grid_cols) * a.nb;
  return {array + col * a.lld + row, cols, rows, a.lld};
}

constexpr deed::codelet factor{"factor", [](tile a) {
                                 for (std::size_t k = 0; k < a.rows(); ++k) {
                                   a(k, k) = std::sqrt(a(k, k));
                                   for (std::size_t i = k + 1; i < a.cols(); ++i)
                                     a(k, i) /= a(k, k);
                                   for (std::size_t j = k + 1; j < a.rows(); ++j)
                                     for (std::size_t i = j; i < a.cols(); ++i)
                                       a(j, i) -= a(k, i) * a(k, j);
                                 }
                               }};
constexpr deed::codelet solve{"solve", [](tile b, const_tile l) {
                                for (std::size_t k = 0; k < b.rows(); ++k) {
                                  for (double& each : b.row(k)) each /= l(k, k);
                                  for (std::size_t j = k + 1; j < b.rows(); ++j)
                                    for (std::size_t i = 0; i < b.cols(); ++i)
                                      b(j, i) -= b(k, i) * l(k, j);
                                }
                              }};
constexpr deed::codelet update{"update", [](tile c, const_tile a, const_tile b) {
                                 for (std::size_t k = 0; k < a.rows(); ++k)
                                   for (std::size_t j = 0; j < c.rows(); ++j)
                                     for (std::size_t i = 0; i < c.cols(); ++i)
                                       c(j, i) -= a(k, i) * b(k, j);
                               }};
constexpr deed::codelet update_diagonal{"update_diagonal", [](tile c, const_tile a) {
                                          for (std::size_t k = 0; k < a.rows(); ++k)
                                            for (std::size_t j = 0; j < c.rows(); ++j)
                                              for (std::size_t i = j; i < c.cols(); ++i)
                                                c(j, i) -= a(k, i) * a(k, j);
                                        }};

/// As `pdpotrf("L", …)`: the factor takes the place of the lower triangle. A step.
void factorise(deed::session& session, const descriptor& desc, deed::block_cyclic grid,
               std::vector<double>& array) {
  const std::size_t blocks = (desc.n + desc.nb - 1) / desc.nb;
  std::vector<deed::handle<tile>> lower;  // Row by row. They end here, and with them deed's part.
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const int owner = grid(i, j, blocks, blocks);
      double* const mine = owner == session.rank() ? array.data() : nullptr;
      lower.push_back(session.register_data(
          deed::owner{owner}, deed::in_place(block_of(desc, grid, mine, i, j)), {.name = "a"}));
    }
  }
  const auto a = [&](std::size_t i, std::size_t j) -> auto& { return lower[i * (i + 1) / 2 + j]; };
  const std::uint64_t cube = desc.nb * desc.nb * desc.nb;  // For the time of virtual ranks.
  for (std::size_t k = 0; k < blocks; ++k) {
    session.insert_task(factor, deed::read_write(a(k, k)), deed::flops{cube / 3});
    for (std::size_t i = k + 1; i < blocks; ++i)
      session.insert_task(solve, deed::read_write(a(i, k)), deed::read(a(k, k)), deed::flops{cube});
    for (std::size_t i = k + 1; i < blocks; ++i) {
      for (std::size_t j = k + 1; j < i; ++j)
        session.insert_task(update, deed::read_write(a(i, j)), deed::read(a(i, k)),
                            deed::read(a(j, k)), deed::flops{2 * cube});
      session.insert_task(update_diagonal, deed::read_write(a(i, i)), deed::read(a(i, k)),
                          deed::flops{cube});
    }
  }
}

/// The whole factor, by columns, without blocks; over the diagonal the matrix is as it was.
std::vector<double> sequential() {
  std::vector<double> a(size * size);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < size; ++i) a[j * size + i] = element(i, j);
  for (std::size_t k = 0; k < size; ++k) {
    a[k * size + k] = std::sqrt(a[k * size + k]);
    for (std::size_t i = k + 1; i < size; ++i) a[k * size + i] /= a[k * size + k];
    for (std::size_t j = k + 1; j < size; ++j)
      for (std::size_t i = j; i < size; ++i) a[j * size + i] -= a[k * size + i] * a[k * size + j];
  }
  return a;
}

/// `what(element of the array, row, column)` for all that this rank has, as ScaLAPACK counts them.
template <class What>
void for_each_element(const descriptor& desc, deed::block_cyclic grid, int rank,
                      std::vector<double>& array, What what) {
  const auto row = static_cast<std::size_t>(rank / grid.grid_cols);
  const auto col = static_cast<std::size_t>(rank % grid.grid_cols);
  const auto global = [](std::size_t local, std::size_t block, std::size_t which, int all) {
    return (local / block * static_cast<std::size_t>(all) + which) * block + local % block;
  };
  for (std::size_t j = 0; j < array.size() / desc.lld; ++j)
    for (std::size_t i = 0; i < numroc(desc.m, desc.mb, rank / grid.grid_cols, grid.grid_rows); ++i)
      what(array[j * desc.lld + i], global(i, desc.mb, row, grid.grid_rows),
           global(j, desc.nb, col, grid.grid_cols));
}

void scalapack(deed::session& session) {
  const deed::block_cyclic grid{session.size()};
  const std::size_t rows = numroc(size, edge, session.rank() / grid.grid_cols, grid.grid_rows);
  const std::size_t cols = numroc(size, edge, session.rank() % grid.grid_cols, grid.grid_cols);
  const descriptor desc{.m = size, .n = size, .mb = edge, .nb = edge, .lld = rows + 3};
  std::vector<double> array(desc.lld * cols, untouched);
  for_each_element(desc, grid, session.rank(), array,
                   [](double& a, std::size_t i, std::size_t j) { a = element(i, j); });

  factorise(session, desc, grid, array);
  if (session.is_dry()) return;  // There is no result to check.

  std::vector<double> expected(desc.lld * cols, untouched);
  if (!array.empty())
    for_each_element(
        desc, grid, session.rank(), expected,
        [all = sequential()](double& a, std::size_t i, std::size_t j) { a = all[j * size + i]; });
  if (session.any(array != expected))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the factor is not the sequential one");
  if (session.rank() == 0)
    std::cout << size << " x " << size << " on " << grid.grid_rows << " x " << grid.grid_cols
              << " ranks, equal, bit for bit, to three plain loops\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, scalapack); }
