// SPDX-License-Identifier: MIT
// A recorded value is a whole number.
// expect-error: deed[D202] a recorded value is a whole number
#include <deed/deed.hpp>

#include <cmath>

void program(deed::session& session, double residual) {
#ifdef DEED_MISUSE
  deed::record_value(session, "residual", residual);  // here
#else
  deed::record_value(session, "residual in 1e-9", std::llround(1e9 * residual));
#endif
}
