// SPDX-License-Identifier: MIT
// Scratch is on every rank: it does not say which one runs the task.
// expect-error: deed[D411] nothing says who runs this task
#include <deed/deed.hpp>

constexpr deed::codelet fills{"fills", [](std::span<double> room) { room[0] = 1; }};

void program(deed::session& session) {
#ifdef DEED_MISUSE
  session.insert_task(fills, deed::scratch<double>(8));  // here
#else
  session.insert_task(fills, deed::scratch<double>(8), deed::on(deed::rank{0}));
#endif
}
