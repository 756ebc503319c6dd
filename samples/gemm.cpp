// SPDX-License-Identifier: MIT
// `c = a b`, tile by tile, on processors and on the devices of each vendor. A tile that is on a
// device stays there for the next products: only what is missing is copied, and the last sums come
// back when the program looks at them.
#include <deed/deed.hpp>
#include <deed/gpu/for_each.hpp>

#include "kernels/product.hpp"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr std::ptrdiff_t rows = 160, depth = 208, cols = 176, edge = 48;  // Far tiles are smaller.

/// Whole numbers: their sums are exact, in any order, and also where a device rounds less often.
double element_of_a(std::size_t i, std::size_t k) {
  return static_cast<double>((i * 31 + k * 17) % 101) - 50;
}
double element_of_b(std::size_t k, std::size_t j) {
  return static_cast<double>((k * 13 + j * 29) % 103) - 51;
}

constexpr deed::codelet fill_a{"fill_a", [](tile t, std::size_t row, std::size_t col) {
                                 for (std::size_t i = 0; i < t.rows(); ++i)
                                   for (std::size_t j = 0; j < t.cols(); ++j)
                                     t(i, j) = element_of_a(row + i, col + j);
                               }};
constexpr deed::codelet fill_b{"fill_b", [](tile t, std::size_t row, std::size_t col) {
                                 for (std::size_t i = 0; i < t.rows(); ++i)
                                   for (std::size_t j = 0; j < t.cols(); ++j)
                                     t(i, j) = element_of_b(row + i, col + j);
                               }};
constexpr deed::codelet gemm{"gemm",
#ifdef SAMPLE_CUDA
                             deed::cuda{cuda::gemm},
#endif
#ifdef SAMPLE_HIP
                             deed::hip{hip::gemm},
#endif
                             deed::cpu{[](tile c, const_tile a, const_tile b) {
                               deed::gpu::for_each(c.size(), product_element{}, c, a, b);
                             }}};

/// Element by element, with three plain loops.
bool is_product(const_tile found, std::size_t row, std::size_t col) {
  for (std::size_t i = 0; i < found.rows(); ++i) {
    for (std::size_t j = 0; j < found.cols(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum += element_of_a(row + i, k) * element_of_b(k, col + j);
      if (found(i, j) != sum) return false;
    }
  }
  return true;
}

void product(deed::session& session) {
  deed::tiled_matrix<double> a{
      session, {.rows = rows, .cols = depth, .tile_rows = edge, .tile_cols = edge, .name = "a"}};
  deed::tiled_matrix<double> b{
      session, {.rows = depth, .cols = cols, .tile_rows = edge, .tile_cols = edge, .name = "b"}};
  deed::tiled_matrix<double> c{session,
                               {.rows = rows,
                                .cols = cols,
                                .tile_rows = edge,
                                .tile_cols = edge,
                                .initial = 0.0,
                                .name = "c"}};
  for (auto [i, k] : a.indices()) {
    const auto [row, col] = a.origin(i, k);
    session.insert_task(fill_a, deed::write(a(i, k)), deed::value(row), deed::value(col));
  }
  for (auto [k, j] : b.indices()) {
    const auto [row, col] = b.origin(k, j);
    session.insert_task(fill_b, deed::write(b(k, j)), deed::value(row), deed::value(col));
  }
  constexpr auto cube = static_cast<std::uint64_t>(edge * edge * edge);  // Of virtual ranks.
  for (std::size_t k = 0; k < a.tile_cols(); ++k)  // Outermost: all of c can be worked on at once.
    for (auto [i, j] : c.indices())
      session.insert_task(gemm, deed::read_write(c(i, j)), deed::read(a(i, k)), deed::read(b(k, j)),
                          deed::flops{2 * cube});
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (const auto on_devices = session.statistics().tasks_on_devices; on_devices != 0)
    std::cout << "tasks on devices of rank " << session.rank() << ": " << on_devices << '\n';

  bool wrong = false;
  for (auto [i, j] : c.indices()) {
    if (!session.owns(c(i, j))) continue;
    const auto [row, col] = c.origin(i, j);
    wrong = wrong || !is_product(*session.borrow(deed::read(c(i, j))), row, col);
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the product is not the sequential one");
  if (session.rank() == 0)
    std::cout << rows << " x " << depth << " times " << depth << " x " << cols
              << ", equal, bit for bit, to three plain loops\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, product); }
