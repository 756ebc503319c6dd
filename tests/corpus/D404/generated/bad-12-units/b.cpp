// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  const int rank = session.rank();
  if (rank > 0) session.fetch(deed::read(a), deed::everywhere);  // D404
}
