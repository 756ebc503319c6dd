// SPDX-License-Identifier: MIT
// Whether tasks, data and transfers are called the same everywhere, in runs written by hand.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/sentence.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// Rank 0 has run two tasks of its own, rank 1 none. Then rank 1 reads what rank 0 writes and owns,
/// and each counts otherwise: the writer is 2 on rank 0 and 0 on rank 1, the reader 3 and 1.
class two_counts : public testing::Test {
 protected:
  two_counts() {
    log.rank(0).handle_registered({.handle = 0, .name = "m", .bytes = 24, .home_rank = 0});
    log.rank(1).handle_registered({.handle = 1, .name = "r", .bytes = 24, .home_rank = 1});
    for (const int rank : {0, 1}) {
      fill = log.rank(rank).codelet("fill", deed::place::current());
      look = log.rank(rank).codelet("look", deed::place::current());
    }
    write(log, {0, 0, fill, nothing, read_it, 0, 0, 1'000, 2'000});
    write(log, {0, 1, look, nothing, read_it, 0, 0, 2'000, 3'000});
    write(log, {0, 2, fill, 0, write_it, 0, 1, 3'000, 4'000});
    write(log, {1, 1, look, 0, read_it, 1, 0, 8'000, 9'000});
    log.add(500, 0, app, record::task_submit, {3, look, 1, 0, 0, 1, 0});
    log.add(600, 0, app, record::xfer_post, {send, 0, 1, 1, 0, 24, 0, 0, 3});
    log.add(600, 1, app, record::xfer_post, {receive, 0, 1, 0, 0, 24, 0, 0, 1});
    log.add(700, 1, app, record::cache_drop, {0, 0, 0, 0, 0});
    log.add(4'500, 0, net, record::xfer_start, {0, 1, 1, 0, send, 0});
    log.add(7'000, 1, app, record::xfer_done, {0, 1, 0, 0, receive, 0});
  }
  static constexpr std::uint64_t nothing = ~std::uint32_t{0};
  const scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 2, 0, 1};
  std::uint64_t fill = 0, look = 0;
};

TEST_F(two_counts, name_the_rank_where_a_number_is_of_several) {
  const opened run(folder, log);
  const model& m = run.things();
  EXPECT_FALSE(m.ranks_count_alike());
  EXPECT_EQ(m.task_name(1, 1), "look#1 on rank 1");
  EXPECT_EQ(m.task_name(0, 1), "look#1 on rank 0");
  EXPECT_EQ(m.task_name(0, 2), "fill#2") << "no other rank has a task 2";
  EXPECT_EQ(m.task_name(1, 2), "task 2") << "rank 1 has none";
  EXPECT_EQ(m.tasks_called("look#1").size(), 2u);
  EXPECT_EQ(m.tasks_called("look#1 on rank 1").size(), 1u);
  EXPECT_EQ(m.tasks_called("look#11").size(), 0u);
  EXPECT_EQ(find(m, "task:look#1 record:task_begin").size(), 2u);
  EXPECT_EQ(find(m, "task:look#1 record:task_begin rank:1").size(), 1u);
  EXPECT_THAT(text_of(describe_task(m, m.find_task(1, 1))), HasSubstr("look#1 ran on rank 1"));
}

TEST_F(two_counts, mean_nothing_on_another_rank) {
  const opened run(folder, log);
  const model& m = run.things();
  const auto said = [&](const std::string& query) {
    const auto found = find(m, query);
    return found.size() == 1 ? say_event(m, run.events().events()[found[0]]) : std::string{};
  };
  EXPECT_THAT(said("record:xfer_post rank:0"), HasSubstr("for look#1 on rank 1"));
  EXPECT_THAT(said("record:xfer_post rank:1"), HasSubstr("for look#1 on rank 1"));
  EXPECT_THAT(said("record:cache_drop"), HasSubstr("a write by fill#2"));
  EXPECT_THAT(said("record:task_submit by rank:0 count"),
              HasSubstr("look#3 by the count of rank 0"));
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
