/* SPDX-License-Identifier: MIT */
/* What a task costs on a rank that it does not concern. Rank 0 alone submits, and all data belong
 * to the others, so that nothing is sent or run. 3 ranks, or one process that takes itself for rank
 * 0 of as many as STARPU_MPI_FAKE_SIZE says. */
#include "../shapes.h"
#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <unistd.h>

static void never(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  abort();
}

static void insert(struct starpu_codelet* task, starpu_data_handle_t* h, int data) {
  if (data == 1)
    starpu_mpi_task_insert(MPI_COMM_WORLD, task, STARPU_RW, h[0], 0);
  else if (data == 3)
    starpu_mpi_task_insert(MPI_COMM_WORLD, task, STARPU_RW, h[0], STARPU_R, h[1], STARPU_R, h[2],
                           0);
  else
    starpu_mpi_task_insert(MPI_COMM_WORLD, task, STARPU_RW, h[0], STARPU_R, h[1], STARPU_R, h[2],
                           STARPU_R, h[3], STARPU_R, h[4], 0);
}

static long data_count;
static const char* benchmark;

static void measure(starpu_data_handle_t* handles, int data, const char* shape) {
  struct starpu_codelet task;
  starpu_codelet_init(&task);
  task.cpu_funcs[0] = never;
  task.nbuffers = data;
  for (int i = 0; i < data; ++i) task.modes[i] = i == 0 ? STARPU_RW : STARPU_R;
  const long tasks = setting("TASKS", 100000);
  for (long round = -1; round < setting("ROUNDS", 1); ++round) {
    const double begin = seconds_now();
    for (long i = 0; i < tasks; ++i) insert(&task, handles + i % (data_count / 8) * 8, data);
    if (round >= 0)
      figure(benchmark, "StarPU", shape, 1e9 * (seconds_now() - begin) / (double)tasks);
  }
}

int main(int argc, char** argv) {
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) return 77;
  const long ranks = setting("STARPU_MPI_FAKE_SIZE", 3);
  const int many = ranks > 3;
  benchmark = many ? "remote tasks on many ranks" : "remote tasks";
  data_count = setting("DATA", many ? 100000 : 1024);
  starpu_data_handle_t* const handles = calloc((size_t)data_count, sizeof *handles);
  const long before = resident_bytes();
  const double start = seconds_now();
  for (long i = 0; i < data_count; ++i) {
    starpu_variable_data_register(&handles[i], -1, 0, sizeof(int));
    starpu_mpi_data_register(handles[i], i, (int)(1 + i % (ranks - 1)));
  }
  if (many) {
    const double each = 1e9 * (seconds_now() - start) / (double)data_count;
    figure("remote data", "StarPU", "nanoseconds to register", each);
    figure("remote data", "StarPU", "bytes",
           (double)(resident_bytes() - before) / (double)data_count);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    measure(handles, 1, "1 datum");
    measure(handles, 3, "3 data");
    measure(handles, 5, "5 data");
  }
  MPI_Request all;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  while (MPI_Test(&all, &done, MPI_STATUS_IGNORE), !done)
    usleep(1000); /* who has nothing to do must not spin */
  for (long i = 0; i < data_count; ++i) starpu_data_unregister(handles[i]);
  free(handles);
  starpu_mpi_shutdown();
  return 0;
}
