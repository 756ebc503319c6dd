// SPDX-License-Identifier: MIT
// A number is no tag until the program says so.
// expect-error: deed[D106] a bare number is no tag
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.receive(deed::write(a), deed::from{1}, 3);  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.receive(deed::write(a), deed::from{1}, deed::message_tag{3});
}
#endif
