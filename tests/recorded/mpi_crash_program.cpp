// SPDX-License-Identifier: MIT
// mpi_crash_program FILE RANK BODY HOW: that rank ends in its body of that number, and says
// nothing, throws there ("throw") or calls `exit` ("exit"). Or it leaves its program by an
// "exception", a "stop" or `exit` ("leave", with 0, and "leave_3"), once all bodies are inserted.
#include <deed/deed.hpp>

#include "mpi_crash.hpp"
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct plan {
  counts_of_rank* mine = nullptr;
  bool here = false;  // This rank is the one.
  std::uint64_t body = 0;
  std::string how;
};

plan& the_plan() {
  static plan made;
  return made;
}

void end_here(const std::string& how) {
  if (how == "throw") throw std::runtime_error("no such lattice");
  if (how == "exit") std::exit(3);
  if (how == "SIGKILL") ::raise(SIGKILL);
  if (how == "SIGSEGV") ::raise(SIGSEGV);
  if (how == "SIGABRT") std::abort();
  if (how == "MPI_Abort") MPI_Abort(MPI_COMM_WORLD, 3);
  for (;;) ::pause();  // "stuck": until somebody ends the job.
}

void leave_program(const std::string& how) {
  if (how == "exception") throw std::runtime_error("no such lattice");
  if (how == "stop") throw deed::stop_run(deed::exit_code::cannot_write, "the disk is full");
  if (how == "leave" || how == "leave_3") std::exit(how == "leave" ? 0 : 3);
}

constexpr deed::codelet count_up{"count_up", [](int& value) {
                                   plan& now = the_plan();
                                   const std::uint64_t number = ++now.mine->started;
                                   if (now.here && number == now.body) end_here(now.how);
                                   ++value;
                                   ++now.mine->ended;
                                 }};

/// Numbers go round between all ranks.
void program(deed::session& session, deed::arguments given) {
  if (given.size() != 4 || session.size() != crash_ranks) std::exit(64);
  counts_of_rank* const all = counts_in(given[0].c_str());
  if (all == nullptr) std::exit(64);
  the_plan() = {all + session.rank(), std::to_string(session.rank()) == given[1],
                std::strtoull(given[2].c_str(), nullptr, 10), given[3]};
  std::vector<deed::handle<int>> numbers;
  for (int i = 0; i < 8; ++i)
    numbers.push_back(session.register_data(deed::owner{i % crash_ranks}, 0, {.name = "number"}));
  for (int round = 0; round < 4'000; ++round)
    session.insert_task(count_up, deed::read_write(numbers[static_cast<std::size_t>(round % 8)]),
                        deed::on(deed::rank{round / 8 % crash_ranks}));
  if (the_plan().here) leave_program(the_plan().how);
  session.wait();
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
