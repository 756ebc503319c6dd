// SPDX-License-Identifier: MIT
// What the log prints of which rank.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr deed::codelet scale{"scale", [](double& x) { x *= 2; }};

/// One task on rank 1, with a value of rank 0, and a line of each level from each rank.
std::string log_of(deed::log_options wanted) {
  deed::session_options options;
  options.log = wanted;
  testing::internal::CaptureStderr();
  const auto all = test::world{}.run(
      2,
      [](deed::session& session) {
        auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
        session.insert_task(scale, deed::read_write(a), deed::on(deed::rank{1}));
        session.log(deed::log_level::error, "own error");
        session.log(deed::log_level::warning, "own warning");
        session.log(deed::log_level::info, "own info");
        session.log(deed::log_level::debug, "own debug");
        session.wait();
      },
      options);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
  return said;
}

TEST(log, prints_infos_of_rank_0_and_warnings_of_all) {
  const std::string said = log_of({});
  for (const char* const rank : {"0", "1"}) {
    EXPECT_THAT(said, ContainsRegex(std::string("\\[deed ..:..:.. rank ") + rank +
                                    "\\] error: own error\n"));
    EXPECT_THAT(said, HasSubstr(std::string(" rank ") + rank + "] warning: own warning\n"));
  }
  EXPECT_THAT(said, AllOf(HasSubstr(" rank 0] own info\n"), Not(HasSubstr("rank 1] own info")),
                          Not(HasSubstr("debug"))));
}

TEST(log, tells_each_task_and_transfer_of_all_ranks_if_asked) {
  const std::string said = log_of({.level = deed::log_level::debug, .all_ranks = true});
  EXPECT_THAT(said, ContainsRegex(
                        "rank 0\\] sends a to rank 1: 8 B, for the call at log_test.cpp:[0-9]+\n"));
  EXPECT_THAT(said, ContainsRegex("rank 1\\] has received a from rank 0: 8 B, "));
  EXPECT_THAT(said, ContainsRegex("rank 1\\] runs `scale` on a; task 0, log_test.cpp:[0-9]+\n"));
  EXPECT_THAT(said, ContainsRegex("rank 0\\] has received a from rank 1"));
  EXPECT_THAT(said, AllOf(HasSubstr("rank 1] own info"), HasSubstr("rank 1] own debug")));
}

TEST(log, is_silent_if_asked) {
  EXPECT_EQ(log_of({.level = deed::log_level::none}), "");
  EXPECT_THAT(log_of({.level = deed::log_level::error}), Not(HasSubstr("warning")));
}

}  // namespace
