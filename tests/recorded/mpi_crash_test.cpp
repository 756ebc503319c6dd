// SPDX-License-Identifier: MIT
#include "mpi_crash.hpp"

#include "analysis/ask/ask.hpp"
#include "analysis/say/sentence.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

/// Four processes, of which one ends in its body of that number, or otherwise as `how` says.
struct ended_job {
  ended_job(const std::string& how, int rank, int body)
      : path(folder.path() + "/run.deed"), counts(folder.path() + "/counts") {
    const std::string command = "DEED_TRACE=" + path + " DEED_TRACE_PACKET=64K timeout " +
                                (how == "stuck" ? "20 " : "120 ") + MPIRUN " 4 " PROGRAM " " +
                                counts + " " + std::to_string(rank) + " " + std::to_string(body) +
                                " " + how + " >/dev/null 2>&1";
    status = std::system(command.c_str());
    done = counts_in(counts.c_str());
  }
  /// It went wrong, and in the way that was asked for.
  [[nodiscard]] bool failed() const {
    return WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 64 &&
           done != nullptr;
  }

  scratch_folder folder;
  std::string path, counts;
  int status = 0;
  const counts_of_rank* done = nullptr;
};

/// Each rank's records say what it did, and every reader of the format takes them. `leaves`: its
/// recording ends with its program, and some tasks still run.
void holds_what_was_done(const run& read, const model& known, const counts_of_rank* done,
                         int leaves = -1) {
  ASSERT_EQ(read.ranks().size(), static_cast<std::size_t>(crash_ranks));
  std::uint64_t discarded = 0;  // The helper thread may lag on a busy machine; that is said.
  for (const rank_info& each : read.ranks()) {
    SCOPED_TRACE("rank " + std::to_string(each.rank));
    EXPECT_TRUE(each.present);
    discarded += each.discarded;
    constexpr std::uint64_t threads = 4;  // Each may be between a record and its count.
    const counts_of_rank& mine = done[each.rank];
    EXPECT_LE(count_tasks(known, each.rank, &task::begin), mine.started + threads);
    if (each.rank == leaves) continue;
    EXPECT_GE(count_tasks(known, each.rank, &task::begin) + each.discarded, mine.started);
    EXPECT_GE(count_tasks(known, each.rank, &task::end) + threads + each.discarded, mine.ended);
  }
  EXPECT_EQ(babeltrace_count(read.path()), static_cast<long long>(read.events().size()));
  // What was discarded may be the arrival that a task seems to lack.
  if (discarded != 0) return;
  for (const finding& each : check(known)) ADD_FAILURE() << each.sentence;
}

class each_end : public testing::TestWithParam<const char*> {};

TEST_P(each_end, leaves_a_recording_of_all_that_four_processes_did) {
  const std::string how = GetParam();
  for (const auto& [rank, body] : {std::pair{2, 5}, {0, 300}, {3, 900}}) {
    SCOPED_TRACE("rank " + std::to_string(rank) + " ends in body " + std::to_string(body));
    const ended_job job(how, rank, body);
    ASSERT_TRUE(job.failed());
    if (how == "stuck") {  // On a busy machine it may not come so far.
      EXPECT_LE(job.done[rank].started, static_cast<std::uint64_t>(body));
    } else {
      EXPECT_EQ(job.done[rank].started, static_cast<std::uint64_t>(body))
          << "it ended where it should";
    }
    const run read(job.path);
    const model known(read);
    for (const rank_info& each : read.ranks()) {
      EXPECT_FALSE(each.ended);
      EXPECT_LE(count_tasks(known, each.rank, &task::end), job.done[each.rank].ended);
    }
    holds_what_was_done(read, known, job.done);
  }
}

/// What an end says of itself that is no crash.
struct told_end {
  const char* how;
  record what;
  const char* words;
  int body;  // More than there are: only its program ends.
};

class each_told_end : public testing::TestWithParam<told_end> {};

TEST_P(each_told_end, is_recorded_once_by_its_rank) {
  for (const int rank : {0, 2}) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const ended_job job(GetParam().how, rank, GetParam().body);
    ASSERT_TRUE(job.failed());
    const run read(job.path);
    const model known(read);
    std::vector<std::string> said;
    for (std::uint32_t i = 0; i < read.events().size(); ++i) {
      const event each = read.events()[i];
      if (each.what == GetParam().what)
        said.push_back(std::to_string(read.lanes()[each.lane].rank) + ": " +
                       say_event(known, each));
    }
    EXPECT_THAT(
        said, testing::ElementsAre(testing::AllOf(testing::StartsWith(std::to_string(rank) + ": "),
                                                  testing::HasSubstr(GetParam().words))));
    const std::string how = GetParam().how;
    const bool in_a_task = how == "throw" || how == "exit";
    holds_what_was_done(read, known, job.done, in_a_task ? -1 : rank);
  }
}

INSTANTIATE_TEST_SUITE_P(
    mpi_crash, each_told_end,
    testing::Values(told_end{"throw", record::error, "no such lattice", 30},
                    told_end{"exit", record::error, "task `count_up` leaves the process", 30},
                    told_end{"leave", record::error, " leaves the process, and", 1'000'000},
                    told_end{"leave_3", record::stop_run, "exit code 3: `exit(3)`", 1'000'000},
                    told_end{"exception", record::error, "no such lattice", 1'000'000},
                    told_end{"stop", record::stop_run, "the disk is full", 1'000'000}),
    [](const auto& given) { return std::string(given.param.how); });

INSTANTIATE_TEST_SUITE_P(mpi_crash, each_end,
                         testing::Values("SIGKILL", "SIGSEGV", "SIGABRT", "MPI_Abort", "stuck"));

}  // namespace
