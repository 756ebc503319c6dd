// SPDX-License-Identifier: MIT
// Tiled QR factorisation of a tall matrix, with four kernels of LAPACK. A tile below the diagonal
// is eliminated together with the triangle above it, so that nobody waits for a whole column.
// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35 (2009), algorithm 2.
#include <deed/deed.hpp>

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr std::ptrdiff_t rows = 260, cols = 200, edge = 48;  // Tiles at the far edges are smaller.
constexpr std::ptrdiff_t inner = 16;  // So many reflections are applied at once.

double element(std::size_t i, std::size_t j) {
  return static_cast<double>(deed::mix(i, j) >> 40) / (1 << 24) - 0.5;
}

// LAPACK keeps matrices by columns: a tile holds the transpose of a block, whose columns are its
// rows.
int high(const_tile block) { return static_cast<int>(block.cols()); }
int wide(const_tile block) { return static_cast<int>(block.rows()); }
int stride(const_tile block) { return static_cast<int>(block.row_stride()); }
int reflections(const_tile block) { return std::min(high(block), wide(block)); }
int at_once(int all) { return std::min(all, static_cast<int>(inner)); }

void check(int said, const char* kernel) {
  if (said != 0) throw std::runtime_error(std::string(kernel) + " gave " + std::to_string(said));
}

constexpr deed::codelet fill{"fill", [](tile a, std::size_t row, std::size_t col) {
                               for (std::size_t j = 0; j < a.rows(); ++j)
                                 for (std::size_t i = 0; i < a.cols(); ++i)
                                   a(j, i) = element(row + i, col + j);
                             }};
/// `a` becomes a triangle over the vectors of its reflections; `t` is what joins these.
constexpr deed::codelet geqrt{
    "geqrt", [](tile a, tile t) {
      check(LAPACKE_dgeqrt(LAPACK_COL_MAJOR, high(a), wide(a), at_once(reflections(a)), a.data(),
                           stride(a), t.data(), stride(t)),
            "dgeqrt");
    }};
/// The same reflections of a block to the right.
constexpr deed::codelet gemqrt{
    "gemqrt", [](tile c, const_tile v, const_tile t) {
      const int all = reflections(v);
      check(LAPACKE_dgemqrt(LAPACK_COL_MAJOR, 'L', 'T', high(c), wide(c), all, at_once(all),
                            v.data(), stride(v), t.data(), stride(t), c.data(), stride(c)),
            "dgemqrt");
    }};
/// Eliminates all of `a`, together with the triangle `r` over it.
constexpr deed::codelet tpqrt{
    "tpqrt", [](tile r, tile a, tile t) {
      check(LAPACKE_dtpqrt(LAPACK_COL_MAJOR, high(a), wide(a), 0, at_once(wide(a)), r.data(),
                           stride(r), a.data(), stride(a), t.data(), stride(t)),
            "dtpqrt");
    }};
/// The same reflections of two blocks to the right, one over the other.
constexpr deed::codelet tpmqrt{
    "tpmqrt", [](tile upper, tile lower, const_tile v, const_tile t) {
      const int all = wide(v);
      check(LAPACKE_dtpmqrt(LAPACK_COL_MAJOR, 'L', 'T', high(lower), wide(lower), all, 0,
                            at_once(all), v.data(), stride(v), t.data(), stride(t), upper.data(),
                            stride(upper), lower.data(), stride(lower)),
            "dtpmqrt");
    }};

/// The largest difference to LAPACK's triangle; a row may have the other sign.
double difference(deed::session& session, const deed::tiled_matrix<double>& transposed) {
  std::vector<double> whole(rows * cols), tau(cols);
  for (std::size_t j = 0; j < cols; ++j)
    for (std::size_t i = 0; i < rows; ++i) whole[j * rows + i] = element(i, j);
  check(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, whole.data(), rows, tau.data()), "dgeqrf");

  double largest = 0;
  for (std::size_t j = 0; j < transposed.tile_rows(); ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      const auto block = session.borrow(deed::read(transposed(j, i)));
      const auto [col, row] = transposed.origin(j, i);
      for (std::size_t l = 0; l < (*block).rows(); ++l)
        for (std::size_t k = 0; k < (*block).cols() && row + k <= col + l; ++k)
          largest = std::max(largest, std::abs(std::abs((*block)(l, k)) -
                                               std::abs(whole[(col + l) * rows + row + k])));
    }
  }
  return largest;
}

void qr(deed::session& session) {
  openblas_set_num_threads(1);  // The tasks are the parallel part.
  deed::tiled_matrix<double> transposed{
      session, {.rows = cols, .cols = rows, .tile_rows = edge, .tile_cols = edge, .name = "a"}};
  const std::size_t below = transposed.tile_cols(), across = transposed.tile_rows();
  deed::tiled_matrix<double> joins{session,
                                   {.rows = cols,
                                    .cols = static_cast<std::ptrdiff_t>(below) * inner,
                                    .tile_rows = edge,
                                    .tile_cols = inner,
                                    .name = "t"}};
  const auto a = [&](std::size_t i, std::size_t j) -> auto& { return transposed(j, i); };
  const auto t = [&](std::size_t i, std::size_t j) -> auto& { return joins(j, i); };
  for (auto [j, i] : transposed.indices()) {
    const auto [col, row] = transposed.origin(j, i);
    session.insert_task(fill, deed::write(a(i, j)), deed::value(row), deed::value(col));
  }
  constexpr auto cube = static_cast<std::uint64_t>(edge * edge * edge);  // Of virtual ranks.
  for (std::size_t k = 0; k < across; ++k) {
    session.insert_task(geqrt, deed::read_write(a(k, k)), deed::write(t(k, k)),
                        deed::flops{4 * cube / 3});
    for (std::size_t j = k + 1; j < across; ++j)
      session.insert_task(gemqrt, deed::read_write(a(k, j)), deed::read(a(k, k)),
                          deed::read(t(k, k)), deed::flops{2 * cube});
    for (std::size_t i = k + 1; i < below; ++i) {
      session.insert_task(tpqrt, deed::read_write(a(k, k)), deed::read_write(a(i, k)),
                          deed::write(t(i, k)), deed::flops{2 * cube});
      for (std::size_t j = k + 1; j < across; ++j)
        session.insert_task(tpmqrt, deed::read_write(a(k, j)), deed::read_write(a(i, j)),
                            deed::read(a(i, k)), deed::read(t(i, k)), deed::flops{4 * cube});
    }
  }
  for (std::size_t j = 0; j < across; ++j)
    for (std::size_t i = 0; i <= j; ++i) session.fetch(deed::read(a(i, j)), deed::to{0});
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  constexpr double allowed = 1e-12;
  const double largest = session.rank() == 0 ? difference(session, transposed) : 0;
  if (session.any(!(largest <= allowed)))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the triangle is not LAPACK's");
  if (session.rank() == 0)
    std::cout << rows << " x " << cols << ", within " << allowed << " of LAPACK's triangle\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, qr); }
