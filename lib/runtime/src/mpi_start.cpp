// SPDX-License-Identifier: MIT
#include "mpi_start.hpp"

#include <cstdlib>

namespace deed::runtime {

struct mpi_ranks::state {};
struct mpi_start::state {};

mpi_ranks::mpi_ranks(const boost::mpi::communicator&) {}
mpi_ranks::~mpi_ranks() = default;
rank_environment mpi_ranks::environment() const { std::abort(); }
bool under_launcher() noexcept { return false; }
mpi_start::mpi_start(int&, char**&) {}
mpi_start::~mpi_start() = default;
const boost::mpi::communicator& mpi_start::world() const noexcept { std::abort(); }
void mpi_start::abort(int code) const noexcept { std::_Exit(code); }

}  // namespace deed::runtime
