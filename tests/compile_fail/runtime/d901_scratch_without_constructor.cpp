// SPDX-License-Identifier: MIT
// Elements of scratch begin with the task: they are made without arguments.
// expect-error: deed[D901] elements of this type cannot be made
#include <deed/deed.hpp>

struct particle {
#ifdef DEED_MISUSE
  explicit particle(double at) : x(at) {}
#endif
  double x;
};
constexpr deed::codelet fills{"fills", [](double& x, std::span<particle> room) { room[0].x = x; }};

void program(deed::session& session, deed::handle<double>& a) {
  session.insert_task(fills, deed::read_write(a), deed::scratch<particle>(8));  // here
}
