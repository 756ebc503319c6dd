// SPDX-License-Identifier: MIT
// A receive is not synchronous.
// expect-error: deed[D202] only a send is synchronous
#include <deed/deed.hpp>

void program(deed::session& session, deed::handle<int>& h) {
#ifdef DEED_MISUSE
  session.receive(deed::write(h), deed::from{0}, deed::message_tag{1}, deed::synchronous);  // here
#else
  session.send(deed::read(h), deed::to{0}, deed::message_tag{1}, deed::synchronous);
#endif
}
