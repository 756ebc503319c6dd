// SPDX-License-Identifier: MIT
// An operation that may change both of what it combines.
// expect-error: deed[D605] the operation takes something else
#include <deed/deed.hpp>

void program(deed::session& session) {
#ifdef DEED_MISUSE
  constexpr auto add = [](double& x, double& y) { x += y; };
#else
  constexpr auto add = [](double& x, const double& y) { x += y; };
#endif
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{add, 0.0});  // here
}
