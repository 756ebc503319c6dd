// SPDX-License-Identifier: MIT
// Scratch begins with anything in it: a codelet that only reads it reads nothing.
// expect-error: deed[D202] argument 2 is not what the codelet's parameter 2 asks for
#include <deed/deed.hpp>

constexpr deed::codelet shows{"shows",
                              [](double& x, std::span<const double> room) { x = room[0]; }};
constexpr deed::codelet fills{"fills", [](double& x, std::span<double> room) { room[0] = x; }};

void program(deed::session& session, deed::handle<double>& a) {
#ifdef DEED_MISUSE
  session.insert_task(shows, deed::read_write(a), deed::scratch<double>(8));  // here
#else
  session.insert_task(fills, deed::read_write(a), deed::scratch<double>(8));
#endif
}
