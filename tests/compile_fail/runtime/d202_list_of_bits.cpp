// SPDX-License-Identifier: MIT
// The elements of a list of bool are bits of its words.
// expect-error: deed[D202] the elements of std::vector<bool> are no values of their own; take int
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::session& session, bool mine) {
  auto all = session.gather(deed::value(mine), deed::to{0});  // here
}
#else
void program(deed::session& session, bool mine) {
  auto all = session.gather(deed::value(mine ? 1 : 0), deed::to{0});
}
#endif
