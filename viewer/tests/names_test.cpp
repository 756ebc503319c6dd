// SPDX-License-Identifier: MIT
// Whether tasks, data and transfers are called the same everywhere, in runs written by hand.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t reduce_it = 3;

/// A task of a rank, with one access.
struct small_task {
  int rank;
  std::uint64_t number, codelet, handle, mode, ver_in, ver_out;
  std::int64_t begin, end;
};

void write(event_log& log, const small_task& t) {
  const auto rank = static_cast<std::uint64_t>(t.rank);
  log.add(500, t.rank, app, record::task_submit, {t.number, t.codelet, rank, 0, 0, 1, 0});
  log.add(500, t.rank, app, record::task_access,
          {t.number, 0, t.handle, t.mode, t.ver_in, t.ver_out});
  log.add(t.begin, t.rank, app, record::task_begin, {t.number, t.codelet});
  log.add(t.end, t.rank, app, record::task_end, {t.number, 0});
}

TEST(diff, knows_tasks_again_that_write_nothing) {
  const scratch_folder folder, folder_of_slow;
  const auto written = [](const scratch_folder& into, std::int64_t takes) {
    event_log log(into.path() + "/run.deed", 2, 0, 1);
    register_two(log);
    write(log, {0, 1, 0, 0, reduce_it, 0, 0, 1'000, 1'000 + takes});
    write(log, {0, 2, 0, 0, reduce_it, 0, 0, 20'000, 20'000 + takes});
    write(log, {1, 3, 0, 1, read_it, 0, 0, 1'000, 1'000 + takes});
    return opened(into, log);
  };
  const opened fast = written(folder, 2'000), slow = written(folder_of_slow, 3'000);
  const answer said = diff(fast.things(), slow.things());
  EXPECT_THAT(text_of(said), HasSubstr("3 tasks in both runs, 0 in the first only"));
  EXPECT_FALSE(said.findings) << text_of(said);
  const same_tasks same(fast.things(), slow.things());
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(same.in_b(i), i);
}

TEST(diff, says_how_much_longer_tasks_take) {
  const scratch_folder folder, folder_of_slow;
  const auto written = [](const scratch_folder& into, std::int64_t takes) {
    event_log log(into.path() + "/run.deed", 2, 0, 1);
    register_two(log);
    write(log, {0, 1, 0, 0, write_it, 0, 1, 1'000, 1'000 + takes});
    return opened(into, log);
  };
  const opened fast = written(folder, 2'000), slow = written(folder_of_slow, 3'020);
  EXPECT_THAT(text_of(diff(fast.things(), slow.things())), HasSubstr("  +51 %"));
  EXPECT_THAT(text_of(diff(slow.things(), fast.things())), HasSubstr("  -34 %"));
  EXPECT_THAT(text_of(diff(fast.things(), fast.things())), HasSubstr("  0 %"));
}

/// Which of two clocks is ahead differs from run to run.
TEST(message, has_the_name_of_its_sender_whoever_spoke_first) {
  constexpr std::uint64_t user = 4, tag = 7;
  for (const std::int64_t asked : {1'000, 3'000}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    register_two(log);
    log.add(2'000, 1, app, record::xfer_post, {send, 0, 5, 0, 0, 24, tag, user, nobody});
    log.add(asked, 0, app, record::xfer_post, {receive, 1, 6, 1, 0, 24, tag, user, nobody});
    log.add(4'000, 1, net, record::xfer_start, {0, 5, 0, 0, send, tag});
    log.add(9'000, 0, app, record::xfer_done, {1, 6, 1, 0, receive, tag});
    const opened run(folder, log);
    ASSERT_EQ(run.things().transfers().size(), 1u);
    const transfer& x = run.things().transfers()[0];
    EXPECT_EQ(x.handle, 0u);
    EXPECT_EQ(x.version, 5u);
    EXPECT_EQ(x.start, 4'000);
    EXPECT_EQ(x.done_receive, 9'000);
  }
}

}  // namespace
