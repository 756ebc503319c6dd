// SPDX-License-Identifier: MIT
// The compiler names the position.
// expect-error: deed[D202] argument 2 is not what the codelet's parameter 2 asks for
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(scale, deed::read_write(a), deed::read(a));
  session.insert_task(scale, deed::read_write(a),  // here
                      deed::value("x"[0] == 'x' ? std::string() : std::string()));
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(scale, deed::read_write(a), deed::value(2.0));
}
#endif
