// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/ask/unused_copies.hpp"
#include "analysis/ask/what_if.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

struct generated {
  explicit generated(generator_options options) {
    options.path = folder.path() + "/run.deed";
    known = generate(options);
    events = std::make_unique<run>(options.path);
    things = std::make_unique<model>(*events);
  }
  scratch_folder folder;
  truth known;
  std::unique_ptr<run> events;
  std::unique_ptr<model> things;
};

generator_options with(std::map<std::string, int> faults, std::uint64_t seed,
                       made_app app = made_app::cholesky) {
  generator_options options;
  options.app = app;
  options.tiles = app == made_app::ring ? 36 : 8;
  options.seed = seed;
  options.events = 3'000;
  options.inject = std::move(faults);
  return options;
}

using place_of_fault = std::tuple<std::string, std::uint32_t, std::uint32_t, int>;

TEST(generate, makes_a_run_in_which_nothing_is_wrong) {
  const generated run(with({}, 3));
  EXPECT_THAT(run.events->incomplete(), testing::IsEmpty());
  EXPECT_THAT(check(*run.things), testing::IsEmpty());
  EXPECT_THAT(repeats(*run.things, {}), testing::IsEmpty());
  EXPECT_THAT(wait_graph(*run.things, run.events->end()), testing::IsEmpty());
  EXPECT_EQ(run.things->tasks().size(), run.known.tasks);
  EXPECT_EQ(run.things->transfers().size(), run.known.transfers);
}

TEST(generate, names_the_version_that_a_task_waited_for) {
  const generated run(with({}, 3));
  const model& m = *run.things;
  int waited = 0;
  for (std::uint32_t i = 0; i < m.tasks().size(); ++i) {
    const task& t = m.tasks()[i];
    if (t.ready_cause != static_cast<std::uint8_t>(deed::trace::ready_cause::transfer)) continue;
    ++waited;
    const auto handle = static_cast<std::uint32_t>(t.ready_by >> 32),
               version = static_cast<std::uint32_t>(t.ready_by);
    const auto& moved = m.transfers_of(handle);
    EXPECT_TRUE(std::ranges::any_of(moved, [&](std::uint32_t each) {
      const transfer& x = m.transfers()[each];
      return x.dst == t.rank && x.version == version && x.done_receive == t.ready;
    })) << m.task_name(i);
    EXPECT_THAT(render(describe_task(m, i), style::text, {}, 10),
                testing::HasSubstr("when the last of its data, " + m.handle_name(handle) + " v" +
                                   std::to_string(version) + ", had arrived"));
  }
  EXPECT_GT(waited, 20);
}

TEST(generate, says_what_a_single_rank_has_no_place_for) {
  auto options = with({{"two_owners", 1},
                       {"unheld_send", 1},
                       {"pending_read", 1},
                       {"divergent_submit", 1},
                       {"lost_recv", 1},
                       {"slow_link", 1},
                       {"deadlock", 1},
                       {"missing_rank", 1},
                       {"use_after_release", 1}},
                      3);
  options.ranks = 1;
  const generated run(options);
  EXPECT_THAT(
      run.known.not_injected,
      testing::UnorderedElementsAre("two_owners", "unheld_send", "pending_read", "divergent_submit",
                                    "lost_recv", "slow_link", "deadlock", "missing_rank"));
  const auto found = check(*run.things);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "no_use_after_unregister");
}

class every_seed : public testing::TestWithParam<std::tuple<made_app, int>> {
 protected:
  made_app app = std::get<0>(GetParam());
  std::uint64_t seed = static_cast<std::uint64_t>(std::get<1>(GetParam()));
  /// A ring has no copy that two tasks need.
  bool sends_twice = app != made_app::ring;
};

TEST_P(every_seed, finds_each_redundant_transfer_with_its_cause_and_no_other) {
  const generated run(
      with({{"dup_flush", 5}, {"dup_race", 2}, {"dup_capacity", 2}, {"ping_pong", 2}}, seed, app));
  const std::map<std::string, std::string> cause_of{{"dup_flush", "flush_call"},
                                                    {"dup_race", "race"},
                                                    {"dup_capacity", "capacity"},
                                                    {"ping_pong", "ping_pong"}};
  std::multiset<place_of_fault> wanted, found;
  for (const injected_fault& f : run.known.faults)
    wanted.insert(
        {cause_of.at(f.kind), f.handle, f.version, f.kind == "ping_pong" ? f.src : f.dst});
  for (const repeat& r : repeats(*run.things, {})) {
    const transfer& x = run.things->transfers()[r.transfer];
    found.insert({r.cause, x.handle, x.version, x.dst});
  }
  EXPECT_GE(wanted.size(), sends_twice ? 9u : 2u);
  EXPECT_EQ(found, wanted);
  EXPECT_THAT(check(*run.things), testing::IsEmpty()) << "a redundant transfer breaks no rule";
}

TEST_P(every_seed, counts_what_each_rank_sent_to_each_other) {
  const generated run(with({{"dup_flush", 3},
                            {"dup_race", 2},
                            {"ping_pong", 2},
                            {"unheld_send", 1},
                            {"lost_recv", 2},
                            {"deadlock", 1}},
                           seed, app));
  using row = std::vector<std::string>;
  std::vector<row> wanted, found;
  std::uint64_t redundant = 0;
  for (const auto& [pair, sent] : run.known.comm_matrix) {
    wanted.push_back({std::to_string(pair.first), std::to_string(pair.second),
                      say_count(sent.messages), say_bytes(sent.bytes), say_bytes(sent.redundant)});
    redundant += sent.redundant;
  }
  const answer said = comm_matrix(*run.things, {});
  for (const auto& each : said.tables[0].rows)
    if (each[2] != "0")  // Of some, a message was asked for and never sent.
      found.push_back({each[0], each[1], each[2], each[3], each[6]});
  EXPECT_EQ(found, wanted);
  const auto in_vain = std::ranges::count_if(run.known.faults, [](const injected_fault& f) {
    return f.kind.starts_with("dup_") || f.kind == "ping_pong";
  });
  EXPECT_GE(in_vain, sends_twice ? 5 : 2);
  EXPECT_EQ(redundant, static_cast<std::uint64_t>(in_vain) * 200 * 200 * 8)
      << "what was sent again, and what came back";
}

TEST_P(every_seed, finds_each_broken_rule_and_no_other) {
  const generated run(with({{"stale_read", 3},
                            {"two_owners", 2},
                            {"borrow_leak", 2},
                            {"unheld_send", 1},
                            {"use_after_release", 2},
                            {"pending_read", 2},
                            {"divergent_submit", 2},
                            {"deadlock", 1}},
                           seed, app));
  std::multiset<place_of_fault> wanted, found;
  for (const injected_fault& f : run.known.faults) {
    if (f.kind == "stale_read")
      wanted.insert({"read_sees_prescribed_version", f.handle, f.version, f.dst});
    if (f.kind == "two_owners") wanted.insert({"one_owner", f.handle, f.version, f.src});
    if (f.kind == "borrow_leak") wanted.insert({"borrow_ends", f.handle, 0, f.dst});
    if (f.kind == "unheld_send")
      wanted.insert({"sender_holds_version", f.handle, f.version, f.src});
    if (f.kind == "use_after_release")
      wanted.insert({"no_use_after_unregister", f.handle, f.version, f.dst});
    if (f.kind == "pending_read")
      wanted.insert({"no_read_of_pending_copy", f.handle, f.version, f.dst});
    if (f.kind == "divergent_submit") wanted.insert({"ledgers_agree", none, 0, f.dst});
    if (f.kind == "deadlock") wanted.insert({"no_deadlock", f.handle, 0, 0});
  }
  for (const finding& f : check(*run.things)) {
    found.insert({f.rule, f.handle, f.version, f.rank});
    EXPECT_THAT(rules(), testing::Contains(testing::Field("name", &rule::name, f.rule)));
  }
  EXPECT_GE(wanted.size(), 14u);
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(run.things->tasks().size(), run.known.tasks);
}

/// In which a tile has gone the same way before, in another version.
TEST_P(every_seed, finds_the_tasks_that_began_late_by_a_word) {
  const generated run(with({{"late_task", 3}}, seed, app));
  EXPECT_EQ(find(*run.things, "late record:task_begin").size(), 3u);
  EXPECT_EQ(find(*run.things, "-late record:task_begin").size(), run.known.tasks - 3);
}

TEST(check, finds_two_owners_where_a_datum_goes_round) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    generator_options options = with({{"two_owners", 2}}, seed, made_app::ring);
    options.tiles = 6;
    options.events = 2'500;
    const generated run(options);
    std::multiset<place_of_fault> wanted, found;
    for (const injected_fault& f : run.known.faults)
      wanted.insert({"one_owner", f.handle, f.version, f.src});
    for (const finding& f : check(*run.things)) found.insert({f.rule, f.handle, f.version, f.rank});
    EXPECT_EQ(found, wanted) << seed;
  }
}

TEST(check, finds_nothing_that_a_clock_has_done) {
  for (const made_app app : {made_app::cholesky, made_app::stencil, made_app::ring})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const generated run(with({{"skew", 1}, {"drift", 2}}, seed, app));
      const auto found = check(*run.things);
      EXPECT_TRUE(found.empty()) << seed << ": " << found.front().sentence;
    }
}

TEST(check, of_one_rule_tells_what_it_promises_alone) {
  const generated run(with({{"pending_read", 2}}, 3));
  const auto all = check(*run.things);
  EXPECT_FALSE(all.empty());
  EXPECT_EQ(check(*run.things, "no_read_of_pending_copy").size(), all.size());
  EXPECT_THAT(check(*run.things, "sender_holds_version"), testing::IsEmpty());
}

TEST_P(every_seed, shows_each_receive_without_a_send_and_no_other_wait) {
  const generated run(with({{"lost_recv", 3}}, seed, app));
  std::multiset<std::tuple<std::string, std::string, std::string>> wanted, found;
  for (const injected_fault& f : run.known.faults)
    wanted.insert({"rank " + std::to_string(f.dst), "rank " + std::to_string(f.src),
                   run.things->handle_name(f.handle) + " v" + std::to_string(f.version) +
                       ", message tag " + std::to_string(2'000 + f.handle) + ", asked for at " +
                       say_time(f.at)});
  for (const wait_edge& each : wait_graph(*run.things, run.events->end())) {
    found.insert({each.from, each.to, each.because});
    EXPECT_FALSE(each.in_cycle);
  }
  EXPECT_EQ(wanted.size(), 3u);
  EXPECT_EQ(found, wanted);
  EXPECT_THAT(check(*run.things), testing::IsEmpty()) << "nobody waits for itself";
}

TEST_P(every_seed, finds_each_task_that_began_late_and_no_other) {
  const generated run(with({{"late_task", 4}, {"dup_flush", 1}}, seed, app));
  std::multiset<std::tuple<std::uint32_t, std::uint32_t, int, std::int64_t>> wanted, found;
  for (const injected_fault& f : run.known.faults)
    if (f.kind == "late_task") wanted.insert({f.handle, f.version, f.dst, f.at});
  for (const late_task& each : late_tasks(*run.things)) {
    const task& t = run.things->tasks()[each.task];
    for (const deed::viewer::access& a : run.things->accesses(t))
      if (a.writes()) found.insert({a.handle, a.ver_out, t.rank, t.begin});
  }
  EXPECT_EQ(wanted.size(), 4u);
  EXPECT_EQ(found, wanted);
  EXPECT_THAT(check(*run.things), testing::IsEmpty()) << "slow is not wrong";
}

TEST_P(every_seed, finds_each_slow_link_and_no_other) {
  for (const int links : {0, 2}) {
    const generated run(with({{"slow_link", links}, {"dup_race", 2}}, seed, app));
    std::set<std::pair<int, int>> wanted, found;
    for (const injected_fault& f : run.known.faults)
      if (f.kind == "slow_link") wanted.insert({f.src, f.dst});
    for (const slow_link& each : slow_links(*run.things)) {
      found.insert({each.low, each.high});
      EXPECT_EQ(each.took, 8 * each.usual);
    }
    const bool all = !testing::Value(run.known.not_injected, testing::Contains("slow_link"));
    EXPECT_EQ(wanted.size() == static_cast<std::size_t>(links), all);
    EXPECT_GE(wanted.size() + 1, static_cast<std::size_t>(links)) << "a ring leaves links out";
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(comm_matrix(*run.things).sentences.size(), found.size());
    EXPECT_THAT(check(*run.things), testing::IsEmpty()) << "slow is not wrong";
  }
}

TEST_P(every_seed, says_what_is_missing_and_damaged_where_and_nothing_else) {
  const generated run(with({{"missing_rank", 1}, {"cut", 3}, {"bitflip", 3}}, seed, app));
  std::vector<std::string> wanted, lost, damaged;
  for (const injected_fault& f : run.known.faults) {
    const std::string rank = "rank " + std::to_string(f.src);
    const std::string where = rank + ", " + f.file.substr(f.file.rfind('/') + 1) + ": ";
    const std::string byte = std::to_string(f.byte);
    if (f.kind == "missing_rank")
      lost.push_back("no trace from " + rank + ": it ran, and its files are not here");
    if (f.kind == "cut")
      wanted.push_back(where + "cut off inside a packet at byte " + byte +
                       "; every whole event is read");
    if (f.kind == "bitflip")
      wanted.push_back(where + "an event of no known number at byte " + byte +
                       "; its packet ends there");
    if (!f.file.empty()) damaged.push_back(f.file);
  }
  EXPECT_EQ(wanted.size(), 6u);
  wanted.insert(wanted.end(), lost.begin(), lost.end());
  EXPECT_THAT(run.events->incomplete(), testing::UnorderedElementsAreArray(wanted));
  // What is mended is what was damaged, and no event that was read gets lost.
  const std::string path = run.events->path();
  std::vector<std::string> mended;
  for (const std::string& each : repair(path, false).done)
    mended.push_back(each.substr(0, each.find(':')));
  EXPECT_THAT(mended, testing::UnorderedElementsAreArray(damaged));
  const deed::viewer::run again(path);
  EXPECT_EQ(again.incomplete(), lost);
  EXPECT_EQ(again.events().size(), run.events->events().size());
}

TEST_P(every_seed, gives_the_time_of_each_worker_to_what_it_did) {
  const generated run(with({{"late_task", 2},
                            {"slow_link", 1},
                            {"dup_flush", 2},
                            {"use_after_release", 1},
                            {"pending_read", 1},
                            {"divergent_submit", 1}},
                           seed, app));
  std::map<std::pair<int, int>, std::map<std::string, std::int64_t>> found;
  for (const worker_time& each : shares(*run.things, {}).workers) {
    const lane& of = run.events->lanes()[each.lane];
    for (const auto& [what, time] : each.parts)
      if (time != 0 && what != "not recorded" && what != "not started yet")
        found[{of.rank, static_cast<int>(of.index)}][what] = time;
  }
  EXPECT_EQ(found, run.known.breakdown);
}

TEST_P(every_seed, knows_owners_and_versions_at_the_end_of_each_epoch) {
  const generated run(with({{"stale_read", 2}, {"two_owners", 1}, {"ping_pong", 1}}, seed, app));
  EXPECT_GE(run.known.states.size(), 2u);
  for (const known_state& each : run.known.states) {
    std::uint64_t digest = 0;
    for (std::uint32_t h = 0; h < run.things->data().size(); ++h) {
      const datum_state s = state_at(*run.things, h, each.at);
      digest = add_to_digest(digest, s.version, s.owner);
    }
    EXPECT_EQ(digest, each.digest) << "at " << each.at;
  }
}

TEST_P(every_seed, follows_the_critical_path_through_waits) {
  const generated run(
      with({{"late_task", 2}, {"slow_link", 1}, {"divergent_submit", 1}}, seed, app));
  using step = std::tuple<std::string, std::uint64_t, std::int64_t, std::int64_t>;
  std::vector<step> wanted, found;
  for (const known_step& each : run.known.critical_path)
    wanted.emplace_back(each.kind, each.task, each.begin, each.end);
  for (const path_step& each : critical_path(*run.things))
    found.emplace_back(each.kind, run.things->tasks()[each.task].number, each.begin, each.end);
  EXPECT_EQ(found, wanted);
  EXPECT_GE(std::ranges::count_if(wanted, [](const step& s) { return std::get<0>(s) == "wait"; }),
            run.known.states.size() - 1);
}

/// What a task waited for is another version than it read, or one that was on its way already.
TEST_P(every_seed, follows_the_critical_path_through_what_was_not_read) {
  for (const char* const fault : {"stale_read", "dup_race"}) {
    const generated run(with({{fault, 2}}, seed, app));
    using step = std::tuple<std::string, std::uint64_t, std::int64_t, std::int64_t>;
    std::vector<step> wanted, found;
    for (const known_step& each : run.known.critical_path)
      wanted.emplace_back(each.kind, each.task, each.begin, each.end);
    for (const path_step& each : critical_path(*run.things))
      found.emplace_back(each.kind, run.things->tasks()[each.task].number, each.begin, each.end);
    EXPECT_EQ(found, wanted) << fault;
  }
}

/// Nobody said how long the run is: it is long enough.
TEST(generate, makes_a_slow_link_that_can_be_told_without_other_options) {
  for (std::uint64_t seed = 5; seed <= 8; ++seed) {
    generator_options options;
    options.seed = seed;
    options.inject = {{"slow_link", 1}};
    const generated run(options);
    EXPECT_THAT(run.known.not_injected, testing::IsEmpty()) << seed;
    ASSERT_EQ(run.known.faults.size(), 1u) << seed;
    const auto found = slow_links(*run.things);
    ASSERT_EQ(found.size(), 1u) << seed;
    EXPECT_EQ(found[0].low, run.known.faults[0].src);
    EXPECT_EQ(found[0].high, run.known.faults[0].dst);
  }
}

/// One that is slow and carries too few messages would be a fault that nobody can find.
TEST(generate, makes_no_link_slow_that_it_does_not_tell) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    generator_options options;
    options.seed = seed;
    options.events = 500 * seed;
    options.inject = {{"slow_link", 1}};
    const generated run(options);
    const bool told = std::ranges::any_of(
        run.known.faults, [](const injected_fault& f) { return f.kind == "slow_link"; });
    EXPECT_EQ(slow_links(*run.things).size(), told ? 1u : 0u) << seed;
    std::int64_t slowest = 0;
    for (const transfer& x : run.things->transfers())
      slowest = std::max(slowest, x.done_receive - x.start);
    constexpr std::int64_t usual = 34'000;
    EXPECT_EQ(slowest, told ? 8 * usual : usual) << seed;
  }
}

TEST_P(every_seed, finds_each_clock_that_is_ahead_and_no_other) {
  for (const int skewed : {1, 2}) {
    const generated run(with({{"skew", skewed}}, seed, app));
    std::map<int, std::int64_t> wanted;
    for (const injected_fault& f : run.known.faults) wanted[f.src] = f.at;
    EXPECT_EQ(wanted.size(), static_cast<std::size_t>(skewed));
    const clock_fit fit = fit_clocks(*run.things, clock_correction::messages);
    ASSERT_EQ(fit.shifts.size(), 4u);
    for (int rank = 0; rank < 4; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      ASSERT_NE(fit.errors[at], never);
      EXPECT_LE(std::abs(fit.shifts[at].ahead - wanted[rank]), fit.errors[at]) << "rank " << rank;
      EXPECT_LT(fit.errors[at], 250'000) << "less than half of what is injected";
    }
  }
}

TEST_P(every_seed, takes_from_each_clock_what_ranks_measured) {
  auto options = with({{"skew", 1}, {"drift", 1}}, seed, app);
  options.events = 50'000;
  const generated run(options);
  const clock_fit fit = fit_clocks(*run.things, clock_correction::sync);
  for (const injected_fault& f : run.known.faults)
    if (f.kind == "skew") {
      const auto at = static_cast<std::size_t>(f.src);
      ASSERT_LT(fit.errors[at], 5'000) << "two trips of up to 3 us and a rounding";
      EXPECT_LE(std::abs(fit.shifts[at].ahead - f.at), fit.errors[at]);
    }
  EXPECT_LE(std::abs(fit.shifts[0].ahead), 0);
  const deed::viewer::run right(run.events->path(), fit.shifts);
  const model aligned(right);
  EXPECT_EQ(fit_clocks(aligned, clock_correction::sync).all_early(), 0u);
  const clock_fit rest = fit_clocks(aligned, clock_correction::sync);
  for (std::size_t rank = 0; rank < rest.shifts.size(); ++rank)
    EXPECT_LE(std::abs(rest.shifts[rank].ahead), 2 * rest.errors[rank]) << "rank " << rank;
}

TEST_P(every_seed, finds_each_clock_that_drifts_and_no_other) {
  auto options = with({{"drift", 1}, {"skew", 1}}, seed, app);
  options.ranks = 3;
  options.workers = 1;
  options.events = 150'000;
  const generated run(options);
  std::map<int, std::int64_t> wanted;
  for (const injected_fault& f : run.known.faults)
    if (f.kind == "drift") wanted[f.src] = f.at;
  EXPECT_EQ(wanted.size(), 1u);
  const clock_fit fit = fit_clocks(*run.things, clock_correction::messages);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_NEAR(fit.shifts[static_cast<std::size_t>(rank)].rate * 1e9,
                static_cast<double>(wanted[rank]), 5'000)
        << "rank " << rank;
  // Taken away again, no clock is wrong.
  const deed::viewer::run right(run.events->path(), fit.shifts);
  const clock_fit rest = fit_clocks(model(right), clock_correction::messages);
  for (int rank = 0; rank < 3; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    EXPECT_EQ(rest.shifts[at].rate, 0) << "rank " << rank;
    EXPECT_LE(std::abs(rest.shifts[at].ahead), rest.errors[at]) << "rank " << rank;
  }
}

TEST_P(every_seed, finds_each_copy_that_nobody_used_and_no_other) {
  const generated run(
      with({{"unused_prefetch", 3}, {"dup_flush", 1}, {"ping_pong", 1}}, seed, app));
  std::multiset<place_of_fault> wanted, found;
  for (const injected_fault& f : run.known.faults)
    if (f.kind == "unused_prefetch") wanted.insert({f.kind, f.handle, f.version, f.dst});
  for (const std::uint32_t index : unused_copies(*run.things)) {
    const transfer& x = run.things->transfers()[index];
    found.insert({"unused_prefetch", x.handle, x.version, x.dst});
  }
  EXPECT_EQ(wanted.size(), 3u);
  EXPECT_EQ(found, wanted);
  EXPECT_THAT(render(cache(*run.things), style::text, {}, 100),
              HasSubstr("3 transfers came for nothing, 960"));
  EXPECT_THAT(check(*run.things), testing::IsEmpty()) << "in vain is not wrong";
}

TEST(unused_copies, are_not_told_where_events_are_missing) {
  const generated run(with({{"unused_prefetch", 4}, {"drop", 8}}, 5));
  std::set<int> lost;
  for (const rank_info& each : run.events->ranks())
    if (each.discarded != 0) lost.insert(each.rank);
  ASSERT_THAT(lost, testing::SizeIs(testing::AllOf(testing::Gt(0u), testing::Lt(5u))));
  for (const std::uint32_t index : unused_copies(*run.things))
    EXPECT_FALSE(lost.contains(run.things->transfers()[index].dst));
  EXPECT_THAT(render(cache(*run.things), style::text, {}, 100),
              HasSubstr("which copies were used is not known of rank"));
}

TEST_P(every_seed, counts_what_each_rank_lost_and_reads_the_rest) {
  const generated whole(with({}, seed, app));
  const generated run(with({{"drop", 2}}, seed, app));
  std::map<int, std::uint64_t> wanted, found;
  std::uint64_t lost = 0;
  for (const injected_fault& f : run.known.faults) {
    EXPECT_GT(f.at, 0);
    wanted[f.src] += static_cast<std::uint64_t>(f.at);
    lost += static_cast<std::uint64_t>(f.at);
  }
  for (const rank_info& each : run.events->ranks())
    if (each.discarded != 0) found[each.rank] = each.discarded;
  EXPECT_EQ(run.known.faults.size(), 2u);
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(run.events->events().size() + lost, whole.events->events().size());
  std::vector<std::string> said;
  for (const auto& [rank, count] : wanted)
    said.push_back("rank " + std::to_string(rank) + ": " + std::to_string(count) +
                   " events found no packet");
  EXPECT_THAT(run.events->incomplete(), testing::UnorderedElementsAreArray(said));
}

INSTANTIATE_TEST_SUITE_P(cholesky, every_seed,
                         testing::Combine(testing::Values(made_app::cholesky),
                                          testing::Range(1, 9)));
INSTANTIATE_TEST_SUITE_P(stencil, every_seed,
                         testing::Combine(testing::Values(made_app::stencil),
                                          testing::Range(1, 4)));
INSTANTIATE_TEST_SUITE_P(ring, every_seed,
                         testing::Combine(testing::Values(made_app::ring), testing::Range(1, 4)));

TEST(generate, says_that_a_ring_sends_nothing_twice) {
  const generated run(
      with({{"dup_flush", 1}, {"dup_race", 1}, {"dup_capacity", 1}}, 3, made_app::ring));
  EXPECT_THAT(run.known.not_injected,
              testing::UnorderedElementsAre("dup_flush", "dup_race", "dup_capacity"));
  EXPECT_THAT(repeats(*run.things, {}), testing::IsEmpty());
  EXPECT_EQ(run.things->handle_name(7), "token[7]");
}

TEST(who_owned, counts_what_is_on_its_way_more_than_once) {
  const generated run(with({{"dup_race", 12}}, 5));
  int met = 0;
  for (const transfer& again : run.things->transfers()) {
    if (!again.redundant) continue;
    for (const transfer& x : run.things->transfers()) {
      if (x.handle != again.handle || x.version != again.version || x.src != again.src ||
          x.dst != again.dst || x.seq + 1 != again.seq || x.done_receive <= again.start + 1)
        continue;
      ++met;
      const std::string move = "v" + std::to_string(x.version) + " from " + std::to_string(x.src) +
                               " to " + std::to_string(x.dst) + ", 2 times";
      EXPECT_THAT(render(who_owned(*run.things, x.handle, again.start + 1), style::text, {}, 100),
                  HasSubstr(move));
    }
  }
  EXPECT_GT(met, 0);
}

TEST(why_twice, says_who_dropped_the_version_where_and_who_needed_it_again) {
  const generated run(with({{"dup_flush", 1}}, 5));
  ASSERT_EQ(run.known.faults.size(), 1u);
  const std::string text =
      render(why_twice(*run.things, run.known.faults[0].handle), style::text, {}, 100);
  EXPECT_THAT(text, HasSubstr("dropped v"));
  EXPECT_THAT(text, HasSubstr(": a flush call at generate.cpp:"));
  EXPECT_THAT(text, HasSubstr("again, so it was sent at"));
}

TEST(why_twice, says_who_moved_a_datum_away_that_came_back_unwritten) {
  const generated run(with({{"ping_pong", 1}}, 5));
  ASSERT_EQ(run.known.faults.size(), 1u);
  const injected_fault& f = run.known.faults[0];
  const std::string text = render(why_twice(*run.things, f.handle), style::text, {}, 100);
  EXPECT_THAT(text, HasSubstr("rank " + std::to_string(f.src) + " gave "));
  EXPECT_THAT(text, HasSubstr("migration at generate.cpp:128. Nobody wrote it, and it came back"));
  EXPECT_THAT(redundant(*run.things, loss_by::cause).tables[0].rows[0][0], "ping_pong");
}

TEST(ping_pong, is_flagged_and_said_of_both_ways) {
  const generated run(with({{"ping_pong", 1}}, 5));
  ASSERT_EQ(run.known.faults.size(), 1u);
  const injected_fault& f = run.known.faults[0];
  const auto said = [&](std::uint32_t transfer) {
    return render(describe_transfer(*run.things, transfer), style::text, {}, 100);
  };
  std::uint32_t back = none, away = none;
  for (std::uint32_t i = 0; i < run.things->transfers().size(); ++i) {
    const transfer& x = run.things->transfers()[i];
    const bool of_fault = x.handle == f.handle && x.version == f.version;
    if (x.came_back) {
      EXPECT_TRUE(of_fault && x.src == f.dst && x.dst == f.src && back == none);
      back = i;
    }
    if (of_fault && x.src == f.src && x.dst == f.dst) away = i;
  }
  ASSERT_NE(back, none);
  ASSERT_NE(away, none);
  EXPECT_THAT(said(back), HasSubstr("It brought back what was sent in vain: rank "));
  EXPECT_THAT(said(away), HasSubstr("It went in vain: rank "));
  EXPECT_THAT(render(info(*run.things), style::text, {}, 10), HasSubstr(" 1 redundant"));
  std::set<std::uint32_t> flagged;
  for (const timeline_lane& lane : make_lanes(*run.things))
    for (const track& each : lane.tracks)
      for (const track_span& span : each.spans())
        if (span.flags & flag_redundant) flagged.insert(span.ref);
  EXPECT_EQ(flagged, std::set<std::uint32_t>{back});
}

TEST(waits, shows_the_circle_of_a_deadlock) {
  const generated run(with({{"deadlock", 1}}, 5));
  const auto edges = wait_graph(*run.things, run.events->end());
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_TRUE(edges[0].in_cycle && edges[1].in_cycle);
  EXPECT_EQ(edges[0].from, edges[1].to);
}

TEST(state_at, has_one_owner_and_the_version_of_the_last_finished_writer) {
  const generated run(with({}, 9));
  const model& m = *run.things;
  for (const std::int64_t part : {0, 1, 2, 3, 4, 5}) {
    const std::int64_t when = run.events->end() * part / 5;
    for (std::uint32_t h = 0; h < m.data().size(); ++h) {
      const datum_state s = state_at(m, h, when);
      std::uint32_t version = 0;
      for (const deed::viewer::access& a : m.all_accesses()) {
        const task& t = m.tasks()[a.task];
        if (a.handle == h && a.writes() && t.end != never && t.end <= when)
          version = std::max(version, a.ver_out);
      }
      EXPECT_EQ(s.version, version);
      const auto owners = std::count_if(s.copies.begin(), s.copies.end(), [](const copy_at& c) {
        return c.kind == copy_kind::owner;
      });
      EXPECT_LE(owners, 1);
    }
  }
}

TEST(breakdown, adds_up_to_wall_time_times_workers) {
  const generated run(with({}, 4));
  const answer said = breakdown(*run.things, {});
  ASSERT_EQ(said.tables.size(), 3u) << "the last is of programs at work";
  double sum = 0;
  for (const auto& row : said.tables[0].rows) sum += std::stod(row[2]);
  EXPECT_NEAR(sum, 100.0, 0.3);
}

TEST(critical_path, is_a_chain_without_gaps_from_start_to_end) {
  const generated run(with({}, 4));
  const auto path = critical_path(*run.things);
  ASSERT_FALSE(path.empty());
  std::int64_t last_end = 0;
  for (const task& t : run.things->tasks()) last_end = std::max(last_end, t.end);
  EXPECT_EQ(path.back().end, last_end);
  for (std::size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end) << i;
}

TEST(what_if, bounds_the_run_and_scales_with_what_is_changed) {
  const generated run(with({}, 3));
  const model& m = *run.things;
  std::int64_t last = 0;
  changes all{{}, 0.5, 2, false};
  for (const task& t : m.tasks()) last = std::max(last, t.end);
  for (const codelet& each : m.codelets()) all.codelets[each.name] = 2;
  const std::int64_t bound = shortest_time(m, {});
  EXPECT_LE(bound, last) << "the run did it in that time";
  EXPECT_GT(bound, last / 4);
  EXPECT_NEAR(static_cast<double>(shortest_time(m, all)), 2.0 * static_cast<double>(bound),
              static_cast<double>(m.tasks().size()))
      << "all that takes time takes twice as long";
  EXPECT_LT(shortest_time(m, {{{"gemm", 0.5}}, 1, 1, false}), bound);
  EXPECT_GT(shortest_time(m, {{{"gemm", 2}}, 1, 1, false}), bound);
  EXPECT_LE(shortest_time(m, {{}, 1, 1, true}), bound);
  EXPECT_LE(shortest_time(m, {{}, 4, 0.5, false}), bound);
}

TEST(redundant, adds_up_the_injected_faults_by_cause_and_line) {
  const generated run(with({{"dup_flush", 4}, {"dup_race", 2}}, 2));
  ASSERT_EQ(run.known.faults.size(), 6u);
  std::uint64_t bytes = 0;
  for (const repeat& each : repeats(*run.things, {}))
    bytes += run.things->transfers()[each.transfer].bytes;
  const answer by_cause = redundant(*run.things, loss_by::cause);
  EXPECT_THAT(by_cause.sentences[0],
              testing::AllOf(HasSubstr("6 transfers"), HasSubstr(say_bytes(bytes))));
  ASSERT_EQ(by_cause.tables[0].rows.size(), 2u);
  EXPECT_EQ(by_cause.tables[0].rows[0][0], "flush_call");
  EXPECT_EQ(by_cause.tables[0].rows[0][1], "4");
  const answer by_line = redundant(*run.things, loss_by::line);
  EXPECT_THAT(by_line.tables[0].rows[0][0], HasSubstr(".cpp:"));
  EXPECT_TRUE(redundant(*generated(with({}, 2)).things, loss_by::handle).tables[0].rows.empty());
}

}  // namespace
