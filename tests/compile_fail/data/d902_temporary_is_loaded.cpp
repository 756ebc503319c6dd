// SPDX-License-Identifier: MIT
// expect-error: deed[D902] what is loaded into a temporary is lost; load into a variable
#include <deed/data/archive.hpp>

double first() { return 1; }

void load(deed::data::iarchive& ar) {
  double value;
  ar & value;
#ifdef DEED_MISUSE
  ar& first();  // here
#endif
}
