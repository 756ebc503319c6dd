// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

double* kept = nullptr;
template <int N>
void work(std::span<double> v) {
  std::ranges::fill(v, 0.0);
}
constexpr deed::codelet it{"it", [](std::span<double> v) { work<3>(v); }};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(4));
  session.insert_task(it, deed::write(c));
}
