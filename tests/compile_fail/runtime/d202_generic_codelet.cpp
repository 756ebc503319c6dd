// SPDX-License-Identifier: MIT
// A contract needs its types spelled out.
// expect-error: deed[D202] a codelet must spell out its parameter types
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  constexpr deed::codelet any{"any", [](auto& x) { x += 1; }};
  session.insert_task(any, deed::read_write(a));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  constexpr deed::codelet one{"one", [](double& x) { x += 1; }};
  session.insert_task(one, deed::read_write(a));
}
#endif
