// SPDX-License-Identifier: MIT
// Two deeds to one datum cannot exist.
// expect-error: deed[D101] a handle is the only deed to its data: move it
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
void program(deed::handle<double>& a) { auto copy = a; }  // here
#else
void program(deed::handle<double>& a) { auto moved = std::move(a); }
#endif
