// SPDX-License-Identifier: MIT
#include "flow/store.hpp"

#include "flow/print.hpp"
#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::writer;

/// A unit with one function that borrows, inserts and branches.
struct unit {
  writer w;
  path session = w.variable("session", noun::session);
  path mine = w.variable("mine", noun::handle);

  explicit unit(const std::string& file, const std::string& usr = "f") {
    w.all.files.add(file);
    block first = writer::straight(
        {w.call("insert_task", {{verb::submits, ""}}, {writer::token(mode::read_write, mine)}),
         w.call("wait", {{verb::waits, "all"}}, {writer::number(noun::rank, 3)})},
        {1, 2});
    first.condition = operation("==", {of_kind(value::kind::rank), constant(0)});
    first.how = split::branch;
    function f = writer::of({std::move(first), writer::straight({}, {2}), {}});
    f.usr = usr;
    f.parameters = {session.root};
    w.all.functions[usr] = std::make_unique<function>(std::move(f));
    w.all.codelets.push_back({"bump", {0, 90, 1, 90, 5}, {0, 90, 1, 90, 5}, {"body"}});
  }
  static value_ref of_kind(value::kind k) { return testing::of_kind(k); }
  static value_ref operation(const std::string& text, std::vector<value_ref> arguments) {
    return testing::operation(text, std::move(arguments));
  }
};

std::string printed_functions(const program& all) {
  std::string text;
  for (const auto& [usr, f] : all.functions) text += printed(all, *f);
  return text;
}

TEST(store, gives_back_what_was_stored) {
  const unit one("a.cpp");
  program again;
  ASSERT_TRUE(absorb(stored(one.w.all), again));
  EXPECT_EQ(printed_functions(again), printed_functions(one.w.all));
  EXPECT_EQ(again.files.name(0), "a.cpp");
  ASSERT_EQ(again.codelets.size(), 1u);
  EXPECT_EQ(again.codelets[0].name, "bump");
}

TEST(store, numbers_variables_files_and_codelets_anew) {
  const unit one("a.cpp"), two("b.cpp", "g");
  program both;
  ASSERT_TRUE(absorb(stored(one.w.all), both));
  ASSERT_TRUE(absorb(stored(two.w.all), both));
  EXPECT_EQ(both.files.size(), 2u);
  EXPECT_EQ(both.codelets.size(), 2u);
  const function& g = *both.find("g");
  EXPECT_NE(g.parameters, both.find("f")->parameters);
  EXPECT_EQ(both.var(g.parameters[0]).name, "session");
  EXPECT_EQ(both.files.name(g.blocks[0].events[0].at.file), "b.cpp");
}

TEST(store, takes_what_two_units_share_once) {
  const unit one("a.hpp"), two("a.hpp");
  program both;
  ASSERT_TRUE(absorb(stored(one.w.all), both));
  ASSERT_TRUE(absorb(stored(two.w.all), both));
  EXPECT_EQ(both.files.size(), 1u);
  EXPECT_EQ(both.functions.size(), 1u);
  EXPECT_EQ(both.codelets.size(), 1u);
}

TEST(store, refuses_bytes_that_end_early_or_are_something_else) {
  const std::string bytes = stored(unit("a.cpp").w.all);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    program out;
    EXPECT_FALSE(absorb(bytes.substr(0, size), out)) << size;
  }
  program out;
  EXPECT_FALSE(absorb("something else", out));
}

}  // namespace
}  // namespace deed::check
