// SPDX-License-Identifier: MIT
// Whoever gets a const handle was promised that nobody writes through it.
// expect-error: deed[D203] the handle is const here; take `deed::handle<T>&`
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, const deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a));
}
#endif
