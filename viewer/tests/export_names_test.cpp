// SPDX-License-Identifier: MIT
// Exports of names that a user may give.
#include <deed/base/place.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/export/export.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/say/answer.hpp"
#include "exported.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using namespace deed;
using testing::HasSubstr;

// What users call things: each is the name of a codelet and of a datum.
const std::vector<std::string> odd_names{
    "a,b",   "say \"hi\"", "two\nlines", "back\\slash", "gr\u00f6\u00dfe",
    "\r\t.", "",           "caf\xe9",    "#1 %d 'x'"};

place place_in_a_file_of_odd_name();

// Rank 0 runs a task of each codelet, which writes the datum of its name, and sends it to rank 1.
class exports_of_odd_names : public exported {
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
    open(folder_.path() + "/run.deed");
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
