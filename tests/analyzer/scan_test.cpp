// SPDX-License-Identifier: MIT
#include "report/scan.hpp"

#include <gtest/gtest.h>

namespace deed::check {
namespace {

/// The text between two places, where `|` is the place asked for.
class scan_text : public ::testing::Test {
 protected:
  void read(std::string text) {
    at_ = text.find('|');
    if (at_ != std::string::npos) text.erase(at_, 1);
    source_ = scan(std::move(text));
  }
  std::string statement(std::string text) {
    read(std::move(text));
    const std::size_t from = source_.statement_start(at_);
    return source_.text.substr(from, source_.statement_end(at_) - from);
  }
  std::string before(std::string text) {
    read(std::move(text));
    const std::size_t from = source_.statement_start(at_);
    return source_.text.substr(from, at_ - from);
  }
  std::string declaration(std::string text) {
    read(std::move(text));
    return source_.text.substr(at_, source_.declaration_end(at_) - at_);
  }
  scanned_source source_;
  std::size_t at_ = 0;
};

TEST_F(scan_text, blanks_comments_literals_and_directives) {
  read(
      "#define X { // no\\\n {\nint a = 1'000; // one {\nauto s = \"// {\"; char c = '{'; /* { */ "
      "f(R\"x({)\")x\");\n");
  EXPECT_EQ(source_.code.find('{'), std::string::npos) << source_.code;
  EXPECT_EQ(source_.code.size(), source_.text.size());
  ASSERT_EQ(source_.comments.size(), 2u);
  EXPECT_EQ(source_.comments[0].text, "one {");
  EXPECT_EQ(source_.comments[1].text, "{");
  EXPECT_NE(source_.code.find("000;"), std::string::npos);
  EXPECT_NE(source_.code.find("\"    \"; char c = ' ';"), std::string::npos) << source_.code;
}

TEST_F(scan_text, an_apostrophe_of_prose_ends_nowhere) {
  read("#error don't\nit's; // here\n");
  ASSERT_EQ(source_.comments.size(), 1u);
  EXPECT_EQ(source_.comments[0].text, "here");
}

TEST_F(scan_text, knows_lines_and_columns) {
  read("a;\n  b;|\n");
  EXPECT_EQ(source_.line_of(at_), 2u);
  EXPECT_EQ(source_.column_of(at_), 5u);
  EXPECT_EQ(source_.line_of(0), 1u);
}

TEST_F(scan_text, a_statement_goes_over_lines_and_through_lambdas) {
  EXPECT_EQ(statement("a(); f(1,|\n  2); b();"), "f(1,\n  2);");
  EXPECT_EQ(statement("{ f([](int x) { x = 1; },|\n T{1, 2}); } b();"),
            "f([](int x) { x = 1; },\n T{1, 2});");
  EXPECT_EQ(statement("a(); |\n b(); c();"), "a(); \n b();")
      << "behind a semicolon: that statement, and the next";
  EXPECT_EQ(statement("x; if (y)|\n { z(); }"), "if (y)\n ");
  EXPECT_EQ(statement("for (int i = 0; i < 3; ++i)| f(i); g();"),
            "for (int i = 0; i < 3; ++i) f(i);");
}

TEST_F(scan_text, the_statement_in_front_of_a_place) {
  EXPECT_EQ(before("a(); f(1,\n 2);|"), "f(1,\n 2);");
  EXPECT_EQ(before("{ g(); } T b{1};|"), "T b{1};");
  EXPECT_EQ(before("if (x) { g(); }\n*view = 2;|"), "*view = 2;");
  EXPECT_EQ(before("a(); for (int i = 0;\n i < 3; ++i) {|"), "for (int i = 0;\n i < 3; ++i) {");
  EXPECT_EQ(before("if (x) { g(); } else h();|"), "else h();");
}

TEST_F(scan_text, a_declaration_ends_with_its_body) {
  EXPECT_EQ(declaration("|void f(); int a;"), "void f();");
  EXPECT_EQ(declaration("|void f(std::vector<int> v = {}) { if (v.empty()) { } } int a;"),
            "void f(std::vector<int> v = {}) { if (v.empty()) { } }");
  EXPECT_EQ(declaration("|A(int n) : a_{n}, b_(n) { f(); } int a;"),
            "A(int n) : a_{n}, b_(n) { f(); }");
  EXPECT_EQ(declaration("|A(int n) : a_{n} {} int a;"), "A(int n) : a_{n} {}");
  EXPECT_EQ(declaration("|void f() { /* } */ g(\"}\"); } int a;"),
            "void f() { /* } */ g(\"}\"); }");
  EXPECT_EQ(declaration("|struct s { int a; }; int b;"), "struct s { int a; };");
}

TEST_F(scan_text, survives_what_does_not_end) {
  for (const char* text : {"", "\"", "/*", "R\"", "R\"x(", "(", "}", "'", "f(", "#", "\\"}) {
    const scanned_source source = scan(text);
    EXPECT_LE(source.statement_start(source.text.size()), source.text.size());
    EXPECT_LE(source.statement_end(0), source.text.size());
    EXPECT_LE(source.declaration_end(0), source.text.size());
  }
}

}  // namespace
}  // namespace deed::check
