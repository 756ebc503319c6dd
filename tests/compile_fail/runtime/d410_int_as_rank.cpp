// SPDX-License-Identifier: MIT
// A number is no rank until the program says so.
// expect-error: deed[D410] a bare number is no rank
#include <deed/deed.hpp>

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a), deed::on(1));  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{1}));
}
#endif
