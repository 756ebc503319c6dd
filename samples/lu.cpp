// SPDX-License-Identifier: MIT
// Tiled LU factorisation of a matrix whose diagonal is large, so that no row has to change places.
// Each element sees the same operations in the same order as in three plain loops: equal bits.
#include <deed/deed.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr std::ptrdiff_t size = 200, edge = 48;  // The tiles at the far edges are smaller.

double element(std::size_t i, std::size_t j) {
  return static_cast<double>((i * 7919 + j * 104729) % 1000) / 1000 +
         (i == j ? static_cast<double>(size) : 0.0);
}

constexpr deed::codelet fill{"fill", [](tile a, std::size_t row, std::size_t col) {
                               for (std::size_t i = 0; i < a.rows(); ++i)
                                 for (std::size_t j = 0; j < a.cols(); ++j)
                                   a(i, j) = element(row + i, col + j);
                             }};
constexpr deed::codelet factor{"factor", [](tile a) {
                                 for (std::size_t k = 0; k < a.rows(); ++k) {
                                   for (std::size_t i = k + 1; i < a.rows(); ++i) {
                                     a(i, k) /= a(k, k);
                                     for (std::size_t j = k + 1; j < a.cols(); ++j)
                                       a(i, j) -= a(i, k) * a(k, j);
                                   }
                                 }
                               }};
constexpr deed::codelet upper{"upper", [](tile u, const_tile diagonal) {
                                for (std::size_t k = 0; k < u.rows(); ++k)
                                  for (std::size_t i = k + 1; i < u.rows(); ++i)
                                    for (std::size_t j = 0; j < u.cols(); ++j)
                                      u(i, j) -= diagonal(i, k) * u(k, j);
                              }};
constexpr deed::codelet lower{"lower", [](tile l, const_tile diagonal) {
                                for (std::size_t k = 0; k < l.cols(); ++k) {
                                  for (std::size_t i = 0; i < l.rows(); ++i) {
                                    l(i, k) /= diagonal(k, k);
                                    for (std::size_t j = k + 1; j < l.cols(); ++j)
                                      l(i, j) -= l(i, k) * diagonal(k, j);
                                  }
                                }
                              }};
constexpr deed::codelet update{"update", [](tile a, const_tile l, const_tile u) {
                                 for (std::size_t k = 0; k < l.cols(); ++k)
                                   for (std::size_t i = 0; i < a.rows(); ++i)
                                     for (std::size_t j = 0; j < a.cols(); ++j)
                                       a(i, j) -= l(i, k) * u(k, j);
                               }};

std::vector<double> sequential() {
  constexpr auto n = static_cast<std::size_t>(size);
  std::vector<double> a(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i * n + j] = element(i, j);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
  return a;
}

void lu(deed::session& session) {
  deed::tiled_matrix<double> a{
      session, {.rows = size, .cols = size, .tile_rows = edge, .tile_cols = edge, .name = "a"}};
  const std::size_t tiles = a.tile_rows();
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      const auto [row, col] = a.origin(i, j);
      session.insert_task(fill, deed::write(a(i, j)), deed::value(row), deed::value(col));
    }
  }
  constexpr auto cube = static_cast<std::uint64_t>(edge * edge * edge);  // Of virtual ranks.
  for (std::size_t k = 0; k < tiles; ++k) {
    session.insert_task(factor, deed::read_write(a(k, k)), deed::flops{2 * cube / 3});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      session.insert_task(upper, deed::read_write(a(k, i)), deed::read(a(k, k)), deed::flops{cube});
      session.insert_task(lower, deed::read_write(a(i, k)), deed::read(a(k, k)), deed::flops{cube});
    }
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j < tiles; ++j)
        session.insert_task(update, deed::read_write(a(i, j)), deed::read(a(i, k)),
                            deed::read(a(k, j)), deed::flops{2 * cube});
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const std::vector<double> expected = sequential();
  bool wrong = false;
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      if (!session.owns(a(i, j))) continue;
      const auto part = session.borrow(deed::read(a(i, j)));
      const auto [row, col] = a.origin(i, j);
      for (std::size_t k = 0; k < (*part).rows(); ++k)
        for (std::size_t l = 0; l < (*part).cols(); ++l)
          wrong = wrong || (*part)(k, l) != expected[(row + k) * a.cols() + col + l];
    }
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the factors are not the sequential ones");
  if (session.rank() == 0)
    std::cout << size << " x " << size << ", equal, bit for bit, to three plain loops\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, lu); }
