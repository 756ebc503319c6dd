// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct notes {
  double* at = nullptr;
};
inline notes last;
inline void work(std::span<double> v) {
  last.at = &v[1];  // D211
}
constexpr deed::codelet it{"it", [](std::span<double> v) { work(v); }};

void program(deed::session& session) {
  std::vector<double> room(10);
  auto c = session.register_data(deed::owner{0}, deed::in_place(room));
  session.insert_task(it, deed::read_write(c));
}
