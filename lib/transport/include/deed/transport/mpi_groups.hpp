// SPDX-License-Identifier: MIT
#pragma once

#include <boost/mpi/communicator.hpp>

#include <vector>

/// @file
/// Which ranks of one communicator are those of another.

namespace deed::transport {

/// For each rank of `part`, in its order, its rank in `all`; -1 if it is not there. Empty for
/// MPI_COMM_NULL. Of an intercommunicator, the ranks of one of its groups; of another one, there is
/// no remote group, which is empty then.
/// Not collective. Threads: calls MPI; see `engine::hold_door`.
/// @throws mpi_error if a call fails.
[[nodiscard]] std::vector<int> ranks_within(const boost::mpi::communicator& all,
                                            const boost::mpi::communicator& part,
                                            bool remote = false);

}  // namespace deed::transport
