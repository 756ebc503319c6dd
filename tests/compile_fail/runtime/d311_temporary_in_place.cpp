// SPDX-License-Identifier: MIT
// Memory that ends with the statement cannot become a datum.
// expect-error: deed[D311] a temporary is gone at the end of the statement
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, deed::in_place(std::vector<double>(100)));  // here
}
#else
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, std::vector<double>(100));
}
#endif
