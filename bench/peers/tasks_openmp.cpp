// SPDX-License-Identifier: MIT
// The shapes of bench/shapes.h as empty OpenMP tasks with `depend` clauses, on two threads: one
// submits, both run.
#include "../shapes.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

[[gnu::noinline]] void pretend(const void* memory) { asm volatile("" ::"r"(memory) : "memory"); }

void submit(const touched& at, char* data) {
  char* const a = data + 8 * at.data[0];
  if (at.count == 5) {
    [[maybe_unused]] char *b = data + 8 * at.data[1], *c = data + 8 * at.data[2],
                          *d = data + 8 * at.data[3], *e = data + 8 * at.data[4];
#pragma omp task firstprivate(a) depend(inout : a[0]) depend(in : b[0], c[0], d[0], e[0])
    pretend(a);
  } else if (at.reads_only != 0) {
#pragma omp task firstprivate(a) depend(in : a[0])
    pretend(a);
  } else {
#pragma omp task firstprivate(a) depend(inout : a[0])
    pretend(a);
  }
}

}  // namespace

int main() {
  const char* const system = std::getenv("SYSTEM");
  const long tasks = setting("TASKS", 100'000), rounds = setting("ROUNDS", 1);
  for (int s = 0; s < shape_count; ++s) {
    const auto shape = static_cast<enum shape>(s);
    // Its readers are quadratic: with more tasks it does not come to an end.
    const long few = shape == one_writer_eight_readers ? std::min(tasks, 5'000L) : tasks;
    std::vector<char> data(static_cast<std::size_t>(8 * data_of_shape(shape, few)));
    std::vector<double> times;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (long round = -1; round < rounds; ++round) {
      const double begin = seconds_now();
      for (long i = 0; i < few; ++i) submit(touched_by(shape, i), data.data());
#pragma omp taskwait
      if (round >= 0) times.push_back(1e9 * (seconds_now() - begin) / static_cast<double>(few));
    }
    for (const double each : times)
      figure("local tasks", system != nullptr ? system : "OpenMP", shape_names[s], each);
  }
}
