// SPDX-License-Identifier: MIT
#pragma once

#include <boost/mpi/communicator.hpp>

#include <memory>

namespace boost::mpi {
class environment;
}

/// @file
/// MPI for a program that leaves starting it to deed.

namespace deed::transport {

/// Initialises MPI if nobody did, at MPI_THREAD_SERIALIZED, and finalises it at the end if so.
/// Threads: the one that made it.
class mpi_launch {
 public:
  mpi_launch(int& argc, char**& argv);
  ~mpi_launch();
  mpi_launch(const mpi_launch&) = delete;
  mpi_launch& operator=(const mpi_launch&) = delete;

  [[nodiscard]] const boost::mpi::communicator& world() const noexcept { return world_; }
  /// Ends all ranks at once, with this exit code; once MPI is finalised, this one alone.
  [[noreturn]] void abort(int code) const noexcept;

 private:
  std::unique_ptr<boost::mpi::environment> environment_;  // Empty: somebody else's MPI.
  boost::mpi::communicator world_;
};

}  // namespace deed::transport
