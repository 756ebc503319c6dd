// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct notes {
  double* at = nullptr;
};
inline notes last;
void work(std::span<double> v) {
  v[0] += v[1];
}
