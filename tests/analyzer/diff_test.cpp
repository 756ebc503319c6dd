// SPDX-License-Identifier: MIT
#include "report/diff.hpp"

#include <gtest/gtest.h>

#include <string>

namespace deed::check {
namespace {

std::string lines(int from, int to) {
  std::string text;
  for (int n = from; n <= to; ++n) text += std::to_string(n) + "\n";
  return text;
}

TEST(unified_diff, shows_what_lies_between_two_edits_once) {
  const std::string before = lines(1, 30);
  const std::string after = lines(1, 4) + "new\n" + lines(5, 24) + lines(26, 30);
  EXPECT_EQ(unified_diff("a.cpp", before, after),
            "--- a.cpp\n+++ a.cpp\n"
            "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n"
            "@@ -22,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n");
}

TEST(unified_diff, has_one_hunk_where_two_would_overlap) {
  EXPECT_EQ(
      unified_diff("a.cpp", lines(1, 9), "one\n" + lines(2, 7) + "eight\n9\n"),
      "--- a.cpp\n+++ a.cpp\n@@ -1,9 +1,9 @@\n-1\n+one\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n 9\n");
}

TEST(unified_diff, knows_texts_that_begin_or_end) {
  EXPECT_EQ(unified_diff("a.cpp", "", "1\n"), "--- a.cpp\n+++ a.cpp\n@@ -0,0 +1,1 @@\n+1\n");
  EXPECT_EQ(unified_diff("a.cpp", "1\n", ""), "--- a.cpp\n+++ a.cpp\n@@ -1,1 +0,0 @@\n-1\n");
  EXPECT_EQ(unified_diff("a.cpp", "1\n", "1\n"), "");
}

}  // namespace
}  // namespace deed::check
