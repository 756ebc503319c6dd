// SPDX-License-Identifier: MIT
// What a lambda captures is gone, or on another rank, when the task runs.
// expect-error: deed[D301] a codelet must not capture
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a, double dt) {
  deed::codelet drift{"drift", [&dt](double& x) { x += dt; }};  // here
  session.insert_task(drift, deed::read_write(a));
}
#else
void program(deed::session& session, deed::handle<double>& a, double dt) {
  deed::codelet drift{"drift", [](double& x, double by) { x += by; }};
  session.insert_task(drift, deed::read_write(a), deed::value(dt));
}
#endif
