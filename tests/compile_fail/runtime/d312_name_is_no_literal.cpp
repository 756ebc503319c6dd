// SPDX-License-Identifier: MIT
// A name made at run time would dangle.
// expect-error: deed[D312] a name is not a string literal
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(std::string prefix) {
  deed::codelet relax{(prefix + "relax").c_str(), [](double& x) { x = 0; }};  // here
}
#else
void program() {
  deed::codelet relax{"heat.relax", [](double& x) { x = 0; }};
}
#endif
