// SPDX-License-Identifier: MIT
// A request that nobody keeps: the compiler warns.
// expect-warning: nodiscard
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& mine) {
  session.ireceive(deed::write(mine), deed::from{1}, deed::message_tag{3});  // here
}
#else
void program(deed::session& session, deed::handle<double>& mine) {
  auto arrived = session.ireceive(deed::write(mine), deed::from{1}, deed::message_tag{3});
  arrived.wait();
}
#endif
