// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct helper {
  static void work(double& x) {
    if (x > 0) std::exit(1);  // D808
    x += 1;
  }
};
constexpr deed::codelet it{"it", [](double& x) { helper::work(x); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
