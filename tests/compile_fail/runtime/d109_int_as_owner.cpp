// SPDX-License-Identifier: MIT
// A number is no owner until the program says so.
// expect-error: deed[D109] a bare number is no owner
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session) { auto a = session.register_data(0, 1.0); }  // here
#else
void program(deed::session& session) { auto a = session.register_data(deed::owner{0}, 1.0); }
#endif
