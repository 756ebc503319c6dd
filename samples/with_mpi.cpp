// SPDX-License-Identifier: MIT
// A program that has MPI already: it keeps its MPI_Init, its communicators and its messages, and
// makes a session where tasks are wanted. Here the even and the odd ranks each have a session of
// their own, while plain MPI goes on over all ranks, with any tag it likes.
#include <deed/deed.hpp>

#include <boost/mpi/communicator.hpp>
#include <mpi.h>

#include <iostream>
#include <numeric>
#include <vector>

namespace {

using numbers = std::vector<double>;

constexpr auto add_to = [](numbers& sum, const numbers& x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
};
constexpr deed::codelet add{"add", [](numbers& sum, const numbers& x) { add_to(sum, x); }};

numbers make_numbers(int rank) {
  numbers made(1000);
  std::iota(made.begin(), made.end(), static_cast<double>(rank));
  return made;
}

/// The sum over the ranks of `half`, on its first rank, made by tasks; plain MPI meanwhile.
numbers sum_of(const boost::mpi::communicator& half, int world_rank, int world_size) {
  deed::session session{half};
  auto sum = session.register_data(deed::owner{0}, numbers(1000), {.name = "sum"});
  std::vector<deed::handle<numbers>> parts;
  for (int r = 0; r < session.size(); ++r) {
    parts.push_back(session.register_data(deed::owner{r}, [&] { return make_numbers(world_rank); },
                                          {.name = "part"}));
  }
  for (auto& part : parts) session.insert_task(add, deed::read_write(sum), deed::read(part));

  // A ring of plain messages, with the tags that deed uses for nothing.
  int token = world_rank, came = -1;
  MPI_Sendrecv(&token, 1, MPI_INT, (world_rank + 1) % world_size, 0, &came, 1, MPI_INT,
               (world_rank + world_size - 1) % world_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (came != (world_rank + world_size - 1) % world_size) MPI_Abort(MPI_COMM_WORLD, 1);

  const auto lengths = session.gather(deed::value(token), deed::to{0});
  if (session.rank() == 0 && lengths.size() != static_cast<std::size_t>(session.size()))
    MPI_Abort(MPI_COMM_WORLD, 1);
  return session.owns(sum) ? *session.borrow(deed::read(sum)) : numbers{};
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 0;
  // The session's workers talk to MPI while this thread does: MPI has to allow that.
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = 0;
  if (argc > 1) {
    if (rank == 0) std::cerr << argv[1] << ": no such option; this program takes none\n";
    MPI_Finalize();
    return static_cast<int>(deed::exit_code::bad_option);
  }
  {
    const boost::mpi::communicator world(MPI_COMM_WORLD, boost::mpi::comm_attach);
    const boost::mpi::communicator half = world.split(rank % 2);
    const numbers sum = sum_of(half, rank, size);
    numbers alone(1000);
    for (int r = rank % 2; r < size; r += 2) add_to(alone, make_numbers(r));
    if (half.rank() == 0 && sum != alone) wrong = 1;
  }
  int any_wrong = 0;
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::cout << (any_wrong != 0 ? "a sum differs from the sequential one\n"
                                 : "the sums are equal, bit for bit, to the sequential ones\n");
  MPI_Finalize();
  return any_wrong;
}
