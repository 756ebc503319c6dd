// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});
  auto y = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{8}});
}
