// SPDX-License-Identifier: MIT
// Recordings of programs that leave out tasks by guards of their own, without `session.relevant`.
#include <deed/base/random.hpp>
#include <deed/runtime/session.hpp>
#include <deed/transport/sim.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/replay/ledger_replay.hpp"
#include "change_record.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

constexpr deed::codelet add{"add", [](std::uint64_t& sum, const std::uint64_t& x) { sum += x; }};
constexpr deed::codelet grow{"grow", [](std::uint64_t& x) { x = 3 * x + 1; }};

/// Ranks that own nothing, run nothing and hold no copy of what is written leave a task out.
void program(deed::session& session, std::uint64_t seed) {
  constexpr std::size_t n = 6;
  const int size = session.size();
  std::vector<deed::handle<std::uint64_t>> data;
  for (std::size_t i = 0; i < n; ++i) {
    data.push_back(session.register_data(deed::owner{static_cast<int>(i) % size}, std::uint64_t{1},
                                         {.name = "d"}));
  }
  std::array<std::set<int>, n> holders;
  deed::random_source random(seed);
  for (int task = 0; task < 60; ++task) {
    const std::size_t to = random.below(n), from = random.below(n);
    const int by = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
    const bool reads = to != from;
    std::set<int> needed = holders[to];
    needed.insert({by, data[to].owner().value});
    if (reads) needed.insert(data[from].owner().value);
    holders[to] = {by};
    if (reads) holders[from].insert(by);
    if (task == 30) session.wait();
    if (!needed.contains(session.rank())) continue;
    if (reads) {
      session.insert_task(add, deed::read_write(data[to]), deed::read(data[from]),
                          deed::on(deed::rank{by}));
    } else {
      session.insert_task(grow, deed::read_write(data[to]), deed::on(deed::rank{by}));
    }
  }
  session.wait();
}

/// Two groups call `gather`, one of them twice as often: no rank makes all changes.
void uneven_groups(deed::session& session, std::uint64_t /*seed*/) {
  const int rank = session.rank(), half = session.size() / 2, first = rank < half ? 0 : half;
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  std::vector<deed::handle<std::vector<double>>> all;
  for (const int owner : {0, half})
    all.push_back(session.register_data(deed::owner{owner}, std::vector<double>(2)));
  const deed::group group = session.group({deed::rank{first}, deed::rank{first + 1}});
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < (first == 0 ? 2 : 1); ++k)
      session.gather(deed::read(mine), deed::write(all[first == 0 ? 0 : 1]), deed::to{0},
                     deed::within(group));
    session.wait();
  }
}

std::string recorded(const scratch_folder& folder, std::uint64_t seed,
                     void (*of)(deed::session&, std::uint64_t) = program) {
  deed::session_options options;
  options.trace.path = folder.path() + "/run.deed";
  deed::transport::sim_world world(4, {.seed = seed});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session session({.rank = self.value,
                           .size = 4,
                           .door = &door,
                           .time = &world.time(),
                           .simulated = true,
                           .seed = seed,
                           .pass = [&world, self] { world.pass(self); }},
                          options);
    of(session, seed);
  });
  return options.trace.path;
}

std::string text_of(const answer& said) {
  std::string all;
  for (const std::string& each : said.sentences) all += each + "\n";
  for (const table& each : said.tables) {
    for (const auto& row : each.rows)
      for (const std::string& cell : row) all += cell + "|";
  }
  return all;
}

TEST(guards_of_the_program, break_no_rule) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const scratch_folder folder;
    const run events(recorded(folder, seed));
    const model things(events);
    EXPECT_TRUE(guarded(events, group_writes(things))) << "seed " << seed;
    const answer said = say_check(things, "");
    EXPECT_FALSE(said.findings) << "seed " << seed << "\n" << text_of(said);
    EXPECT_THAT(text_of(said), HasSubstr("by guards of the program"));
    EXPECT_THAT(text_of(said), HasSubstr("ledger_mismatch"));
    EXPECT_THAT(text_of(said), HasSubstr("not decided"));
  }
}

TEST(ledgers, of_which_no_digest_could_be_compared_are_not_proved) {
  const scratch_folder folder;
  const run events(recorded(folder, 1, uneven_groups));
  const model things(events);
  ASSERT_EQ(ledger_replay(things).digests_compared(), 0u);
  const std::string said = text_of(say_check(things, ""));
  EXPECT_THAT(said, HasSubstr("and compared with none of "));
  EXPECT_THAT(said, HasSubstr("change by change|nothing found: no digest was compared|"));
  EXPECT_THAT(said, HasSubstr("every epoch|proved, among members where groups write|"));
}

TEST(guards_of_the_program, leave_a_read_of_an_older_version_to_be_found) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const scratch_folder folder;
    const std::string path = recorded(folder, seed);
    bool changed = false;
    {
      // Of two reads of one version on one rank, the first gets the next number.
      const run events(path);
      std::set<std::array<std::uint64_t, 3>> later;
      for (auto at = events.events().rbegin(); at != events.events().rend() && !changed; ++at) {
        if (at->what != record::task_access || events.get(*at, field::mode) != 0) continue;
        const bool first =
            !later
                 .insert({static_cast<std::uint64_t>(events.rank_of(*at)),
                          events.get(*at, field::handle), events.get(*at, field::ver_in)})
                 .second;
        changed = first && change_record(path, events, *at, field::ver_in);
      }
    }
    if (!changed) continue;
    ++found;
    const run damaged(path);
    const model things(damaged);
    EXPECT_THAT(text_of(say_check(things, "")), HasSubstr("an earlier task there saw"));
  }
  EXPECT_GT(found, 3) << "nothing to change";
}

}  // namespace
