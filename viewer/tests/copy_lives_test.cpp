// SPDX-License-Identifier: MIT
// What became of copies.
#include "analysis/ask/copy_lives.hpp"

#include "analysis/ask/state_at.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/query/moments.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::ElementsAre;

/// Two that arrive, one of them twice, and are used; a flush drops the first.
class lives_of_copies : public testing::Test {
 protected:
  void SetUp() override {
    event_log log(m_folder.path() + "/run.deed", 2, 1, 7);
    register_two(log);
    log.rank(0).codelet("work", deed::place::current());
    write_transfer(log, 0, 0, 0, {1'000, 2'000, -1, 5'000});
    write_task(log, 0, 0, 6'000, 7'000);
    write_task(log, 1, 0, 8'000, 9'000);
    log.add(10'000, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
    write_transfer(log, 0, 1, 2, {11'000, 12'000, -1, 15'000});
    log.add(10'500, 0, app, record::task_submit, {2, 0, 0, 0, 0, 1});  // Behind the drop.
    log.add(10'500, 0, app, record::task_access, {2, 0, 0, read_it, 0, 0});
    log.add(16'000, 0, app, record::task_begin, {2, 0});
    log.add(17'000, 0, app, record::task_end, {2, 0});
    log.add(20'000, 0, worker, record::state, {2, 0, 0});
    m_run = std::make_unique<opened>(m_folder, log);
  }
  const model& things() const { return m_run->things(); }
  scratch_folder m_folder;
  std::unique_ptr<opened> m_run;
};

TEST_F(lives_of_copies, begin_when_they_arrive_and_end_with_a_drop) {
  const auto lives = copy_lives(things());
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_EQ(lives[0].from, 5'000);
  EXPECT_EQ(lives[0].until, 10'000);
  EXPECT_EQ(lives[0].uses, 2u);
  EXPECT_EQ(lives[0].rank, 0);
  EXPECT_EQ(lives[1].from, 15'000);
  EXPECT_EQ(lives[1].until, m_run->events().end());
  EXPECT_EQ(lives[1].uses, 1u);
}

TEST_F(lives_of_copies, take_room_for_as_long) {
  const auto held = bytes_in_copies(things(), copy_lives(things()));
  ASSERT_EQ(held.size(), 2u);
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (const curve::point& each : held[0].points()) steps.emplace_back(each.time, each.value);
  EXPECT_THAT(steps, ElementsAre(std::pair(0, 0), std::pair(5'000, 24), std::pair(10'000, 0),
                                 std::pair(15'000, 24)));
  EXPECT_EQ(held[1].reach().most, 0) << "it owns them";
}

TEST_F(lives_of_copies, are_a_row_of_each_handle) {
  answer said;
  add_copy_lives(things(), copy_lives(things()), {}, said);
  ASSERT_EQ(said.tables.size(), 1u);
  ASSERT_EQ(said.tables[0].rows.size(), 1u);
  EXPECT_THAT(said.tables[0].rows[0],
              ElementsAre("weights", "2", "3", "1.5", testing::HasSubstr("us"), "0"));
  answer before;
  add_copy_lives(things(), copy_lives(things()), run_part(time_range{0, 1'000}), before);
  EXPECT_TRUE(before.tables.empty());
  answer others;
  add_copy_lives(things(), copy_lives(things()), run_part(things(), {}, {}, "handle:nobody"),
                 others);
  EXPECT_TRUE(others.tables.empty());
  answer of_the_owner;  // Where there is no copy.
  add_copy_lives(things(), copy_lives(things()),
                 run_part(things(), {}, {}, "handle:weights rank:1"), of_the_owner);
  EXPECT_TRUE(of_the_owner.tables.empty());
}

TEST_F(lives_of_copies, take_at_most_and_in_the_mean_what_a_row_of_each_rank_says) {
  const auto rows = [this](const run_part& part) {
    return say_bytes_in_copies(things(), copy_lives(things()), part).tables.at(0).rows;
  };
  const std::int64_t end = m_run->events().end();
  ASSERT_EQ(end, 20'000);
  EXPECT_THAT(rows({}), ElementsAre(ElementsAre("0", "24 B", "5.0 us", "12 B", "24 B"),
                                    ElementsAre("1", "0 B", "0 ns", "0 B", "0 B")));
  EXPECT_THAT(rows(time_range{8'000, 12'000})[0],
              ElementsAre("0", "24 B", "8.0 us", "12 B", "0 B"));
  const answer said = say_bytes_in_copies(things(), copy_lives(things()));
  EXPECT_THAT(said.sentences, ElementsAre("copies of other ranks' data took at most 24 B on a "
                                          "rank, on rank 0 at 5.0 us"));
  const answer of_none =
      say_bytes_in_copies(things(), copy_lives(things()), run_part(things(), {}, {1}, ""));
  EXPECT_THAT(of_none.sentences, ElementsAre("no rank had copies of other ranks' data"));
}

/// The time of virtual ranks stands still while a program inserts.
TEST(lives_of_copies_of_one_moment, are_told_apart_by_the_order_of_the_program) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 7);
  register_two(log);
  log.rank(0).codelet("work", deed::place::current());
  for (std::uint64_t step = 0; step < 3; ++step) {
    const auto came = static_cast<std::int64_t>(10'000 * (step + 1));
    write_transfer(log, 0, step, step, {500, came - 2'000, -1, came});
    write_task(log, step, 0, came + 1'000, came + 2'000);
    log.add(500, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
  }
  const opened run(folder, log);
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const copy_life& each : copy_lives(run.things())) times.emplace_back(each.from, each.until);
  EXPECT_THAT(times, ElementsAre(std::pair(10'000, 12'000), std::pair(20'000, 22'000),
                                 std::pair(30'000, 32'000)));
}

TEST(lives_of_copies_without_accesses, have_uses_that_are_not_known) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 7);
  register_two(log);
  write_transfer(log, 0, 0, 0, {1'000, 2'000, -1, 5'000});
  log.add(10'000, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
  const opened run(folder, log);
  answer said;
  add_copy_lives(run.things(), copy_lives(run.things()), {}, said);
  ASSERT_EQ(said.tables.size(), 1u);
  EXPECT_THAT(said.tables[0].rows[0],
              ElementsAre("weights", "1", "-", "-", testing::HasSubstr("us"), "-"));
}

/// The same as a state at any moment has it.
TEST(lives_of_all_copies, are_what_states_say) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"dup_flush", 3}, {"ping_pong", 1}, {"unused_prefetch", 1}};
  generate(options);
  const run events(options.path);
  const model things(events);
  const auto lives = copy_lives(things);
  ASSERT_GT(lives.size(), 20u);
  for (int step = 0; step < 40; ++step) {
    const std::int64_t when = events.end() * step / 40;
    std::size_t expected = 0;
    for (std::uint32_t h = 0; h < things.data().size(); ++h) {
      const datum_state state = state_at(things, h, when);
      for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const copy_kind kind = state.copies[rank].kind;
        expected += rank != state.owner && (kind == copy_kind::shared || kind == copy_kind::stale);
      }
    }
    const auto there = [&](const copy_life& each) {
      return each.from <= when && when < each.until;
    };
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(lives, there)), expected) << when;
  }
}

TEST(times_of_misses, are_by_their_kind) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 7);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  for (const std::uint64_t result : {0u, 1u, 2u, 1u, 3u, 4u})
    log.add(static_cast<std::int64_t>(1'000 * (result + 1)), 0, app, record::cache_lookup,
            {0, 0, 0, result, 0});
  const opened run(folder, log);
  EXPECT_THAT(misses(run.things()), ElementsAre(ElementsAre(2'000, 2'000), ElementsAre(3'000),
                                                ElementsAre(4'000), ElementsAre(5'000)));
}

TEST(times_of_misses, are_counted_in_parts_of_the_time) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 7);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  for (const std::int64_t time : {0, 1'100, 1'900, 20'000})
    log.add(time, 0, app, record::cache_lookup, {0, 0, 0, 1, 0});
  log.add(1'500, 0, app, record::cache_lookup, {0, 0, 0, 0, 0});
  const opened run(folder, log);
  const answer said = say_misses(run.things());
  EXPECT_THAT(said.sentences, ElementsAre("4 uses of data of other ranks found no copy"));
  const auto& rows = said.tables.at(0).rows;
  ASSERT_EQ(rows.size(), 20u);
  EXPECT_THAT(rows[0], ElementsAre("0 ns", "1.0 us", "1", "0", "0", "0"));
  EXPECT_THAT(rows[1], ElementsAre("1.0 us", "2.0 us", "2", "0", "0", "0"));
  EXPECT_THAT(rows[19], ElementsAre("19.0 us", "20.0 us", "1", "0", "0", "0"));
  const answer of_few = say_misses(run.things(), time_range{1'100, 1'103});
  EXPECT_EQ(of_few.tables.at(0).rows.size(), 3u);
  EXPECT_TRUE(say_misses(run.things(), time_range{3'000, 9'000}).tables.empty());
}

}  // namespace
