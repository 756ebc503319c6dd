/* SPDX-License-Identifier: MIT */
/* The plate of bench/heat.cpp by StarPU-MPI, by rows and as a chessboard. Whether copies are kept
 * is STARPU_MPI_CACHE's to say. Ends with 1 where the values are not those of plain loops. */
#include "../heat.h"
#include <math.h>
#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

static int rank, ranks;

static void relax(void* buffers[], void* argument) {
  (void)argument;
  double* const next = (double*)STARPU_VECTOR_GET_PTR(buffers[0]);
  const double* from[5];
  for (int i = 0; i < 5; ++i) from[i] = (const double*)STARPU_VECTOR_GET_PTR(buffers[i + 1]);
  relax_tile(next, from[0], from[1], from[2], from[3], from[4]);
}
static struct starpu_codelet relax_task = {
    .cpu_funcs = {relax},
    .nbuffers = 6,
    .modes = {STARPU_W, STARPU_R, STARPU_R, STARPU_R, STARPU_R, STARPU_R},
    .name = "relax"};

struct plate {
  double* memory[plate_tiles][plate_tiles];
  starpu_data_handle_t tiles[plate_tiles][plate_tiles];
};

static int by_rows(int i, int j) {
  (void)j;
  return i * ranks / plate_tiles;
}
static int as_chessboard(int i, int j) { return (i + j) % ranks; }

static void make(struct plate* one, int (*owner)(int, int), int64_t first_tag) {
  for (int i = 0; i < plate_tiles; ++i) {
    for (int j = 0; j < plate_tiles; ++j) {
      const int here = owner(i, j) == rank;
      one->memory[i][j] = here ? malloc(tile_size * sizeof(double)) : NULL;
      if (here) fill_tile(one->memory[i][j], (size_t)i * tile_edge, (size_t)j * tile_edge);
      starpu_vector_data_register(&one->tiles[i][j], here ? STARPU_MAIN_RAM : -1,
                                  (uintptr_t)one->memory[i][j], tile_size, sizeof(double));
      starpu_mpi_data_register(one->tiles[i][j], first_tag + i * plate_tiles + j, owner(i, j));
    }
  }
}

/* The sum over what this rank has. */
static double end(struct plate* one) {
  double sum = 0;
  for (int i = 0; i < plate_tiles; ++i) {
    for (int j = 0; j < plate_tiles; ++j) {
      starpu_data_unregister(one->tiles[i][j]);
      for (int k = 0; one->memory[i][j] != NULL && k < tile_size; ++k) sum += one->memory[i][j][k];
      free(one->memory[i][j]);
    }
  }
  return sum;
}

static void step(struct plate* to, struct plate* from) {
  const int last = plate_tiles - 1;
  for (int i = 0; i < plate_tiles; ++i) {
    for (int j = 0; j < plate_tiles; ++j)
      starpu_mpi_task_insert(MPI_COMM_WORLD, &relax_task, STARPU_W, to->tiles[i][j], STARPU_R,
                             from->tiles[i][j], STARPU_R, from->tiles[(i + last) % plate_tiles][j],
                             STARPU_R, from->tiles[(i + 1) % plate_tiles][j], STARPU_R,
                             from->tiles[i][(j + last) % plate_tiles], STARPU_R,
                             from->tiles[i][(j + 1) % plate_tiles], 0);
  }
}

static void finish(void) {
  starpu_task_wait_for_all();
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  starpu_mpi_barrier(MPI_COMM_WORLD);
}

/* Milliseconds. */
static double heat(int (*owner)(int, int), int64_t first_tag, double* sum) {
  static struct plate plates[2];
  make(&plates[0], owner, first_tag);
  make(&plates[1], owner, first_tag + plate_tiles * plate_tiles);
  finish();
  const double begin = seconds_now();
  for (int i = 0; i < plate_steps; ++i) step(&plates[1 - i % 2], &plates[i % 2]);
  finish();
  const double taken = 1e3 * (seconds_now() - begin);
  const double mine = end(&plates[plate_steps % 2]);
  end(&plates[1 - plate_steps % 2]);
  MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return taken;
}

static double by_plain_loops(void) {
  enum { size = plate_tiles * tile_edge };
  static double now[size][size], next[size][size];
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) now[i][j] = first_value(i, j);
  for (int k = 0; k < plate_steps; ++k) {
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j < size; ++j)
        next[i][j] = 0.25 * (now[(i + size - 1) % size][j] + now[(i + 1) % size][j] +
                             now[i][(j + size - 1) % size] + now[i][(j + 1) % size]);
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j < size; ++j) now[i][j] = next[i][j];
  }
  double sum = 0;
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) sum += now[i][j];
  return sum;
}

int main(int argc, char** argv) {
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double wanted = by_plain_loops();
  const char* const system =
      starpu_mpi_cache_is_enabled() ? "StarPU, cache on" : "StarPU, cache off";
  int wrong = 0;
  for (long round = 0; round < setting("ROUNDS", 1); ++round) {
    for (int board = 0; board < 2; ++board) {
      double sum = 0;
      const double time = heat(board ? as_chessboard : by_rows,
                               (2 * round + board) * 2 * plate_tiles * plate_tiles, &sum);
      wrong |= !(fabs(sum - wanted) <= 1e-9 * wanted); /* Added in another order. */
      char shape[64];
      snprintf(shape, sizeof shape, "%d ranks, %s", ranks, board ? "chessboard" : "by rows");
      if (rank == 0 && !wrong) figure("heat and the cache", system, shape, time);
    }
  }
  starpu_mpi_shutdown();
  return wrong;
}
