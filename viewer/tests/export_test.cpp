// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"

#include "analysis/generate/generate.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

// Each export is read back by a tool that knows nothing of deed.

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

class exports : public testing::Test {
 protected:
  exports() {
    generator_options options;
    options.path = folder_.path() + "/run.deed";
    options.tiles = 5;
    options.ranks = 3;
    options.workers = 2;
    options.inject = {{"dup_flush", 2}};
    truth_ = generate(options);
    run_.emplace(options.path);
    model_.emplace(*run_);
  }
  std::string file(const char* name, void (*form)(const model&, std::ostream&)) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream out(path, std::ios::binary);
    form(*model_, out);
    return path;
  }
  // What a command prints, and its status.
  static std::pair<std::string, int> output(const std::string& command) {
    std::string text;
    FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
      text.append(part.data(), size);
    return {text, ::pclose(pipe)};
  }
  static bool there(const std::string& tool) { return output("command -v " + tool).second == 0; }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }

  scratch_folder folder_;
  truth truth_;
  std::optional<run> run_;
  std::optional<model> model_;
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

TEST_F(exports, give_chrome_what_a_json_parser_takes) {
  const auto [text, status] = output(
      "python3 -c 'import json,sys; e=json.load(open(sys.argv[1]))[\"traceEvents\"]; "
      "print(\"slices\", sum(x[\"ph\"]==\"X\" for x in e), \"starts\", "
      "sum(x[\"ph\"]==\"s\" for x in e), \"ends\", sum(x[\"ph\"]==\"f\" for x in e), \"short\", "
      "sum(x.get(\"dur\",0)<0 for x in e))' " +
      file("c.json", export_chrome));
  ASSERT_EQ(status, 0) << text;
  const std::string transfers = std::to_string(truth_.transfers);
  EXPECT_EQ(text, "slices " + std::to_string(truth_.tasks + 2 * truth_.transfers) + " starts " +
                      transfers + " ends " + transfers + " short 0\n");
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

TEST_F(exports, give_otf2_that_otf2_print_reads) {
  const std::string archive = folder_.path() + "/otf2";
  try {
    export_otf2(*model_, archive);
  } catch (const unreadable& without) {
    GTEST_SKIP() << without.what();
  }
  EXPECT_THROW(export_otf2(*model_, archive), unreadable) << "an archive is not written over";
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
  const auto [said, drew] = output("QT_QPA_PLATFORM=offscreen timeout 60 vite -e " + picture + " " +
                                   archive + "/run.otf2 2>&1");
  EXPECT_EQ(drew, 0) << said;
  EXPECT_THAT(said, HasSubstr("0 errors"));
  std::ifstream drawn(picture);
  EXPECT_EQ(count({std::istreambuf_iterator<char>(drawn), {}}, "<line"), truth_.transfers);
}

}  // namespace
