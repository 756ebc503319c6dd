// SPDX-License-Identifier: MIT
#include "flow/ranks.hpp"

#include "flow/messages.hpp"
#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::of_kind;
using testing::operation;
using testing::writer;

/// `if (rank == 0) send(to 1, tag); if (rank == 1) receive(from 0, other tag);`
class two_messages : public ::testing::Test {
 protected:
  matching run(std::int64_t sent, std::int64_t received, int ranks) {
    const path mine = w.variable("mine", noun::handle);
    const auto post = [&](const char* direction, std::int64_t peer, std::int64_t tag) {
      return w.call(direction, {{verb::posts, direction}},
                    {writer::token(mode::read, mine), writer::number(noun::peer, peer),
                     writer::number(noun::message_tag, tag)});
    };
    const auto branch = [](std::int64_t rank, std::vector<int> to) {
      block b = writer::straight({}, std::move(to));
      b.how = split::branch;
      b.condition = operation("==", {of_kind(value::kind::rank), constant(rank)});
      return b;
    };
    f = writer::of({branch(0, {1, 2}),
                    writer::straight({post("send", 1, sent)}, {2}),
                    branch(1, {3, 4}),
                    writer::straight({post("receive", 0, received)}, {4}),
                    {}});
    decisions.emplace(f);
    runs = run_on_ranks(w.all, f, *decisions, true);
    return match_messages(runs.by_ranks.at(ranks));
  }
  writer w;
  function f;
  std::optional<control> decisions;
  rank_runs runs;
};

TEST_F(two_messages, match_by_peer_and_tag) {
  const auto result = run(3, 3, 2);
  EXPECT_TRUE(result.known);
  EXPECT_EQ(result.pairs.size(), 1U);
  EXPECT_TRUE(result.left.empty());
}

TEST_F(two_messages, differ_in_the_tag) {
  const auto result = run(3, 4, 4);
  ASSERT_EQ(result.left.size(), 1U);
  EXPECT_EQ(result.left[0].what, mismatch::tag);
  EXPECT_EQ(result.left[0].one.tag, 4);
  EXPECT_EQ(result.left[0].other->tag, 3);
}

TEST_F(two_messages, are_not_known_where_the_peer_does_not_exist) {
  EXPECT_FALSE(run(3, 3, 1).known);
}

TEST(run, ends_where_a_condition_is_known_to_one_rank_only) {
  writer w;
  block split = writer::straight({}, {1, 2});
  split.how = split::branch;
  split.condition = of_kind(value::kind::rank_local);
  const function f =
      writer::of({split, writer::straight({w.call("wait", {{verb::step, "wait"}}, {})}, {2}), {}});
  const control decisions(f);
  const auto runs = run_on_ranks(w.all, f, decisions, true);
  EXPECT_FALSE(runs.by_ranks.at(2)[0].complete);
}

/// `n = 3; if (rank-local) m = n; if (n == 3) wait();`
TEST(run, knows_what_was_copied_in_a_branch_that_is_skipped) {
  writer w;
  const path n = w.variable("n", noun::none), m = w.variable("m", noun::none);
  event begun = w.of_kind(event_kind::assign, n), copied = w.of_kind(event_kind::assign, m, n);
  begun.result_value = constant(3);
  copied.result_value = testing::variable_value(n);
  const auto branch = [](std::vector<event> before, value_ref condition, std::vector<int> to) {
    block b = writer::straight(std::move(before), std::move(to));
    b.how = split::branch;
    b.condition = std::move(condition);
    return b;
  };
  const function f =
      writer::of({branch({begun}, of_kind(value::kind::rank_local), {1, 2}),
                  writer::straight({copied}, {2}),
                  branch({}, operation("==", {testing::variable_value(n), constant(3)}), {3, 4}),
                  writer::straight({w.call("wait", {{verb::step, "wait"}}, {})}, {4}),
                  {}});
  const control decisions(f);
  const auto runs = run_on_ranks(w.all, f, decisions, true);
  EXPECT_TRUE(runs.by_ranks.at(2)[1].complete);
  EXPECT_FALSE(runs.guessed());
  EXPECT_EQ(runs.by_ranks.at(2)[1].calls.size(), 1U);
}

/// `if (given.empty()) send(to 1, tag 3);`, behind a throw without arguments if they are `wanted`.
class one_with_arguments : public ::testing::Test {
 protected:
  rank_runs run(bool wanted) {
    const path given = w.variable("given", noun::arguments);
    const path mine = w.variable("mine", noun::handle);
    const value_ref none = operation("std empty", {testing::variable_value(given)});
    event thrown = w.of_kind(event_kind::leave, {});
    thrown.thrown = true;
    block refuse = writer::straight({}, {1, 2}), end = writer::straight({thrown}, {4});
    refuse.how = split::branch;
    refuse.condition = wanted ? none : constant(0);
    end.ends_job = true;
    block post = writer::straight({}, {3, 4});
    post.how = split::branch;
    post.condition = wanted ? operation("!", {none}) : none;
    const event send = w.call("send", {{verb::posts, "send"}},
                              {writer::token(mode::read, mine), writer::number(noun::peer, 1),
                               writer::number(noun::message_tag, 3)});
    f = writer::of({refuse, end, post, writer::straight({send}, {4}), {}});
    f.parameters = {given.root};
    decisions.emplace(f);
    return run_on_ranks(w.all, f, *decisions, true);
  }
  writer w;
  function f;
  std::optional<control> decisions;
};

TEST_F(one_with_arguments, is_run_without_any) {
  const auto runs = run(false);
  EXPECT_FALSE(runs.guessed());
  EXPECT_EQ(runs.by_ranks.at(2)[1].calls.size(), 1U);
}

TEST_F(one_with_arguments, is_run_with_unknown_ones_where_it_wants_some) {
  const auto runs = run(true);
  EXPECT_TRUE(runs.by_ranks.at(2)[1].complete);
  EXPECT_EQ(runs.by_ranks.at(2)[1].calls.size(), 1U);
}

}  // namespace
}  // namespace deed::check
