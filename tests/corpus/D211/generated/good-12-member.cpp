// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline tile kept;
struct helper {
  static void work(tile t) {
    t(0, 0) += 1;
  }
};
constexpr deed::codelet it{"it", [](tile t) { helper::work(t); }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{session, {.rows = 64, .cols = 64, .tile_rows = 64, .tile_cols = 64, .initial = 0}};
  session.insert_task(it, deed::read_write(m(0, 0)));
}
