// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"

#include <deed/base/place.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/ask/describe.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/sentence.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Each export is read back by a tool that knows nothing of deed.

namespace {

using namespace deed;
using namespace deed::viewer;
using testing::HasSubstr;
using exporter = void (*)(const model&, std::ostream&, const run_part&);

// What a command prints, and its status.
std::pair<std::string, int> output(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), size);
  return {text, ::pclose(pipe)};
}
bool there(const std::string& tool) { return output("command -v " + tool).second == 0; }

/// Exports to `otf2` in the folder; or says what is not here, to do so or to read it.
std::string missing_for_otf2(const model& of, const scratch_folder& folder) {
  try {
    export_otf2(of, folder.path() + "/otf2");
  } catch (const unreadable& without) {
    return without.what();
  }
  return there("otf2-print") ? "" : "otf2-print is not installed";
}
// Without its window.
std::pair<std::string, int> vite(const std::string& file, const std::string& picture) {
  return output("QT_QPA_PLATFORM=offscreen timeout 60 vite -e " + picture + " " + file);
}
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// A run that is exported.
class exported : public testing::Test {
 protected:
  void open(const std::string& path) {
    run_.emplace(path);
    model_.emplace(*run_);
  }
  std::string file(const char* name, exporter form, const run_part& part = {}) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream out(path, std::ios::binary);
    form(*model_, out, part);
    return path;
  }

  scratch_folder folder_;
  std::optional<run> run_;
  std::optional<model> model_;
};

class exports : public exported {
 protected:
  exports() {
    generator_options options;
    options.path = folder_.path() + "/run.deed";
    options.tiles = 5;
    options.ranks = 3;
    options.workers = 2;
    options.inject = {{"dup_flush", 2}};
    truth_ = generate(options);
    open(options.path);
  }

  truth truth_;
};

TEST_F(exports, give_perfetto_slices_that_nest_and_flows_with_two_ends) {
  const auto [text, status] =
      output("python3 " TESTS "/decode_perfetto.py " + file("p.perfetto", export_perfetto));
  ASSERT_EQ(status, 0) << text;
  std::map<std::string, std::uint64_t> counts;
  std::istringstream lines(text);
  for (std::string name; lines >> name;) lines >> counts[name];
  EXPECT_EQ(counts["potrf"] + counts["trsm"] + counts["syrk"] + counts["gemm"], truth_.tasks);
  EXPECT_EQ(counts["flows"], truth_.transfers);
  EXPECT_EQ(counts["receive"], truth_.transfers);
}

// What is in a part, as the answers count it.
struct counted {
  std::uint64_t tasks = 0, transfers = 0, states = 0, phases = 0;
};
counted in_part(const model& of, const run_part& part) {
  counted found;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) found.tasks += part.has_task(of, i);
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    found.transfers += part.has_transfer(of, i);
  for (const state_span& s : of.states())
    found.states += part.has_span(of, s.event, of.begin_of(s), s.end);
  for (const phase_span& p : of.phases())
    found.phases += part.has_span(of, p.event, p.begin, p.end);
  return found;
}

TEST_F(exports, of_a_part_hold_what_is_in_it) {
  const model& m = *model_;
  const counted whole = in_part(m, {});
  const std::vector<run_part> parts{{m, time_range{run_->end() / 4, run_->end() / 2}, {}, ""},
                                    {m, {}, {1}, ""},
                                    {m, {}, {}, "codelet:gemm handle:A[3,*]"}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    SCOPED_TRACE(i);
    const counted wanted = in_part(m, parts[i]);
    ASSERT_GT(wanted.tasks, 0u);
    ASSERT_LT(wanted.tasks, whole.tasks);
    ASSERT_LT(wanted.transfers, whole.transfers);
    ASSERT_LT(wanted.states, whole.states);
    const auto [counts, status] = output("python3 " TESTS "/decode_perfetto.py " +
                                         file("part.perfetto", export_perfetto, parts[i]));
    ASSERT_EQ(status, 0) << counts;
    std::map<std::string, std::uint64_t> count_of;
    std::istringstream lines(counts);
    for (std::string name; lines >> name;) lines >> count_of[name];
    EXPECT_EQ(count_of["potrf"] + count_of["trsm"] + count_of["syrk"] + count_of["gemm"],
              wanted.tasks);
    EXPECT_EQ(count_of["flows"], wanted.transfers);
    if (there("pj_dump")) {
      const auto [text, failed] = output("pj_dump " + file("part.paje", export_paje, parts[i]));
      ASSERT_EQ(failed, 0) << text;
      std::uint64_t tasks = 0;
      for (const char* const name : {"potrf", "trsm", "syrk", "gemm"})
        tasks += count(text, std::string(", ") + name + "\n");
      EXPECT_EQ(tasks, wanted.tasks);
    }
    const std::string archive = folder_.path() + "/otf2." + std::to_string(i);
    try {
      export_otf2(m, archive, parts[i]);
    } catch (const unreadable& without) {
      continue;
    }
    if (!there("otf2-print")) continue;
    const auto [events, read] = output("otf2-print " + archive + "/run.otf2");
    ASSERT_EQ(read, 0) << events;
    EXPECT_EQ(count(events, "\nENTER"), wanted.tasks + wanted.states + wanted.phases);
    EXPECT_EQ(count(events, "\nMPI_ISEND "), wanted.transfers);
  }
}

TEST_F(exports, give_chrome_what_a_json_parser_takes) {
  const auto [text, status] = output(
      "python3 -c 'import json,sys; e=json.load(open(sys.argv[1]))[\"traceEvents\"]; "
      "print(\"slices\", sum(x[\"ph\"]==\"X\" for x in e), \"starts\", "
      "sum(x[\"ph\"]==\"s\" for x in e), \"ends\", sum(x[\"ph\"]==\"f\" for x in e), \"short\", "
      "sum(x.get(\"dur\",0)<0 for x in e))' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  const std::string transfers = std::to_string(truth_.transfers);
  EXPECT_EQ(text, "slices " +
                      std::to_string(truth_.tasks + 2 * truth_.transfers + model_->phases().size() +
                                     model_->waits().size()) +
                      " starts " + transfers + " ends " + transfers + " short 0\n");
}

// Viewers draw one over the other what overlaps in a row without lying in each other.
TEST_F(exports, give_chrome_rows_in_which_no_two_slices_overlap) {
  const auto [text, status] = output(
      "python3 -c 'import collections,json,sys\n"
      "rows,names=collections.defaultdict(list),{}\n"
      "for x in json.load(open(sys.argv[1]))[\"traceEvents\"]:\n"
      "  row=x[\"pid\"],x.get(\"tid\")\n"
      "  if x[\"ph\"]==\"M\": names[row]=x[\"args\"][\"name\"]\n"
      "  if x[\"ph\"]==\"X\":\n"
      "    begin,length=round(1000*x[\"ts\"]),round(1000*x[\"dur\"])\n"
      "    rows[row].append((begin,-begin-length,x[\"name\"].split()[0]))\n"
      "overlaps=0\n"
      "for row in rows.values():\n"
      "  inside=[]\n"
      "  for begin,end,_ in sorted(row):\n"
      "    while inside and inside[-1]<=begin: inside.pop()\n"
      "    overlaps+=bool(inside) and -end>inside[-1]\n"
      "    inside.append(-end)\n"
      "print(overlaps,*sorted({(names[row],x[2]) for row in rows for x in rows[row]\n"
      "                        if x[2] in (\"send\",\"receive\")}))' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  EXPECT_EQ(text, "0 ('receives', 'receive') ('sends', 'send')\n");
}

TEST_F(exports, give_csv_with_the_sums_of_the_run) {
  const auto [text, status] = output(
      "python3 -c 'import csv,sys; r=list(csv.DictReader(open(sys.argv[1]))); "
      "print(len(r), sum(int(x[\"bytes\"]) for x in r))' " +
      file("t.csv", export_transfers));
  ASSERT_EQ(status, 0) << text;
  EXPECT_EQ(text, std::to_string(truth_.transfers) + " " + std::to_string(truth_.bytes) + "\n");
}

TEST_F(exports, give_paje_that_pj_dump_reads) {
  if (!there("pj_dump")) GTEST_SKIP() << "pj_dump is not installed";
  const auto [text, status] = output("pj_dump " + file("run.paje", export_paje));
  ASSERT_EQ(status, 0) << text;
  std::uint64_t tasks = 0;
  for (const char* const name : {"potrf", "trsm", "syrk", "gemm"})
    tasks += count(text, std::string(", ") + name + "\n");
  EXPECT_EQ(tasks, truth_.tasks);
}

TEST_F(exports, give_paje_that_vite_reads_without_a_warning) {
  if (!there("vite")) GTEST_SKIP() << "vite is not installed";
  const std::string picture = folder_.path() + "/vite.svg";
  const auto [said, drew] = vite(file("run.paje", export_paje), picture);
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
  EXPECT_EQ(count(said, "Warning"), 0u) << said;
  std::ifstream drawn(picture);
  EXPECT_GE(count({std::istreambuf_iterator<char>(drawn), {}}, "<rect"), truth_.tasks);
}

TEST_F(exports, give_otf2_that_otf2_print_reads) {
  const std::string archive = folder_.path() + "/otf2";
  try {
    export_otf2(*model_, archive);
  } catch (const unreadable& without) {
    GTEST_SKIP() << without.what();
  }
  EXPECT_THROW(export_otf2(*model_, archive), unwritable) << "an archive is not written over";
  if (!there("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const auto [events, status] = output("otf2-print " + archive + "/run.otf2");
  ASSERT_EQ(status, 0) << events;
  EXPECT_EQ(count(events, "\nENTER"), count(events, "\nLEAVE"));
  EXPECT_GE(count(events, "\nENTER"), truth_.tasks);
  EXPECT_EQ(count(events, "\nMPI_ISEND "), truth_.transfers);
  EXPECT_EQ(count(events, "\nMPI_IRECV "), truth_.transfers);
  EXPECT_THAT(events, HasSubstr("deed.handle"));
  const auto [definitions, read] = output("otf2-print -G " + archive + "/run.otf2");
  ASSERT_EQ(read, 0);
  EXPECT_EQ(count(definitions, "\nLOCATION "), run_->lanes().size() - 3) << "all but definitions";
  EXPECT_THAT(definitions, HasSubstr("\"gemm\""));
  EXPECT_THAT(definitions, HasSubstr("\"rank 0 comm\" <0>, \"rank 1 comm\" <1>"))
      << "ViTE takes numbers of ranks for locations";
  if (!there("vite")) return;
  const std::string picture = folder_.path() + "/vite.svg";
  const auto [said, drew] = vite(archive + "/run.otf2", picture);
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors and 0 warnings"));
  // ViTE 1.2 knows no groups of ranks, and says so at both ends of a message.
  EXPECT_EQ(count(said, "Warning"), count(said, "Warning: cannot find rank ")) << said;
  std::ifstream drawn(picture);
  EXPECT_EQ(count({std::istreambuf_iterator<char>(drawn), {}}, "<line"), truth_.transfers);
}

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
    return "export_test.cpp:" + std::to_string(where.line());
  };
  std::ostringstream csv, chrome, perfetto;
  export_transfers(things, csv, {});
  EXPECT_THAT(csv.str(),
              HasSubstr(",redundant,reason,tag,received as,sent at,received at,left (ns)\n"));
  EXPECT_THAT(csv.str(), HasSubstr(",0,user,7,y v6," + at(sends) + "," + at(receives) + ",4000\n"));
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

// What users call things: each is the name of a codelet and of a datum.
const std::vector<std::string> odd_names{
    "a,b",   "say \"hi\"", "two\nlines", "back\\slash", "gr\u00f6\u00dfe",
    "\r\t.", "",           "caf\xe9",    "#1 %d 'x'"};

place place_in_a_file_of_odd_name();

// Rank 0 runs a task of each codelet, which writes the datum of its name, and sends it to rank 1.
class exports_of_odd_names : public testing::Test {
 protected:
  exports_of_odd_names() {
    event_log log(folder_.path() + "/run.deed", 2, 1, 1);
    std::vector<std::uint16_t> codelets;
    std::uint32_t line = 0;
    for (const int rank : {1, 0}) {
      trace::recorder& to = log.rank(rank);
      line = to.location(place_in_a_file_of_odd_name());
      codelets.clear();
      for (std::uint32_t h = 0; h < odd_names.size(); ++h) {
        codelets.push_back(to.codelet(odd_names[h], place::current()));
        to.handle_registered({.handle = h, .name = odd_names[h], .bytes = 8, .loc = line});
      }
    }
    constexpr int app = event_log::application, comm = event_log::progress,
                  worker = event_log::first_worker;
    constexpr std::uint64_t send = 0, receive = 1, version = 1, write = 1, no_task = ~0ull;
    std::int64_t now = 1'000;
    for (std::uint64_t h = 0; h < odd_names.size(); ++h, now += 1'000) {
      log.add(now, 0, app, record::task_submit, {h, codelets[h], 0, 0, line, 1});
      log.add(now, 0, app, record::task_access, {h, 0, h, write, 0, version});
      log.add(now + 1, 0, worker, record::task_begin, {h, codelets[h]});
      log.add(now + 500, 0, worker, record::task_end, {h, 0});
      log.add(now + 501, 1, comm, record::xfer_post, {receive, h, version, 0, 0, 8, h, 0, no_task});
      log.add(now + 502, 0, comm, record::xfer_post, {send, h, version, 1, 0, 8, h, 0, no_task});
      log.add(now + 503, 0, comm, record::xfer_start, {h, version, 1, 0, send});
      log.add(now + 504, 0, comm, record::xfer_done, {h, version, 1, 0, send});
      log.add(now + 600, 1, comm, record::xfer_done, {h, version, 0, 0, receive});
    }
    log.close();
    run_.emplace(folder_.path() + "/run.deed");
    model_.emplace(*run_);
  }
  std::string file(const char* name, exporter form, const run_part& part = {}) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream out(path, std::ios::binary);
    form(*model_, out, part);
    return path;
  }
  // One column of a table, as bytes in hexadecimal, by Python's strict reader.
  std::string column(const std::string& name, const std::string& path) {
    const auto [text, status] = output(
        "python3 -c 'import csv,sys\n"
        "for x in csv.DictReader(open(sys.argv[1], newline=\"\", encoding=\"utf-8\",\n"
        "                             errors=\"surrogateescape\"), strict=True):\n"
        "  assert None not in x and None not in x.values(), x\n"
        "  print(x[sys.argv[2]].encode(\"utf-8\", \"surrogateescape\").hex())' " +
        path + " " + name);
    EXPECT_EQ(status, 0) << text;
    return text;
  }

  scratch_folder folder_;
  std::optional<run> run_;
  std::optional<model> model_;
};

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", static_cast<unsigned>(byte) & 0xffu);
    text += two.data();
  }
  return text + "\n";
}

TEST_F(exports_of_odd_names, give_csv_with_these_very_names) {
  const std::string tasks = file("tasks.csv", export_tasks);
  std::string codelets, data, places;
  for (std::size_t h = 0; h < odd_names.size(); ++h) {
    codelets += hexadecimal(odd_names[h]);
    data += hexadecimal(odd_names[h].empty() ? "#" + std::to_string(h) : odd_names[h]);
    places += hexadecimal(to_string(place_in_a_file_of_odd_name()));
  }
  EXPECT_EQ(column("codelet", tasks), codelets);
  EXPECT_EQ(column("place", tasks), places);
  EXPECT_EQ(column("handle", file("transfers.csv", export_transfers)), data);
}

TEST_F(exports_of_odd_names, give_csv_answers_with_these_very_names) {
  const std::string path = folder_.path() + "/stats.csv";
  table names{"", {"name"}, {}};
  std::string wanted;
  for (const std::string& each : odd_names) {
    if (each.empty()) continue;  // A line without anything is no row.
    names.rows.push_back({each});
    wanted += hexadecimal(each);
  }
  std::ofstream(path, std::ios::binary) << render({{}, {names}, false}, style::csv, {}, 100);
  EXPECT_EQ(column("name", path), wanted);
}

TEST_F(exports_of_odd_names, give_json_and_protocol_buffers_of_valid_utf8) {
  const auto [text, status] = output(
      "python3 -c 'import json,sys\n"
      "for x in json.load(open(sys.argv[1], encoding=\"utf-8\"))[\"traceEvents\"]:\n"
      "  if \"place\" in x.get(\"args\", {}): print(x[\"name\"].encode(\"utf-8\").hex())' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  std::string wanted;
  for (std::size_t h = 0; h < odd_names.size(); ++h)
    wanted += hexadecimal((odd_names[h] == "caf\xe9" ? "caf\ufffd" : odd_names[h]) + "#" +
                          std::to_string(h));
  EXPECT_EQ(text, wanted);
  const auto [counts, decoded] =
      output("python3 " TESTS "/decode_perfetto.py " + file("p.perfetto", export_perfetto));
  EXPECT_EQ(decoded, 0) << counts;
}

// Strings of Paje have no escapes: quotes and ends of lines cannot stand in them.
TEST_F(exports_of_odd_names, give_paje_that_pj_dump_reads) {
  if (!there("pj_dump")) GTEST_SKIP() << "pj_dump is not installed";
  const auto [text, status] = output("pj_dump " + file("run.paje", export_paje));
  ASSERT_EQ(status, 0) << text;
  for (const char* const each : {"a,b", "say 'hi'", "two lines", "back\\slash", "gr\u00f6\u00dfe",
                                 "  .", "no name", "caf\xe9", "#1 %d 'x'"})
    EXPECT_EQ(count(text, std::string(", 0.000000, ") + each + "\n"), 1u) << each << "\n" << text;
}

TEST_F(exports_of_odd_names, give_otf2_that_otf2_print_reads) {
  const std::string archive = folder_.path() + "/otf2";
  try {
    export_otf2(*model_, archive);
  } catch (const unreadable& without) {
    GTEST_SKIP() << without.what();
  }
  if (!there("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const auto [definitions, status] = output("otf2-print -G " + archive + "/run.otf2");
  ASSERT_EQ(status, 0) << definitions;
  for (const std::string& each : odd_names) EXPECT_THAT(definitions, HasSubstr(each));
}

// Last, for it renames the rest of this file.
#line 1 "odd, \"name\".cpp"
place place_in_a_file_of_odd_name() { return place::current(); }

}  // namespace
