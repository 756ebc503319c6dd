// SPDX-License-Identifier: MIT
// A handle that ends with the statement gives no token.
// expect-error: deed[D101] the handle is a temporary
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session) {
  session.insert_task(show, deed::read(session.register_data(deed::owner{0}, 1.0)));  // here
}
#else
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  session.insert_task(show, deed::read(a));
}
#endif
