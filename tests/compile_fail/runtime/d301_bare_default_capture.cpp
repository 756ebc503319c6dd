// SPDX-License-Identifier: MIT
// A default capture is a capture, also if it takes nothing.
// expect-error: deed[D301] a codelet must not capture
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program() {
  deed::codelet drift{"drift", [&](double& x) { x += 1; }};  // here
}
#else
void program() {
  deed::codelet drift{"drift", [](double& x) { x += 1; }};
}
#endif
