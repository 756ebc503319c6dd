// SPDX-License-Identifier: MIT
// A view inside an aggregate is an address, too.
// expect-error: deed[D303] a value holds a pointer
#include <deed/deed.hpp>

#ifdef DEED_MISUSE
struct part {
  int n;
  std::span<const double> rows;
};
auto make(part p) { return deed::value(p); }  // here
#else
struct part {
  int n;
  std::vector<double> rows;
};
auto make(part p) { return deed::value(p); }
#endif
