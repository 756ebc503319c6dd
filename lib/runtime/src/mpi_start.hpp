// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/environment.hpp>

#include <memory>
#include <string>

namespace boost::mpi {
class communicator;
}

/// @file
/// The ranks of MPI, as far as a session and `deed::run` see them; also in a build without MPI.

namespace deed::runtime {

/// Whether a launcher started this process as one of its ranks.
[[nodiscard]] bool under_launcher() noexcept;
/// Whether the launcher calls this process its first.
[[nodiscard]] bool launched_first() noexcept;
/// How many processes the launcher says that it started; 1 where it does not say.
[[nodiscard]] int launched_together() noexcept;
/// To be called by a process that has no other ranks than its own: where `srun` started several
/// such, that is hardly meant, and the first of them prints a line.
void tell_of_tasks_apart();

/// The world of one session: a private duplicate of the user's communicator.
class mpi_ranks {
 public:
  /// @throws deed::error D910, on every rank, if they run different programs.
  mpi_ranks(const boost::mpi::communicator& communicator, bool shares_memory);
  ~mpi_ranks();
  /// What rank 0 says of `mine`; it prints who says something else. Collective.
  [[nodiscard]] std::string settings_of_first(const std::string& mine) const;
  [[nodiscard]] rank_environment environment() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// MPI for `deed::run`.
class mpi_start {
 public:
  /// @throws deed::error D803 if deed was built without MPI.
  mpi_start(int& argc, char**& argv);
  ~mpi_start();
  [[nodiscard]] const boost::mpi::communicator& world() const noexcept;
  void barrier() const;
  /// Ends all ranks at once, with this exit code.
  [[noreturn]] void abort(int code) const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace deed::runtime
