// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const int rank = session.rank();
  std::vector<deed::handle<double>> parts;
  if (rank == 0) {
    session.gather(deed::read(parts), deed::to{0});
  } else {
    session.gather(deed::read(parts), deed::to{0});
  }
}
