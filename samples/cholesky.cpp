// SPDX-License-Identifier: MIT
// Tiled Cholesky factorisation: four kernels of BLAS and LAPACK, and the order that follows from
// what they read and write. The result is the same, bit for bit, on every number of ranks.
#include <deed/deed.hpp>

#include "kernels/blas.hpp"
#include "support/report.hpp"
#include <cblas.h>
#include <lapacke.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

int extent(std::size_t n) { return static_cast<int>(n); }

/// A symmetric matrix that is positive definite: small noise, and `n` on the diagonal.
double element(std::size_t n, std::size_t i, std::size_t j) {
  const std::uint64_t low = std::min(i, j), high = std::max(i, j);
  const std::uint64_t mixed = (low * 0x9e3779b97f4a7c15u) ^ (high * 0xbf58476d1ce4e5b9u);
  return static_cast<double>(mixed >> 40) / (1 << 24) + (i == j ? static_cast<double>(n) : 0.0);
}

constexpr deed::codelet fill{"fill", [](tile a, std::size_t n, std::size_t row, std::size_t col) {
                               for (std::size_t i = 0; i < a.rows(); ++i)
                                 for (std::size_t j = 0; j < a.cols(); ++j)
                                   a(i, j) = element(n, row + i, col + j);
                             }};
constexpr deed::codelet potrf{
    "potrf", [](tile a) {
      const int n = extent(a.rows());
      if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, a.data(), extent(a.row_stride())) != 0)
        throw std::domain_error("the matrix is not positive definite");
    }};
constexpr deed::codelet trsm{"trsm",
#ifdef SAMPLE_CUDA
                             deed::cuda{cuda::trsm},
#endif
#ifdef SAMPLE_HIP
                             deed::hip{hip::trsm},
#endif
                             deed::cpu{[](tile b, const_tile l) {
                               cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans,
                                           CblasNonUnit, extent(b.rows()), extent(b.cols()), 1.0,
                                           l.data(), extent(l.row_stride()), b.data(),
                                           extent(b.row_stride()));
                             }}};
constexpr deed::codelet syrk{
    "syrk",
#ifdef SAMPLE_CUDA
    deed::cuda{cuda::syrk},
#endif
#ifdef SAMPLE_HIP
    deed::hip{hip::syrk},
#endif
    deed::cpu{[](tile c, const_tile a) {
      cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, extent(c.rows()), extent(a.cols()), -1.0,
                  a.data(), extent(a.row_stride()), 1.0, c.data(), extent(c.row_stride()));
    }}};
constexpr deed::codelet gemm{
    "gemm",
#ifdef SAMPLE_CUDA
    deed::cuda{cuda::gemm},
#endif
#ifdef SAMPLE_HIP
    deed::hip{hip::gemm},
#endif
    deed::cpu{[](tile c, const_tile a, const_tile b) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, extent(c.rows()), extent(c.cols()),
                  extent(a.cols()), -1.0, a.data(), extent(a.row_stride()), b.data(),
                  extent(b.row_stride()), 1.0, c.data(), extent(c.row_stride()));
    }}};

/// The largest difference to LAPACK's factor, and a hash of all bits of ours.
std::pair<double, std::uint64_t> compare(deed::session& session, deed::tiled_matrix<double>& a) {
  const std::size_t n = a.rows();
  std::vector<double> whole(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) whole[i * n + j] = element(n, i, j);
  LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', extent(n), whole.data(), extent(n));

  double largest = 0;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < a.tile_rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto part = session.borrow(deed::read(a(i, j)));
      const auto [row, col] = a.origin(i, j);
      for (std::size_t k = 0; k < (*part).rows(); ++k) {
        for (std::size_t l = 0; l < (*part).cols() && col + l <= row + k; ++l) {
          const double ours = (*part)(k, l);
          largest = std::max(largest, std::abs(ours - whole[(row + k) * n + col + l]));
          hash = deed::mix(hash, std::bit_cast<std::uint64_t>(ours));
        }
      }
    }
  }
  return {largest, hash};
}

void cholesky(deed::session& session, deed::arguments given) {
  std::ptrdiff_t size = 1024, edge = 128;
  for (const std::string& each : given) {
    if (each.starts_with("--size="))
      size = sample::positive(each);
    else if (each.starts_with("--tile="))
      edge = sample::positive(each);
    else
      throw deed::stop_run(deed::exit_code::bad_option,
                           each + ": no such option; use --size=1024 and --tile=128");
  }
  openblas_set_num_threads(1);  // the tasks are the parallel part
  sample::phases phases;
  deed::tiled_matrix<double> a{
      session, {.rows = size, .cols = size, .tile_rows = edge, .tile_cols = edge, .name = "a"}};
  const std::size_t tiles = a.tile_rows();
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto [row, col] = a.origin(i, j);
      session.insert_task(fill, deed::write(a(i, j)), deed::value(a.rows()), deed::value(row),
                          deed::value(col));
    }
  }
  session.wait();
  phases.end("fill");

  const auto cube =
      static_cast<std::uint64_t>(edge * edge * edge);  // For the time of virtual ranks.
  for (std::size_t k = 0; k < tiles; ++k) {
    session.insert_task(potrf, deed::read_write(a(k, k)), deed::flops{cube / 3});
    for (std::size_t i = k + 1; i < tiles; ++i)
      session.insert_task(trsm, deed::read_write(a(i, k)), deed::read(a(k, k)), deed::flops{cube});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      session.insert_task(syrk, deed::read_write(a(i, i)), deed::read(a(i, k)), deed::flops{cube});
      for (std::size_t j = k + 1; j < i; ++j)
        session.insert_task(gemm, deed::read_write(a(i, j)), deed::read(a(i, k)),
                            deed::read(a(j, k)), deed::flops{2 * cube});
    }
  }
  session.wait();
  phases.end("factorise");
  if (session.is_dry()) return;  // There is no factor to check.

  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j <= i; ++j) session.fetch(deed::read(a(i, j)), deed::to{0});
  session.wait();
  std::pair<double, std::uint64_t> result{};
  if (session.rank() == 0) result = compare(session, a);
  phases.end("check");
  sample::report(session, phases);
  if (session.rank() != 0) return;
  const auto [largest, hash] = result;
  const double tolerance = 1e-14 * static_cast<double>(size);  // the diagonal is about `size`
  if (!(largest <= tolerance)) {
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the factor differs from LAPACK's by " + std::to_string(largest));
  }
  std::cout << "bits " << std::hex << hash << std::dec << ", largest difference to LAPACK "
            << largest << " of " << tolerance << " allowed\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, cholesky); }
