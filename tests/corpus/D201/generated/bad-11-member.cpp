// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct helper {
  static void work(const double& x) {
    const_cast<double&>(x) = 2;  // D201
  }
};
constexpr deed::codelet it{"it", [](const double& x) { helper::work(x); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read(a));
}
