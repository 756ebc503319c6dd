// SPDX-License-Identifier: MIT
// The tag of a datum is no number.
// expect-error: deed[D106] a bare number is no tag; write `deed::tag{n}`
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::session& session) {
  auto u = session.register_data(deed::owner{0}, 0.0, {.tag = 3});  // here
}
#else
void program(deed::session& session) {
  auto u = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{3}});
}
#endif
