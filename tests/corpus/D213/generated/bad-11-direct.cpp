// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  if (rank == 0) {
    auto x = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});  // D213
  } else {
    auto x = session.register_data(deed::owner{0}, 1.0f, {.tag = deed::tag{7}});
  }
}
