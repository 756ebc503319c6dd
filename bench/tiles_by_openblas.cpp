// SPDX-License-Identifier: MIT
#include "tile_kernels.hpp"
#include <cblas.h>
#include <lapacke.h>

void openblas_kernels::factorise(double* a, int n) {
  LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, a, n);
}
void openblas_kernels::solve(double* b, const double* l, int n) {
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1.0, l, n, b,
              n);
}
void openblas_kernels::update_diagonal(double* c, const double* a, int n) {
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1.0, a, n, 1.0, c, n);
}
void openblas_kernels::update(double* c, const double* a, const double* b, int n) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1.0, a, n, b, n, 1.0, c, n);
}
