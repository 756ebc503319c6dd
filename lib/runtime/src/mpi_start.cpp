// SPDX-License-Identifier: MIT
#include "mpi_start.hpp"

#include <deed/base/clock.hpp>
#include <deed/base/error.hpp>

#include "build_identity.hpp"
#include "cores.hpp"
#include "of_all_ranks.hpp"
#include "settings.hpp"

#if DEED_WITH_MPI
#include <deed/transport/mpi.hpp>
#include <deed/transport/mpi_agreement.hpp>
#include <deed/transport/mpi_groups.hpp>
#include <deed/transport/mpi_launch.hpp>
#include <deed/transport/mpi_machine.hpp>
#endif

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace deed::runtime {

bool under_launcher() noexcept {
  // Open MPI; MPICH and Slurm's PMI; PMIx. A batch job alone does not make ranks.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

bool launched_first() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* const rank = std::getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
}

int launched_together() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* const size = std::getenv(name)) return std::atoi(size);
  }
  return 1;
}

void tell_of_tasks_apart() {
  const auto number = [](const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
  };
  // Of the step, as srun sets it: a batch script has the job's number, too, and is one process.
  const int tasks = number("SLURM_STEP_NUM_TASKS", 1);
  // One rank of mpirun is one on purpose, wherever mpirun itself was started.
  const bool one_of_one =
      std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || number("PMI_SIZE", tasks) == 1;
  if (tasks < 2 || one_of_one || number("SLURM_PROCID", 0) != 0) return;
  std::cerr << "deed: srun started " + std::to_string(tasks) +
                   " tasks, and each runs the whole program alone: MPI does not know of the "
                   "others; `srun --mpi=list` names what makes them ranks (Debian's Open MPI: "
                   "--mpi=pmix)\n";
}

#if DEED_WITH_MPI

struct mpi_ranks::state {
  state(const boost::mpi::communicator& communicator, bool shares_memory)
      : one_thread(transport::mpi_is_for_one_thread()),
        world(communicator, nullptr, {.one_thread = one_thread, .shares_memory = shares_memory}),
        ranks(communicator) {
    const core_set granted = core_set::granted();
    const auto [masks, self, first] = transport::tell_machine(communicator, granted.mask());
    machine = first;
    cores = granted.share_of(masks, self);
    if (!transport::is_whole_job(communicator)) cores.own = {};  // Others may use any core.
  }

  bool one_thread;
  transport::mpi_world world;
  boost::mpi::communicator ranks;  // The user's.
  int machine = 0;
  core_share cores;
  real_clock time;
};

namespace {

void check_same_program(const boost::mpi::communicator& ranks) {
  const auto found = transport::compare_with_first(ranks, build_identity());
  if (found.others == 0) return;
  throw common<error>(
      of_all_ranks(ranks.rank() == 0, of_all_ranks::nowhere), error_code::programs_differ,
      "ranks run different programs",
      std::vector<error::fact>{{"rank 0", found.first},
                               {"rank " + std::to_string(found.other), found.word},
                               {"differ", std::to_string(found.others) + " of " +
                                              std::to_string(ranks.size()) + " ranks from rank 0"}},
      "start the same executable everywhere");
}

}  // namespace

mpi_ranks::mpi_ranks(const boost::mpi::communicator& communicator, bool shares_memory)
    : state_(std::make_unique<state>(communicator, shares_memory)) {
  check_same_program(communicator);
  if (communicator.size() == 1 && transport::is_whole_job(communicator)) tell_of_tasks_apart();
  if (!state_->one_thread || communicator.rank() != 0) return;
  std::cerr << "deed: MPI was initialised for one thread: tasks run on the program's own thread, "
               "while it waits; MPI_THREAD_SERIALIZED gives workers\n";
}

std::string mpi_ranks::settings_of_first(const std::string& mine) const {
  auto found = transport::compare_with_first(state_->ranks, mine);
  if (found.others > 0 && state_->ranks.rank() == 0) {
    const std::string more =
        found.others > 1 ? " and " + std::to_string(found.others - 1) + " more" : "";
    std::cerr << "deed: rank " + std::to_string(found.other) + more +
                     " started with other settings: " +
                     settings_difference(found.first, found.word) + "; those of rank 0 hold\n";
  }
  return std::move(found.first);
}

rank_environment mpi_ranks::environment() const {
  transport::endpoint& door = state_->world.self();
  return {.rank = door.limits().self.value,
          .size = door.limits().ranks,
          .door = &door,
          .time = &state_->time,
          .one_thread = state_->one_thread,
          .cores = state_->cores.fair,
          .machine = state_->machine,
          .bind = [own = state_->cores.own](int worker, int workers) { own.bind(worker, workers); },
          .visit = [own = state_->cores.own](int worker,
                                             int workers) { return own.visit(worker, workers); },
          .process = true,
          .ranks_of = [ranks = state_->ranks](
                          const boost::mpi::communicator& part,
                          bool remote) { return transport::ranks_within(ranks, part, remote); }};
}

struct mpi_start::state {
  state(int& argc, char**& argv) : launch(argc, argv) {}
  transport::mpi_launch launch;
};

mpi_start::mpi_start(int& argc, char**& argv) : state_(std::make_unique<state>(argc, argv)) {}
const boost::mpi::communicator& mpi_start::world() const noexcept { return state_->launch.world(); }
void mpi_start::barrier() const { world().barrier(); }
void mpi_start::abort(int code) const noexcept { state_->launch.abort(code); }

#else

namespace {
[[noreturn]] void refuse() {
  throw error(error_code::mpi_not_ready, "this deed was built without MPI", {},
              "install MPI and Boost.MPI and build again, or run without mpirun: `--deed-ranks=4`");
}
}  // namespace

struct mpi_ranks::state {};
struct mpi_start::state {};
mpi_ranks::mpi_ranks(const boost::mpi::communicator&, bool) { refuse(); }
rank_environment mpi_ranks::environment() const { refuse(); }
std::string mpi_ranks::settings_of_first(const std::string&) const { refuse(); }
mpi_start::mpi_start(int&, char**&) { refuse(); }
const boost::mpi::communicator& mpi_start::world() const noexcept { std::abort(); }
void mpi_start::barrier() const { std::abort(); }
void mpi_start::abort(int code) const noexcept { std::_Exit(code); }

#endif

mpi_ranks::~mpi_ranks() = default;
mpi_start::~mpi_start() = default;

}  // namespace deed::runtime
