// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>  // Says which C library there is.

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// @file
/// What becomes of memory that a program does not need any more.

namespace deed::viewer {

/// Tables that are freed go back to the system at once. Otherwise the C library comes to keep those
/// below 32 MiB, in each thread's memory, where nothing makes it give them back later: 4 bytes per
/// event of a long run. Called before there is a second thread.
inline void give_back_large_blocks() {
#ifdef __GLIBC__
  constexpr int large = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, large);
#endif
}

}  // namespace deed::viewer
