// SPDX-License-Identifier: MIT
#include "tile_kernels.hpp"
#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace {

using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using tile = Eigen::Map<matrix>;
using const_tile = Eigen::Map<const matrix>;

}  // namespace

void eigen_kernels::factorise(double* a, int n) {
  Eigen::Ref<matrix> all = tile(a, n, n);
  Eigen::LLT<Eigen::Ref<matrix>> in_place(all);
}
void eigen_kernels::solve(double* b, const double* l, int n) {
  tile all(b, n, n);
  const_tile(l, n, n).transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(
      all);
}
void eigen_kernels::update_diagonal(double* c, const double* a, int n) {
  tile(c, n, n).selfadjointView<Eigen::Lower>().rankUpdate(const_tile(a, n, n), -1.0);
}
void eigen_kernels::update(double* c, const double* a, const double* b, int n) {
  tile(c, n, n).noalias() -= const_tile(a, n, n) * const_tile(b, n, n).transpose();
}
