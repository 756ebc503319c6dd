// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<double>* kept = nullptr;
void work(std::vector<double>& v) {
  v[0] = 1;
}
