// SPDX-License-Identifier: MIT
// A handle says nothing of what the task may do.
// expect-error: deed[D202] an argument of the task is no access token
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, a);  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a));
}
#endif
