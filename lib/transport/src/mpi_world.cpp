// SPDX-License-Identifier: MIT
#include "mpi_door.hpp"

#include <utility>

namespace deed::transport {
namespace {

const char* name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SERIALIZED";
  }
}

/// MPI is there, and may be called as the engine will call it.
void check_mpi(const mpi_options& options) {
  int yes = 0;
  MPI_Finalized(&yes);
  if (yes != 0) {
    throw error(error_code::mpi_finalised, "MPI is finalised", {},
                "make the session before MPI_Finalize, and end it before, too");
  }
  MPI_Initialized(&yes);
  if (yes == 0) {
    throw error(error_code::mpi_not_ready, "MPI is not initialised", {},
                "call MPI_Init_thread before, or use `deed::run`");
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  const int wanted = options.one_thread ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED;
  if (level < wanted) {
    throw error(error_code::mpi_not_ready, "MPI was initialised with too few threads",
                {{"wanted", name_of_level(wanted)}, {"given", name_of_level(level)}},
                "call MPI_Init_thread with MPI_THREAD_SERIALIZED");
  }
}

std::unique_ptr<mpi_table> or_real(std::unique_ptr<mpi_table> table) {
  return table ? std::move(table) : std::make_unique<mpi_table>();
}

}  // namespace

mpi_world::mpi_world(const boost::mpi::communicator& ranks, std::unique_ptr<mpi_table> table,
                     const mpi_options& options) {
  check_mpi(options);
  door_ = std::make_unique<door>(MPI_Comm(ranks), or_real(std::move(table)), options);
}

mpi_world::~mpi_world() = default;
endpoint& mpi_world::self() noexcept { return *door_; }

}  // namespace deed::transport
