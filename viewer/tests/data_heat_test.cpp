// SPDX-License-Identifier: MIT
// How much happened to each datum.
#include "analysis/ask/data_heat.hpp"

#include "analysis/ask/state_at.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/query/moments.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>

#include <numeric>

namespace {

using namespace deed::viewer;
using testing::ElementsAre;
using testing::HasSubstr;

/// With data that move, come twice and come back.
class data_heat : public testing::Test {
 protected:
  static generator_options options(const std::string& path) {
    generator_options made;
    made.path = path;
    made.inject = {{"dup_flush", 3}, {"ping_pong", 2}};
    return made;
  }
  scratch_folder m_folder;
  truth m_known = generate(options(m_folder.path() + "/run.deed"));
  run m_events{m_folder.path() + "/run.deed"};
  model m_things{m_events};
};

TEST_F(data_heat, adds_up_to_what_ranks_sent_each_other) {
  std::vector<std::int64_t> bytes(4), redundant(4), messages(4);
  for (std::uint32_t h = 0; h < m_things.data().size(); ++h)
    for (std::size_t rank = 0; rank < 4; ++rank) {
      bytes[rank] += heat_of(m_things, h, heat::bytes_in).ranks[rank];
      redundant[rank] += heat_of(m_things, h, heat::redundant_bytes).ranks[rank];
      messages[rank] += heat_of(m_things, h, heat::transfers).ranks[rank];
    }
  for (int rank = 0; rank < 4; ++rank) {
    sent_messages to_rank;
    for (const auto& [pair, sent] : m_known.comm_matrix)
      if (pair.second == rank) {
        to_rank.messages += sent.messages;
        to_rank.bytes += sent.bytes;
        to_rank.redundant += sent.redundant;
      }
    const auto at = static_cast<std::size_t>(rank);
    EXPECT_EQ(messages[at], to_rank.messages) << rank;
    EXPECT_EQ(bytes[at], to_rank.bytes) << rank;
    EXPECT_EQ(redundant[at], to_rank.redundant) << rank;
  }
  const run_heat all = heat_of_data(m_things, heat::bytes_in);
  EXPECT_EQ(std::accumulate(all.data.begin(), all.data.end(), std::int64_t{0}),
            static_cast<std::int64_t>(m_known.bytes));
}

TEST_F(data_heat, counts_the_changes_of_owners_that_are_found) {
  const run_heat all = heat_of_data(m_things, heat::owner_changes);
  const auto found = moments_when(m_things, "moves");
  ASSERT_FALSE(found.empty());
  std::vector<std::int64_t> expected(all.data.size());
  for (const moment& each : found) ++expected[each.handle];
  EXPECT_EQ(all.data, expected);
  EXPECT_EQ(all.most, std::ranges::max(expected));
}

/// State by state: each lasts until the next one.
TEST_F(data_heat, has_the_time_in_which_a_rank_had_no_valid_copy) {
  std::int64_t lacked = 0;
  for (std::uint32_t h = 0; h < m_things.data().size(); ++h) {
    const datum_heat mine = heat_of(m_things, h, heat::no_copy);
    std::vector<std::int64_t> expected(4);
    auto times = times_of_change(m_things, h, true);
    times.push_back(m_events.end());
    bool had_value = false;
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const datum_state state = state_at(m_things, h, times[i]);
      for (const copy_at& each : state.copies) had_value |= each.kind >= copy_kind::shared;
      for (std::size_t rank = 0; rank < 4 && had_value && !state.ended; ++rank)
        if (state.copies[rank].kind < copy_kind::shared) expected[rank] += times[i + 1] - times[i];
    }
    EXPECT_EQ(mine.ranks, expected) << m_things.handle_name(h);
    lacked += expected[0];
  }
  EXPECT_GT(lacked, 0);
}

TEST_F(data_heat, is_of_the_part_that_was_asked_for) {
  const std::int64_t middle = m_events.end() / 2;
  for (std::size_t what = 0; what < names_of_heat.size(); ++what) {
    const auto asked = static_cast<heat>(what);
    const run_heat all = heat_of_data(m_things, asked),
                   first = heat_of_data(m_things, asked, run_part(time_range{0, middle}));
    EXPECT_LE(first.most, all.most) << names_of_heat[what];
    for (std::size_t h = 0; h < all.data.size(); ++h)
      EXPECT_LE(first.data[h], all.data[h]) << names_of_heat[what];
  }
  const run_part of_rank(m_things, {}, {1}, "");
  for (std::uint32_t h = 0; h < m_things.data().size(); ++h) {
    const datum_heat mine = heat_of(m_things, h, heat::bytes_in, of_rank);
    EXPECT_EQ(mine.all, mine.ranks[1]);
  }
}

/// Its owner writes it at home; after a migration the new owner has it when it comes.
TEST(data_without_a_copy, is_what_nobody_has) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 7);
  register_two(log);
  write_transfer(log, 0, 0, nobody, {1'000, 2'000, -1, 5'000});
  write_transfer(log, 0, 1, nobody, {6'000, 7'000, -1, 9'000});
  const opened run(folder, log);
  EXPECT_THAT(heat_of(run.things(), 0, heat::bytes_in).ranks, ElementsAre(48, 0));
  EXPECT_THAT(heat_of(run.things(), 0, heat::redundant_bytes).ranks, ElementsAre(24, 0));
  EXPECT_THAT(heat_of(run.things(), 0, heat::no_copy).ranks, ElementsAre(5'000, 0));
  EXPECT_EQ(heat_of(run.things(), 0, heat::no_copy).all, 0);
  EXPECT_EQ(heat_of(run.things(), 99, heat::transfers).all, 0) << "there is no such datum";
}

TEST_F(data_heat, is_a_table_that_begins_with_the_most) {
  const answer said = say_heat_of_data(m_things);
  ASSERT_EQ(said.tables.size(), 1u);
  const table& rows = said.tables.front();
  ASSERT_EQ(rows.rows.size(), m_things.data().size());
  EXPECT_THAT(rows.columns, ElementsAre("handle", "owner changes", "transfers", "bytes in",
                                        "redundant bytes", "no valid copy"));
  for (std::size_t i = 1; i < rows.rows.size(); ++i)
    EXPECT_GE(rows.rows[i - 1][3].number(), rows.rows[i][3].number());
}

TEST_F(data_heat, is_of_the_data_that_a_query_lets_through) {
  const std::string name = m_things.handle_name(0);
  const answer said = say_heat_of_data(m_things, run_part(m_things, {}, {}, "handle:" + name));
  ASSERT_EQ(said.tables.size(), 1u);
  ASSERT_EQ(said.tables[0].rows.size(), 1u);
  EXPECT_EQ(said.tables[0].rows[0][0], name);
}

TEST(data_heat_that_was_not_recorded, is_no_zero) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 7);
  register_two(log);
  write_transfer(log, 0, 0, 0, {1'000, 2'000, -1, 5'000});
  log.close();
  leave_out(path, "owner");
  const run events(path);
  const model things(events);
  const answer said = say_heat_of_data(things);
  EXPECT_THAT(text_of(said), HasSubstr("owner changes: not recorded"));
  ASSERT_FALSE(said.tables[0].rows.empty());
  EXPECT_EQ(said.tables[0].rows[0][1], "-");
  EXPECT_EQ(said.tables[0].rows[0][2], "1");
  EXPECT_EQ(said.tables[0].rows[0][5], "-");
}

}  // namespace
