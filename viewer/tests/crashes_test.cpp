// SPDX-License-Identifier: MIT
// What answers say of crashes, errors and programs that stopped their run, written by hand.
#include <deed/base/place.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/backtrace.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

/// Rank 1 crashes in a task; its program still records, and rank 0 was silent before.
void write_crash(event_log& log) {
  const auto codelet = log.rank(1).codelet("bad", deed::place::current());
  log.add(500, 0, app, record::phase_push, {1, 0});
  log.add(1'000, 1, worker, record::task_begin, {7, codelet});
  log.add(2'000, 1, worker, record::fatal_signal, {11, none});
  log.add(100'000, 1, app, record::phase_push, {1, 0});
}

TEST(crash, is_told_before_those_that_fell_silent) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_crash(log);
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  for (const answer& each : {info(m), breakdown(m, {}), waits(m, {})})
    EXPECT_THAT(text_of(each), HasSubstr("2.0 us: rank 1 was ended by SIGSEGV\n"
                                         "rank 0 (last record at 500 ns) did not close"));
  EXPECT_THAT(text_of(say_check(m, {})),
              HasSubstr("that is no proof: the run failed, 2.0 us: rank 1 was ended by SIGSEGV"));
  const std::string ends = text_of(info(m));
  EXPECT_THAT(ends, HasSubstr("crashed, SIGSEGV\n"));
  EXPECT_THAT(ends, HasSubstr("ended with rank 1, of its process\n"));
  EXPECT_THAT(ends, Not(HasSubstr("still running")));
}

TEST(crash, ends_what_its_thread_did) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_crash(log);
  const opened run(folder, log, left::killed);
  EXPECT_EQ(parts_of_rank(run.things(), 1).at("bad"), 1'000);
  EXPECT_EQ(parts_of_rank(run.things(), 1).at("after its last record"), 98'000);
  EXPECT_EQ(run.things().known_until(1), 100'000) << "its program went on";
}

/// In the program of rank 1, which waits in a phase with a borrow.
TEST(crash, outside_of_tasks_is_told_by_what_its_thread_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  auto& rank = log.rank(1);
  for (std::uint32_t h : {0u, 1u})
    rank.handle_registered({.handle = h, .name = h == 0 ? "x" : "y", .bytes = 8});
  const std::uint64_t step = rank.text("step");
  const std::uint64_t line = rank.location(deed::place::current());
  log.add(600, 1, app, record::phase_push, {step, 2});
  log.add(700, 1, app, record::borrow, {0, 1, 0, line});
  log.add(710, 1, app, record::borrow, {1, 1, 0, line});
  log.add(800, 1, app, record::release, {1, 1, 0, line});
  log.add(900, 1, app, record::wait_begin, {2, 0, line});
  log.add(2'000, 1, app, record::fatal_signal, {11, none});
  const opened run(folder, log, left::killed);
  const std::string said = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(said, HasSubstr("rank 1 app was in no task then, in step 2\n"));
  EXPECT_THAT(said, testing::ContainsRegex(
                        "rank 1 waits for all tasks and messages at crashes_test.cpp:[0-9]+, "
                        "since 900 ns\n"));
  EXPECT_THAT(said, testing::ContainsRegex(
                        "its program had borrowed x for writing at crashes_test.cpp:[0-9]+\n"));
  EXPECT_THAT(said, HasSubstr("a signal names no datum; ask for one by NAME@error"));
}

TEST(stop, is_told_before_those_that_fell_silent) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(500, 0, app, record::phase_push, {1, 0});
  log.add(2'000, 1, app, record::stop_run, {74, log.rank(1).text("the disk is full\nof tables")});
  log.add(100'000, 1, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  const std::string stop =
      "2.0 us: rank 1 stops the run on purpose, with exit code 74: the disk is full\n";
  const std::vector<answer> answers{info(m), breakdown(m, {}), waits(m, {}), at_first_error(m, {})};
  for (const answer& each : answers) {
    EXPECT_THAT(text_of(each), HasSubstr(stop + "rank 0 (last record at 500 ns) did not close"));
    EXPECT_EQ(each.findings, &each == &answers[2]) << "waits has 1 for what did not end well";
  }
  EXPECT_THAT(text_of(say_check(m, {})),
              HasSubstr("that is no proof: the run ended early, " + stop));
  EXPECT_THAT(text_of(info(m)), HasSubstr("not closed, after rank 1 had stopped the run"));
  EXPECT_THAT(text_of(info(m)), HasSubstr("not closed, after it had stopped the run"));
}

TEST(exception_of_the_program, has_no_code) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, app, record::error,
          {0, none, none, nobody, 0, 0, none, log.rank(0).text("no such lattice")});
  const opened run(folder, log, left::killed);
  EXPECT_THAT(text_of(info(run.things())),
              HasSubstr("not closed, after an exception of the program"));
  EXPECT_EQ(text_of(at_first_error(run.things(), {})),
            "1.0 us: rank 0: an exception leaves the program: no such lattice\n");
}

/// A wait fails at 5 us, and its rank has ended the datum when the error is recorded.
TEST(error_of_a_wait, is_asked_about_as_it_was_before_data_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "in", .bytes = 8});
  log.add(2'000, 0, app, record::wait_begin, {7, 0, none});
  log.add(5'000, 0, app, record::wait_end, {7, 0});
  log.add(5'100, 0, app, record::handle_unregister, {0, none});
  log.add(6'000, 0, app, record::error, {511, none, none, nobody, 0, 0, none, none});
  const opened run(folder, log);
  const std::string said = text_of(at_first_error(run.things(), 0));
  EXPECT_THAT(said, HasSubstr("in at 5.0 us"));
  EXPECT_THAT(said, HasSubstr("data end while an exception leaves the program"));
  EXPECT_THAT(said, Not(HasSubstr("unregistered")));
}

TEST(error_of_a_program, that_has_done_something_since_its_wait_is_of_its_own_moment) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "in", .bytes = 8});
  log.add(2'000, 0, app, record::wait_begin, {7, 0, none});
  log.add(5'000, 0, app, record::wait_end, {7, 0});
  log.add(5'100, 0, app, record::handle_unregister, {0, none});
  log.add(5'200, 0, app, record::phase_push, {1, 0});
  log.add(6'000, 0, app, record::error, {511, none, none, nobody, 0, 0, none, none});
  const opened run(folder, log);
  EXPECT_THAT(text_of(at_first_error(run.things(), 0)), HasSubstr("in at 6.0 us"));
}

TEST(error, is_described_without_what_it_does_not_say) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, app, record::error, {807, none, 0, nobody, 0, 0, none, none});
  const opened run(folder, log);
  for (std::uint32_t i = 0; i < run.events().events().size(); ++i)
    if (run.events().events().what(i) == record::error) {
      const std::string said = text_of(describe_event(run.things(), i));
      EXPECT_THAT(said, Not(HasSubstr("expected")));
      EXPECT_THAT(said, Not(HasSubstr("backtrace")));
      EXPECT_THAT(said, HasSubstr("code"));
    }
  EXPECT_THAT(text_of(at_first_error(run.things(), {})), HasSubstr("the error names no datum"));
}

/// A task aborts on rank 1, while one of rank 0 runs and another one waits.
TEST(crash, is_of_the_task_that_its_thread_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  auto& rank = log.rank(1);
  for (std::uint32_t h : {0u, 1u})
    rank.handle_registered({.handle = h, .name = h == 0 ? "x" : "y", .bytes = 8});
  const auto codelet = rank.codelet("bad", deed::place::current());
  const auto line = rank.location(deed::place::current());
  log.add(500, 1, app, record::task_submit, {7, codelet, 1, 0, line, 2});
  log.add(501, 1, app, record::task_access, {7, 0, 0, write_it, 3, 4});
  log.add(502, 1, app, record::task_access, {7, 1, 1, read_it, 2, 2});
  log.add(900, 1, worker, record::task_begin, {6, codelet});
  log.add(950, 1, worker, record::task_end, {6, 0});
  log.add(1'000, 0, worker, record::task_begin, {5, codelet});
  log.add(1'000, 1, worker, record::task_begin, {7, codelet});
  log.add(2'000, 1, worker, record::fatal_signal, {6, none});
  const opened run(folder, log, left::killed);
  const std::string said = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(said, testing::ContainsRegex("in bad#7 on rank 1 w00, which began at 1.0 us; codelet "
                                           "`bad` at crashes_test.cpp:[0-9]+; inserted at "
                                           "crashes_test.cpp:[0-9]+"));
  EXPECT_THAT(said, HasSubstr("who owned its data then: x@error, y@error"));
  EXPECT_THAT(said, HasSubstr("v3 \u2192 v4"));
  EXPECT_THAT(said, Not(HasSubstr("names no datum")));
  EXPECT_THAT(text_of(at_first_error(run.things(), 0)), HasSubstr("in bad#7 on rank 1 w00"));
}

/// `crash(int)` was called by a function that its file does not name.
TEST(crash, names_the_functions_that_it_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  const std::uint32_t frames = log.rank(0).backtrace("prog+0x12 (_Z5crashi+0x2)\nlibc.so.6+0x7f");
  const std::uint32_t called = log.rank(0).backtrace("0x0");
  log.add(1'000, 0, worker, record::fatal_signal, {11, frames});
  log.add(2'000, 0, app, record::fatal_signal, {11, called});
  log.add(3'000, 0, app, record::error, {401, none, 0, nobody, 0, 0, called + 1, none});
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  const std::string lines =
      "  backtrace, the innermost function first\n  crash(int) in prog+0x12\n  libc.so.6+0x7f\n";
  const answer who = at_first_error(m, {});
  EXPECT_THAT(text_of(who), HasSubstr(lines));
  EXPECT_THAT(text_of(who), HasSubstr("rank 0 was ended by SIGSEGV"));
  EXPECT_THAT(render(who, style::json, {}, 10),
              HasSubstr("\"backtrace\": [\"crash(int) in prog+0x12\", \"libc.so.6+0x7f\"],"));
  std::string inspected;
  for (std::uint32_t i = 0; i < run.events().events().size(); ++i)
    inspected += text_of(describe_event(m, i));
  EXPECT_THAT(inspected, HasSubstr(lines));
  EXPECT_THAT(inspected, HasSubstr("no code, at 0x0"));
  const answer printed = print(m, {"fatal_signal", "error"}, {}, 100, false);
  EXPECT_THAT(text_of(printed), HasSubstr("crash(int) in prog+0x12\n"));
  EXPECT_EQ(printed.tables[0].rows.size(), 3u) << "one of each event";
  EXPECT_THAT(printed.backtrace, testing::ElementsAre("crash(int) in prog+0x12", "libc.so.6+0x7f"));
  EXPECT_THAT(render(print(m, {"text"}, {}, 100, false), style::json, {}, 10),
              Not(HasSubstr("backtrace")));
}

TEST(crash, says_where_its_backtrace_may_be_cut) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  std::string all = "prog+0x1";
  for (int i = 0; i < 22; ++i) all += "\nprog+0x1";
  const std::uint32_t whole = log.rank(0).backtrace(all);
  const std::uint32_t cut = log.rank(0).backtrace(all + "\nprog+0x2");
  log.add(1'000, 0, worker, record::fatal_signal, {11, cut});
  log.add(2'000, 0, app, record::fatal_signal, {11, whole});
  const opened run(folder, log, left::killed);
  const auto text_at = [&](std::int64_t from) {
    return text_of(at_first_error(run.things(), {}, time_range{from, 9'000}));
  };
  EXPECT_THAT(text_at(0), HasSubstr("there may be more: no more than 24 functions are recorded"));
  EXPECT_THAT(text_at(1'500), Not(HasSubstr("more")));
  EXPECT_THAT(text_of(print(run.things(), {"fatal_signal"}, {}, 100)),
              testing::ContainsRegex("prog\\+0x2\n +no more than 24 functions are recorded"));
}

TEST(say_frames, takes_any_text) {
  EXPECT_THAT(say_frames(""), testing::IsEmpty());
  EXPECT_THAT(say_frames("\n(+ (\n+)("), testing::ElementsAre("", "(+ (", "+)("));
  EXPECT_THAT(say_frames("p+0x1 (main+0x2)"), testing::ElementsAre("main in p+0x1"));
  EXPECT_THAT(say_frames("p+0x1 (_Zbroken+0x2)"), testing::ElementsAre("_Zbroken in p+0x1"));
  EXPECT_EQ(say_frames(std::string(1'000, '\n')).size(), 64u);
}

TEST(say_few_frames, are_those_of_the_program_and_how_many_lie_between) {
  const std::string deep = "p+0x1 (_Z4deepv+0x2)",
                    core = "p+0x2 (_ZN4deed7runtime4core4waitEv+0x3)",
                    made = "p+0x3 (_Z7name_ofI4meshESsv+0x1)", library = "libc.so.6+0x7f",
                    body = "p+0x4 (_ZN4deed7runtime11body_runnerI1aE3runEv+0x9)";
  const auto few = [](std::initializer_list<std::string> lines) {
    std::string all;
    for (const std::string& each : lines) all += (all.empty() ? "" : "\n") + each;
    return say_few_frames(all);
  };
  EXPECT_THAT(few({core, core, deep, core, made, core, library, library}),
              testing::ElementsAre("\u2026 2 functions of deed and of libraries", "deep() in p+0x1",
                                   "deed::runtime::core::wait() in p+0x2",
                                   HasSubstr("name_of<mesh>() in p+0x3"),
                                   "\u2026 3 functions of deed and of libraries"));
  EXPECT_THAT(few({core, library}), testing::SizeIs(2)) << "none is the program's";
  EXPECT_THAT(few({body, core, core}), testing::SizeIs(2)) << "the body may be within";
  EXPECT_THAT(few({library, library, body, core}), testing::SizeIs(3));
  EXPECT_THAT(
      few({deep, body, core, core}),
      testing::ElementsAre("deep() in p+0x1", "\u2026 3 functions of deed and of libraries"));
}

/// The compiler put the program into what `std::function` calls; deed is around it, also in
/// lambdas.
/// The compiler put it there, and names what it was put into.
TEST(say_few_frames, name_the_body_of_a_codelet_that_lies_in_a_function_of_deed) {
  const std::string body =
      "mix+0x4f953 (_ZN4deed7runtime11body_runnerINS0_7closureISt5tupleIJNL5crashMUlRSt6vectorIdSa"
      "IdEEE_EEEJEEES3_IJNS_3cpuIS8_EEEES3_IJNS_6accessIS6_LNS_11access_modeE2EEEEEE3runERKNS0_10ta"
      "sk_frameE+0x1c)";
  EXPECT_THAT(say_few_frames(body),
              testing::ElementsAre("crash::{lambda(std::vector<double, std::allocator<double> "
                                   ">&)#1} in mix+0x4f953"));
}

TEST(say_few_frames, have_a_program_that_lies_in_a_function_of_the_library) {
  const std::string inner = "p+0x1 (_ZNK4deed7runtime4core12check_accessEv.cold+0x24a)",
                    around =
                        "p+0x3 (_ZZN4deed7runtime12_GLOBAL__N_113run_simulatedEvENKUlvE_clEv+0x1)",
                    handler = "p+0x2 (_ZNSt17_Function_handlerIFvRN4deed7sessionEE",
                    invoke = "E9_M_invokeERKSt9_Any_dataS2_+0x211)";
  const std::string of_program = handler + "Z4mainEUlS2_E_" + invoke,
                    of_deed = handler + "ZN4deed3runEvEUlS2_E_" + invoke;
  const std::string folded = "\u2026 2 functions of deed and of libraries";
  EXPECT_THAT(
      say_few_frames(inner + "\n" + inner + "\n" + of_program + "\n" + around + "\n" + inner),
      testing::ElementsAre(folded, HasSubstr("main::{lambda"), folded));
  const std::string deep = "p+0x1 (_Z4deepv+0x2)";
  EXPECT_THAT(say_few_frames(deep + "\n" + of_program + "\n" + around),
              testing::ElementsAre("deep() in p+0x1", folded));
  EXPECT_THAT(say_few_frames(deep + "\n" + inner + "\n" + of_deed),
              testing::ElementsAre("deep() in p+0x1", folded));
}

/// Each part names the one before twice, or is read twice: 2^60 of them.
TEST(say_frames, leaves_a_name_that_would_fill_the_memory_as_it_is) {
  std::string again = "_Z1f1AIiiE", nested = "_ZN1Acv";
  for (char digit = '0'; digit <= '9'; ++digit)
    again += std::string("S_IS") + digit + "_S" + digit + "_E";
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    again += std::string("S_IS") + letter + "_S" + letter + "_E";
  for (int i = 0; i < 60; ++i) nested += "T_I";
  nested += "i" + std::string(60, 'E') + "Ev";
  for (const std::string& name : {again, nested})
    EXPECT_THAT(say_frames("p+0x1 (" + name + "+0x2)"), testing::ElementsAre(name + " in p+0x1"));
  EXPECT_THAT(say_frames("p+0x1 (_ZNSt6vectorISt4pairIiSsESaIS1_EE9push_backERKS1_+0x2)"),
              testing::ElementsAre(HasSubstr("vector<std::pair<int, ")));
}

}  // namespace
