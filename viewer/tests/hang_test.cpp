// SPDX-License-Identifier: MIT
#include "analysis/ask/hang.hpp"

#include <deed/trace/events.hpp>

#include "analysis/read/json.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

const std::string report = R"({"format": "deed-hang", "version": 1, "code": "D511",
  "happened": "every rank waits for another", "help": "send before waiting",
  "facts": [{"who": "rank 0", "what": "waits for a message from rank 1"}],
  "ranks": [
    {"rank": 0, "where": "borrow() at a.cpp:3",
     "waits": [{"what": "a receive", "peer": 1, "tag": 18446744073709551615}], "messages": []},
    {"rank": 1, "where": "borrow() at a.cpp:3",
     "waits": [{"what": "a receive", "peer": 0, "tag": 7}],
     "messages": [{"seen_by": "receiver", "peer": 2, "tag": 9, "bytes": 8}]},
    {"rank": 2, "where": "wait() at a.cpp:5",
     "waits": [{"what": "task `add` #4", "peer": 1, "tag": 3, "datum": "`a`", "version": 2,
                "owner": 1}], "messages": []}]})";

TEST(json, reads_what_it_is_given) {
  const auto read =
      json::parse(R"( {"a": [1, -2.5e3, "x\n\u00e9\ud83d\ude00", true, null], "b": {}} )");
  ASSERT_TRUE(read);
  const auto& items = read->list_of("a");
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[1].text, "-2.5e3");
  EXPECT_EQ(json::parse("{\"a\": 18446744073709551615}")->text_of("a"), "18446744073709551615");
  EXPECT_EQ(json::parse("{\"a\": 184467440737095516150}")->text_of("a"), "184467440737095516150");
  EXPECT_EQ(json::parse("{\"a\": -5}")->number_of("a", 0), -5);
  EXPECT_EQ(items[2].text, "x\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(read->number_of("a", 5), 5) << "a list is no number";
  EXPECT_EQ(json::parse(json_text("a\"\\\n\x01"))->text, "a\"\\\n\x01");
}

// The parser takes UTF-8 only, and is the judge of what that is.
TEST(json, says_any_bytes_and_changes_only_what_is_no_utf8) {
  const std::string edges =
      "A\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff";
  const auto looks = [](const std::string& bytes) {
    const auto said = json::parse(json_text(bytes));
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->text == bytes, json::parse('"' + bytes + '"').has_value());
  };
  for (const char a : edges)
    for (const char b : edges)
      for (const char c : edges) {
        looks({a, b, c});
        for (const char first : {'\xf0', '\xf3', '\xf4', '\xf5'}) looks({first, a, b, c});
      }
}

TEST(json, refuses_what_is_none) {
  for (const char* const wrong : {"", "{", "[1,", "{\"a\"}", "tru", "1 2", "\"\x01\"", "\"\\u12\"",
                                  "[1 2]", "\"\\ud800x\"", "-", "{a: 1}", "nan"})
    EXPECT_FALSE(json::parse(wrong)) << wrong;
  EXPECT_FALSE(json::parse(std::string(100'000, '[')));
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(json::parse(nested(60)));
  EXPECT_FALSE(json::parse(nested(70)));
}

TEST(hang, says_who_waits_for_whom_and_where_the_circle_is) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file) << report;
  const hang known = read_hang(file);
  ASSERT_EQ(known.waits.size(), 3u);
  EXPECT_TRUE(known.waits[0].in_cycle);
  EXPECT_TRUE(known.waits[1].in_cycle);
  EXPECT_FALSE(known.waits[2].in_cycle) << "rank 2 waits for the circle, and is no part of it";
  EXPECT_THAT(known.waits[0].because, HasSubstr("18446744073709551615"));
  EXPECT_THAT(known.waits[2].because, HasSubstr("`a` v2"));
  const std::string said = render(say_hang(known), style::text, {}, 100);
  EXPECT_THAT(said, HasSubstr("deed[D511] deadlock of 2 of 3 ranks: "));
  EXPECT_THAT(said, HasSubstr("in no circle: rank 2, which waits for rank 1\n"));
  EXPECT_THAT(said, HasSubstr("send before waiting"));
  EXPECT_THAT(said, HasSubstr("from rank 2, 8 bytes, message tag 9: arrived"));
}

constexpr std::uint64_t barrier = 3, collective = 8, no_place = ~std::uint32_t{0};
constexpr std::uint64_t group_barrier =
    deed::trace::collective_call{deed::trace::collective_kind::barrier, 0, 1}.word();

void report_deadlock(event_log& log, int rank, std::int64_t at) {
  const auto told = log.rank(rank).text("deed[D404] deadlock: not every rank reaches `barrier`");
  log.add(at, rank, app, record::error, {404, none, none, nobody, 0, 0, no_place, told});
}

/// Rank 0 waits in a barrier for rank 1.
void leave_report(const std::string& run) {
  std::ofstream(run + "/hang.json") << R"({"format": "deed-hang", "version": 1, "code": "D404",
             "happened": "not every rank reaches `barrier`", "ranks": [{"rank": 0, "waits":
             [{"what": "a receive", "peer": 1, "tag": 2, "collective": "`barrier`"}]}]})";
}

/// Rank 0 waits in a call that the others never make, which no record of a message tells.
TEST(hang, of_a_run_is_found_though_no_circle_is_recorded) {
  for (const bool reported : {true, false}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    report_deadlock(log, 0, 10'000);
    if (reported) leave_report(folder.path() + "/run.deed");
    const opened run(folder, log);
    const auto found = check(run.things(), "no_deadlock");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].sentence, HasSubstr("not every rank reaches `barrier`"));
    EXPECT_EQ(
        found[0].sentence.ends_with("; rank 0 waits for rank 1 (`barrier`, call #2 of the run)"),
        reported);
    EXPECT_TRUE(say_check(run.things(), {}).findings);
    EXPECT_THAT(text_of(waits(run.things(), {})), testing::Not(HasSubstr("nobody waits")));
    const auto edges = wait_graph(run.things(), run.events().end());
    ASSERT_EQ(edges.size(), reported ? 1u : 0u);
    if (reported) {
      EXPECT_EQ(edges[0].because, "`barrier`, call #2 of the run, as it said");
    }
  }
}

/// The program caught its error, and went on to the end.
TEST(hang, that_the_program_caught_keeps_nobody_at_the_end) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(10'000, 0, app, record::wait_begin, {barrier, 1, 0});
  log.add(90'000, 0, app, record::wait_end, {barrier, 1});
  leave_report(folder.path() + "/run.deed");
  const opened run(folder, log);
  EXPECT_THAT(wait_graph(run.things(), run.events().end()), testing::IsEmpty());
  const std::string said = text_of(waits(run.things(), {}));
  EXPECT_THAT(said, HasSubstr("nobody waits for data that has not left, or for another rank, at"));
  EXPECT_THAT(said, HasSubstr("who waits for whom, as the ranks said"));
}

/// D404 is also of a call that is left over at the end, and any error may speak of a deadlock.
TEST(hang, is_what_an_error_says_behind_its_own_code_alone) {
  const auto tells = [](std::uint64_t code, const char* said) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 1, 1);
    const auto told = log.rank(0).text(said);
    log.add(1'000, 0, app, record::error, {code, none, none, nobody, 0, 0, no_place, told});
    const opened run(folder, log);
    return ended_in_deadlock(run.things());
  };
  EXPECT_TRUE(tells(511, "deed[D511] deadlock: every rank waits for another\n  rank 0  waits"));
  EXPECT_TRUE(tells(404, "deed[D404] deadlock: not every rank reaches `barrier`"));
  EXPECT_FALSE(tells(404, "deed[D404] not every rank reaches `gather`"));
  EXPECT_FALSE(tells(807, "deed[D807] `solve` threw: [solver] deadlock: no pivot"));
  EXPECT_FALSE(tells(807, "deed[D511] deadlock: every rank waits for another"));
}

/// Rank 0 stands at the barrier of a group to which rank 2 does not come, the others at that of all
/// ranks. The error of the deadlock ends these waits; rank 1 is killed before it records its own.
void write_deadlock_of_barriers(event_log& log) {
  const auto stays = [&](int rank, std::uint64_t kind, std::uint64_t call, std::int64_t from,
                         std::int64_t to) {
    log.add(from, rank, app, record::wait_begin, {kind, call, 0});
    log.add(to, rank, app, record::wait_end, {kind, call});
  };
  stays(0, collective, group_barrier, 10'000, 20'000);
  stays(2, collective, group_barrier, 15'000, 20'000);
  log.add(21'000, 1, worker, record::state, {2, 0, 0});
  stays(0, collective, group_barrier, 30'000, 90'000);
  for (const int rank : {1, 2}) stays(rank, barrier, 1, 22'000, 91'000);
  for (const int rank : {0, 2}) report_deadlock(log, rank, 91'500);
  log.add(92'000, 1, worker, record::state, {0, 0, 0});
}

TEST(hang, of_barriers_is_a_circle_of_those_who_stand_at_them) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  write_deadlock_of_barriers(log);
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), run.events().end());
  const auto waits_for = [](int from, int to, bool in_cycle) {
    return testing::AllOf(testing::Field(&wait_edge::waits, from),
                          testing::Field(&wait_edge::awaited, to),
                          testing::Field(&wait_edge::in_cycle, in_cycle));
  };
  EXPECT_THAT(edges, testing::UnorderedElementsAre(waits_for(0, 2, true), waits_for(1, 0, false),
                                                   waits_for(2, 0, true)));
  EXPECT_THAT(wait_graph(run.things(), 25'000),
              testing::UnorderedElementsAre(waits_for(1, 0, false), waits_for(2, 0, false)));
  const std::string said = text_of(waits(run.things(), {}));
  EXPECT_THAT(said, HasSubstr("2 of them in a circle: a deadlock"));
  EXPECT_THAT(said, testing::Not(HasSubstr("has not come to its wait there")));
}

/// Who stands at a barrier waits for no datum.
TEST(hang, of_barriers_has_an_error_that_names_no_datum_to_ask_for) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  write_deadlock_of_barriers(log);
  const opened run(folder, log);
  EXPECT_THAT(text_of(at_first_error(run.things(), {}, {})),
              HasSubstr("the error names no datum; ask for one by NAME@error; `waits`"));
}

TEST(hang, of_barriers_is_time_waited_for_those_who_do_not_come) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  write_deadlock_of_barriers(log);
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[1], testing::ElementsAre(70'000, 0, 0));
}

/// Which ranks are of the group nothing tells but the report.
TEST(hang, in_a_call_to_which_one_rank_comes_is_time_waited_for_whom_it_named) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(1'000, 0, worker, record::state, {2, 0, 0});
  log.add(10'000, 0, app, record::wait_begin, {collective, group_barrier, 0});
  log.add(90'000, 0, app, record::wait_end, {collective, group_barrier});
  report_deadlock(log, 0, 91'000);
  log.add(92'000, 0, worker, record::state, {0, 0, 0});
  leave_report(folder.path() + "/run.deed");
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[0], testing::ElementsAre(0, 82'000));
  const auto edges = wait_graph(run.things(), 50'000);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].awaited, 1);
}

/// Recordings of before give a wait no number: it is not that of call #0.
TEST(hang, in_a_call_without_a_number_is_for_all_whom_its_rank_named) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  log.add(10'000, 0, app, record::wait_begin, {collective, group_barrier, 0});
  log.add(90'000, 0, app, record::wait_end, {collective, group_barrier});
  report_deadlock(log, 0, 91'000);
  std::ofstream(folder.path() + "/run.deed/hang.json")
      << R"({"format": "deed-hang", "version": 1, "code": "D609", "happened": "h",
             "ranks": [{"rank": 0, "waits":
             [{"what": "a receive", "peer": 2, "tag": 0, "collective": "`gather`"},
              {"what": "a receive", "peer": 1, "tag": 4, "collective": "`barrier`"}]}]})";
  log.close();
  for (const char* const rank : {"0", "1", "2"}) {
    const std::string file = folder.path() + "/run.deed/rank-00000" + rank + "/metadata";
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::size_t number = text.find("} number;", text.find("\"wait_begin\""));
    ASSERT_LT(number, text.find("event {", text.find("\"wait_begin\"")));
    text.replace(number, 9, "} before;");
    std::ofstream(file) << text;
  }
  const run before(folder.path() + "/run.deed");
  EXPECT_EQ(wait_graph(model(before), before.end()).size(), 2u);
}

/// Rank 0 gathers what ranks 1 and 2 never give: with rank 3, which gave its part, they stand at a
/// barrier to which rank 0 does not come.
TEST(hang, in_which_a_rank_stands_for_two_is_time_waited_for_the_first_of_them) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 4, 1, 1);
  constexpr std::uint64_t gather =
      deed::trace::collective_call{deed::trace::collective_kind::gather, 0, 0}.word();
  for (const int rank : {0, 1, 2, 3}) log.add(1'000, rank, worker, record::state, {2, 0, 0});
  for (const int rank : {0, 3}) {
    log.add(10'000, rank, app, record::collective_call, {gather, 0, 0});
    log.add(10'000, rank, worker, record::collective_begin, {gather, 0});
  }
  log.add(10'000, 0, app, record::wait_begin, {collective, gather, 0, 0, 0, 0, 0, 0, 1});
  for (const int rank : {1, 2, 3}) {
    log.add(20'000, rank, app, record::wait_begin, {barrier, 1, 0});
    log.add(91'000, rank, app, record::wait_end, {barrier, 1});
  }
  log.add(91'000, 0, app, record::wait_end, {collective, gather});
  report_deadlock(log, 0, 91'500);
  for (const int rank : {0, 1, 2, 3}) log.add(92'000, rank, worker, record::state, {0, 0, 0});
  const opened run(folder, log);
  EXPECT_EQ(wait_graph(run.things(), run.events().end()).size(), 5u);
  EXPECT_THAT(wait_matrix(run.things()),
              testing::ElementsAre(
                  testing::ElementsAre(0, 82'000, 0, 0), testing::ElementsAre(72'000, 0, 0, 0),
                  testing::ElementsAre(72'000, 0, 0, 0), testing::ElementsAre(72'000, 0, 0, 0)));
}

/// It has more calls that wait than the one in which its program stands, and each for several
/// parts.
TEST(hang, of_different_calls_names_each_rank_once_that_the_one_is_for_in_which_a_rank_stands) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  using deed::trace::collective_kind;
  log.add(1'000, 0, worker, record::state, {2, 0, 0});
  for (const int rank : {0, 1, 2}) {
    const auto kind = rank == 0 ? collective_kind::barrier : collective_kind::broadcast;
    const std::uint64_t call = deed::trace::collective_call{kind, 0, 0}.word();
    log.add(10'000 + rank, rank, app, record::collective_call, {call, 4, 0});
    log.add(10'000 + rank, rank, app, record::wait_begin, {collective, call, 0, 0, 0, 0, 0, 0, 5});
    log.add(90'000 + rank, rank, app, record::wait_end, {collective, call});
  }
  report_deadlock(log, 0, 91'000);
  log.add(92'000, 0, worker, record::state, {0, 0, 0});
  std::ofstream(folder.path() + "/run.deed/hang.json")
      << R"({"format": "deed-hang", "version": 1, "code": "D609",
             "happened": "ranks call different collectives", "ranks": [{"rank": 0, "waits":
             [{"what": "a receive", "peer": 2, "tag": 3, "collective": "`gather`"},
              {"what": "a receive", "peer": 1, "tag": 4, "collective": "`barrier`"},
              {"what": "a receive", "peer": 1, "tag": 4, "collective": "`barrier`"}]}]})";
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), run.events().end());
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].awaited, 1);
  EXPECT_THAT(wait_matrix(run.things())[0], testing::ElementsAre(0, 82'000, 0));
}

/// Rank 3 waits for what rank 2 passes on in a broadcast of rank 0, which does not call it: it
/// stands at a barrier with rank 3.
void write_deadlock_of_a_broadcast(event_log& log, const std::string& run) {
  using deed::trace::collective_kind;
  for (const int rank : {0, 3}) log.rank(rank).group_made(1, std::array{0, 3}, 0);
  for (const int rank : {0, 1, 2, 3}) {
    const auto call = rank == 0
                          ? deed::trace::collective_call{collective_kind::barrier, 0, 1}.word()
                          : deed::trace::collective_call{collective_kind::broadcast, 0, 0}.word();
    const std::int64_t at = (10 + 10 * rank) * 1'000;
    log.add(at, rank, app, record::collective_call, {call, 0, 0});
    log.add(at, rank, worker, record::collective_begin, {call, 0});
    log.add(at, rank, app, record::wait_begin, {collective, call, 0, 0, 0, 0, 0, 0, 1});
    log.add(90'000, rank, app, record::wait_end, {collective, call});
  }
  report_deadlock(log, 0, 91'000);
  std::ofstream(run + "/hang.json") << R"({"format": "deed-hang", "version": 1, "code": "D404",
    "happened": "h", "ranks": [
    {"rank": 0, "waits": [{"what": "a receive", "peer": 3, "tag": 0, "collective": "`barrier`"}]},
    {"rank": 1, "waits": [{"what": "a receive", "peer": 0, "tag": 0, "collective": "`broadcast`"}]},
    {"rank": 2, "waits": [{"what": "a receive", "peer": 0, "tag": 0, "collective": "`broadcast`"}]},
    {"rank": 3, "waits": [{"what": "a receive", "peer": 2, "tag": 0, "collective": "`broadcast`"}]}
    ]})";
}

TEST(hang, has_one_circle_in_what_was_recorded_and_in_what_the_ranks_said) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 4, 1, 1);
  write_deadlock_of_a_broadcast(log, folder.path() + "/run.deed");
  const opened run(folder, log);
  const auto circle_at = [&](std::int64_t when) {
    std::vector<std::string> found;
    for (const wait_edge& each : wait_graph(run.things(), when))
      if (each.in_cycle) found.push_back(each.from + " for " + each.to);
    return found;
  };
  const auto whole =
      testing::ElementsAre("rank 0 for rank 3", "rank 2 for rank 0", "rank 3 for rank 0");
  EXPECT_THAT(circle_at(run.events().end()), whole);
  EXPECT_THAT(circle_at(50'000), whole) << "all of it stand, and have not said so";
  EXPECT_THAT(circle_at(35'000), testing::IsEmpty()) << "rank 3 has not come yet";
  const std::string said = text_of(waits(run.things(), {}));
  EXPECT_THAT(said, HasSubstr("4 waits at the end of the trace; 3 of them in a circle"));
  EXPECT_THAT(said, HasSubstr("deadlock of 3 of 4 ranks"));
}

/// Rank 0 waits for rank 2 at 12 us. The ranks said at the end that rank 2 waits for rank 0.
TEST(hang, makes_no_circle_of_what_was_said_and_of_a_wait_before) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  write_deadlock_of_barriers(log);
  std::ofstream(folder.path() + "/run.deed/hang.json")
      << R"({"format": "deed-hang", "version": 1, "code": "D404", "happened": "h", "ranks": [
             {"rank": 0, "waits": [{"what": "w", "peer": 1, "collective": "`barrier`"}]},
             {"rank": 1, "waits": [{"what": "w", "peer": 0, "collective": "`barrier`"}]},
             {"rank": 2, "waits": [{"what": "w", "peer": 0, "collective": "`barrier`"}]}]})";
  const opened run(folder, log);
  EXPECT_THAT(text_of(waits(run.things(), {}, time_range{0, 12'000})),
              HasSubstr("deadlock of 2 of 3 ranks"));
}

/// Rank 0 leaves its `wait()` with the error, and comes to the end of the session on its way out:
/// rank 1 has stood there all the time.
TEST(hang, at_the_end_of_the_session_is_since_who_stands_there_came) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  constexpr std::uint64_t all = 2, end = 3;
  constexpr std::uint64_t call =
      deed::trace::collective_call{deed::trace::collective_kind::all_reduce, 0, 0}.word();
  log.add(10'000, 0, app, record::collective_call, {call, 0, 0});
  log.add(11'000, 0, worker, record::collective_begin, {call, 0});
  log.add(12'000, 0, app, record::wait_begin, {all, 0, 0});
  log.add(90'000, 0, app, record::wait_end, {all, 0});
  log.add(20'000, 1, app, record::wait_begin, {barrier, end, 0});
  log.add(91'000, 1, app, record::wait_end, {barrier, end});
  for (const int rank : {0, 1}) report_deadlock(log, rank, 92'000);
  log.add(93'000, 0, app, record::wait_begin, {barrier, end, 0});
  log.add(94'000, 0, app, record::wait_end, {barrier, end});
  std::ofstream(folder.path() + "/run.deed/hang.json")
      << R"({"format": "deed-hang", "version": 1, "code": "D404", "happened": "h", "ranks": [
             {"rank": 0, "waits": [{"what": "a receive", "peer": 1, "tag": 0,
              "collective": "`all_reduce`"}]},
             {"rank": 1, "waits": [{"what": "the end of the session", "peer": 0,
              "collective": "the end of the session"}]}]})";
  const opened run(folder, log);
  std::vector<std::string> said;
  for (const wait_edge& each : wait_graph(run.things(), run.events().end()))
    said.push_back(each.from + " for " + each.to + ": " + each.because);
  EXPECT_THAT(said, testing::UnorderedElementsAre(
                        "rank 0 for rank 1: `wait` for `all_reduce`, where it stands since 12.0 "
                        "us; rank 1 has not called it",
                        "rank 1 for rank 0: `the end of the session`, where it stands since 20.0 "
                        "us; rank 0 has not come"));
}

/// The report has no wait of rank 2 and of rank 1, their recordings have.
TEST(hang, names_no_rank_as_one_without_a_wait_whose_recording_has_it) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  write_deadlock_of_barriers(log);
  const std::string report_of_run = folder.path() + "/run.deed/hang.json";
  std::ofstream(report_of_run)
      << R"({"format": "deed-hang", "version": 1, "code": "D404", "happened": "h", "ranks": [
             {"rank": 0, "where": "a", "waits": []}, {"rank": 1, "where": "a", "waits": []},
             {"rank": 2, "where": "a", "waits": []}]})";
  EXPECT_THAT(text_of(say_hang(read_hang(report_of_run))),
              HasSubstr("no wait is known of rank 0, rank 1, rank 2"));
  const opened run(folder, log);
  EXPECT_THAT(text_of(waits(run.things(), {})), testing::Not(HasSubstr("no wait is known")));
}

/// Of one that waits for the same rank again and again.
TEST(hang, has_one_line_for_two_ranks) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file) << R"({"format": "deed-hang", "version": 1, "code": "D609",
      "happened": "ranks call different collectives", "ranks": [
      {"rank": 0, "waits": [{"what": "a receive", "peer": 1, "tag": 3, "collective": "`gather`"},
                            {"what": "a receive", "peer": 2, "tag": 3, "collective": "`gather`"},
                            {"what": "a receive", "peer": 1, "tag": 4, "collective": "`barrier`"},
                            {"what": "a receive", "peer": 1, "tag": 5, "collective": "`scatter`"}]},
      {"rank": 1, "waits": []}, {"rank": 2, "waits": []}]})";
  const answer said = say_hang(read_hang(file));
  ASSERT_EQ(said.tables.at(0).rows.size(), 2u);
  EXPECT_EQ(said.tables[0].rows[0][2], "`gather`, call #3 of the run; and 2 more");
  EXPECT_EQ(said.tables[0].rows[1][2], "`gather`, call #3 of the run");
}

TEST(hang, of_members_that_make_different_calls_says_what_the_other_calls) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  using deed::trace::collective_kind;
  for (const int rank : {0, 1}) {
    const auto kind = rank == 0 ? collective_kind::barrier : collective_kind::broadcast;
    const std::uint64_t call = deed::trace::collective_call{kind, 0, 0}.word();
    log.add(10'000 + rank, rank, app, record::collective_call, {call, 0, 0});
    log.add(10'000 + rank, rank, app, record::wait_begin, {collective, call, 0, 0, 0, 0, 0, 0, 1});
    log.add(90'000 + rank, rank, app, record::wait_end, {collective, call});
  }
  report_deadlock(log, 0, 91'000);
  leave_report(folder.path() + "/run.deed");
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), 50'000);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].because,
            "`barrier`, where it stands since 10.0 us; rank 1 calls `broadcast from rank 0` there");
}

/// Calls on per-rank data, for which no request waits: all stand in a `wait()`. Rank 0 is at work
/// until 40 us. Each has made a call before that all made; `told`: the ranks said for whom they
/// wait.
void write_deadlock_in_wait(event_log& log, const std::string& run, bool told) {
  using deed::trace::collective_kind;
  constexpr std::uint64_t all = 2, before = 7;
  const auto codelet = log.rank(0).codelet("work", deed::place::current());
  log.add(1'000, 0, app, record::task_submit, {1, codelet, 0, 0, 0, 1});
  for (const int rank : {0, 1, 2}) {
    log.add(1'000, rank, worker, record::state, {2, 0, 0});
    for (const std::uint64_t number : {before, before + 1}) {
      const auto kind =
          rank == 1 && number != before ? collective_kind::broadcast : collective_kind::all_reduce;
      const std::uint64_t call = deed::trace::collective_call{kind, 0, 0}.word();
      log.add(10'000 + rank, rank, app, record::collective_call, {call, number, 0});
      log.add(11'000 + rank, rank, worker, record::collective_begin, {call, number});
    }
    log.add(20'000 + rank, rank, app, record::wait_begin, {all, 0, 0});
    log.add(90'000 + rank, rank, app, record::wait_end, {all, 0});
  }
  log.add(25'000, 0, worker, record::task_begin, {1, codelet});
  log.add(40'000, 0, worker, record::task_end, {1, 0});
  log.add(40'000, 0, worker, record::state, {2, 0, 0});
  report_deadlock(log, 0, 91'000);
  for (const int rank : {0, 1, 2}) log.add(92'000, rank, worker, record::state, {0, 0, 0});
  if (told)
    std::ofstream(run + "/hang.json")
        << R"({"format": "deed-hang", "version": 1, "code": "D609", "happened": "h", "ranks": [
       {"rank": 0, "waits": [{"what": "a receive", "peer": 1, "tag": 8, "collective": "`all_reduce`"}]},
       {"rank": 1, "waits": [{"what": "a receive", "peer": 0, "tag": 8, "collective": "`broadcast`"}]},
       {"rank": 2, "waits": [{"what": "a receive", "peer": 0, "tag": 8, "collective": "`all_reduce`"},
                             {"what": "a receive", "peer": 1, "tag": 9, "collective": "`gather`"}]}]})";
}

/// The numbers of calls are those of their group: the call of all ranks with the same number, in
/// which rank 0 waits for rank 2, is another one.
TEST(hang, of_a_call_of_a_group_names_no_rank_that_is_no_member) {
  using deed::trace::collective_kind;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  for (const int rank : {0, 1}) {
    log.rank(rank).group_made(1, std::array{0, 1}, 0);
    const auto kind = rank == 0 ? collective_kind::all_gather : collective_kind::broadcast;
    log.add(10'000 + rank, rank, app, record::collective_call,
            {deed::trace::collective_call{kind, 0, 1}.word(), 0, 0});
    log.add(20'000 + rank, rank, app, record::wait_begin, {2, 0, 0});
    log.add(90'000 + rank, rank, app, record::wait_end, {2, 0});
  }
  report_deadlock(log, 0, 91'000);
  std::ofstream(folder.path() + "/run.deed/hang.json")
      << R"({"format": "deed-hang", "version": 1, "code": "D609", "happened": "h", "ranks": [
       {"rank": 0, "waits": [{"what": "a receive", "peer": 2, "tag": 0, "collective": "`all_reduce`"},
             {"what": "a receive", "peer": 1, "tag": 0, "collective": "`all_gather`", "group": "0, 1"}]}]})";
  const opened run(folder, log);
  const auto edges = wait_graph(run.things(), 50'000);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].awaited, 1);
}

TEST(hang, in_which_all_stand_in_a_wait_for_all_is_of_the_calls_that_it_is_for) {
  for (const bool told : {true, false}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 3, 1, 1);
    write_deadlock_in_wait(log, folder.path() + "/run.deed", told);
    const opened run(folder, log);
    std::vector<std::string> said;
    for (const wait_edge& each : wait_graph(run.things(), 50'000))
      said.push_back(each.from + " for " + each.to + ": " + each.because);
    std::vector<testing::Matcher<std::string>> each{
        "rank 0 for rank 1: `wait` for `all_reduce`, where it stands since 40.0 us; rank 1 calls "
        "`broadcast from rank 0` there",
        HasSubstr("rank 1 for rank 0: `wait` for `broadcast from rank 0`, where it stands since")};
    if (told) {
      each.emplace_back(
          "rank 2 for rank 0: `wait` for `all_reduce`, where it stands since 20.0 us; rank 0 has "
          "called it, and what it gives is not there");
    } else {
      each.emplace_back(HasSubstr("rank 1 for rank 2: `wait` for `broadcast from rank 0`"));
      each.emplace_back(HasSubstr("rank 2 for rank 1: `wait` for `all_reduce`"));
    }
    EXPECT_THAT(said, testing::ElementsAreArray(each));
    const auto time = wait_matrix(run.things());
    EXPECT_EQ(time[0][1], 52'000);
    EXPECT_EQ(time[1][0], 92'000 - 20'001);
    EXPECT_EQ(time[2][0], told ? 92'000 - 20'002 : 20'000 - 2)
        << "who stands for rank 0 until then";
  }
}

/// Of a report as runtimes write it that say for whom a rank stands at a call of all ranks.
TEST(hang, at_a_barrier_of_all_ranks_is_a_circle_with_a_call_of_a_group) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file) << R"({"format": "deed-hang", "version": 1, "code": "D404",
    "happened": "not every rank reaches `barrier` in the group of ranks 0, 2", "ranks": [
    {"rank": 0, "where": "wait", "waits": [{"what": "a receive", "peer": 2, "tag": 0,
      "collective": "`barrier` in the group of ranks 0, 2", "called": "h.cpp:5", "group": "0, 2"}]},
    {"rank": 1, "where": "the end of the session", "waits": [{"what": "the end of the session",
      "peer": 0, "collective": "the end of the session"}]},
    {"rank": 2, "where": "barrier() at h.cpp:6", "waits": [{"what": "barrier() at h.cpp:6",
      "peer": 0, "collective": "`barrier()`", "called": "h.cpp:6"}]}]})";
  const hang known = read_hang(file);
  ASSERT_EQ(known.waits.size(), 3u);
  EXPECT_EQ(known.waits[1].because, "the end of the session");
  EXPECT_FALSE(known.waits[1].in_cycle);
  EXPECT_EQ(known.waits[2].because, "`barrier()` at h.cpp:6");
  EXPECT_TRUE(known.waits[2].in_cycle);
  ASSERT_EQ(known.calls.size(), 1u);
  EXPECT_EQ(known.calls[0].waits, 0);
  EXPECT_EQ(known.calls[0].awaited, 2);
  EXPECT_THAT(text_of(say_hang(known)), HasSubstr("deadlock of 2 of 3 ranks"));
}

TEST(hang, sets_one_comma_behind_the_line_of_a_receive) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::string text = report;
  text.replace(text.find("\"a receive\""), 11, "\"a receive of `x`, at u.cpp:147,\"");
  std::ofstream(file) << text;
  EXPECT_THAT(read_hang(file).waits[0].because,
              testing::StartsWith("a receive of `x`, at u.cpp:147, message tag "));
}

TEST(hang, that_is_refused_says_where_and_why) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  const auto refusal = [&](const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    try {
      static_cast<void>(read_hang(file));
    } catch (const unreadable& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(R"({"format": x)"), HasSubstr("no JSON at byte 12"));
  EXPECT_THAT(refusal(report.substr(0, 40)), HasSubstr("no JSON at byte 41"));
  EXPECT_THAT(refusal(std::string(70, '[') + std::string(70, ']')), HasSubstr("too deeply"));
  EXPECT_THAT(refusal(R"({"format": "other"})"), HasSubstr("another `format`"));
}

TEST(hang, says_first_what_the_likely_cause_is) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  const std::string fact = "waits for a message from rank 1";
  const auto said_of = [&](const std::string& cause) {
    std::string marked = report;
    marked.replace(marked.find(fact), fact.size(), cause + "   <-- likely cause");
    std::ofstream(file) << marked;
    const hang known = read_hang(file);
    EXPECT_EQ(known.culprit, "rank 0");
    return say_hang(known).sentences[1];
  };
  EXPECT_EQ(said_of("has not made this call"), "likely cause: rank 0 has not made this call");
  EXPECT_EQ(said_of("`x` is at version 0 there"),
            "likely cause: rank 0: `x` is at version 0 there");
}

TEST(hang, that_names_what_is_no_rank_is_refused_with_the_place) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  const auto refusal = [&](const std::string& ranks) {
    std::ofstream(file, std::ios::trunc)
        << R"({"format": "deed-hang", "version": 1, "ranks": )" << ranks << "}";
    try {
      static_cast<void>(read_hang(file));
    } catch (const unreadable& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("[]"), HasSubstr("`ranks` names none"));
  EXPECT_THAT(refusal("7"), HasSubstr("`ranks` names none"));
  EXPECT_THAT(refusal(R"([{"rank": 0}, 5])"), HasSubstr("`ranks[1]` is no object"));
  EXPECT_THAT(refusal(R"([{"rank": 3000000000}])"), HasSubstr("`ranks[0].rank` is no rank"));
  EXPECT_THAT(refusal(R"([{"where": "w"}])"), HasSubstr("`ranks[0].rank` is no rank"));
  EXPECT_THAT(refusal(R"([{"rank": 0, "waits": [{"peer": 1}, {"peer": 3000000000}]}])"),
              HasSubstr("`ranks[0].waits[1]` is no wait"));
  EXPECT_EQ(refusal(R"([{"rank": 0, "waits": [{"peer": 1}]}])"), "");
}

TEST(hang, that_is_damaged_is_refused_or_read_and_never_more) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  const auto try_it = [&](const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    try {
      static_cast<void>(render(say_hang(read_hang(file)), style::json, {}, 100));
      return true;
    } catch (const unreadable&) {
      return false;
    }
  };
  for (std::size_t cut = 0; cut < report.size(); ++cut) EXPECT_FALSE(try_it(report.substr(0, cut)));
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = report;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try_it(damaged);
  }
  EXPECT_FALSE(try_it(R"({"format": "other"})"));
  EXPECT_FALSE(try_it(R"({"format": "deed-hang", "version": 2})"));
  EXPECT_THROW(static_cast<void>(read_hang(folder.path() + "/absent")), unreadable);
}

/// Three ranks come to two barriers in turn; rank 1 leaves out one of the first line, and then
/// waits. `of_a_loop`: both are of one line.
void write_forgotten_barrier(event_log& log, bool of_a_loop) {
  constexpr std::uint64_t of_all = 1, all = 0;
  for (const int rank : {0, 1, 2}) {
    const auto first = log.rank(rank).location(deed::place::current());
    const auto second = of_a_loop ? first : log.rank(rank).location(deed::place::current());
    std::int64_t at = 1'000;
    for (int i = 0; i < 6; ++i) {
      if (rank == 1 && i == 2) continue;
      const bool stands = i == 5 && rank != 1;
      log.add(at, rank, app, record::wait_begin, {barrier, of_all, i % 2 == 0 ? first : second});
      if (!stands) log.add(at + 500, rank, app, record::wait_end, {barrier, of_all});
      at += 1'000;
    }
    if (rank == 1) log.add(at, rank, app, record::wait_begin, {all, 1, first});
  }
}

TEST(forgotten_barrier, is_named_by_check_and_waits) {
  for (const bool of_a_loop : {false, true})
    for (const char* const call : {"`barrier()`", "`wait()`", "`gather`"}) {
      const scratch_folder folder;
      event_log log(folder.path() + "/run.deed", 3, 0, 1);
      write_forgotten_barrier(log, of_a_loop);
      const std::string told = std::string("deed[D404] not every rank reaches ") + call;
      log.add(9'000, 0, app, record::error,
              {404, none, none, nobody, 0, 0, none, log.rank(0).text(told)});
      const opened run(folder, log);
      const std::string wanted =
          of_a_loop
              ? R"(rank 1 may have left out one of the calls of `barrier` at [^ ]*:[0-9]+: it made 5 of them, and rank 0 6)"
              : R"(rank 1 may have left out `barrier` at [^ ]*:[0-9]+, which rank 0 made at 3.0 us)";
      const bool says = std::string(call) != "`gather`";
      EXPECT_EQ(std::regex_search(text_of(waits(run.things(), {})), std::regex(wanted)), says)
          << text_of(waits(run.things(), {}));
      EXPECT_EQ(std::regex_search(text_of(say_check(run.things(), {})),
                                  std::regex("all_call: " + wanted)),
                says)
          << text_of(say_check(run.things(), {}));
    }
}

TEST(forgotten_barrier, accuses_nobody_where_a_rank_is_not_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 0, 1);
  write_forgotten_barrier(log, false);
  log.add(9'000, 0, app, record::error,
          {404, none, none, nobody, 0, 0, none,
           log.rank(0).text("deed[D404] not every rank reaches `barrier()`")});
  log.close();
  std::filesystem::remove_all(folder.path() + "/run.deed/rank-000002");
  const run events(folder.path() + "/run.deed");
  const model things(events);
  EXPECT_THAT(text_of(waits(things, {})), Not(HasSubstr("may have left out")));
  EXPECT_THAT(text_of(say_check(things, {})), Not(HasSubstr("may have left out")));
}

}  // namespace
