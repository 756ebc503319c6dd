// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/environment.hpp>

#include <memory>

/// @file
/// The ranks of MPI, kept apart so that one file alone sees them.

namespace boost::mpi {
class communicator;
}

namespace deed::runtime {

/// A private duplicate of a communicator, as a world of ranks.
class mpi_ranks {
 public:
  explicit mpi_ranks(const boost::mpi::communicator& communicator);
  ~mpi_ranks();
  [[nodiscard]] rank_environment environment() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Whether a launcher started this process as one of several ranks.
[[nodiscard]] bool under_launcher() noexcept;

/// MPI, initialised by this process if nobody did, and finalised at the end if so.
class mpi_start {
 public:
  mpi_start(int& argc, char**& argv);
  ~mpi_start();
  [[nodiscard]] const boost::mpi::communicator& world() const noexcept;
  /// Ends all ranks at once.
  [[noreturn]] void abort(int code) const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace deed::runtime
