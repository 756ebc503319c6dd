// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/transport/endpoint.hpp>
#include <deed/transport/mpi_table.hpp>

#include <boost/mpi/communicator.hpp>

#include <memory>
#include <string_view>

/// @file
/// Ranks that are processes of an MPI job.

namespace deed::transport {

/// A call of MPI failed (D001).
class mpi_error : public error {
 public:
  /// What was under way; peer, tag and bytes only where they mean something (not negative).
  struct call {
    std::string_view operation;
    int peer = -1;
    int tag = -1;
    long long bytes = -1;
  };
  mpi_error(int result, const call& what);
  /// MPI_ERR_TRUNCATE and so on; its number differs between libraries.
  [[nodiscard]] int error_class() const noexcept { return class_; }

 private:
  int class_;
};

/// @throws mpi_error if `result` is not MPI_SUCCESS.
void check(int result, const mpi_error::call& what);

struct mpi_options {
  std::size_t frame_bytes = 8192;
  int slots = 64;  ///< Frames that MPI can put away before the engine looks.
  int window = 8;  ///< The oldest so many slots are looked at in each turn, all in every 32nd.
  /// Progress is made only on the thread that initialised MPI; then any thread level will do.
  bool one_thread = false;
  /// Ranks of one machine hand frames over in memory that they share, where all want to and can.
  bool shares_memory = true;
};

/// Whether MPI may be called on the thread alone that initialised it: MPI_Init, MPI_THREAD_SINGLE,
/// MPI_THREAD_FUNNELED.
/// @throws deed::error D803 if MPI is not initialised, or finalised already.
[[nodiscard]] bool mpi_is_for_one_thread();

/// One rank's endpoint on duplicates of a communicator, which stays the user's. Sets
/// MPI_ERRORS_RETURN on MPI_COMM_SELF, its duplicates, and on MPI_COMM_WORLD if that was fatal.
///
/// Collective: making it, and closing the endpoint, in the same order on all ranks.
/// Threads: MPI is called under the engine's progress lock alone; MPI_THREAD_SERIALIZED will do for
///   one world at a time, MPI_THREAD_MULTIPLE for any number.
/// @throws deed::error D803 if MPI is not initialised, or finalised already, or may not be called
///   as the engine will call it; mpi_error if a call fails.
/// Errors: MPI_Finalize while it lives fails everything with D802; nothing calls MPI after it.
class mpi_world {
 public:
  explicit mpi_world(const boost::mpi::communicator& ranks,
                     std::unique_ptr<mpi_table> table = std::make_unique<mpi_table>(),
                     const mpi_options& options = {});
  ~mpi_world();
  mpi_world(const mpi_world&) = delete;
  mpi_world& operator=(const mpi_world&) = delete;

  [[nodiscard]] endpoint& self() noexcept;

 private:
  class door;
  std::unique_ptr<door> door_;
};

}  // namespace deed::transport
