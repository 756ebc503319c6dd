// SPDX-License-Identifier: MIT
// What exports have of phases and values of a program, of its messages and waits, and of how it
// ended.
#include <deed/base/place.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/ask/describe.hpp"
#include "analysis/export/export.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/sentence.hpp"
#include "exported.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace {

using namespace deed::viewer;
using namespace deed;
using testing::HasSubstr;
using testing::Not;

// Of a program that says where it is and what it counts, and of a crash.
class exports_of_a_program : public exported {
 protected:
  exports_of_a_program() {
    record_phases(folder_.path() + "/run.deed");
    open(folder_.path() + "/run.deed");
  }
};
constexpr std::size_t steps = 4, phases = 2 + 2 * steps + 1;  // Of both ranks.

TEST_F(exports_of_a_program, give_perfetto_phases_and_values) {
  const auto [text, status] =
      output("python3 " TESTS "/decode_perfetto.py " + file("p.perfetto", export_perfetto));
  ASSERT_EQ(status, 0) << text;
  for (const char* const each : {"solve 2\n", "step 4\n", "exchange 4\n", "callback 1\n",
                                 "sum(residual) 5312\n", "sum(balance) -20\n"})
    EXPECT_THAT(text, HasSubstr(each));
}

TEST_F(exports_of_a_program, give_chrome_phases_and_values) {
  const auto [text, status] = output(
      "python3 -c 'import json,sys\n"
      "e=json.load(open(sys.argv[1]))[\"traceEvents\"]\n"
      "p={x[\"tid\"] for x in e if \"phases\" in str(x[\"args\"])}\n"
      "print(*sorted(x[\"name\"] for x in e if x[\"ph\"]==\"X\" and x[\"tid\"] in p), sep=\",\")\n"
      "print(*(str(x[\"pid\"])+x[\"name\"]+str(x[\"args\"][\"value\"]) for x in e if "
      "x[\"ph\"]==\"C\"), sep=\",\")' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  EXPECT_EQ(text,
            "callback,exchange,exchange,exchange,exchange,solve,solve,step 0,step 1,step 2,step 3\n"
            "0residual4000,0residual1000,0residual250,0residual62,1balance-5,1balance-5,1balance-5,"
            "1balance-5\n");
}

TEST_F(exports_of_a_program, give_csv_phases_and_values) {
  const auto [text, status] = output(
      "python3 -c 'import csv,sys\n"
      "p,v=(list(csv.DictReader(open(x))) for x in sys.argv[1:])\n"
      "print(len(p), [x[\"index\"] for x in p if x[\"phase\"]==\"step\"],\n"
      "      [x[\"phase\"]+x[\"rank\"]+x[\"end (ns)\"] for x in p if x[\"ended\"]==\"0\"])\n"
      "print(sum(int(x[\"number\"]) for x in v))' " +
      file("p.csv", export_phases) + " " + file("v.csv", export_values));
  ASSERT_EQ(status, 0) << text;
  EXPECT_EQ(text, std::to_string(phases) + " ['0', '1', '2', '3'] ['solve1100000']\n5292\n");
}

TEST_F(exports_of_a_program, give_paje_that_its_readers_take) {
  const std::string paje = file("run.paje", export_paje);
  if (there("pj_dump")) {
    const auto [text, status] = output("pj_dump " + paje);
    ASSERT_EQ(status, 0) << text;
    EXPECT_EQ(count(text, ", Phase, "), phases) << text;
    EXPECT_THAT(text, HasSubstr("Container, rank 0, Program, ")) << "it runs no tasks";
    EXPECT_EQ(count(text, "State, rank 0 app, State, "), 0u) << "and has no states of workers";
    EXPECT_THAT(text, HasSubstr("Phase, 0.000052, 0.000070, 0.000018, 1.000000, step\n"));
    EXPECT_THAT(text, HasSubstr("Phase, 0.000010, 0.000100, 0.000090, 0.000000, solve\n"));
    EXPECT_THAT(text, HasSubstr("residual, 0.000029, 0.000049, 0.000020, 4000.000000\n"));
  }
  if (!there("vite")) return;
  const auto [said, drew] = vite(paje, folder_.path() + "/vite.svg");
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
}

TEST_F(exports_of_a_program, give_otf2_phases_as_regions_and_values_as_metrics) {
  const std::string archive = folder_.path() + "/otf2";
  try {
    export_otf2(*model_, archive);
  } catch (const unreadable& without) {
    GTEST_SKIP() << without.what();
  }
  if (!there("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const auto [events, status] = output("otf2-print " + archive + "/run.otf2");
  ASSERT_EQ(status, 0) << events;
  EXPECT_EQ(count(events, "\nENTER"), count(events, "\nLEAVE"));
  EXPECT_EQ(count(events, "\nMETRIC "), 2 * steps) << events;
  EXPECT_THAT(events, HasSubstr("\"residual\" <0>; INT64; 4000"));
  for (const auto& [name, times] : {std::pair{"solve", 2u}, {"step", 4u}, {"callback", 1u}})
    EXPECT_EQ(count(events, "Region: \"" + std::string(name) + "\""), 2 * times) << events;
  EXPECT_THAT(events, HasSubstr("(\"deed.index\" <5>; INT64; 3)"));
}

TEST_F(exports_of_a_program, of_a_part_hold_its_phases_and_values) {
  const run_part part(*model_, time_range{50'000, 75'000}, {0}, "");
  const auto [text, status] = output("cat " + file("p.csv", export_phases, part) + " " +
                                     file("v.csv", export_values, part));
  ASSERT_EQ(status, 0);
  EXPECT_EQ(count(text, "\n"), 2u + 6u + 1u) << text;
}

/// A signal has its own name, and is no error.
TEST(exports_of_a_crash, name_the_signal) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  constexpr int worker = event_log::first_worker;
  log.add(1'000, 0, worker, record::task_begin, {7, 0});
  log.add(2'000, 0, worker, record::fatal_signal, {11, none});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  for (const exporter form : {export_perfetto, export_chrome}) {
    std::ostringstream text;
    form(things, text, {});
    EXPECT_THAT(text.str(), HasSubstr("SIGSEGV"));
  }
  if (const std::string missing = missing_for_otf2(things, folder); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string text = output("otf2-print " + folder.path() + "/otf2/run.otf2").first;
  EXPECT_EQ(count(text, "Region: \"SIGSEGV\""), 2u) << text;
  EXPECT_EQ(count(text, "Region: \"error\""), 0u);
}

/// Its region is the same for all; what it says is of each.
TEST(exports_of_an_error, have_its_code_and_its_message) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.add(2'000, 0, event_log::first_worker, record::error,
          {404, none, none, 7, 0, 0, none, log.rank(0).text("no such lattice")});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  const std::string what = "rank 0 reports deed[D404] no such lattice";
  for (const exporter form : {export_perfetto, export_chrome, export_paje}) {
    std::ostringstream text;
    form(things, text, {});
    EXPECT_THAT(text.str(), HasSubstr(what));
  }
  if (const std::string missing = missing_for_otf2(things, folder); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string text = output("otf2-print " + folder.path() + "/otf2/run.otf2").first;
  EXPECT_THAT(text, HasSubstr("Region: \"error\""));
  EXPECT_THAT(text, HasSubstr("\"deed.what\" <6>; STRING; \"" + what)) << text;
}

/// Two programs name two data and a line each; a transfer for a task has neither tag nor line.
TEST(exports_of_messages, have_tag_and_lines_and_the_name_at_each_end) {
  constexpr std::uint64_t send = 0, receive = 1, user = 4, tag = 7, nobody = ~std::uint64_t{0};
  constexpr auto request = static_cast<std::uint64_t>(trace::wait_kind::request);
  constexpr int app = event_log::application, net = event_log::progress;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  for (const std::uint32_t handle : {0u, 1u})
    log.rank(1).handle_registered(
        {.handle = handle, .name = handle == 0 ? "x" : "y", .bytes = 24, .home_rank = 1});
  const deed::place sends = deed::place::current();
  const deed::place receives = deed::place::current();
  const std::uint64_t line_of_send = log.rank(1).location(sends),
                      line_of_receive = log.rank(0).location(receives);
  log.add(1'000, 0, app, record::xfer_post, {receive, 1, 6, 1, 0, 24, tag, user, nobody});
  log.add(1'500, 0, app, record::wait_begin, {request, line_of_receive, 0, 1, 1, 6});
  log.add(2'000, 1, app, record::xfer_post, {send, 0, 5, 0, 0, 24, tag, user, nobody});
  log.add(2'500, 1, app, record::wait_begin, {request, line_of_send, 0, 2, 0, 5, 0, tag});
  log.add(4'000, 1, net, record::xfer_start, {0, 5, 0, 0, send, tag});
  log.add(8'000, 1, net, record::xfer_done, {0, 5, 0, 0, send, tag});
  log.add(8'500, 1, app, record::wait_end, {request, line_of_send});
  log.add(9'000, 0, app, record::xfer_done, {1, 6, 1, 0, receive, tag});
  log.add(9'500, 0, app, record::wait_end, {request, line_of_receive});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  ASSERT_EQ(things.transfers().size(), 1u);
  const auto at = [](const deed::place& where) {
    return "export_of_programs_test.cpp:" + std::to_string(where.line());
  };
  std::ostringstream csv, chrome, perfetto;
  export_transfers(things, csv, {});
  EXPECT_THAT(csv.str(),
              HasSubstr(",redundant,reason,tag,received as,sent at,received at,left (ns)\n"));
  EXPECT_THAT(csv.str(),
              HasSubstr(",0,message,7,y v6," + at(sends) + "," + at(receives) + ",4000\n"));
  export_chrome(things, chrome, {});
  for (const std::string& each :
       {std::string("\"send x v5\""), std::string("\"receive y v6\""),
        std::string("\"tag\": \"7\""), "\"sent at\": \"" + at(sends) + "\"",
        "\"received at\": \"" + at(receives) + "\""})
    EXPECT_THAT(chrome.str(), HasSubstr(each));
  export_perfetto(things, perfetto, {});
  for (const std::string& each :
       {std::string("send x v5"), std::string("receive y v6"), at(sends), at(receives)})
    EXPECT_THAT(perfetto.str(), HasSubstr(each));
  const answer described = describe_transfer(things, 0);
  EXPECT_THAT(described.sentences,
              testing::Contains("It is a message with tag 7, sent at " + at(sends) +
                                ", received into y v6 at " + at(receives) + "."));
}

/// As of a ring, which gives up its oldest part: the posts of a transfer name its tag.
TEST(exports_of_messages, have_no_tag_where_none_is_recorded) {
  constexpr std::uint64_t send = 0, receive = 1, tag = 7;
  constexpr int app = event_log::application, net = event_log::progress;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(1).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 1});
  log.add(4'000, 1, net, record::xfer_start, {0, 5, 0, 0, send, tag});
  log.add(8'000, 1, net, record::xfer_done, {0, 5, 0, 0, send, tag});
  log.add(9'000, 0, app, record::xfer_done, {0, 5, 1, 0, receive, tag});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  ASSERT_EQ(things.transfers().size(), 1u);
  std::ostringstream csv;
  export_transfers(things, csv, {});
  EXPECT_THAT(csv.str(), HasSubstr(",0,task,,x v5,,,4000\n"));
  if (const std::string missing = missing_for_otf2(things, folder); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string text = output("otf2-print " + folder.path() + "/otf2/run.otf2").first;
  EXPECT_THAT(text, HasSubstr("deed.version"));
  EXPECT_THAT(text, Not(HasSubstr("\"deed.tag\" <4>; UINT64")));
}

/// The program ended the run on purpose: that is no error, and is seen on all ranks.
TEST(exports_of_a_stop, show_where_it_was) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(2'000, 1, event_log::application, record::stop_run,
          {74, log.rank(1).text("the disk is full")});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  std::ostringstream chrome, perfetto;
  export_chrome(things, chrome, {});
  EXPECT_THAT(chrome.str(), HasSubstr(R"("ph": "i", "s": "g", "pid": 1)"));
  EXPECT_THAT(chrome.str(), HasSubstr("with exit code 74: the disk is full"));
  export_perfetto(things, perfetto, {});
  EXPECT_THAT(perfetto.str(), HasSubstr("stop_run"));
  EXPECT_THAT(perfetto.str(), HasSubstr("with exit code 74: the disk is full"));
  EXPECT_THAT(perfetto.str(), Not(HasSubstr("error")));
  const std::string paje = folder.path() + "/run.paje";
  {
    std::ofstream out(paje);
    export_paje(things, out, {});
  }
  if (there("pj_dump")) {
    EXPECT_THAT(output("pj_dump " + paje).first, HasSubstr("with exit code 74: the disk is full"));
  }
  if (const std::string missing = missing_for_otf2(things, folder); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string text = output("otf2-print " + folder.path() + "/otf2/run.otf2").first;
  EXPECT_EQ(count(text, "Region: \"stop_run\""), 2u) << text;
}

/// What Paje has of a crash.
TEST(exports_of_a_crash, are_events_of_the_rank_in_paje) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, event_log::first_worker, record::task_begin, {7, 0});
  log.add(2'000, 0, event_log::first_worker, record::fatal_signal, {11, none});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  const std::string paje = folder.path() + "/run.paje";
  {
    std::ofstream out(paje);
    export_paje(things, out, {});
  }
  if (there("pj_dump")) {
    const auto [text, status] = output("pj_dump " + paje);
    EXPECT_EQ(status, 0) << text;
    EXPECT_THAT(text, HasSubstr("Error or stop, 0.000002"));
    EXPECT_THAT(text, HasSubstr("SIGSEGV"));
  }
  if (!there("vite")) GTEST_SKIP() << "vite is not installed";
  const auto [said, drew] = vite(paje, folder.path() + "/vite.svg");
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
}

/// The program waits for all ranks while its thread runs a task.
TEST(exports_of_waits, have_them_on_a_track_of_the_program) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) {
    constexpr auto barrier = static_cast<std::uint64_t>(trace::wait_kind::barrier),
                   clocks = static_cast<std::uint64_t>(trace::wait_kind::clocks);
    log.add(1'000, rank, event_log::application, record::wait_begin, {clocks, 0, 0});
    log.add(2'000, rank, event_log::application, record::wait_end, {clocks, 0});
    log.add(3'000, rank, event_log::application, record::wait_begin, {barrier, 0, 0});
    log.add(5'000, rank, event_log::application, record::wait_end, {barrier, 0});
  }
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  ASSERT_EQ(things.waits().size(), 4u);
  const std::string name = wait_name(things, events.events()[things.waits()[1].event]);
  const auto [text, status] = [&] {
    const std::string path = folder.path() + "/p.perfetto";
    std::ofstream out(path, std::ios::binary);
    export_perfetto(things, out, {});
    out.close();
    return output("python3 " TESTS "/decode_perfetto.py " + path);
  }();
  ASSERT_EQ(status, 0) << text;
  EXPECT_THAT(text, HasSubstr(name.substr(0, name.find(' ')) + " 2\n"));
  EXPECT_THAT(text, HasSubstr("comparing 2\n"));
  std::ostringstream chrome;
  export_chrome(things, chrome, {});
  EXPECT_EQ(count(chrome.str(), R"("name": "program")"), 2u);
  EXPECT_EQ(count(chrome.str(), R"("name": ")" + name + R"(", "ts": 3.000, "dur": 2.000)"), 2u);
}

}  // namespace
