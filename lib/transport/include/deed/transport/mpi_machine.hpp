// SPDX-License-Identifier: MIT
#pragma once

#include <boost/mpi/communicator.hpp>

#include <string>
#include <vector>

/// @file
/// Which ranks share a machine.

namespace deed::transport {

/// One word of each rank of this machine, in the order of the ranks.
struct machine_words {
  std::vector<std::string> words;
  int self;   ///< Which of them is this rank's.
  int first;  ///< The lowest rank of this machine.
};

/// Whether these are all ranks of the job; of other jobs and their cores nothing is known.
[[nodiscard]] bool is_whole_job(const boost::mpi::communicator& ranks);

/// Tells the other ranks of this machine `mine`.
/// Collective: every rank of the communicator. Blocks: until all of this machine call it.
/// @throws mpi_error if a call fails.
[[nodiscard]] machine_words tell_machine(const boost::mpi::communicator& ranks,
                                         const std::string& mine);

}  // namespace deed::transport
