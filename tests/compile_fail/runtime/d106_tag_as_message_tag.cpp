// SPDX-License-Identifier: MIT
// The tag of a datum and the tag of a message are two things.
// expect-error: deed[D106] the tag of a datum
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.send(deed::read(a), deed::to{1}, deed::tag{3});  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.send(deed::read(a), deed::to{1}, deed::message_tag{3});
}
#endif
