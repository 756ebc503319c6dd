// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// What MPI says of itself.

namespace deed::transport {

enum class answer : unsigned char { no, yes, unknown };

struct mpi_facts {
  bool running = false;           ///< Initialised and not finalised; else the rest is unknown.
  std::string library;            ///< The first line of MPI_Get_library_version.
  std::string standard;           ///< "3.1".
  std::string threads;            ///< The level provided, "MPI_THREAD_MULTIPLE".
  bool any_thread_calls = false;  ///< At that level.
  answer cuda = answer::unknown;  ///< Whether it takes CUDA's device memory.
  answer hip = answer::unknown;   ///< The same of ROCm's.
};

/// Threads: one that may call MPI.
[[nodiscard]] mpi_facts ask_mpi();

}  // namespace deed::transport
