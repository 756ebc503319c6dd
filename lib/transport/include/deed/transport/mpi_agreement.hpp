// SPDX-License-Identifier: MIT
#pragma once

#include <boost/mpi/communicator.hpp>

#include <string>

/// @file
/// Whether all ranks of a communicator say the same, before a session talks over it.

namespace deed::transport {

/// What the first rank says, and who says something else.
struct agreement {
  std::string first;
  int others = 0;      ///< Ranks that say something else.
  int other = -1;      ///< The lowest of them; -1: none.
  std::string word{};  ///< What it says.
};

/// Compares `mine` with what rank 0 says; every rank comes to the same result.
/// Collective: every rank of the communicator. Blocks: until all call it.
/// Cost: four collective calls, six if somebody differs; no memory per rank.
/// @throws mpi_error if a call fails.
[[nodiscard]] agreement compare_with_first(const boost::mpi::communicator& ranks,
                                           const std::string& mine);

}  // namespace deed::transport
