// SPDX-License-Identifier: MIT
// Barriers, waits and gates: rows R40 to R43, N28.
#include <deed/base/error.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/transport/sim.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using deed::from;
using deed::message_tag;
using deed::read;
using deed::to;
using deed::write;
using semantics::before;
using semantics::next;
using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet bump{"bump", [](int& x) { ++x; }};
constexpr deed::codelet copy{"copy",
                             [](int& to_here, const int& from_there) { to_here = from_there; }};

TEST(semantics_R40, a_barrier_holds_up_no_message) {
  run([](deed::session& session) {
    using numbers = std::vector<double>;
    auto out = session.register_data(deed::per_rank, numbers(1 << 18, 1.0), {.name = "out"});
    auto in = session.register_data(deed::per_rank, numbers(), {.name = "in"});
    session.receive(write(in), from{before(session)}, message_tag{1});
    session.barrier();
    session.send(read(out), to{next(session)}, message_tag{1});
    session.barrier();
    session.wait();
    EXPECT_EQ(session.borrow(read(in))->size(), std::size_t{1} << 18);
  });
}

TEST(semantics_R40, nobody_leaves_a_barrier_before_all_have_come) {
  std::atomic<int> came = 0;  // Of the ranks of this process.
  run([&](deed::session& session) {
    ++came;
    session.barrier();
    EXPECT_EQ(came, semantics::ranks_here(session));
    session.barrier();
    if (session.rank() == 0) came = 0;
  });
}

TEST(semantics_R41, wait_covers_tasks_messages_callbacks_and_what_these_add) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    auto y = session.register_data(deed::per_rank, 0, {.name = "y"});
    session.insert_task(
        bump, deed::read_write(x), deed::when_done([&] {
          session.send(read(x), to{session.rank()}, message_tag{1});
          session.receive(write(y), from{session.rank()}, message_tag{1},
                          deed::when_done([&] { session.insert_task(bump, deed::read_write(y)); }));
        }));
    session.wait();
    EXPECT_EQ(*session.borrow(read(y)), 2);
  });
}

TEST(semantics_R42, tasks_behind_a_gate_start_when_messages_have_opened_it) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto seen = session.register_data(deed::per_rank, -1, {.name = "seen"});
    auto halo = session.make_gate("halo");
    auto sent = session.make_gate("sent");
    // `copy` is submitted before the receive: without the gate it would see the old value.
    auto proof = session.register_data(deed::per_rank, 0, {.name = "proof"});
    session.insert_task(bump, deed::read_write(proof), deed::behind(halo), deed::behind(sent));
    EXPECT_FALSE(halo.is_open());
    session.receive(write(in), from{before(session)}, message_tag{1}, deed::opens(halo));
    session.send(read(out), to{next(session)}, message_tag{1}, deed::opens(sent));
    halo.wait();
    EXPECT_TRUE(halo.is_open());
    session.insert_task(copy, write(seen), read(in), deed::behind(halo));
    session.wait();
    EXPECT_EQ(*session.borrow(read(proof)), 1);
    EXPECT_EQ(*session.borrow(read(seen)), before(session));
  });
}

TEST(semantics_R42, gates_order_tasks_that_share_no_data) {
  run([](deed::session& session) {
    // Each task appends to a list of its own rank only; a chain of gates makes the order.
    std::vector<int> order;
    std::vector<deed::gate> gates;
    constexpr int count = 20;
    for (int i = 0; i < count; ++i) gates.push_back(session.make_gate("step " + std::to_string(i)));
    std::vector<deed::handle<int>> data;
    for (int i = 0; i < count; ++i) data.push_back(session.register_data(deed::per_rank, i));
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    for (int i = count; i-- > 1;) {
      session.insert_task(bump, deed::read_write(data[at(i)]), deed::behind(gates[at(i - 1)]),
                          deed::opens(gates[at(i)]),
                          deed::when_done([&order, i] { order.push_back(i); }));
    }
    gates[0].open();
    session.wait();
    ASSERT_EQ(order.size(), at(count - 1));
    EXPECT_TRUE(gates.back().is_open());
  });
}

TEST(semantics_R42, what_waits_behind_a_gate_sees_what_the_callback_of_its_opener_did) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0);
    auto y = session.register_data(deed::per_rank, 0);
    auto gate = session.make_gate("called");
    std::atomic<bool> called = false;
    std::atomic<bool> seen = false;
    session.insert_task(bump, deed::read_write(x), deed::opens(gate), deed::when_done([&] {
                          std::this_thread::sleep_for(std::chrono::milliseconds(20));
                          called = true;
                        }));
    session.insert_task(bump, deed::read_write(y), deed::behind(gate),
                        deed::when_done([&] { seen = called.load(); }));
    session.wait();
    EXPECT_TRUE(seen);
  });
}

TEST(semantics_R42, a_gate_that_nothing_opens_is_refused_by_name_and_line) {
  const std::string text = reports_of([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    auto start = session.make_gate("start");
    session.insert_task(bump, deed::read_write(x), deed::behind(start));
    try {
      session.wait();
      ADD_FAILURE() << "the wait returned";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::gate_never_opens);
      EXPECT_THAT(refused.what(), HasSubstr("gate `start` never opens"));
      EXPECT_THAT(refused.what(), HasSubstr("for the task `bump`, inserted at gate_rows.cpp:"));
    }
    start.open();  // Nothing was lost.
    session.wait();
    EXPECT_EQ(*session.borrow(read(x)), 1);
  });
  EXPECT_EQ(text, "");
}

TEST(semantics_R42, what_was_caught_is_not_printed_again_at_the_end) {
  testing::internal::CaptureStderr();
  deed::transport::sim_world made(1, {.seed = 1});
  made.run([&](deed::rank, deed::transport::endpoint& door) {
    deed::session session({.rank = 0,
                           .size = 1,
                           .door = &door,
                           .time = &made.time(),
                           .simulated = true,
                           .seed = 1,
                           .pass = [&made] { made.pass(deed::rank{0}); }});
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    auto start = session.make_gate("start");
    session.insert_task(bump, deed::read_write(x), deed::behind(start));
    EXPECT_THROW(session.wait(), deed::error);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(semantics_R42, a_gate_opened_too_often_is_refused) {
  const std::string text = reports_of([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    auto start = session.make_gate("start");
    session.insert_task(bump, deed::read_write(x), deed::opens(start));
    EXPECT_THROW(start.open(), deed::error);
    EXPECT_THROW(session.insert_task(bump, deed::read_write(x), deed::opens(start)), deed::error);
    session.wait();
    EXPECT_EQ(*session.borrow(read(x)), 1);
    start.open();
  });
  EXPECT_THAT(text, HasSubstr("deed[D703] gate `start` opened too often"));
  EXPECT_THAT(text, HasSubstr("first   gate_rows.cpp:"));
}

TEST(semantics_R42, gates_in_a_circle_are_refused) {
  const std::string text = reports_of([](deed::session& session) {
    auto a = session.register_data(deed::per_rank, 0), b = session.register_data(deed::per_rank, 0);
    auto first = session.make_gate("first");
    auto second = session.make_gate("second");
    session.insert_task(bump, deed::read_write(a), deed::behind(first), deed::opens(second));
    session.insert_task(bump, deed::read_write(b), deed::behind(second), deed::opens(first));
    session.wait();
  });
  EXPECT_THAT(text, HasSubstr("deed[D704] gates wait in a circle"));
  EXPECT_THAT(text, HasSubstr("behind `second`, opens `first`"));
}

TEST(semantics_R42, a_gate_whose_message_never_comes_shows_in_the_deadlock_report) {
  const std::string text = reports_of([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    auto y = session.register_data(deed::per_rank, 0, {.name = "y"});
    auto halo = session.make_gate("halo");
    if (session.rank() == 0) {
      session.receive(write(x), from{1}, message_tag{9}, deed::opens(halo));
      session.insert_task(bump, deed::read_write(y), deed::behind(halo));
    }
    session.wait();
  });
  EXPECT_THAT(text, HasSubstr("deed[D506]"));
  EXPECT_THAT(text, HasSubstr("waits behind gate `halo`, made at gate_rows.cpp:"));
}

TEST(semantics_R43, a_gate_opens_after_the_last_of_many_messages) {
  run([](deed::session& session) {
    constexpr std::uint32_t count = 10;
    std::vector<deed::handle<int>> out, in;
    for (std::uint32_t i = 0; i < count; ++i) {
      out.push_back(session.register_data(deed::per_rank, static_cast<int>(i)));
      in.push_back(session.register_data(deed::per_rank, -1));
    }
    auto all = session.make_gate("all", count);
    auto none = session.make_gate("none", 0);
    EXPECT_TRUE(none.is_open());
    auto ran = session.register_data(deed::per_rank, 0, {.name = "ran"});
    session.insert_task(bump, deed::read_write(ran), deed::behind(all), deed::behind(none));
    for (std::uint32_t i = 0; i < count; ++i) {
      session.receive(write(in[i]), from{before(session)}, message_tag{i}, deed::opens(all));
      session.send(read(out[count - 1 - i]), to{next(session)}, message_tag{count - 1 - i});
    }
    all.wait();
    for (std::uint32_t i = 0; i < count; ++i)
      EXPECT_EQ(*session.borrow(read(in[i])), static_cast<int>(i));
    EXPECT_EQ(*session.borrow(read(ran)), 1);
  });
}

TEST(semantics_N28, waiting_for_one_datum_leaves_the_others_under_way) {
  run([](deed::session& session) {
    auto slow = session.register_data(deed::per_rank, 0, {.name = "slow"});
    auto quick = session.register_data(deed::owner{session.size() - 1}, 0, {.name = "quick"});
    auto later = session.make_gate("later");
    session.insert_task(bump, deed::read_write(slow), deed::behind(later));
    for (int i = 0; i < 3; ++i)
      session.insert_task(bump, deed::read_write(quick), deed::on(deed::rank{0}));
    session.wait(quick);
    EXPECT_EQ(session.statistics().tasks_run, session.rank() == 0 ? 3u : 0u);
    EXPECT_FALSE(later.is_open());
    if (session.owns(quick)) {
      EXPECT_EQ(*session.borrow(read(quick)), 3);
    }
    later.open();
    session.wait(slow);
    EXPECT_EQ(*session.borrow(read(slow)), 1);
  });
}

TEST(semantics_N28, messages_of_a_datum_are_waited_for_also_those_without_order) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto there = session.register_data(deed::per_rank, -1, {.name = "there"});
    auto now = session.make_gate("now", 0);
    session.receive(write(in), from{before(session)}, message_tag{1});
    session.receive(write(there), from{before(session)}, message_tag{2}, deed::unordered,
                    deed::behind(now));
    session.send(read(out), to{next(session)}, message_tag{1});
    session.send(read(out), to{next(session)}, message_tag{2});
    session.wait(in);
    session.wait(there);
    EXPECT_EQ(*session.borrow(read(in)), before(session));
    EXPECT_EQ(*session.borrow(read(there)), before(session));
    session.wait(out);
  });
}

TEST(semantics_N28, what_a_rank_contributes_is_waited_for_before_and_after_it_is_closed) {
  run([](deed::session& session) {
    auto sum = session.register_data(deed::owner{0}, 0, deed::reduction{std::plus<>{}, 0},
                                     {.name = "sum"});
    const auto give = [&] {
      for (int r = 0; r < session.size(); ++r)
        session.insert_task(bump, deed::reduce(sum), deed::on(deed::rank{r}));
    };
    give();
    session.wait(sum);
    EXPECT_EQ(session.statistics().tasks_run, 1u);
    give();
    session.reduce(sum);
    session.wait(sum);
    EXPECT_EQ(session.statistics().tasks_run, 2u);
    if (session.owns(sum)) {
      EXPECT_EQ(*session.borrow(read(sum)), 2 * session.size());
    }
  });
}

TEST(semantics_N28, waiting_for_a_datum_is_refused_where_it_would_be_for_ever) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
    const auto lent = session.borrow(read(x));
    try {
      session.wait(x);
      ADD_FAILURE() << "it came back";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::wait_for_ever);
      EXPECT_THAT(refused.what(), HasSubstr("for all uses of `x`"));
    }
  });
}

TEST(semantics_N28, a_datum_without_value_throws_what_its_task_threw) {
  constexpr static deed::codelet fails{"fails", [](int&) { throw std::runtime_error("not now"); }};
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        session.insert_task(fails, deed::read_write(x));
        if (session.owns(x)) {
          EXPECT_THROW(session.wait(x), deed::task_error);
        } else {
          session.wait(x);
        }
        EXPECT_THROW(session.wait(), deed::task_error);
      },
      1, {.exceptions = deed::on_exception::propagate});
}

}  // namespace
