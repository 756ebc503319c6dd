// SPDX-License-Identifier: MIT
// Each export is read back by a tool that knows nothing of deed.
#include "analysis/export/export.hpp"

#include "analysis/ask/ask.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/sentence.hpp"
#include "exported.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using namespace deed;
using testing::HasSubstr;

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
      EXPECT_EQ(count(text, "\nLink, "), wanted.transfers);
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

/// So that the bytes of a run are the sum of the column.
TEST(tables, have_no_bytes_of_what_never_took_place) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"deadlock", 1}};
  generate(options);
  const run events(options.path);
  const model of(events);
  std::stringstream text;
  export_transfers(of, text, {});
  std::string line;
  std::getline(text, line);
  std::size_t never_moved = 0;
  for (const transfer& x : of.transfers()) {
    ASSERT_TRUE(std::getline(text, line));
    never_moved += x.never_took_place();
    const std::string bytes = "," + std::to_string(x.never_took_place() ? 0 : x.bytes) + ",";
    EXPECT_THAT(line, HasSubstr("," + std::to_string(x.seq) + bytes));
  }
  EXPECT_GT(never_moved, 0u);
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
  EXPECT_EQ(count(text, "\nLink, "), truth_.transfers) << text;
  EXPECT_THAT(text, HasSubstr(", task, rank 0, rank 1, "));
}

/// By thread and state, the sum of what `pj_dump` says of them.
std::map<std::pair<std::string, std::string>, double> paje_times(const std::string& dumped) {
  std::map<std::pair<std::string, std::string>, double> sums;
  std::istringstream lines(dumped);
  for (std::string line; std::getline(lines, line);) {
    std::array<std::string, 8> words;  // The last has all that is left: names have commas.
    for (std::size_t word = 0, from = 0; word < words.size(); ++word) {
      const std::size_t to = word + 1 == words.size() ? line.size() : line.find(", ", from);
      if (to == std::string::npos) break;
      words[word] = line.substr(from, to - from);
      from = std::min(line.size(), to + 2);
    }
    if (words[0] == "State" && words[2] == "State")
      sums[{words[1], words[7]}] += std::stod(words[4]) - std::stod(words[3]);
  }
  return sums;
}

TEST_F(exports, give_paje_whose_totals_are_those_of_the_breakdown) {
  if (!there("pj_dump")) GTEST_SKIP() << "pj_dump is not installed";
  const auto [text, status] = output("pj_dump -l 9 " + file("run.paje", export_paje));
  ASSERT_EQ(status, 0) << text;
  const auto told = paje_times(text);
  const time_shares all = shares(*model_, run_part());
  std::size_t compared = 0;
  for (const worker_time& each : all.workers) {
    const std::string thread = say_lane(*run_, each.lane);
    for (const auto& [what, time] : each.parts) {
      const auto here = told.find({thread, what});
      if (what == "after its last record" || what == "not recorded" || what == "program" ||
          what == "wait")
        continue;
      EXPECT_NEAR(here == told.end() ? 0 : 1e9 * here->second, static_cast<double>(time), 100)
          << thread << ", " << what;
      compared += time != 0;
    }
  }
  EXPECT_GT(compared, 4 * all.workers.size());
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

}  // namespace
