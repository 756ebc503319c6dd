// SPDX-License-Identifier: MIT
#include <deed/runtime/environment.hpp>
#include <deed/runtime/session.hpp>
#include <deed/transport/inproc.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/say/backtrace.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

// A program ends in the middle, in each way there is; the recording holds all it did until then.

namespace {

using namespace deed::viewer;

/// Seen by the program and by the test.
struct shared_counts {
  std::atomic<std::uint64_t> started{0};  // Bodies.
  std::atomic<std::uint64_t> ended{0};
  std::uint64_t last = 0;  // The body that ends the program.
  int signal = 0;
};

shared_counts& shared() {
  static auto* const memory = static_cast<shared_counts*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *memory;
}

constexpr int by_exit = 0;  // No signal.

[[gnu::noinline]] void end_the_program(int signal) {
  if (signal == by_exit) std::exit(3);
  ::raise(signal);
  asm volatile("" ::: "memory");  // So that it is still there.
}

constexpr deed::codelet count_up{"count_up", [](int& value) {
                                   shared_counts& counts = shared();
                                   if (++counts.started == counts.last)
                                     end_the_program(counts.signal);
                                   ++value;
                                   ++counts.ended;
                                 }};

/// Two ranks pass numbers to each other, each with two workers.
void program(const std::string& path, const std::string& io = "mmap") {
  deed::transport::inproc_world world(2);
  const deed::real_clock time;
  std::vector<std::jthread> ranks;
  for (int r = 0; r < 2; ++r) {
    ranks.emplace_back([&, r] {
      const deed::runtime::rank_environment environment{.rank = r,
                                                        .size = 2,
                                                        .door = &world.at(deed::rank{r}),
                                                        .time = &time,
                                                        .pass = {},
                                                        .cores = 2};
      deed::session_options options;
      options.trace.path = path;
      options.trace.packet_bytes = 64 << 10;
      options.trace.set("io", io);
      deed::session session(environment, options);
      std::vector<deed::handle<int>> numbers;
      for (int i = 0; i < 8; ++i)
        numbers.push_back(session.register_data(deed::owner{i % 2}, 0, {.name = "number"}));
      for (int round = 0; round < 4'000; ++round)
        session.insert_task(count_up,
                            deed::read_write(numbers[static_cast<std::size_t>(round % 8)]),
                            deed::on(deed::rank{round / 8 % 2}));
      session.wait();
    });
  }
}

/// What babeltrace2 counts; -1 if it does not like the run.
long long babeltrace_count(const std::string& path) {
  if (std::system(("babeltrace2 " + path + " >/dev/null 2>&1").c_str()) != 0) return -1;
  FILE* const pipe = ::popen(("babeltrace2 " + path + " 2>/dev/null | grep -c ^").c_str(), "r");
  long long count = -1;
  if (std::fscanf(pipe, "%lld", &count) != 1) count = -1;
  ::pclose(pipe);
  return count;
}

/// A process of its own runs it, which ends by `signal` in body `last`.
void killed_program(const std::string& path, int signal, std::uint64_t last,
                    const std::string& io = "mmap") {
  shared_counts& counts = shared();
  counts.started = 0;
  counts.ended = 0;
  counts.last = last;
  counts.signal = signal;
  const pid_t child = ::fork();
  if (child == 0) {
    program(path, io);
    std::_Exit(3);  // It should have ended before.
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (signal == by_exit) {
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), static_cast<int>(deed::exit_code::codelet_threw));
  } else {
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(WTERMSIG(status), signal);
  }
}

class each_end : public testing::TestWithParam<int> {};

TEST_P(each_end, leaves_a_recording_of_all_that_was_done) {
  for (const std::uint64_t last : {1u, 7u, 60u, 500u, 1'999u, 3'900u}) {
    SCOPED_TRACE("the program ends in body " + std::to_string(last));
    const scratch_folder folder;
    const std::string path = folder.path() + "/run.deed";
    const shared_counts& counts = shared();
    ASSERT_NO_FATAL_FAILURE(killed_program(path, GetParam(), last));

    const run read(path);
    EXPECT_FALSE(read.is_whole());
    const model known(read);
    const auto begun = static_cast<std::uint64_t>(
        std::ranges::count_if(known.tasks(), [](const task& t) { return t.begin != never; }));
    const auto ended = static_cast<std::uint64_t>(
        std::ranges::count_if(known.tasks(), [](const task& t) { return t.end != never; }));
    constexpr std::uint64_t threads = 6;  // Each may be between a record and its count.
    std::uint64_t discarded = 0;  // The helper thread may lag on a busy machine; that is said.
    for (const rank_info& each : read.ranks()) discarded += each.discarded;
    EXPECT_GE(begun + discarded, counts.started);
    EXPECT_LE(begun, counts.started + threads);
    EXPECT_LE(ended, counts.ended);
    EXPECT_GE(ended + threads + discarded, counts.ended);
    EXPECT_EQ(read.ranks().size(), 2u);
    for (const rank_info& each : read.ranks()) EXPECT_FALSE(each.ended);
    const record wanted = GetParam() == by_exit ? record::error : record::fatal_signal;
    const auto told = std::ranges::count(read.events(), wanted, &event::what);
    const bool says_so = GetParam() != SIGKILL && GetParam() != SIGTERM;
    EXPECT_EQ(told, says_so ? 1 : 0);
    for (const event& e : read.events()) {
      if (e.what != wanted) continue;
      EXPECT_THAT(backtrace_of(known, e), testing::Contains(testing::HasSubstr("end_the_program")));
    }
    EXPECT_EQ(babeltrace_count(path), static_cast<long long>(read.events().size()));
    // What was discarded may be the arrival that a task seems to lack.
    if (discarded != 0) continue;
    for (const finding& each : check(known)) ADD_FAILURE() << each.sentence;
  }
}

TEST(a_killed_run, names_the_packets_of_a_file_that_is_gone) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", files = path + "/rank-000000/app.00";
  ASSERT_NO_FATAL_FAILURE(killed_program(path, SIGKILL, 3'900));
  const auto missing = testing::Contains(testing::HasSubstr("missing before byte 0"));
  EXPECT_THAT(run(path).incomplete(), testing::Not(missing));
  ASSERT_TRUE(std::filesystem::exists(files + "1"));
  std::filesystem::remove(files + "0");
  EXPECT_THAT(run(path).incomplete(), missing);
}

/// The rest lies in shared memory: it is read from there, and `collect` brings it along.
TEST(a_recording_in_shared_memory, is_whole_after_a_crash) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", whole = folder.path() + "/whole.deed";
  const shared_counts& counts = shared();
  ASSERT_NO_FATAL_FAILURE(killed_program(path, SIGKILL, 1'999, "shm"));
  std::uint64_t events = 0;
  {
    const run read(path);
    events = read.events().size();
    const model known(read);
    const auto begun =
        std::ranges::count_if(known.tasks(), [](const task& t) { return t.begin != never; });
    std::uint64_t discarded = 0;
    for (const rank_info& each : read.ranks()) discarded += each.discarded;
    EXPECT_GE(static_cast<std::uint64_t>(begun) + discarded, counts.started);
    EXPECT_EQ(read.ranks().size(), 2u);
    for (const rank_info& each : read.ranks()) EXPECT_FALSE(each.ended);
  }
  EXPECT_EQ(collect(whole, {path}).copied.size(), 2u);
  std::ifstream metadata(path + "/rank-000000/metadata");
  const std::string text{std::istreambuf_iterator<char>(metadata), {}};
  const std::size_t tail = text.find("/dev/shm/deed-");
  ASSERT_NE(tail, std::string::npos);
  const std::string left = text.substr(tail, text.find("/rank-", tail) - tail);
  EXPECT_TRUE(std::filesystem::exists(left + "/rank-000001/defs.000"));
  std::filesystem::remove_all(left);
  EXPECT_EQ(run(whole).events().size(), events);
  EXPECT_EQ(babeltrace_count(whole), static_cast<long long>(events));
}

TEST(a_recording_in_shared_memory, is_in_its_folder_at_the_end) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  shared().last = 0;  // Nobody ends it.
  program(path, "shm");
  const run read(path);
  std::uint64_t discarded = 0;  // Where the machine gives the helper thread no time.
  for (const rank_info& each : read.ranks()) {
    EXPECT_TRUE(each.ended);
    discarded += each.discarded;
  }
  EXPECT_EQ(read.is_whole(), discarded == 0);
  EXPECT_EQ(babeltrace_count(path), static_cast<long long>(read.events().size()));
  std::ifstream metadata(path + "/rank-000001/metadata");
  const std::string text{std::istreambuf_iterator<char>(metadata), {}};
  const std::size_t tail = text.find("/dev/shm/deed-");
  ASSERT_NE(tail, std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(text.substr(tail, text.find("/rank-", tail) - tail)));
}

INSTANTIATE_TEST_SUITE_P(crash, each_end,
                         testing::Values(SIGKILL, SIGABRT, SIGSEGV, SIGTERM, by_exit));

}  // namespace
