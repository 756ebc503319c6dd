// SPDX-License-Identifier: MIT
// Tiles as matrices of Eigen, where they lie: the product of two matrices, as a library of others
// computes it. A tile is row-major, and its rows may lie further apart than they are long.
#include <deed/deed.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <iostream>

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using view = Eigen::Map<matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using const_view = Eigen::Map<const matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// The tile as Eigen sees it; nothing is copied.
view of(tile t) {
  return {t.data(), static_cast<Eigen::Index>(t.rows()), static_cast<Eigen::Index>(t.cols()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(t.row_stride()))};
}
const_view of(const_tile t) {
  return {t.data(), static_cast<Eigen::Index>(t.rows()), static_cast<Eigen::Index>(t.cols()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(t.row_stride()))};
}

constexpr std::ptrdiff_t size = 200, edge = 48;

double element(std::size_t i, std::size_t j) {
  return static_cast<double>((i * 7919 + j * 104729) % 17);  // Small integers: sums are exact.
}

constexpr deed::codelet fill{"fill", [](tile t, std::size_t row, std::size_t col) {
                               for (std::size_t i = 0; i < t.rows(); ++i)
                                 for (std::size_t j = 0; j < t.cols(); ++j)
                                   t(i, j) = element(row + i, col + j);
                             }};
constexpr deed::codelet clear{"clear", [](tile t) { of(t).setZero(); }};
constexpr deed::codelet multiply{
    "multiply", [](tile c, const_tile a, const_tile b) { of(c).noalias() += of(a) * of(b); }};

void product(deed::session& session) {
  const auto make = [&](const char* name) {
    return deed::tiled_matrix<double>{
        session, {.rows = size, .cols = size, .tile_rows = edge, .tile_cols = edge, .name = name}};
  };
  auto a = make("a"), b = make("b"), c = make("c");
  const std::size_t tiles = a.tile_rows();
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      const auto [row, col] = a.origin(i, j);
      session.insert_task(fill, deed::write(a(i, j)), deed::value(row), deed::value(col));
      session.insert_task(fill, deed::write(b(i, j)), deed::value(row), deed::value(col));
      session.insert_task(clear, deed::write(c(i, j)));
    }
  }
  constexpr auto cube = static_cast<std::uint64_t>(edge * edge * edge);  // Of virtual ranks.
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < tiles; ++j)
      for (std::size_t k = 0; k < tiles; ++k)
        session.insert_task(multiply, deed::read_write(c(i, j)), deed::read(a(i, k)),
                            deed::read(b(k, j)), deed::flops{2 * cube});
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  matrix whole(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      whole(i, j) = element(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  const matrix expected = whole * whole;
  bool wrong = false;
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      if (!session.owns(c(i, j))) continue;
      const auto part = session.borrow(deed::read(c(i, j)));
      const auto [row, col] = c.origin(i, j);
      const const_view ours = of(*part);
      wrong =
          wrong || ours != expected.block(static_cast<Eigen::Index>(row),
                                          static_cast<Eigen::Index>(col), ours.rows(), ours.cols());
    }
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the product is not the sequential one");
  if (session.rank() == 0)
    std::cout << size << " x " << size << ", equal, bit for bit, to Eigen's product of the whole\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, product); }
