/* SPDX-License-Identifier: MIT */
/* As bench/sharing.cpp, by StarPU-MPI: one version read by all ranks, a sum over all, messages of
 * many sizes, and a ring of blocks. Whether copies are kept is STARPU_MPI_CACHE's to say. */
#include "../sharing.h"
#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

static int rank, ranks;

static void change(void* buffers[], void* argument) {
  (void)argument;
  ((double*)STARPU_VECTOR_GET_PTR(buffers[0]))[0] += 1;
}
static void look(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static void zero(void* buffers[], void* argument) {
  (void)argument;
  *(double*)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}
static void add(void* buffers[], void* argument) {
  (void)argument;
  *(double*)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(double*)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static void contribute(void* buffers[], void* argument) {
  (void)argument;
  *(double*)STARPU_VARIABLE_GET_PTR(buffers[0]) += 1;
}
static void blend(void* buffers[], void* argument) {
  (void)argument;
  double* next = (double*)STARPU_VECTOR_GET_PTR(buffers[0]);
  const double* left = (const double*)STARPU_VECTOR_GET_PTR(buffers[1]);
  const double* here = (const double*)STARPU_VECTOR_GET_PTR(buffers[2]);
  const double* right = (const double*)STARPU_VECTOR_GET_PTR(buffers[3]);
  for (int i = 0; i < block_doubles; ++i) next[i] = (left[i] + here[i] + right[i]) / 3;
}

static struct starpu_codelet change_task = {
    .cpu_funcs = {change}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "change"};
static struct starpu_codelet look_task = {
    .cpu_funcs = {look}, .nbuffers = 1, .modes = {STARPU_R}, .name = "look"};
static struct starpu_codelet zero_task = {
    .cpu_funcs = {zero}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet add_task = {
    .cpu_funcs = {add}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "add"};
static struct starpu_codelet contribute_task = {
    .cpu_funcs = {contribute}, .nbuffers = 1, .modes = {STARPU_REDUX}, .name = "contribute"};
static struct starpu_codelet blend_task = {.cpu_funcs = {blend},
                                           .nbuffers = 4,
                                           .modes = {STARPU_W, STARPU_R, STARPU_R, STARPU_R},
                                           .name = "blend"};

static int64_t next_tag = 0;

static starpu_data_handle_t block_of(long bytes, int owner) {
  starpu_data_handle_t made;
  double* memory = NULL;
  if (rank == owner) {
    memory = calloc(1, (size_t)bytes);
    starpu_vector_data_register(&made, STARPU_MAIN_RAM, (uintptr_t)memory,
                                (uint32_t)((size_t)bytes / sizeof(double)), sizeof(double));
  } else {
    starpu_vector_data_register(&made, -1, 0, (uint32_t)((size_t)bytes / sizeof(double)),
                                sizeof(double));
  }
  starpu_mpi_data_register(made, next_tag++, owner);
  return made;
}

static void finish(void) {
  starpu_task_wait_for_all();
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  starpu_mpi_barrier(MPI_COMM_WORLD);
}

static void broadcast_turn(starpu_data_handle_t shared) {
  starpu_mpi_task_insert(MPI_COMM_WORLD, &change_task, STARPU_RW, shared, 0);
  for (int r = 0; r < ranks; ++r)
    starpu_mpi_task_insert(MPI_COMM_WORLD, &look_task, STARPU_R, shared, STARPU_EXECUTE_ON_NODE, r,
                           0);
}
static double broadcast(long bytes) {
  const long turns = turns_of(bytes) / ranks + 1;
  starpu_data_handle_t shared = block_of(bytes, 0);
  broadcast_turn(shared);
  finish();
  const double begin = seconds_now();
  for (long i = 0; i < turns; ++i) broadcast_turn(shared);
  finish();
  const double taken = 1e6 * (seconds_now() - begin) / (double)turns;
  starpu_data_unregister(shared);
  return taken;
}

static void reduction_turn(starpu_data_handle_t sum) {
  for (int r = 0; r < ranks; ++r)
    starpu_mpi_task_insert(MPI_COMM_WORLD, &contribute_task, STARPU_REDUX, sum,
                           STARPU_EXECUTE_ON_NODE, r, 0);
  starpu_mpi_redux_data(MPI_COMM_WORLD, sum);
}
static double reduction(void) {
  static double value;
  enum { turns = 500 };
  starpu_data_handle_t sum;
  starpu_variable_data_register(&sum, rank == 0 ? STARPU_MAIN_RAM : -1,
                                rank == 0 ? (uintptr_t)&value : 0, sizeof value);
  starpu_mpi_data_register(sum, next_tag++, 0);
  starpu_data_set_reduction_methods(sum, &add_task, &zero_task);
  reduction_turn(sum);
  finish();
  const double begin = seconds_now();
  for (long i = 0; i < turns; ++i) reduction_turn(sum);
  finish();
  const double taken = 1e6 * (seconds_now() - begin) / turns;
  starpu_data_unregister(sum);
  return taken;
}

static void message_turn(starpu_data_handle_t mine, int64_t tag) {
  if (rank == 0) {
    starpu_mpi_isend_detached(mine, 1, tag, MPI_COMM_WORLD, NULL, NULL);
    starpu_mpi_irecv_detached(mine, 1, tag + 1, MPI_COMM_WORLD, NULL, NULL);
  } else if (rank == 1) {
    starpu_mpi_irecv_detached(mine, 0, tag, MPI_COMM_WORLD, NULL, NULL);
    starpu_mpi_isend_detached(mine, 0, tag + 1, MPI_COMM_WORLD, NULL, NULL);
  }
}
static double message(long bytes) {
  const long turns = turns_of(bytes);
  starpu_data_handle_t mine;
  double* memory = calloc(1, (size_t)bytes);
  starpu_vector_data_register(&mine, STARPU_MAIN_RAM, (uintptr_t)memory,
                              (uint32_t)((size_t)bytes / sizeof(double)), sizeof(double));
  message_turn(mine, 1000000);
  finish();
  const double begin = seconds_now();
  for (long i = 0; i < turns; ++i) message_turn(mine, 1000002 + 2 * i);
  finish();
  const double taken = 1e6 * (seconds_now() - begin) / (double)(2 * turns);
  starpu_data_unregister(mine);
  free(memory);
  return taken;
}

static void ring_turn(starpu_data_handle_t* next, starpu_data_handle_t* now) {
  for (int i = 0; i < ring_blocks; ++i)
    starpu_mpi_task_insert(MPI_COMM_WORLD, &blend_task, STARPU_W, next[i], STARPU_R,
                           now[(i + ring_blocks - 1) % ring_blocks], STARPU_R, now[i], STARPU_R,
                           now[(i + 1) % ring_blocks], 0);
}
static double ring(void) {
  starpu_data_handle_t blocks[2][ring_blocks];
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < ring_blocks; ++i)
      blocks[k][i] = block_of((long)(block_doubles * sizeof(double)), i % ranks);
  }
  ring_turn(blocks[1], blocks[0]);
  finish();
  const double begin = seconds_now();
  for (int step = 0; step < ring_steps; ++step) ring_turn(blocks[step % 2], blocks[1 - step % 2]);
  finish();
  const double taken = 1e6 * (seconds_now() - begin) / ring_steps;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < ring_blocks; ++i) starpu_data_unregister(blocks[k][i]);
  }
  return taken;
}

static void tell(const char* benchmark, const char* shape, double value) {
  if (rank == 0) figure(benchmark, "StarPU", shape, value);
}

int main(int argc, char** argv) {
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char text[64];
  const int cached = starpu_mpi_cache_is_enabled();
  for (long round = 0; round < setting("ROUNDS", 1); ++round) {
    tell("ring of blocks", with_ranks(text, cached ? "cache on" : "cache off", ranks), ring());
    if (!cached) continue;
    for (int i = 0; i < size_count; ++i)
      tell("broadcast", with_ranks(text, sharing_size_names[i], ranks),
           broadcast(sharing_sizes[i]));
    tell("sum over ranks", with_ranks(text, "1 double", ranks), reduction());
    for (int i = 0; i < size_count && ranks == 2; ++i)
      tell("messages", sharing_size_names[i], message(sharing_sizes[i]));
  }
  starpu_mpi_shutdown();
  return 0;
}
