// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// The four kernels of a tiled Cholesky factorisation, on the lower triangle of tiles by rows, from
/// two libraries.

/// OpenBLAS. Each call takes two locks that all threads share: a product of tiles of 32 takes 2.0
/// microseconds on one thread, and 2.6 to 4.0 on each of two that share no data.
struct openblas_kernels {
  static constexpr const char* name = "OpenBLAS";
  static void factorise(double* a, int n);
  static void solve(double* b, const double* l, int n);
  static void update_diagonal(double* c, const double* a, int n);
  static void update(double* c, const double* a, const double* b, int n);
};

/// Eigen, compiled for this machine: 1.7 microseconds on one thread and on each of two.
struct eigen_kernels {
  static constexpr const char* name = "Eigen";
  static void factorise(double* a, int n);
  static void solve(double* b, const double* l, int n);
  static void update_diagonal(double* c, const double* a, int n);
  static void update(double* c, const double* a, const double* b, int n);
};
