// SPDX-License-Identifier: MIT
// There is no handle without a datum.
// expect-error: deed[D110] a handle is made by
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
deed::handle<double> make() { return deed::handle<double>(); }  // here
#else
deed::handle<double> make(deed::session& session) {
  return session.register_data(deed::owner{0}, 1.0);
}
#endif
