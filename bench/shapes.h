/* SPDX-License-Identifier: MIT */
#pragma once
/* What all benchmarks of local tasks share, in C because some peers are: the shapes, a clock, and
 * one line per figure. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* `figure|benchmark|system|shape|value`, folded into tables by bench/table.py. The unit is the
 * table's. */
static inline void figure(const char* benchmark, const char* system, const char* shape,
                          double value) {
  printf("figure|%s|%s|%s|%.6g\n", benchmark, system, shape, value);
  fflush(stdout);
}

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Memory of this process. */
static inline long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* const counts = fopen("/proc/self/statm", "r");
  if (counts == NULL || fscanf(counts, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (counts != NULL) fclose(counts);
  return resident * sysconf(_SC_PAGESIZE);
}

static inline long setting(const char* variable, long otherwise) {
  const char* text = getenv(variable);
  return text && *text ? atol(text) : otherwise;
}

/* Which data task number i touches. The first is written unless `reads_only`; the others are read.
 */
enum shape { independent, chain, one_writer_eight_readers, stencil, shape_count };
static const char* const shape_names[shape_count] = {"independent", "chain", "1 writer + 8 readers",
                                                     "5-point stencil"};
enum { grid_side = 32, most_accesses = 5 };

struct touched {
  int count;
  int reads_only;
  long data[most_accesses];
};

static inline long data_of_shape(enum shape s, long tasks) {
  return s == independent ? tasks : s == stencil ? grid_side * grid_side : 1;
}

static inline struct touched touched_by(enum shape s, long i) {
  struct touched t = {1, 0, {0}};
  if (s == independent) t.data[0] = i;
  if (s == one_writer_eight_readers) t.reads_only = i % 9 != 0;
  if (s == stencil) {
    const int at = (int)(i % (grid_side * grid_side)), x = at % grid_side, y = at / grid_side;
    const int left = (x + grid_side - 1) % grid_side, right = (x + 1) % grid_side;
    const int above = (y + grid_side - 1) % grid_side, below = (y + 1) % grid_side;
    t.count = 5;
    t.data[0] = at;
    t.data[1] = y * grid_side + left;
    t.data[2] = y * grid_side + right;
    t.data[3] = above * grid_side + x;
    t.data[4] = below * grid_side + x;
  }
  return t;
}
