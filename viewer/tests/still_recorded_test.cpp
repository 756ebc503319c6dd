// SPDX-License-Identifier: MIT
#include "analysis/read/still_recorded.hpp"

#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/answer.hpp"
#include "scratch_folder.hpp"
#include "small_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

namespace {

using namespace deed::viewer;

TEST(run, knows_whether_it_is_still_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  const std::string host = run(path).ranks()[0].host, pid = std::to_string(::getpid());
  const auto environment = [&] { return outline_of(path).ranks[0].environment; };
  const auto said = [&] { return render(info(outline_of(path)), style::text, {}, 10); };
  EXPECT_TRUE(run(path).is_recorded());
  EXPECT_THAT(said(), testing::HasSubstr("  still running\n"));
  EXPECT_THAT(said(), testing::Not(testing::HasSubstr("killed")));
  EXPECT_EQ(recording_process(environment()), static_cast<std::uint64_t>(::getpid()));

  replace_in_metadata(path, "hostname = \"" + host, "hostname = \"other");
  EXPECT_TRUE(run(path).is_recorded()) << "it said something just now";
  EXPECT_EQ(recording_process(environment()), std::nullopt) << "nobody here can tell";
  EXPECT_THAT(said(), testing::HasSubstr("failed, was killed, or still ran, which cannot be seen"));
  replace_in_metadata(path, "hostname = \"other", "hostname = \"" + host);

  replace_in_metadata(path, "pid = " + pid, "pid = 999999999");
  EXPECT_FALSE(run(path).is_recorded());
  EXPECT_TRUE(run(path).ranks()[0].is_cut());
  EXPECT_EQ(recording_process(environment()), std::nullopt);
  EXPECT_THAT(said(), testing::HasSubstr("  not closed: it failed or was killed\n"));
  EXPECT_THAT(said(), testing::Not(testing::HasSubstr("still r")));
  replace_in_metadata(path, "pid = 999999999", "pid = " + pid);

  to.close();
  EXPECT_FALSE(run(path).is_recorded());
  EXPECT_FALSE(run(path).ranks()[0].is_cut());
}

/// It is there until its parent asks for it, and has no command any more.
TEST(run, is_not_recorded_by_a_process_that_has_ended) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  replace_in_metadata(path, "pid = " + std::to_string(::getpid()),
                      "pid = " + std::to_string(child));
  ASSERT_EQ(::kill(child, 0), 0) << "it has its number still";
  EXPECT_EQ(recording_process(outline_of(path).ranks[0].environment), std::nullopt);
  EXPECT_TRUE(run(path).ranks()[0].is_cut());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(info, calls_no_files_damaged_where_events_found_no_packet) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  replace_in_metadata(path, "lost_from = \"00000", "lost_from = \"00001");
  replace_in_metadata(path, "unplaced = \"", "unplaced = \"12\"; was = \"");
  const run read(path);
  ASSERT_THAT(read.incomplete(),
              testing::ElementsAre(testing::HasSubstr("12 events found no packet, from ")));
  EXPECT_EQ(std::string(info(model(read)).tables.front().rows[0].back()), "closed");
}

TEST(run, of_another_machine_that_said_nothing_for_long_is_not_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 1, 1, 1);  // Its clock shows 1970.
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.flush();
  ASSERT_TRUE(run(path).is_recorded());
  replace_in_metadata(path, "hostname = \"", "hostname = \"not-");
  EXPECT_FALSE(run(path).is_recorded());
}

/// The clocks of both are set so that rank 1 spoke now, and rank 0 an hour ago.
TEST(run, of_another_machine_is_recorded_where_its_rank_said_something_lately) {
  using namespace std::chrono;
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  constexpr std::int64_t hour = nanoseconds(hours(1)).count();
  event_log log(path, 2, 1, 1);
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.add(hour, 1, event_log::first_worker, record::task_begin, {8, 0});
  log.flush();
  for (const char* rank : {"rank-000000", "rank-000001"}) {
    const std::string file = path + "/" + rank + "/metadata";
    std::string text = text_of(file);
    text.insert(text.find("hostname = \"") + 12, "not-");
    const std::string clock = "clock_kind = \"virtual";  // Whose times count from nought.
    replace_file(file, text.replace(text.find(clock), clock.size(), "clock_kind = \"tsc"));
  }
  const std::int64_t now = nanoseconds(system_clock::now().time_since_epoch()).count();
  const run read(path, {{.rank = 0, .ahead = hour - now}, {.rank = 1, .ahead = hour - now}});
  EXPECT_TRUE(read.ranks()[0].is_cut());
  EXPECT_TRUE(read.ranks()[1].recorded);
}

TEST(run, of_a_slice_of_ranks_is_not_recorded) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", part = folder.path() + "/part.deed";
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, {});
  to.open_stream(deed::trace::stream_kind::worker, 0).task_begin(1, 1);
  slice(run(path), part, {.range = {}, .ranks = {0}});
  EXPECT_TRUE(run(path).is_recorded());
  EXPECT_TRUE(run(part).ranks()[0].is_cut());
}

TEST(run, that_was_closed_while_it_was_opened_is_closed) {
  trace_layout open, closed;
  open.hertz = closed.hertz = 1'000'000'000;
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  open.environment = {{"hostname", host.data()},
                      {"pid", "999999999"},
                      {"lost_from", "7"},
                      {"unplaced", "not counted"}};
  closed.environment = open.environment;
  closed.environment["unplaced"] = "12";
  int times = 0;
  const described_rank found = describe([&] { return times++ == 0 ? open : closed; });
  EXPECT_EQ(found.layout.environment.at("unplaced"), "12");
  EXPECT_FALSE(found.may_be_recorded);
}

}  // namespace
