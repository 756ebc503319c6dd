// SPDX-License-Identifier: MIT
// A message without order needs a gate.
// expect-error: deed[D209] nothing orders this message with the tasks of its datum
#include <deed/deed.hpp>

void program(deed::session& session, deed::handle<int>& h, deed::gate& ready) {
#ifdef DEED_MISUSE
  session.receive(deed::write(h), deed::from{0}, deed::message_tag{1}, deed::unordered);  // here
#else
  session.receive(deed::write(h), deed::from{0}, deed::message_tag{1}, deed::unordered,
                  deed::behind(ready));
#endif
}
