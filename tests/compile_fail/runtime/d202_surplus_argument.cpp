// SPDX-License-Identifier: MIT
// An argument without a parameter.
// expect-error: deed[D202] the codelet takes fewer arguments than are given
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a), deed::value(2.0));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a));
}
#endif
