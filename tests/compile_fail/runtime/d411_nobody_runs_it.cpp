// SPDX-License-Identifier: MIT
// A task without data and without a place has no rank.
// expect-error: deed[D411] nothing says who runs this task
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
constexpr deed::codelet hello{"hello", [](int n) { static_cast<void>(n); }};
void program(deed::session& session) { session.insert_task(hello, deed::value(3)); }  // here
#else
constexpr deed::codelet hello{"hello", [](int n) { static_cast<void>(n); }};
void program(deed::session& session) {
  session.insert_task(hello, deed::value(3), deed::on(deed::rank{0}));
}
#endif
