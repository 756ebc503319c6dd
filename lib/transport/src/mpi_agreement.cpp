// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>
#include <deed/transport/mpi_agreement.hpp>

namespace deed::transport {
namespace {

/// What `root` says, on every rank.
std::string word_of(const boost::mpi::communicator& ranks, int root, const std::string& mine) {
  std::string word = ranks.rank() == root ? mine : "";
  int length = static_cast<int>(word.size());
  check(MPI_Bcast(&length, 1, MPI_INT, root, ranks), {"MPI_Bcast"});
  word.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(word.data(), length, MPI_CHAR, root, ranks), {"MPI_Bcast"});
  return word;
}

int over_all(const boost::mpi::communicator& ranks, int mine, MPI_Op how) {
  int all = 0;
  check(MPI_Allreduce(&mine, &all, 1, MPI_INT, how, ranks), {"MPI_Allreduce"});
  return all;
}

}  // namespace

agreement compare_with_first(const boost::mpi::communicator& ranks, const std::string& mine) {
  agreement found{.first = word_of(ranks, 0, mine)};
  const bool differs = mine != found.first;
  found.others = over_all(ranks, differs ? 1 : 0, MPI_SUM);
  const int lowest = over_all(ranks, differs ? ranks.rank() : ranks.size(), MPI_MIN);
  if (found.others == 0) return found;
  found.other = lowest;
  found.word = word_of(ranks, lowest, mine);
  return found;
}

}  // namespace deed::transport
