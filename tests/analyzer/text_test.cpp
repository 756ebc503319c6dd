// SPDX-License-Identifier: MIT
#include "report/text.hpp"

#include "report/fingerprint.hpp"
#include "report/grouping.hpp"
#include "report/json.hpp"
#include "report/sarif.hpp"
#include "report/suppressions.hpp"
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace deed::check {
namespace {

class report : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(file) << text; }
  std::string shown(const text_options& how) { return as_text(d, files, lines, how); }
  std::string fingerprint() {
    std::vector<diagnostic> one{d};
    give_fingerprints(one, files, lines);
    return one[0].fingerprint;
  }
  void TearDown() override { std::filesystem::remove(file); }

  const std::string file =
      (std::filesystem::temp_directory_path() /
       (std::string("deed_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
        ".cpp"))
          .string();
  file_table files;
  std::uint32_t number = files.add(file);
  source_lines lines;
  diagnostic d{.code = 307,
               .headline = "`x` is borrowed twice",
               .primary = {{number, 2, 3, 2, 6}, "second"},
               .secondary = {{{number, 1, 1, 1, 2}, "first"}},
               .notes = {},
               .help = "end it",
               .edits = {},
               .function = "f"};
};

TEST_F(report, shows_the_lines_with_labels_under_them) {
  write("a b\n  two\n");
  EXPECT_EQ(shown({.base_names = true}),
            "error: deed[D307] `x` is borrowed twice\n"
            "  --> deed_shows_the_lines_with_labels_under_them.cpp:2:3\n"
            "1 | a b\n"
            "  | - first\n"
            "2 |   two\n"
            "  |   ^^^ second\n"
            "  = help: end it\n\n");
}

TEST_F(report, counts_characters_and_not_bytes) {
  write("a\nöö two\n");
  d.secondary.clear();
  d.primary.at = {number, 2, 6, 2, 9};
  EXPECT_NE(shown({}).find("2 | öö two\n  |    ^^^ second\n"), std::string::npos);
}

TEST_F(report, fits_on_a_line_for_editors) {
  write("a\n  two\n");
  EXPECT_EQ(shown({.short_form = true, .base_names = true}),
            "deed_fits_on_a_line_for_editors.cpp:2:3: error: deed[D307] `x` is borrowed twice; "
            "help: end it\n");
}

TEST_F(report, keeps_its_fingerprint_when_lines_move) {
  write("a\n  two\n");
  d.function = "c:x.cpp@12@F@f#@Sa@F@operator()#@/home/x.cpp:1:3";
  const std::string before = fingerprint();
  write("a\n\n\n    two\n");
  d.primary.at = {number, 4, 5, 4, 8};
  d.function = "c:x.cpp@14@F@f#@Sa@F@operator()#@/elsewhere/x.cpp:3:1";
  lines = {};
  EXPECT_EQ(fingerprint(), before);
  d.function = "c:x.cpp@14@F@g#@Sa@F@operator()#@/elsewhere/x.cpp:3:1";
  EXPECT_NE(fingerprint(), before);
}

TEST_F(report, of_equal_statements_of_a_function_has_a_fingerprint_for_each) {
  write("a\n  two\n  two\n  two\n");
  std::vector<diagnostic> found{d, d, d};
  found[1].primary.at = {number, 3, 3, 3, 6};
  found[2].primary.at = {number, 4, 3, 4, 6};
  give_fingerprints(found, files, lines);
  EXPECT_EQ(found[0].fingerprint, fingerprint());
  EXPECT_NE(found[1].fingerprint, found[0].fingerprint);
  EXPECT_NE(found[2].fingerprint, found[0].fingerprint);
  EXPECT_NE(found[2].fingerprint, found[1].fingerprint);
  const std::vector<diagnostic> before = found;
  found.erase(found.begin());
  found.push_back(d);
  give_fingerprints(found, files, lines);  // Who has one keeps it.
  EXPECT_EQ(found[0].fingerprint, before[1].fingerprint);
}

TEST_F(report, of_one_cause_is_one_that_counts_the_other_places) {
  std::vector<diagnostic> found{d, d, d};
  for (diagnostic& one : found) one.origin = {number, 1, 1, 1, 2};
  found[0].primary.at = {number, 3, 3, 3, 6};
  found[0].how = severity::warning;
  found[2].origin = {};
  const auto left = grouped(std::move(found));
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].how, severity::error);
  EXPECT_EQ(left[0].primary.at.line, 2U);
  EXPECT_EQ(left[0].notes, std::vector<std::string>{"and in 1 more place"});
  EXPECT_TRUE(left[1].notes.empty());
}

TEST_F(report, is_taken_back_by_a_comment_with_a_reason) {
  write("a\n  two  // deed-check: allow(D307) reason: one thread\n");
  std::vector<diagnostic> found{d};
  apply_suppressions(found, {307}, {number}, true, files, lines);
  EXPECT_TRUE(found.empty());
}

TEST_F(report, stays_where_the_comment_gives_no_reason) {
  write("a\n  two  // deed-check: allow(D307)\n");
  std::vector<diagnostic> found{d};
  apply_suppressions(found, {307}, {number}, true, files, lines);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(code_name(found[1].code), "W002");
}

TEST_F(report, complains_of_a_comment_that_allows_nothing) {
  write("a  // deed-check: allow(D307) reason: long gone\n");
  std::vector<diagnostic> found;
  apply_suppressions(found, {307}, {number}, true, files, lines);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(code_name(found[0].code), "W001");
}

TEST_F(report, has_links_where_the_documentation_has_an_address) {
  write("a\n  two\n");
  const std::vector<rule_text> rules{{307, "borrowed twice", "Why."}};
  const auto log = [&](const std::string& address) {
    return as_sarif({d}, {"1.2.3", address, rules}, files, lines, true);
  };
  EXPECT_EQ(log("").find("Uri\":"), std::string::npos);
  const std::string linked = log("https://deed.example");
  EXPECT_NE(linked.find("\"informationUri\":\"https://deed.example\""), std::string::npos);
  EXPECT_NE(linked.find("\"helpUri\":\"https://deed.example/errors/D307.html\""),
            std::string::npos);
}

TEST(json, escapes_what_json_does_not_allow) {
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
}

}  // namespace
}  // namespace deed::check
