// SPDX-License-Identifier: MIT
#include <deed/transport/mpi_launch.hpp>

#include <boost/mpi/environment.hpp>

#include <cstdlib>

namespace deed::transport {

mpi_launch::mpi_launch(int& argc, char**& argv)
    : environment_(boost::mpi::environment::initialized()
                       ? nullptr
                       : std::make_unique<boost::mpi::environment>(
                             argc, argv, boost::mpi::threading::serialized)) {}

mpi_launch::~mpi_launch() = default;

void mpi_launch::abort(int code) const noexcept {
  if (!boost::mpi::environment::finalized()) MPI_Abort(world_, code);
  std::_Exit(code);
}

}  // namespace deed::transport
