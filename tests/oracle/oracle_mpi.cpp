// SPDX-License-Identifier: MIT
// Random programs on the ranks of one MPI job: a program of fewer ranks leaves the last ones out.
// Starting a job takes longer than a hundred programs do.
#include <deed/base/clock.hpp>
#include <deed/transport/mpi.hpp>
#include <deed/transport/mpi_groups.hpp>
#include <deed/transport/mpi_launch.hpp>

#include "generate.hpp"
#include "shrink.hpp"
#include "watchdog.hpp"
#include "worlds.hpp"
#include <boost/mpi/collectives.hpp>
#include <boost/serialization/string.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <vector>

namespace {

namespace mpi = boost::mpi;
using oracle::plan;

constexpr std::chrono::seconds patience{60};

/// The communicators of a plan's groups, made before the session uses MPI. Not of those with which
/// a root outside has to do: it does not know who is in them.
std::map<int, mpi::communicator> communicators(const mpi::communicator& ranks,
                                               const plan& program) {
  std::map<int, mpi::communicator> made;
  for (const oracle::step& s : program.steps) {
    if (s.what == oracle::verb::group) {
      const auto self = std::ranges::find(s.ranks, ranks.rank());
      const bool member = self != s.ranks.end();
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(ranks, member ? 0 : MPI_UNDEFINED, static_cast<int>(self - s.ranks.begin()),
                     &part);
      made.emplace(s.datum, mpi::communicator(part, mpi::comm_take_ownership));
    }
  }
  for (const oracle::step& s : program.steps) {
    if (s.among) made.erase(s.group);
  }
  return made;
}

/// Runs the plan as one of its ranks. @return what is wrong here.
std::string run_here(const mpi::communicator& ranks, const plan& program,
                     const oracle::expectation& expected) {
  oracle::rank_log log;
  const auto groups = communicators(ranks, program);
  const auto by_communicator = [&](deed::session& session, int group) {
    const auto found = groups.find(group);
    return found == groups.end() ? std::nullopt : std::optional(session.group(found->second));
  };
  {
    deed::transport::mpi_world world(ranks, std::make_unique<deed::transport::mpi_table>(),
                                     {.frame_bytes = program.how.frame});
    const deed::real_clock time;
    oracle::run_rank({.rank = ranks.rank(),
                      .size = ranks.size(),
                      .door = &world.self(),
                      .time = &time,
                      .pass = {},
                      .cores = 1,
                      .ranks_of =
                          [&](const mpi::communicator& part, bool remote) {
                            return deed::transport::ranks_within(ranks, part, remote);
                          }},
                     program, expected, log, {}, by_communicator);
  }
  std::string wrong = difference(ranks.rank(), program, expected, log);
  if (!log.thrown.empty())
    wrong = "rank " + std::to_string(ranks.rank()) + " threw: " + log.thrown + "\n" + wrong;
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const deed::transport::mpi_launch launch(argc, argv);
  const mpi::communicator& all = launch.world();
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t programs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const oracle::range from{
      .fewest_ranks = std::min(2, all.size()), .most_ranks = all.size(), .most_tasks = 500};
  oracle::watchdog guard(patience, [&](std::uint64_t seed) {
    std::cout << "rank " << all.rank() << ": seed " << seed << " does not end\n"
              << (all.rank() == 0 ? to_string(generate(seed, from)) : "") << std::flush;
    launch.abort(1);
  });
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    guard.begin(seed);
    const plan program = generate(seed, from);
    const oracle::expectation expected = predict(program);
    const bool takes_part = all.rank() < program.how.ranks;
    const mpi::communicator ranks = all.split(takes_part ? 0 : 1);
    std::vector<std::string> wrong;
    mpi::gather(all, takes_part ? run_here(ranks, program, expected) : "", wrong, 0);
    for (const std::string& each : wrong) {
      if (each.empty()) continue;
      guard.begin(0);
      std::cout << "seed " << seed << " failed:\n" << each << to_string(program) << std::flush;
      report_shrunk(oracle::world::threads, program, std::chrono::seconds(5));
      launch.abort(1);
    }
  }
  guard.begin(0);
  if (all.rank() == 0)
    std::cout << programs << " programs on " << all.size() << " ranks, all as the model says\n";
  return 0;
}
