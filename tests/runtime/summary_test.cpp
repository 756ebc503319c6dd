// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include "report.hpp"
#include "thread_times.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

/// Rank 1 reads what rank 0 owns: one transfer of eight bytes, and two cache hits.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 3.0, {.name = "x"});
  auto sum = session.register_data(deed::owner{1}, 0.0);
  for (int i = 0; i < 3; ++i) session.insert_task(add, deed::read_write(sum), deed::read(x));
  session.wait();
}
constexpr int line_of_read = __LINE__ - 3;

class summary : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("deed_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(summary, leaves_what_its_name_stands_for) {
  const auto target = folder_ / "target", link = folder_ / "link", pipe = folder_ / "pipe";
  std::filesystem::create_symlink(target, link);
  test::on_virtual_ranks(2, program, 1, {.summary = link});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_GT(std::filesystem::file_size(target), 0u);

  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ifstream in;
  std::jthread reader([&] { in.open(pipe); });  // Either end waits for the other.
  std::jthread writer([&] { test::on_virtual_ranks(2, program, 1, {.summary = pipe}); });
  reader.join();
  EXPECT_EQ(nlohmann::json::parse(in)["ranks"], 2);
  writer.join();
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(summary, is_appended_to_what_is_open) {
  const std::string log = folder_ / "log";
  std::FILE* const open = std::fopen(log.c_str(), "w");
  ASSERT_NE(open, nullptr);
  std::fputs("what was said before\n", open);
  std::fflush(open);
  test::on_virtual_ranks(2, program, 1,
                         {.summary = "/proc/self/fd/" + std::to_string(::fileno(open))});
  std::fclose(open);
  std::ifstream in(log);
  std::string before;
  std::getline(in, before);
  EXPECT_EQ(before, "what was said before");
  EXPECT_EQ(nlohmann::json::parse(in)["ranks"], 2);
}

TEST_F(summary, says_what_every_rank_did) {
  const std::string file = folder_ / "counts.json";
  test::on_virtual_ranks(3, program, 1, {.summary = file});
  std::ifstream in(file);
  const auto found = nlohmann::json::parse(in);
  EXPECT_EQ(found["ranks"], 3);
  const auto& ranks = found["per_rank"];
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks[0]["tasks_run"], 0);
  EXPECT_EQ(ranks[1]["tasks_run"], 3);
  EXPECT_EQ(ranks[1]["cache_hits"], 2);
  const auto& sent = ranks[0]["sent_to"][0];
  EXPECT_EQ(sent["rank"], 1);
  EXPECT_EQ(sent["transfers"], 1);
  EXPECT_EQ(sent["payload_bytes"], sizeof(double));
  EXPECT_EQ(sent["data_frames"], 1);
  EXPECT_EQ(sent["announced"], 0);
  EXPECT_EQ(ranks[1]["received_from"][0]["rank"], 0);
  EXPECT_EQ(ranks[1]["received_from"][0]["payload_bytes"], sizeof(double));
  EXPECT_TRUE(ranks[2]["received_from"].empty());
  EXPECT_EQ(ranks[1]["cache_misses"], 1);
  EXPECT_EQ(ranks[1]["cache_bytes_saved"], 2 * sizeof(double));
  EXPECT_EQ(ranks[1]["most_copies_bytes"], sizeof(double));
  ASSERT_EQ(ranks[1]["cache_of"].size(), 1u);
  const auto& of_first = ranks[1]["cache_of"][0];
  EXPECT_EQ(of_first["rank"], 0);
  EXPECT_EQ(of_first["hits"], 2);
  EXPECT_EQ(of_first["misses"], 1);
  EXPECT_EQ(of_first["bytes_saved"], 2 * sizeof(double));
  EXPECT_TRUE(ranks[2]["cache_of"].empty());
  EXPECT_TRUE(ranks[0]["codelets"].empty());
  ASSERT_EQ(ranks[1]["codelets"].size(), 1u);
  EXPECT_EQ(ranks[1]["codelets"][0]["name"], "add");
  EXPECT_EQ(ranks[1]["codelets"][0]["tasks"], 3);
  EXPECT_EQ(ranks[1]["codelets"][0]["timed"], 3);
  const auto& waits = ranks[1]["waits"];
  const auto for_x =
      std::ranges::find_if(waits, [](const auto& each) { return each["what"] == "`x`"; });
  ASSERT_NE(for_x, waits.end()) << waits;
  EXPECT_EQ((*for_x)["from"], 0);
  EXPECT_EQ((*for_x)["times"], 1);
  EXPECT_GT((*for_x)["total_ns"], 0);
  EXPECT_EQ((*for_x)["where"], "summary_test.cpp:" + std::to_string(line_of_read));
  EXPECT_GT(ranks[1]["process_peak_bytes"], 1 << 20);
  for (const auto& each : ranks[2]["waits"]) EXPECT_FALSE(each.contains("from")) << each;
}

/// Tasks of a millisecond on one of two ranks, the other of which needs their result.
TEST(summary_of_threads, accounts_for_the_time_of_all_threads) {
  constexpr int tasks = 20;
  constexpr deed::codelet work{"work", [](double& x) {
                                 const auto end = std::chrono::steady_clock::now() +
                                                  std::chrono::milliseconds(1);
                                 while (std::chrono::steady_clock::now() < end) x += 1;
                               }};
  std::vector<deed::statistics> seen(2);
  test::on_threads(2, [&](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
    auto y = session.register_data(deed::owner{1}, 0.0, {.name = "y"});
    for (int i = 0; i < tasks; ++i) session.insert_task(work, deed::read_write(x));
    session.insert_task(add, deed::read_write(y), deed::read(x));
    session.wait();
    seen[static_cast<std::size_t>(session.rank())] = session.statistics();
  });
  const deed::codelet_use& used = seen[0].codelets.at("work");
  EXPECT_EQ(used.tasks, tasks);
  EXPECT_EQ(used.timed, tasks);  // Each is long enough.
  EXPECT_GE(used.mean_ns(), 1e6);
  EXPECT_NEAR(used.total_ns(), used.sum_ns, 1);
  // Rank 1 has nothing else to do until `x` comes.
  const auto for_x = std::ranges::find(seen[1].waits, "`x`", &deed::wait_use::what);
  ASSERT_NE(for_x, seen[1].waits.end());
  EXPECT_EQ(for_x->from, 0);
  EXPECT_GT(for_x->total, std::chrono::nanoseconds(0));
  EXPECT_GE(seen[1].idle, for_x->total);
}

deed::runtime::known_codelet codelet_named(std::string_view name, std::uint32_t index) {
  return deed::runtime::known_codelet({.name = name, .where = deed::place::current()}, index);
}

TEST(thread_times, gives_the_mean_and_the_deviation_of_what_was_measured) {
  deed::runtime::thread_times times;
  const auto first = codelet_named("first", 0), second = codelet_named("second", 5);
  EXPECT_TRUE(times.runs(first).first);
  EXPECT_FALSE(times.runs(first).first);
  EXPECT_FALSE(times.runs(first).first);
  EXPECT_TRUE(times.runs(second).first);
  for (const int ns : {10, 14}) times.took(first, std::chrono::nanoseconds(ns));
  deed::statistics sum;
  times.add_to(sum);
  times.add_to(sum);  // As of a second thread.
  const deed::codelet_use& used = sum.codelets.at("first");
  EXPECT_EQ(used.tasks, 6u);
  EXPECT_EQ(used.timed, 4u);
  EXPECT_DOUBLE_EQ(used.mean_ns(), 12);
  EXPECT_NEAR(used.deviation_ns(), 2.309, 0.001);
  EXPECT_DOUBLE_EQ(used.total_ns(), 72);
  EXPECT_EQ(sum.codelets.at("second").tasks, 2u);
  EXPECT_EQ(sum.codelets.at("second").total_ns(), 0);
}

TEST(thread_times, expects_of_a_task_what_the_last_of_its_codelet_did) {
  deed::runtime::thread_times times;
  const auto codelet = codelet_named("codelet", 0);
  EXPECT_TRUE(times.runs(codelet).may_last) << "nobody knows";
  times.took(codelet, std::chrono::microseconds(3));
  EXPECT_FALSE(times.runs(codelet).may_last);
  times.took(codelet, std::chrono::milliseconds(3));
  EXPECT_TRUE(times.runs(codelet).may_last);
}

TEST(thread_times, calls_a_rest_a_wait_for_what_comes_next) {
  using std::chrono::nanoseconds;
  deed::runtime::thread_times times;
  const deed::place here = deed::place::current();
  times.rested(nanoseconds(30));
  times.rested(nanoseconds(12));
  times.came({.name = "a", .i = 1, .j = 2, .from = 3, .where = here});
  times.came({.name = "a", .i = 4, .j = 5, .from = 3, .where = here});  // Nobody waited.
  times.rested(nanoseconds(7));
  times.goes_on();  // There was work here.
  times.came({.name = "a", .i = 6, .j = 7, .from = 3, .where = here});
  times.rested(nanoseconds(5));
  times.came({.name = "wait() at x.cpp:1"});
  deed::statistics sum;
  times.add_to(sum);
  EXPECT_EQ(times.idle(), nanoseconds(54));
  ASSERT_EQ(sum.waits.size(), 2u);
  EXPECT_EQ(sum.waits[0].what, "`a`");
  EXPECT_EQ(sum.waits[0].times, 1u);
  EXPECT_EQ(sum.waits[0].total, nanoseconds(42));
  EXPECT_EQ(sum.waits[0].longest_for, "a(1,2)");
  EXPECT_EQ(sum.waits[1].what, "wait() at x.cpp:1");
  EXPECT_EQ(sum.waits[1].where, "");
}

TEST(thread_times, keeps_the_longest_of_many_waits) {
  deed::runtime::thread_times times;
  const auto waits_for = [&](int peer, int ns) {
    times.rested(std::chrono::nanoseconds(ns));
    times.came({.name = "a", .from = peer});
  };
  const int many = static_cast<int>(times.most_waits) + 10;
  for (int i = 0; i < many; ++i) waits_for(i, 100 + i);
  waits_for(1000, 1);  // Shorter than all that are there.
  deed::statistics sum;
  times.add_to(sum);
  ASSERT_EQ(sum.waits.size(), times.most_waits);
  EXPECT_EQ(sum.waits.front().from, 10);
  EXPECT_EQ(sum.waits.back().from, many - 1);
}

/// Two ranks of two threads, and a second of which they do not know everything.
std::vector<deed::runtime::rank_summary> two_ranks() {
  std::vector<deed::runtime::rank_summary> ranks(2);
  for (int r = 0; r < 2; ++r) {
    auto& each = ranks[static_cast<std::size_t>(r)];
    each.rank = r;
    each.run_ns = 1'000'000'000;
    each.workers = 2;
    each.is_a_process = true;
    each.peak_memory_bytes = std::uint64_t{3} << 29;
    each.counts.tasks_run = 12'000;
    each.counts.idle = std::chrono::milliseconds(300);
    each.counts.program = std::chrono::milliseconds(100);
    each.counts.cache_hits = 3;
    each.counts.cache_misses = 1;
    each.counts.cache_bytes_saved = 4096;
    each.counts.sent_to[1 - r] = {.transfers = 2, .payload_bytes = 2048};
    each.counts.received_from[1 - r] = {.transfers = 2, .payload_bytes = 2048};
    each.counts.codelets["relax"] = {
        .tasks = 12'000, .timed = 2, .sum_ns = 2e5, .sum_of_squares = 2.0002e10};
    each.counts.codelets["load"] = {.tasks = 1, .timed = 1, .sum_ns = 1e6, .sum_of_squares = 1e12};
  }
  ranks[1].counts.waits.push_back({.what = "`now`",
                                   .from = 0,
                                   .where = "heat.cpp:24",
                                   .times = 21,
                                   .total = std::chrono::milliseconds(250),
                                   .longest = std::chrono::microseconds(31'400),
                                   .longest_for = "now(4,7)"});
  return ranks;
}

TEST(summary_text, is_one_screen) {
  EXPECT_EQ(
      deed::runtime::as_text(two_ranks()),
      "deed summary: 2 ranks of 2 threads, 1.00 s, 24,000 tasks\n"
      "  rank   tasks  busy  idle  program  overhead     sent  received  cache hits    saved  "
      "peak memory\n"
      "  0     12,000  60 %  15 %      5 %      20 %  2.0 KiB   2.0 KiB        75 %  4.0 KiB  "
      "    1.5 GiB\n"
      "  1     12,000  60 %  15 %      5 %      20 %  2.0 KiB   2.0 KiB        75 %  4.0 KiB  "
      "    1.5 GiB\n"
      "  all   24,000  60 %  15 %      5 %      20 %  4.0 KiB   4.0 KiB        75 %  8.0 KiB  "
      "    3.0 GiB\n"
      "  codelet   tasks  busy     mean       sd\n"
      "  relax    24,000  60 %   100 us  1.15 us\n"
      "  load          2   0 %  1.00 ms     0 ns\n"
      "  waits for   total  times  longest  where\n"
      "  `now`      250 ms     21  31.4 ms  rank 1 from rank 0, heat.cpp:24, longest for "
      "now(4,7)\n");
  std::vector<deed::runtime::rank_summary> many(1000, two_ranks().front());
  for (int r = 0; r < 1000; ++r) many[static_cast<std::size_t>(r)].rank = r;
  for (int c = 0; c < 100; ++c) many[0].counts.codelets["c" + std::to_string(c)].tasks = 1;
  for (auto& each : many) each.counts.waits = two_ranks()[1].counts.waits;
  const std::string screen = deed::runtime::as_text(many);
  EXPECT_LE(std::ranges::count(screen, '\n'), 30) << screen;
  EXPECT_NE(screen.find("8..999"), std::string::npos) << screen;
  EXPECT_NE(screen.find("94 more"), std::string::npos) << screen;
}

TEST(summary_text, says_what_is_not_known) {
  auto ranks = two_ranks();
  for (auto& each : ranks) {
    each.is_a_process = each.program_helps = false;  // Threads of one process.
    each.counts.cache_hits = each.counts.cache_misses = 0;
    each.counts.codelets["relax"].timed = 0;
  }
  const std::string text = deed::runtime::as_text(ranks);
  EXPECT_NE(text.find("24,000 tasks, peak memory 1.5 GiB\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("peak memory", text.find('\n')), std::string::npos) << text;
  EXPECT_NE(text.find("relax    24,000     -        -     -"), std::string::npos) << text;
}

TEST(lasting, has_three_digits) {
  using deed::runtime::lasting;
  EXPECT_EQ(lasting(0), "0 ns");
  EXPECT_EQ(lasting(999), "999 ns");
  EXPECT_EQ(lasting(999.7), "1.00 us");
  EXPECT_EQ(lasting(31'415), "31.4 us");
  EXPECT_EQ(lasting(999'600), "1.00 ms");
  EXPECT_EQ(lasting(120e9), "120 s");
}

TEST_F(summary, says_what_devices_did) {
  deed::session_options options;
  options.devices.emulated.devices = 1;
  options.worker_rule = [](const deed::worker_request& task) { return task.devices[0]; };
  options.summary = folder_ / "counts.json";
  test::on_virtual_ranks(2, program, 1, options);
  std::ifstream in(options.summary);
  const auto found = nlohmann::json::parse(in);
  EXPECT_EQ(found["per_rank"][0]["tasks_on_devices"], 0);
  EXPECT_EQ(found["per_rank"][1]["tasks_on_devices"], 3);
  EXPECT_EQ(found["per_rank"][1]["bytes_to_devices"], 2 * sizeof(double));
  options.summary = "text";
  testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, program, 1, options);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("tasks on devices"), std::string::npos) << said;
  testing::internal::CaptureStderr();
  test::on_virtual_ranks(2, program, 1, {.summary = "text"});
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("devices"), std::string::npos);
}

TEST_F(summary, that_rank_0_does_not_want_is_not_made) {
  const std::string file = folder_ / "counts.json";
  deed::transport::sim_world world(2, {});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session joined({.rank = self.value,
                          .size = 2,
                          .door = &door,
                          .time = &world.time(),
                          .simulated = true,
                          .pass = [&world, self] { world.pass(self); }},
                         {.summary = self.value == 1 ? file : ""});
    program(joined);
    joined.close();
  });
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(summary, that_cannot_be_written_is_an_error_and_leaves_nothing) {
  const std::string file = folder_ / "none" / "counts.json";
  try {
    test::on_virtual_ranks(2, program, 1, {.summary = file});
    FAIL() << "nothing was thrown";
  } catch (const deed::error& thrown) {
    EXPECT_EQ(thrown.code(), deed::error_code::cannot_write);
    EXPECT_NE(std::string(thrown.what()).find(file), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
