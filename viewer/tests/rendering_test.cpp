// SPDX-License-Identifier: MIT
// Answers as text, with colours, as JSON and as CSV.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

/// A column of numbers has its unit, and no cell of it is a text alone.
void expect_numbers(const answer& said, const std::string& title,
                    const std::vector<std::string>& columns) {
  const auto rows = std::ranges::find(said.tables, title, &table::title);
  ASSERT_NE(rows, said.tables.end()) << title;
  for (const std::string& column : columns) {
    const auto at = std::ranges::find(rows->columns, column) - rows->columns.begin();
    for (const auto& row : rows->rows)
      EXPECT_NE(row[static_cast<std::size_t>(at)].in(), unit::text) << title << ": " << column;
  }
}

TEST(numbers, are_there_for_programs_where_there_are_words) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"drift", 1}};
  generate(options);
  const run events(options.path);
  const model things(events);
  expect_numbers(stats(things, {}), "per codelet", {"min", "median", "p99", "max"});
  expect_numbers(info(things), "clocks, by their messages", {"ahead", "drift", "error"});
  EXPECT_THAT(text_of(info(things)), Not(HasSubstr("+-0 ns")));
  expect_numbers(info(things), "clocks, as ranks measured them", {"ahead", "drift", "error"});
  expect_numbers(diff(things, things), "time of a task", {"change"});
  const std::int64_t when = events.end() / 2;
  expect_numbers(state(things, when), "state at " + say_time(when), {"in flight", "lent"});
  EXPECT_THAT(render(stats(things, {}), style::csv, {}, 10), HasSubstr("min (ns)"));
  EXPECT_THAT(render(info(things), style::json, {}, 10), HasSubstr("\"ppm\""));
}

TEST(numbers, stand_beside_words_in_json_and_in_place_of_them_in_csv) {
  answer said;
  said.tables = {
      {"t",
       {"what", "time", "bytes", "share", "some"},
       {{"a", say_time(69'268'123), say_bytes(1'500), say_share(647, 1'000), say_count(1'234)},
        {"b", "-", say_bytes(2), say_share(1, 4), "never"}},
       {}}};
  EXPECT_EQ(render(said, style::csv, {}, 10),
            "what,time (ns),bytes (B),share (%),some\n"
            "a,69268123,1500,64.7,\"1,234\"\n"
            "b,,2,25,never\n");
  const std::string json = render(said, style::json, {}, 10);
  EXPECT_THAT(json, HasSubstr("[\"a\", \"69.268 ms\", \"1.5 kB\", \"64.7 %\", \"1,234\"]"));
  EXPECT_THAT(json, HasSubstr("\"units\": [\"\", \"ns\", \"B\", \"%\", \"\"]"));
  EXPECT_THAT(json, HasSubstr("[null, 69268123, 1500, 64.7, null]"));
  EXPECT_THAT(json, HasSubstr("[null, null, 2, 25, null]"));
}

TEST(colours, mark_the_code_of_a_mistake_and_what_to_do_and_leave_the_columns_where_they_are) {
  answer said;
  said.sentences = {"rank 0 reports deed[D401] deadlock", "help: insert it", "nothing of note"};
  said.tables = {{"ranks", {"rank", "time"}, {{"0", "1 ns"}, {"1", "2 ns"}}}};
  const std::string coloured = render(said, style::coloured, {}, 1);
  EXPECT_EQ(coloured,
            "rank 0 reports \x1b[1;31mdeed[D401]\x1b[0m deadlock\n"
            "\x1b[1;32mhelp:\x1b[0m insert it\n"
            "nothing of note\n"
            "\n"
            "\x1b[1mranks\x1b[0m\n"
            "\x1b[2m  rank  time\x1b[0m\n"
            "     0  1 ns\n"
            "\x1b[2m  ... and 1 more; --limit shows them\x1b[0m\n");
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""),
            render(said, style::text, {}, 1));
}

TEST(tables, have_no_line_for_a_head_without_names) {
  answer said;
  said.sentences = {"x at 1 ns"};
  said.tables = {{"", {"", ""}, {{"owner", "rank 1"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10), "x at 1 ns\n\n  owner  rank 1\n");
  EXPECT_EQ(render(said, style::coloured, {}, 10), "x at 1 ns\n\n  owner  rank 1\n");
}

TEST(tables, keep_their_columns_where_a_text_has_several_lines) {
  answer said;
  said.tables = {{"", {"what", "n"}, {{"one\n  two", "1"}, {"three", "20"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10),
            "  what   n\n"
            "  one     1\n"
            "    two\n"
            "  three  20\n");
}

TEST(tables, stand_to_the_right_where_all_of_a_column_are_numbers) {
  answer said;
  said.tables = {{"", {"result", "n"}, {{"2 findings", "1"}, {"proved", "not known"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10),
            "  result      n\n"
            "  2 findings          1\n"
            "  proved      not known\n");
  said.tables[0].rows.clear();
  EXPECT_EQ(render(said, style::text, {}, 10), "nothing was found\n");
}

TEST(glossary, explains_every_state_and_stands_in_the_documentation) {
  const std::string page = [] {
    std::ifstream in(std::string(TESTS) + "/../../docs/trace.md");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  ASSERT_FALSE(page.empty());
  for (std::uint8_t state = 0; state < 6; ++state)
    EXPECT_NE(meaning_of(state_name(state)), "") << state_name(state);
  for (const char* const part :
       {"fetch wait", "idle, dependency", "idle, no task", "barrier", "borrow", "collective call",
        "request wait", "wait", "comparing clocks", "scheduling", "program", "device, copies alone",
        "device, empty", "overhead", "blocked", "not started yet", "after its last record",
        "not recorded"})
    EXPECT_THAT(page,
                HasSubstr("| " + std::string(part) + " | " + std::string(meaning_of(part)) + " |"));
  EXPECT_EQ(meaning_of("gemm"), "");
}

}  // namespace
