// SPDX-License-Identifier: MIT
#include "mpi_crash.hpp"

#include "analysis/ask/ask.hpp"
#include "tests/scratch_folder.hpp"
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

// One of four MPI processes ends in the middle, and MPI ends the others; the recordings of all hold
// what they did until then.

namespace {

using namespace deed::viewer;

long long babeltrace_count(const std::string& path) {
  if (std::system(("babeltrace2 " + path + " >/dev/null 2>&1").c_str()) != 0) return -1;
  FILE* const pipe = ::popen(("babeltrace2 " + path + " 2>/dev/null | grep -c ^").c_str(), "r");
  long long count = -1;
  if (std::fscanf(pipe, "%lld", &count) != 1) count = -1;
  ::pclose(pipe);
  return count;
}

std::uint64_t count_tasks(const model& of, int rank, std::int64_t task::* when) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      of.tasks(), [&](const task& t) { return t.rank == rank && t.*when != never; }));
}

class each_end : public testing::TestWithParam<const char*> {};

TEST_P(each_end, leaves_a_recording_of_all_that_four_processes_did) {
  const std::string how = GetParam();
  for (const auto& [rank, body] : {std::pair{2, 5}, {0, 300}, {3, 900}}) {
    SCOPED_TRACE("rank " + std::to_string(rank) + " ends in body " + std::to_string(body));
    const scratch_folder folder;
    const std::string path = folder.path() + "/run.deed", counts = folder.path() + "/counts";
    const bool stuck = how == "stuck";
    const std::string command = "DEED_TRACE=" + path + " DEED_TRACE_PACKET=64K timeout " +
                                (stuck ? "20 " : "120 ") + MPIRUN " 4 " PROGRAM " " + counts + " " +
                                std::to_string(rank) + " " + std::to_string(body) + " " + how +
                                " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 0);
    ASSERT_NE(WEXITSTATUS(status), 64);
    const counts_of_rank* const done = counts_in(counts.c_str());
    ASSERT_NE(done, nullptr);
    if (stuck) {  // On a busy machine it may not come so far.
      EXPECT_LE(done[rank].started, static_cast<std::uint64_t>(body));
    } else {
      EXPECT_EQ(done[rank].started, static_cast<std::uint64_t>(body)) << "it ended where it should";
    }

    const run read(path);
    const model known(read);
    ASSERT_EQ(read.ranks().size(), static_cast<std::size_t>(crash_ranks));
    std::uint64_t discarded = 0;  // The helper thread may lag on a busy machine; that is said.
    for (const rank_info& each : read.ranks()) {
      SCOPED_TRACE("rank " + std::to_string(each.rank));
      EXPECT_TRUE(each.present);
      EXPECT_FALSE(each.ended);
      discarded += each.discarded;
      constexpr std::uint64_t threads = 4;  // Each may be between a record and its count.
      const counts_of_rank& mine = done[each.rank];
      EXPECT_GE(count_tasks(known, each.rank, &task::begin) + each.discarded, mine.started);
      EXPECT_LE(count_tasks(known, each.rank, &task::begin), mine.started + threads);
      EXPECT_LE(count_tasks(known, each.rank, &task::end), mine.ended);
      EXPECT_GE(count_tasks(known, each.rank, &task::end) + threads + each.discarded, mine.ended);
    }
    EXPECT_EQ(babeltrace_count(path), static_cast<long long>(read.events().size()));
    // What was discarded may be the arrival that a task seems to lack.
    if (discarded != 0) continue;
    for (const finding& each : check(known)) ADD_FAILURE() << each.sentence;
  }
}

INSTANTIATE_TEST_SUITE_P(mpi_crash, each_end,
                         testing::Values("SIGKILL", "SIGSEGV", "SIGABRT", "MPI_Abort", "stuck"));

}  // namespace
