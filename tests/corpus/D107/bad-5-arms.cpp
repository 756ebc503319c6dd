// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  if (session.rank() == 0) {
    auto grid = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});
  } else {
    auto grid = session.register_data(deed::owner{0}, 2.0, {.tag = deed::tag{8}});
  }
}
