// SPDX-License-Identifier: MIT
// Who receives is said by its type: a number could as well be a tag.
// expect-error: deed[D514] a bare number is no peer
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::session& session, deed::handle<double>& a) {
  session.send(deed::read(a), 1, deed::message_tag{3});  // here
}
#else
void program(deed::session& session, deed::handle<double>& a) {
  session.send(deed::read(a), deed::to{1}, deed::message_tag{3});
}
#endif
