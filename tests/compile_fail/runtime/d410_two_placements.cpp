// SPDX-License-Identifier: MIT
// A task runs in one place.
// expect-error: deed[D410] a task runs on one rank
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{0}),  // here
                      deed::on_owner_of(a));
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a), deed::on_owner_of(a));
}
#endif
