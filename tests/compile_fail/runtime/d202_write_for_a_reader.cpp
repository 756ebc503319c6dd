// SPDX-License-Identifier: MIT
// The codelet only reads what the task writes.
// expect-error: deed[D202] argument 1 is not what the codelet's parameter 1 asks for
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(show, deed::write(a));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(show, deed::read(a));
}
#endif
