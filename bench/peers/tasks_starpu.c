/* SPDX-License-Identifier: MIT */
/* The shapes of bench/shapes.h as empty StarPU tasks. Worker and submitter get a core each. */
#define _GNU_SOURCE
#include "../shapes.h"
#include <sched.h>
#include <starpu.h>

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}

static struct starpu_codelet codelet_of(int accesses, enum starpu_data_access_mode first) {
  struct starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = nothing;
  made.nbuffers = accesses;
  made.name = "nothing";
  for (int i = 0; i < accesses; ++i) made.modes[i] = i == 0 ? first : STARPU_R;
  return made;
}

static struct starpu_codelet writes_one, reads_one, relaxes;

static void submit(struct touched at, starpu_data_handle_t* handles) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = at.count == 5 ? &relaxes : at.reads_only ? &reads_one : &writes_one;
  for (int i = 0; i < at.count; ++i) task->handles[i] = handles[at.data[i]];
  if (starpu_task_submit(task) != 0) abort();
}

static void run(enum shape shape, long tasks, const char* system) {
  const long count = data_of_shape(shape, tasks);
  int* const values = calloc((size_t)count, sizeof *values);
  starpu_data_handle_t* const handles = calloc((size_t)count, sizeof *handles);
  for (long i = 0; i < count; ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof(int));
  for (long round = -1; round < setting("ROUNDS", 1); ++round) {
    const double begin = seconds_now();
    for (long i = 0; i < tasks; ++i) submit(touched_by(shape, i), handles);
    const double submitted = seconds_now();
    starpu_task_wait_for_all();
    const double end = seconds_now();
    if (round < 0) continue;
    figure("local tasks", system, shape_names[shape], 1e9 * (end - begin) / (double)tasks);
    figure("submission", system, shape_names[shape], 1e9 * (submitted - begin) / (double)tasks);
  }
  for (long i = 0; i < count; ++i) starpu_data_unregister(handles[i]);
  free(handles);
  free(values);
}

int main(void) {
  if (starpu_init(NULL) != 0) return 77;
  cpu_set_t other;
  CPU_ZERO(&other);
  CPU_SET(1, &other);
  if (starpu_cpu_worker_get_count() == 1) sched_setaffinity(0, sizeof other, &other);
  writes_one = codelet_of(1, STARPU_RW);
  reads_one = codelet_of(1, STARPU_R);
  relaxes = codelet_of(5, STARPU_RW);
  const char* const system = getenv("SYSTEM");
  for (int s = 0; s < shape_count; ++s)
    run((enum shape)s, setting("TASKS", 100000), system ? system : "StarPU");
  starpu_shutdown();
  return 0;
}
