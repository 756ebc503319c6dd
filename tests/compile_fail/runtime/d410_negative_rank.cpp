// SPDX-License-Identifier: MIT
// A negative literal is seen by Clang; g++ leaves it to the check at run time.
// only: Clang
// expect-error: deed[D410]
#include <deed/base/identity.hpp>

#ifdef DEED_MISUSE
deed::rank where{-1};
#else
deed::rank where{1};
#endif
