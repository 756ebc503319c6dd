// SPDX-License-Identifier: MIT
// A negative literal is seen by Clang; g++ leaves it to the check at run time.
// only: Clang
// expect-error: deed[D109]
#include <deed/base/identity.hpp>

#ifdef DEED_MISUSE
deed::owner where{-1};
#else
deed::owner where{1};
#endif
