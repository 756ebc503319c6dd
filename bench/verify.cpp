// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"
#include <boost/mpi/communicator.hpp>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

/// What verify mode costs: Jacobi's iteration on 8 x 8 tiles of 64 x 64, block rows over the ranks,
/// tasks of 100 microseconds (each relaxes its tile as often as that takes), `wait()` every 10 of
/// 100 iterations. The same sessions in turn, each with other checks. Milliseconds. Usage: mpirun
/// -n 1 or 2 verify [most turns of this run, default 9; none begins after 8 seconds]

namespace {

constexpr std::size_t tiles = 8, edge = 64, iterations = 100, waits_every = 10;
constexpr double task_seconds = 100e-6;
constexpr double most_seconds = 8;  // Of turns: where the fault of a page takes long, one does.
using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

struct mode {
  const char* name;
  deed::verify_options checks;
};
constexpr std::array modes{
    mode{"deed, no checks", {}},
    mode{"deed, global and messages", {.global = true, .messages = true}},
    mode{"deed, leaks", {.leaks = true}},
    mode{"deed, pages", {.pages = true}},
};

/// A tile's new values, from it and the rows and columns next to it; `times` times the same.
void relax_tile(tile next, const_tile here, const_tile above, const_tile below, const_tile left,
                const_tile right, long times) {
  for (long k = 0; k < times; ++k) {
    for (std::size_t i = 0; i < edge; ++i) {
      const double* const north = i > 0 ? &here(i - 1, 0) : &above(edge - 1, 0);
      const double* const south = i + 1 < edge ? &here(i + 1, 0) : &below(0, 0);
      next(i, 0) = 0.25 * (north[0] + south[0] + left(i, edge - 1) + here(i, 1));
      for (std::size_t j = 1; j + 1 < edge; ++j)
        next(i, j) = 0.25 * (north[j] + south[j] + here(i, j - 1) + here(i, j + 1));
      next(i, edge - 1) =
          0.25 * (north[edge - 1] + south[edge - 1] + here(i, edge - 2) + right(i, 0));
    }
    asm volatile("" : : "r"(next.data()) : "memory");  // All of them are done.
  }
}

constexpr deed::codelet relax{"relax", &relax_tile};

/// How often a tile is relaxed in the time of a task; equal on all ranks.
long times_per_task() {
  std::vector<double> a(edge * edge, 1.0), b(edge * edge);
  const const_tile from(a.data(), edge, edge, edge);
  const tile to(b.data(), edge, edge, edge);
  constexpr long many = 2000;
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    const double begin = seconds_now();
    relax_tile(to, from, from, from, from, from, many);
    best = std::min(best, (seconds_now() - begin) / many);
  }
  long times = std::max(1L, static_cast<long>(task_seconds / best));
  MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return times;
}

double run(deed::session& session, long times) {
  const int ranks = session.size();
  const auto by_rows = [ranks](std::size_t i, std::size_t) {
    return static_cast<int>(i * static_cast<std::size_t>(ranks) / tiles);
  };
  const deed::matrix_options<double> shape{.rows = tiles * edge,
                                           .cols = tiles * edge,
                                           .tile_rows = edge,
                                           .tile_cols = edge,
                                           .owners = deed::owner_rule(by_rows),
                                           .initial = 1.0,
                                           .name = "plate"};
  deed::tiled_matrix<double> one(session, shape), two(session, shape);
  session.barrier();
  const double begin = seconds_now();
  deed::tiled_matrix<double>*from = &one, *to = &two;
  for (std::size_t step = 1; step <= iterations; ++step, std::swap(from, to)) {
    for (std::size_t i = 0; i < tiles; ++i) {
      for (std::size_t j = 0; j < tiles; ++j) {
        auto& a = *from;
        session.insert_task(relax, deed::write((*to)(i, j)), deed::read(a(i, j)),
                            deed::read(a((i + tiles - 1) % tiles, j)),
                            deed::read(a((i + 1) % tiles, j)),
                            deed::read(a(i, (j + tiles - 1) % tiles)),
                            deed::read(a(i, (j + 1) % tiles)), deed::value(times));
      }
    }
    if (step % waits_every == 0) session.wait();
  }
  session.barrier();
  const double time = 1e3 * (seconds_now() - begin);
  for (std::size_t i = 0; i < tiles; ++i)  // Else verify mode says that nobody used them.
    for (std::size_t j = 0; j < tiles; ++j)
      if (session.owns((*from)(i, j)) && (*session.borrow(deed::read((*from)(i, j))))(0, 0) != 1.0)
        throw deed::stop_run(deed::exit_code::codelet_threw, "the plate is not as it was");
  return time;
}

/// Whether another turn may begin, by rank 0's clock: all ranks make as many.
bool not_too_late(double begin) {
  int another = seconds_now() - begin < most_seconds ? 1 : 0;
  MPI_Bcast(&another, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return another == 1;
}

/// Each mode once, beginning with another one each time, so that none has the same neighbours.
void turn(std::size_t number, long times) {
  const boost::mpi::communicator world(MPI_COMM_WORLD, boost::mpi::comm_attach);
  const std::string shape = std::to_string(world.size()) + " ranks";
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const mode& now = modes[(i + number) % modes.size()];
    deed::session_options options;
    options.workers = 1;
    options.checks = now.checks;
    deed::session session(world, options);
    const double took = run(session, times);
    if (session.rank() == 0) figure("verify mode", now.name, shape.c_str(), took);
    session.close();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const long times = times_per_task();
  const long turns = argc > 1 ? std::atol(argv[1]) : 9;
  const double begin = seconds_now();
  for (long i = 0; i < turns && not_too_late(begin); ++i) turn(static_cast<std::size_t>(i), times);
  MPI_Finalize();
}
