// SPDX-License-Identifier: MIT
#include "mpi_door.hpp"

#include <string_view>
#include <utility>

namespace deed::transport {
namespace {

[[noreturn]] void refuse(std::string_view happened, std::string_view help) {
  throw error(error_code::mpi_not_ready, happened, {}, help);
}

/// @throws deed::error D803 unless MPI is there.
void check_running() {
  int yes = 0;
  MPI_Finalized(&yes);
  if (yes != 0) {
    refuse(
        "MPI is finalised already",
        "make the session before MPI_Finalize, and end it before, too; `deed::run` ends MPI that "
        "it started, so a program calls it once");
  }
  MPI_Initialized(&yes);
  if (yes == 0) {
    refuse("MPI is not initialised", "call MPI_Init_thread before, or use `deed::run`");
  }
}

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level;
}

/// MPI may be called as the engine will call it.
void check_threads(const mpi_options& options) {
  const int level = thread_level();
  if (options.one_thread) {
    int yes = 1;
    if (level < MPI_THREAD_SERIALIZED) MPI_Is_thread_main(&yes);
    if (yes == 0) {
      refuse("this is not the thread that initialised MPI, and MPI may be called there alone",
             "make the session on that thread, or call MPI_Init_thread with MPI_THREAD_SERIALIZED");
    }
    return;
  }
  if (level < MPI_THREAD_SERIALIZED) {
    refuse("MPI was initialised for one thread", "call MPI_Init_thread with MPI_THREAD_SERIALIZED");
  }
  if (level < MPI_THREAD_MULTIPLE && detail::mpi_caller::alive() > 0) {
    refuse("two sessions at once would call MPI at the same time",
           "call MPI_Init_thread with MPI_THREAD_MULTIPLE, or end the first session before");
  }
}

std::unique_ptr<mpi_table> or_real(std::unique_ptr<mpi_table> table) {
  return table ? std::move(table) : std::make_unique<mpi_table>();
}

}  // namespace

mpi_world::mpi_world(const boost::mpi::communicator& ranks, std::unique_ptr<mpi_table> table,
                     const mpi_options& options) {
  check_running();
  check_threads(options);
  door_ = std::make_unique<door>(MPI_Comm(ranks), or_real(std::move(table)), options);
}

mpi_world::~mpi_world() = default;
endpoint& mpi_world::self() noexcept { return *door_; }

bool mpi_is_for_one_thread() {
  check_running();
  return thread_level() < MPI_THREAD_SERIALIZED;
}

}  // namespace deed::transport
