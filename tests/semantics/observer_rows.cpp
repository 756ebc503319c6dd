// SPDX-License-Identifier: MIT
// What a program is shown of its tasks before they are inserted: row N26.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using semantics::run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};

std::vector<int> numbers(std::span<const deed::rank> ranks) {
  std::vector<int> all;
  for (const deed::rank each : ranks) all.push_back(each.value);
  return all;
}

TEST(semantics_N26, an_observer_is_called_for_each_task_on_each_rank) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto a = session.register_data(deed::owner{0}, 1, {.name = "a"});
    auto b = session.register_data(deed::owner{last}, 2, {.name = "b"});
    auto mine = session.register_data(deed::per_rank, session.rank(), {.name = "mine"});
    std::vector<std::string> seen;
    std::vector<std::vector<int>> ranks;
    session.insert_task(increase, deed::read_write(a));
    session.observe([&](const deed::observed_task& task) {
      std::string text(task.name());
      for (std::size_t i = 0; i < task.size(); ++i)
        text += " " + std::string(to_string(task[i].mode())) + " " + task[i].name();
      seen.push_back(text);
      ranks.push_back(numbers(task.ranks()));
      EXPECT_EQ(task.runs_on(deed::rank{session.rank()}),
                numbers(task.ranks()).size() > 1 || task.ranks()[0].value == session.rank());
    });
    session.insert_task(add, deed::read_write(b), deed::read(a));
    session.insert_task(add, deed::read_write(b), deed::read(a), deed::on(deed::rank{0}));
    session.insert_task(increase, deed::read_write(mine));
    session.insert_task(increase, deed::read_write(a), deed::on_each{deed::everywhere});
    session.submit(session.prepare_task(increase, deed::read_write(b)));
    session.copy(deed::read(a), deed::write(b));
    session.observe({});
    session.insert_task(increase, deed::read_write(a));
    session.wait();

    EXPECT_THAT(seen, ElementsAre("add read_write b read a", "add read_write b read a",
                                  "increase read_write mine", "increase read_write a",
                                  "increase read_write b", "copy write b read a"));
    std::vector<int> all;
    for (int r = 0; r < session.size(); ++r) all.push_back(r);
    EXPECT_THAT(ranks, ElementsAre(ElementsAre(last), ElementsAre(0), ElementsAre(session.rank()),
                                   all, ElementsAre(last), ElementsAre(last)));
    if (session.owns(a)) {
      EXPECT_EQ(*session.borrow(deed::read(a)), 4);
    }
    if (session.owns(b)) {
      EXPECT_EQ(*session.borrow(deed::read(b)), 3);
    }
    EXPECT_EQ(*session.borrow(deed::read(mine)), session.rank() + 1);
  });
}

TEST(semantics_N26, an_observer_sees_what_a_balancer_needs) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto a = session.register_data(deed::owner{last}, 1, {.tag = deed::tag{77}, .name = "a"});
    auto mine = session.register_data(deed::per_rank, 1, {.name = "mine"});
    int calls = 0;
    session.observe([&](const deed::observed_task& task) {
      ++calls;
      EXPECT_EQ(task.size(), 1u);
      const deed::observed_access used = task[0];
      EXPECT_EQ(used.bytes(), sizeof(int));
      EXPECT_THAT(deed::to_string(task.where()), HasSubstr("observer_rows.cpp:"));
      if (used.name() == "mine") {
        EXPECT_EQ(used.owner(), deed::rank{session.rank()});
        EXPECT_EQ(task.flops(), 0u);
      } else {
        EXPECT_EQ(used.owner(), deed::rank{calls == 3 ? 0 : last}) << "follows `migrate`";
        EXPECT_EQ(used.tag(), deed::tag{77});
        EXPECT_EQ(task.flops(), 1000u);
      }
    });
    session.insert_task(increase, deed::read_write(a), deed::flops{1000});
    session.insert_task(increase, deed::read_write(mine));
    session.migrate(a, deed::owner{0});
    session.insert_task(increase, deed::read_write(a), deed::flops{1000});
    session.wait();
    EXPECT_EQ(calls, 3);
  });
}

TEST(semantics_N26, a_task_that_its_observer_refuses_is_not_inserted) {
  run([](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1, {.name = "a"});
    session.observe([](const deed::observed_task& task) {
      if (task.name() == "increase") throw std::invalid_argument("not now");
    });
    EXPECT_THROW(session.insert_task(increase, deed::read_write(a)), std::invalid_argument);
    EXPECT_THROW(
        session.insert_task(increase, deed::read_write(a), deed::on_each{deed::everywhere}),
        std::invalid_argument);
    session.observe({});
    session.insert_task(increase, deed::read_write(a));
    session.wait();
    if (session.owns(a)) {
      EXPECT_EQ(*session.borrow(deed::read(a)), 2);
    }
  });
}

TEST(semantics_N26, an_observer_submits_nothing_and_waits_for_nothing) {
  run([](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1, {.name = "a"});
    auto mine = session.register_data(deed::per_rank, 1, {.name = "mine"});
    const auto refusal = [&](const std::function<void()>& call) {
      std::string text;
      session.observe([&](const deed::observed_task&) { call(); });
      try {
        session.insert_task(increase, deed::read_write(a));
      } catch (const deed::error& refused) {
        text = refused.what();
      }
      session.observe({});
      return text;
    };
    EXPECT_THAT(refusal([&] { session.insert_task(increase, deed::read_write(mine)); }),
                HasSubstr("deed[D806] the session is used inside an observer"));
    EXPECT_THAT(refusal([&] { session.observe({}); }), HasSubstr("deed[D806]"));
    EXPECT_THAT(refusal([&] { session.wait(); }),
                HasSubstr("deed[D705] waiting inside an observer"));
    session.wait();
    if (session.owns(a)) {
      EXPECT_EQ(*session.borrow(deed::read(a)), 1);
    }
  });
}

TEST(semantics_N26, tasks_of_callbacks_are_shown_too) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, 1, {.name = "mine"});
    auto a = session.register_data(deed::owner{0}, 1, {.name = "a"});
    int calls = 0;  // One call at a time.
    session.observe([&](const deed::observed_task&) { ++calls; });
    session.insert_task(increase, deed::read_write(mine), deed::when_done([&] {
                          session.insert_task(increase, deed::read_write(mine));
                        }));
    for (int i = 0; i < 20; ++i) session.insert_task(increase, deed::read_write(a));
    session.wait();
    EXPECT_EQ(calls, 22);
    EXPECT_EQ(*session.borrow(deed::read(mine)), 3);
  });
}

}  // namespace
