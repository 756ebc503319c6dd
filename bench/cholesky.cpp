// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"
#include "tile_kernels.hpp"
#include <lapacke.h>

#include <bit>
#include <string>
#include <vector>

/// Tiled Cholesky factorisation beside the same kernels in a plain loop on one thread and beside
/// LAPACK on two. Gigaflops. With 2 ranks, deed alone is shown.
/// Usage: mpirun -n 1 cholesky --deed-workers=2; mpirun -n 2 cholesky --deed-workers=1

extern "C" void openblas_set_num_threads(int);

namespace {

int extent(std::size_t n) { return static_cast<int>(n); }

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
const auto fill =
    deed::codelet("fill", [](tile a, std::size_t n, std::size_t row, std::size_t col) {
      for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = 0; j < a.cols(); ++j)
          a(i, j) = row + i == col + j ? static_cast<double>(n) : 0.25;
    });
template <class Kernels>
struct codelets {
  static inline const auto potrf =
      deed::codelet("potrf", [](tile a) { Kernels::factorise(a.data(), extent(a.rows())); });
  static inline const auto trsm = deed::codelet(
      "trsm", [](tile b, const_tile l) { Kernels::solve(b.data(), l.data(), extent(b.rows())); });
  static inline const auto syrk = deed::codelet("syrk", [](tile c, const_tile a) {
    Kernels::update_diagonal(c.data(), a.data(), extent(c.rows()));
  });
  static inline const auto gemm = deed::codelet("gemm", [](tile c, const_tile a, const_tile b) {
    Kernels::update(c.data(), a.data(), b.data(), extent(c.rows()));
  });
};

double gigaflops(std::size_t n, double seconds) {
  const auto size = static_cast<double>(n);
  return size * size * size / 3 / seconds * 1e-9;
}

template <class Kernels>
double by_deed(deed::session& session, std::size_t n, std::size_t edge) {
  const auto size = static_cast<std::ptrdiff_t>(n), side = static_cast<std::ptrdiff_t>(edge);
  const int ranks = session.size();
  // To and fro over the ranks: the lower a row of tiles, the longer, and each rank gets as much.
  const auto by_row = [n = static_cast<std::size_t>(ranks)](std::size_t i, std::size_t) {
    const std::size_t at = i % (2 * n);
    return static_cast<int>(at < n ? at : 2 * n - 1 - at);
  };
  deed::tiled_matrix<double> a(session, {.rows = size,
                                         .cols = size,
                                         .tile_rows = side,
                                         .tile_cols = side,
                                         .owners = deed::owner_rule(by_row),
                                         .name = "a"});
  const std::size_t tiles = a.tile_rows();
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      session.insert_task(fill, deed::write(a(i, j)), deed::value(n), deed::value(i * edge),
                          deed::value(j * edge));
  session.wait();
  session.barrier();
  const double begin = seconds_now();
  for (std::size_t k = 0; k < tiles; ++k) {
    session.insert_task(codelets<Kernels>::potrf, deed::read_write(a(k, k)));
    for (std::size_t i = k + 1; i < tiles; ++i)
      session.insert_task(codelets<Kernels>::trsm, deed::read_write(a(i, k)), deed::read(a(k, k)));
    for (std::size_t i = k + 1; i < tiles; ++i) {
      session.insert_task(codelets<Kernels>::syrk, deed::read_write(a(i, i)), deed::read(a(i, k)));
      for (std::size_t j = k + 1; j < i; ++j)
        session.insert_task(codelets<Kernels>::gemm, deed::read_write(a(i, j)), deed::read(a(i, k)),
                            deed::read(a(j, k)));
    }
  }
  session.wait();
  session.barrier();
  return gigaflops(n, seconds_now() - begin);
}

template <class Kernels>
double by_a_loop(std::size_t n, std::size_t edge) {
  const std::size_t tiles = n / edge, tile_size = edge * edge;
  std::vector<double> memory(tiles * tiles * tile_size, 0.25);
  const auto at = [&](std::size_t i, std::size_t j) {
    return &memory[(i * tiles + j) * tile_size];
  };
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t k = 0; k < edge; ++k) at(i, i)[k * edge + k] = static_cast<double>(n);
  const int side = extent(edge);
  const double begin = seconds_now();
  for (std::size_t k = 0; k < tiles; ++k) {
    Kernels::factorise(at(k, k), side);
    for (std::size_t i = k + 1; i < tiles; ++i) Kernels::solve(at(i, k), at(k, k), side);
    for (std::size_t i = k + 1; i < tiles; ++i) {
      Kernels::update_diagonal(at(i, i), at(i, k), side);
      for (std::size_t j = k + 1; j < i; ++j) Kernels::update(at(i, j), at(i, k), at(j, k), side);
    }
  }
  return gigaflops(n, seconds_now() - begin);
}

double by_lapack(std::size_t n) {
  std::vector<double> a(n * n, 0.25);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = static_cast<double>(n);
  openblas_set_num_threads(2);
  const double begin = seconds_now();
  LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', extent(n), a.data(), extent(n));
  const double time = seconds_now() - begin;
  openblas_set_num_threads(1);
  return gigaflops(n, time);
}

template <class Kernels>
void compare(deed::session& session, std::size_t n, std::size_t edge) {
  const bool alone = session.size() == 1;
  const std::string shape = "n " + std::to_string(n) + ", tile " + std::to_string(edge);
  const auto tell = [&](const char* system, double value) {
    if (session.rank() == 0) figure("cholesky", system, shape.c_str(), value);
  };
  for (long round = -1; round < setting("ROUNDS", 1); ++round) {
    const double tasks = by_deed<Kernels>(session, n, edge);
    const double loop = alone ? by_a_loop<Kernels>(n, edge) : 0, lapack = alone ? by_lapack(n) : 0;
    if (round < 0) continue;
    tell(alone ? "deed, 1 rank" : "deed, 2 ranks", tasks);
    if (!alone) continue;
    tell("loop, twice 1 thread", 2 * loop);
    tell("LAPACK, 2 threads", lapack);
  }
}

void compare_all(deed::session& session) {
  openblas_set_num_threads(1);
  compare<eigen_kernels>(session, 1024, 32);
  compare<openblas_kernels>(session, 4096, 256);
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, compare_all); }
