// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"

#include "rules/rule.hpp"
#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::writer;

std::vector<int> codes(const writer& w) {
  std::vector<int> found;
  for (const diagnostic& d : run_rules(w.all)) found.push_back(d.code);
  return found;
}

void keep(writer& w, function f) {
  w.all.functions["f"] = std::make_unique<function>(std::move(f));
}

class borrowing : public ::testing::Test {
 protected:
  writer w;
  const path session = w.variable("session", noun::session);
  const path mine = w.variable("mine", noun::handle);
  const path view = w.variable("view", noun::borrow);
  event lend = w.call("borrow", {{verb::lends, ""}}, {writer::token(mode::write, mine)}, view);
  event task =
      w.call("insert_task", {{verb::submits, ""}}, {writer::token(mode::read_write, mine)});
  event release = w.of_kind(event_kind::scope_end, view);
  event wait = w.call("wait", {{verb::waits, "all"}}, {});
};

TEST_F(borrowing, reports_a_borrow_that_lives_across_the_wait_for_its_task) {
  keep(w, writer::of({writer::straight({lend, task, wait}, {1}), {}}));
  EXPECT_EQ(codes(w), std::vector{306});
}

TEST_F(borrowing, is_silent_when_the_borrow_ends_before) {
  keep(w, writer::of({writer::straight({lend, task, release, wait}, {1}), {}}));
  EXPECT_TRUE(codes(w).empty());
}

TEST_F(borrowing, is_silent_for_a_borrow_after_the_task) {
  keep(w, writer::of({writer::straight({task, lend, release, wait}, {1}), {}}));
  EXPECT_TRUE(codes(w).empty());
}

TEST_F(borrowing, warns_where_the_task_is_inserted_on_one_path) {
  block split = writer::straight({lend}, {1, 2});
  split.how = split::branch;
  split.condition = testing::of_kind(value::kind::unknown);
  keep(w, writer::of({split, writer::straight({task}, {2}), writer::straight({wait}, {3}), {}}));
  const auto found = run_rules(w.all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].how, severity::warning);
}

TEST(moving, is_certain_when_both_branches_move) {
  writer w;
  const path a = w.variable("a", noun::handle), b = w.variable("b", noun::handle);
  block split = writer::straight({}, {1, 2});
  split.how = split::branch;
  event use = w.of_kind(event_kind::use, a);
  use.arguments = {writer::token(mode::read, a)};
  keep(w, writer::of({split,
                      writer::straight({w.of_kind(event_kind::move, a, b)}, {3}),
                      writer::straight({w.of_kind(event_kind::move, a, b)}, {3}),
                      writer::straight({use}, {4}),
                      {}}));
  const auto found = run_rules(w.all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, 101);
  EXPECT_EQ(found[0].how, severity::error);
}

TEST(moving, ends_on_a_function_that_goes_round_for_ever) {
  writer w;
  const path a = w.variable("a", noun::handle), b = w.variable("b", noun::handle);
  keep(w, writer::of({writer::straight({w.of_kind(event_kind::move, a, b)}, {1}),
                      writer::straight({w.of_kind(event_kind::move, b, a)}, {0}),
                      {}}));
  EXPECT_TRUE(codes(w).empty());
}

}  // namespace
}  // namespace deed::check
