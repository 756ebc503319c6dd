/* SPDX-License-Identifier: MIT */
#pragma once
/* What the benchmarks of data that several ranks share have in common. */

#include "shapes.h"
#include <stdio.h>

enum {
  ring_blocks = 32,
  block_doubles = 4096,
  ring_steps = 50,
  size_count = 5,
};
static const long sharing_sizes[size_count] = {8, 1024, 65536, 1048576, 16777216};
static const char* const sharing_size_names[size_count] = {"8 bytes", "1 KiB", "64 KiB", "1 MiB",
                                                           "16 MiB"};
/* So many turns that each size takes about as long. */
static inline long turns_of(long bytes) {
  const long turns = (1L << 26) / (bytes + 65536);
  return turns < 4 ? 4 : turns;
}
/* "1 MiB, 4 ranks" */
static inline const char* with_ranks(char text[64], const char* size, int ranks) {
  snprintf(text, 64, "%s, %d ranks", size, ranks);
  return text;
}
