// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>
#include <deed/transport/mpi_machine.hpp>

#include <numeric>

namespace deed::transport {

bool is_whole_job(const boost::mpi::communicator& ranks) {
  int all = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &all), {"MPI_Comm_size"});
  return ranks.size() == all;
}

machine_words tell_machine(const boost::mpi::communicator& ranks, const std::string& mine) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &made),
        {"MPI_Comm_split_type"});
  const boost::mpi::communicator machine(made, boost::mpi::comm_take_ownership);
  const auto size = static_cast<std::size_t>(machine.size());
  const int own = static_cast<int>(mine.size());
  std::vector<int> lengths(size), starts(size);
  check(MPI_Allgather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, machine), {"MPI_Allgather"});
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string text(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
  check(MPI_Allgatherv(mine.data(), own, MPI_CHAR, text.data(), lengths.data(), starts.data(),
                       MPI_CHAR, machine),
        {"MPI_Allgatherv"});
  int first = ranks.rank();
  check(MPI_Bcast(&first, 1, MPI_INT, 0, machine), {"MPI_Bcast"});
  machine_words all{{}, machine.rank(), first};
  for (std::size_t i = 0; i < size; ++i) {
    all.words.push_back(
        text.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  }
  return all;
}

}  // namespace deed::transport
