// SPDX-License-Identifier: MIT
// An address means nothing on another rank, and little after the statement.
// expect-error: deed[D303] a value holds a pointer
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a, double dt) {
  session.insert_task(scale, deed::read_write(a), deed::value(&dt));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a, double dt) {
  session.insert_task(scale, deed::read_write(a), deed::value(dt));
}
#endif
