// SPDX-License-Identifier: MIT
// Messages and requests: rows R25 to R39.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
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
using numbers = std::vector<std::uint64_t>;

constexpr std::size_t large = std::size_t{16} << 17;  // 16 MiB.
constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet fill{
    "fill", [](numbers& all, std::uint64_t first) { std::iota(all.begin(), all.end(), first); }};
constexpr deed::codelet copy{"copy",
                             [](int& to_here, const int& from_there) { to_here = from_there; }};
constexpr deed::codelet sum{"sum", [](std::uint64_t& total, const numbers& all) {
                              total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
                            }};

TEST(semantics_R25, a_message_takes_its_place_among_the_tasks_of_its_datum) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, numbers(1000), {.name = "out"});
    auto in = session.register_data(deed::per_rank, numbers(1000, 1), {.name = "in"});
    auto old = session.register_data(deed::per_rank, std::uint64_t{0}, {.name = "old"});
    auto fresh = session.register_data(deed::per_rank, std::uint64_t{0}, {.name = "fresh"});
    session.insert_task(fill, deed::read_write(out), deed::value(std::uint64_t{5}));
    session.send(read(out), to{next(session)}, message_tag{1});
    session.insert_task(fill, deed::read_write(out), deed::value(std::uint64_t{0}));
    session.insert_task(sum, write(old), read(in));
    session.receive(write(in), from{before(session)}, message_tag{1});
    session.insert_task(sum, write(fresh), read(in));
    session.wait();
    EXPECT_EQ(*session.borrow(read(old)), 1000u);
    EXPECT_EQ(*session.borrow(read(fresh)), 1000u * 5 + 999u * 1000 / 2);
  });
}

TEST(semantics_R26, messages_of_one_tag_arrive_in_order_in_any_handle) {
  run([](deed::session& session) {
    constexpr int count = 100;
    std::vector<deed::handle<int>> out, in;
    for (int i = 0; i < count; ++i) {
      out.push_back(session.register_data(deed::per_rank, i, {.name = "out"}));
      in.push_back(session.register_data(deed::per_rank, -1, {.name = "in"}));
    }
    // Into other handles than they came from, in the order of the calls.
    for (int i = 0; i < count; ++i)
      session.send(read(out[static_cast<std::size_t>(i)]), to{next(session)}, message_tag{7});
    for (int i = count; i-- > 0;)
      session.receive(write(in[static_cast<std::size_t>(i)]), from{before(session)},
                      message_tag{7});
    session.wait();
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(*session.borrow(read(in[static_cast<std::size_t>(i)])), count - 1 - i);
  });
}

TEST(semantics_R26, a_message_may_come_before_its_handle_exists) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    session.send(read(out), to{next(session)}, message_tag{message_tag::max()});
    session.barrier();
    session.barrier();
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    session.receive(write(in), from{before(session)}, message_tag{message_tag::max()});
    EXPECT_EQ(*session.borrow(read(in)), before(session));
  });
}

TEST(semantics_R27, blocking_sends_of_16_MiB_cross) {
  run(
      [](deed::session& session) {
        if (session.size() > 2) return;
        const int other = 1 - session.rank();
        auto out = session.register_data(deed::per_rank, numbers(large, 3), {.name = "out"});
        auto in = session.register_data(deed::per_rank, numbers(), {.name = "in"});
        session.receive(write(in), from{other}, message_tag{1});
        EXPECT_EQ(session.isend(read(out), to{other}, message_tag{1}).wait().bytes, 8 * large);
        session.wait();
        EXPECT_EQ(session.borrow(read(in))->back(), 3u);
      },
      2);
}

TEST(semantics_R27, sends_that_wait_for_each_other_are_named) {
  EXPECT_THAT(
      reports_of([](deed::session& session) {
        const int other = 1 - session.rank();
        auto x = session.register_data(deed::per_rank, numbers(100'000), {.name = "x"});
        session.isend(read(x), to{other}, message_tag{1}).wait();
        session.receive(write(x), from{other}, message_tag{1});
      }),
      ::testing::AllOf(HasSubstr("deed[D512]"), HasSubstr("800000 bytes, waits for the receive")));
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::per_rank, numbers(100'000), {.name = "x"});
                if (session.rank() == 0) session.send(read(x), to{1}, message_tag{1});
                session.wait();
                session.barrier();
              }),
              HasSubstr("deed[D505]"));
  // To itself, synchronously.
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
                session.send(read(x), to{session.rank()}, message_tag{1}, deed::synchronous);
                session.wait();
              }),
              HasSubstr("deed[D5"));
}

TEST(semantics_R28, a_blocking_receive_returns_the_value_and_its_status) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    session.send(read(out), to{next(session)}, message_tag{4});
    const auto came = session.ireceive(write(in), from{before(session)}, message_tag{4}).wait();
    EXPECT_EQ(came.source, deed::rank{before(session)});
    EXPECT_EQ(came.tag, message_tag{4});
    EXPECT_EQ(came.bytes, sizeof(int));
    EXPECT_EQ(*session.borrow(read(in)), before(session));
  });
}

TEST(semantics_R29, a_writer_waits_for_the_send_and_a_reader_does_not) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, numbers(large / 64, 1), {.name = "out"});
    auto in = session.register_data(deed::per_rank, numbers(), {.name = "in"});
    auto total = session.register_data(deed::per_rank, std::uint64_t{0}, {.name = "total"});
    // Until the others have come to the barrier nobody receives, so the sends are under way.
    auto sent = session.isend(read(out), to{next(session)}, message_tag{1}, deed::synchronous);
    session.insert_task(sum, write(total), read(out));
    EXPECT_EQ(*session.borrow(read(total)), large / 64);
    EXPECT_FALSE(sent.test());
    session.barrier();
    session.insert_task(fill, deed::read_write(out), deed::value(std::uint64_t{0}));
    session.receive(write(in), from{before(session)}, message_tag{1});
    sent.wait();
    session.wait();
    EXPECT_EQ(session.borrow(read(in))->back(), 1u);
  });
}

TEST(semantics_R30, a_reader_inserted_after_a_receive_sees_the_new_value) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto seen = session.register_data(deed::per_rank, -1, {.name = "seen"});
    auto arrived = session.ireceive(write(in), from{before(session)}, message_tag{2});
    session.insert_task(copy, write(seen), read(in));
    session.send(read(out), to{next(session)}, message_tag{2});
    EXPECT_EQ(*session.borrow(read(seen)), before(session));
    EXPECT_TRUE(arrived.test());
    EXPECT_EQ(arrived.status().source, deed::rank{before(session)});
  });
}

TEST(semantics_R31, a_dropped_request_is_detached) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, numbers(5000, 2), {.name = "out"});
    auto in = session.register_data(deed::per_rank, numbers(), {.name = "in"});
    {
      auto sent = session.isend(read(out), to{next(session)}, message_tag{2});
      auto arrived = session.ireceive(write(in), from{before(session)}, message_tag{2});
      arrived = std::move(sent);
    }
    session.wait();
    EXPECT_EQ(session.borrow(read(in))->size(), 5000u);
  });
}

TEST(semantics_R31, a_second_wait_is_refused_with_the_line_of_the_first) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, 1, {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    session.send(read(out), to{next(session)}, message_tag{2});
    auto arrived = session.ireceive(write(in), from{before(session)}, message_tag{2});
    arrived.wait();
    try {
      arrived.wait();
      FAIL() << "the second wait returned";
    } catch (const deed::error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("deed[D502]"));
      EXPECT_THAT(refused.what(), HasSubstr("first wait   message_rows.cpp:"));
    }
  });
}

TEST(semantics_R31, a_receive_that_nothing_came_for_can_be_taken_back) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto never = session.ireceive(write(in), from{before(session)}, message_tag{3});
    EXPECT_TRUE(never.cancel());
    EXPECT_TRUE(never.test());
    EXPECT_EQ(*session.borrow(read(in)), -1);
    // The next receive of this tag gets what comes.
    auto arrived = session.ireceive(write(in), from{before(session)}, message_tag{3});
    session.barrier();
    auto sent = session.isend(read(out), to{next(session)}, message_tag{3});
    EXPECT_FALSE(sent.cancel());
    arrived.wait();
    EXPECT_FALSE(arrived.cancel());
    EXPECT_EQ(*session.borrow(read(in)), before(session));
    // A datum that had no value has none again, and what would read it keeps the receive.
    auto empty = session.register_data<int>(deed::per_rank, deed::uninitialised, {.name = "empty"});
    auto first = session.ireceive(write(empty), from{before(session)}, message_tag{4});
    EXPECT_TRUE(first.cancel());
    EXPECT_THROW(session.send(read(empty), to{next(session)}, message_tag{4}), deed::error);
    auto second = session.ireceive(write(empty), from{before(session)}, message_tag{5});
    session.insert_task(copy, write(in), read(empty));
    EXPECT_THROW((void)second.cancel(), deed::error);
    session.barrier();  // No message comes before that.
    session.send(read(out), to{next(session)}, message_tag{5});
    session.wait();
    EXPECT_EQ(*session.borrow(read(in)), before(session));
  });
}

TEST(semantics_R31, the_first_value_of_an_owned_datum_cannot_be_taken_back) {
  run([](deed::session& session) {
    auto x = session.register_data<int>(deed::owner{0}, deed::uninitialised, {.name = "x"});
    auto seven = session.register_data(deed::per_rank, 7);
    const int sender = session.size() - 1;
    if (session.rank() == 0) {
      auto first = session.ireceive(write(x), from{sender}, message_tag{6});
      if (session.size() > 1) {
        try {
          static_cast<void>(first.cancel());
          ADD_FAILURE() << "other ranks expect a value";
        } catch (const deed::error& refused) {
          EXPECT_EQ(refused.code(), deed::error_code::read_before_written);
          EXPECT_THAT(refused.what(), HasSubstr("other ranks expect one"));
        }
      }
      if (sender == 0) session.send(read(seven), to{0}, message_tag{6});
    } else {
      static_cast<void>(session.relevant(write(x)));
      session.barrier();  // No message comes before that.
      if (session.rank() == sender) session.send(read(seven), to{0}, message_tag{6});
    }
    if (session.rank() == 0) session.barrier();
    session.fetch(read(x), deed::everywhere);  // What all ranks know still holds.
    session.wait();
    EXPECT_EQ(*session.borrow(read(x)), 7);
  });
}

TEST(semantics_R32, a_callback_runs_once_when_the_datum_is_free_and_before_wait_returns) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, 1, {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    std::atomic<int> sent = 0, arrived = 0;
    for (int i = 0; i < 20; ++i) {
      session.send(read(out), to{next(session)}, message_tag{2}, deed::when_done([&] { ++sent; }));
      session.receive(write(in), from{before(session)}, message_tag{2},
                      deed::when_done([&](const deed::message_status& came) {
                        if (came.bytes == sizeof(int)) ++arrived;
                      }));
    }
    session.wait();
    EXPECT_EQ(sent, 20);
    EXPECT_EQ(arrived, 20);
  });
}

TEST(semantics_R32, a_callback_may_send_receive_and_insert_on_per_rank_data) {
  run([](deed::session& session) {
    // A ring of 30 steps that the program starts and only callbacks carry on.
    auto token = session.register_data(deed::per_rank, 0, {.name = "token"});
    const int rounds = 30;
    std::function<void(int)> take = [&](int round) {
      session.receive(write(token), from{before(session)}, message_tag{round},
                      deed::when_done([&, round] {
                        session.insert_task(increase, deed::read_write(token));
                        const int after = session.rank() == session.size() - 1 ? round + 1 : round;
                        if (after == rounds) return;
                        session.send(read(token), to{next(session)}, message_tag{after});
                        if (round + 1 < rounds) take(round + 1);
                      }));
    };
    if (session.rank() == 0) {
      session.insert_task(increase, deed::read_write(token));
      session.send(read(token), to{next(session)}, message_tag{session.size() == 1 ? 1 : 0});
      take(1);
    } else {
      take(0);
    }
    session.wait();
    session.barrier();
    if (session.rank() == session.size() - 1) {
      EXPECT_EQ(*session.borrow(read(token)), rounds * session.size());
    }
  });
}

TEST(semantics_R32, a_callback_that_waits_is_refused) {
  const auto refused = [](auto wait_in_it) {
    return reports_of(
        [&](deed::session& session) {
          auto out = session.register_data(deed::per_rank, 1, {.name = "out"});
          auto in = session.register_data(deed::per_rank, 1, {.name = "in"});
          session.send(read(out), to{0}, message_tag{2},
                       deed::when_done([&] { wait_in_it(session); }));
          session.receive(write(in), from{0}, message_tag{2});
          session.wait();
        },
        1);
  };
  EXPECT_THAT(refused([](deed::session& session) { session.wait(); }), HasSubstr("deed[D705]"));
  EXPECT_THAT(refused([](deed::session& session) { session.barrier(); }), HasSubstr("deed[D705]"));
  EXPECT_THAT(
      refused([](deed::session& session) { auto x = session.register_data(deed::per_rank, 1); }),
      HasSubstr("deed[D806]"));
  EXPECT_THAT(refused([](deed::session&) { throw std::runtime_error("no luck"); }),
              HasSubstr("no luck"));
}

TEST(semantics_R33, tasks_behind_a_receive_see_the_value_when_its_callback_runs) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto seen = session.register_data(deed::per_rank, -1, {.name = "seen"});
    session.receive(write(in), from{before(session)}, message_tag{2},
                    deed::when_done([&] { session.insert_task(copy, write(seen), read(in)); }));
    session.send(read(out), to{next(session)}, message_tag{2});
    session.wait();
    EXPECT_EQ(*session.borrow(read(seen)), before(session));
  });
}

TEST(semantics_R34, a_message_without_order_follows_its_gate_alone) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto seen = session.register_data(deed::per_rank, 0, {.name = "seen"});
    auto before_it = session.make_gate("before");
    auto after_it = session.make_gate("after");
    // Submitted in the wrong order; the gates say what follows what.
    session.insert_task(copy, write(seen), read(in), deed::behind(after_it));
    session.receive(write(in), from{before(session)}, message_tag{2}, deed::unordered,
                    deed::behind(before_it), deed::opens(after_it));
    session.send(read(out), to{next(session)}, message_tag{2});
    before_it.open();
    EXPECT_EQ(*session.borrow(read(seen)), before(session));
    std::move(in).unregister();
  });
}

TEST(semantics_R34, two_messages_that_no_gate_orders_are_reported_on_simulated_ranks) {
  const auto program = [](bool receives) {
    return [receives](deed::session& session) {
      auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
      auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
      auto now = session.make_gate("now"), too = session.make_gate("too");
      session.receive(write(in), from{before(session)}, message_tag{2}, deed::unordered,
                      deed::behind(now));
      if (receives) {
        session.receive(write(in), from{before(session)}, message_tag{3}, deed::unordered,
                        deed::behind(too));
        session.send(read(out), to{next(session)}, message_tag{3});
      } else {
        session.send(read(in), to{next(session)}, message_tag{2}, deed::unordered,
                     deed::behind(too));
      }
      now.open();
      too.open();
      if (receives) session.send(read(out), to{next(session)}, message_tag{2});
      session.wait();
    };
  };
  for (const bool receives : {true, false}) {
    const std::string said = reports_of(program(receives));
    EXPECT_THAT(said, HasSubstr("deed[D209] nothing orders two messages of `in`"));
    EXPECT_THAT(said, testing::ContainsRegex("one +message_rows.cpp:"));
    EXPECT_THAT(said, testing::ContainsRegex("the other +message_rows.cpp:"));
  }
}

TEST(semantics_R35, the_status_says_what_arrived_for_every_layout) {
  run([](deed::session& session) {
    auto text = session.register_data(deed::per_rank, std::string(300, 'x'), {.name = "text"});
    auto here = session.register_data(deed::per_rank, std::string(), {.name = "here"});
    auto all = session.register_data(deed::per_rank, numbers(3000, 1), {.name = "all"});
    auto there = session.register_data(deed::per_rank, numbers(), {.name = "there"});
    session.send(read(text), to{next(session)}, message_tag{1});
    session.send(read(all), to{next(session)}, message_tag{2});
    auto first = session.ireceive(write(here), from{before(session)}, message_tag{1});
    auto second = session.ireceive(write(there), from{before(session)}, message_tag{2});
    while (!second.test()) {
    }
    EXPECT_EQ(second.status().bytes, 24000u);
    EXPECT_EQ(second.status().source, deed::rank{before(session)});
    EXPECT_EQ(first.wait().bytes, 300u);
    EXPECT_EQ(first.status().tag, message_tag{1});
  });
}

TEST(semantics_R36, a_synchronous_send_is_not_complete_before_its_receive_has_begun) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto sent = session.isend(read(out), to{next(session)}, message_tag{1}, deed::synchronous);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(sent.test());
    session.barrier();
    session.receive(write(in), from{before(session)}, message_tag{1});
    sent.wait();
    EXPECT_EQ(*session.borrow(read(in)), before(session));
  });
}

TEST(semantics_R36, crossed_synchronous_sends_with_one_tag_do_not_mix) {
  run(
      [](deed::session& session) {
        if (session.size() > 2) return;
        const int other = 1 - session.rank();
        auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
        auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
        auto sent = session.isend(read(out), to{other}, message_tag{1}, deed::synchronous);
        auto arrived = session.ireceive(write(in), from{other}, message_tag{1});
        sent.wait();
        arrived.wait();
        EXPECT_EQ(*session.borrow(read(in)), other);
      },
      2);
}

TEST(semantics_R37, the_callback_of_a_synchronous_send_runs_after_the_receive_has_begun) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    std::atomic<bool> done = false;
    session.send(read(out), to{next(session)}, message_tag{1}, deed::synchronous,
                 deed::when_done([&] { done = true; }));
    session.barrier();
    EXPECT_FALSE(done);
    session.barrier();
    session.receive(write(in), from{before(session)}, message_tag{1});
    session.wait();
    EXPECT_TRUE(done);
  });
}

TEST(semantics_R38, waiting_for_a_request_makes_progress_on_everything) {
  run([](deed::session& session) {
    // Each waits for a send that its neighbour receives only behind a task.
    auto a = session.register_data(deed::per_rank, numbers(large / 16, 1), {.name = "a"});
    auto b = session.register_data(deed::per_rank, numbers(large / 16, 2), {.name = "b"});
    session.insert_task(fill, deed::read_write(b), deed::value(std::uint64_t{0}));
    auto arrived = session.ireceive(write(b), from{before(session)}, message_tag{1});
    session.isend(read(a), to{next(session)}, message_tag{1}).wait();
    arrived.wait();
    EXPECT_EQ(arrived.status().bytes, large / 16 * sizeof(numbers::value_type)) << "it is there";
    session.wait();
    EXPECT_EQ(session.borrow(read(b))->back(), 1u);
  });
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
                auto arrived = session.ireceive(write(x), from{next(session)}, message_tag{1});
                session.insert_task(increase, deed::read_write(x));
                arrived.wait();
              }),
              HasSubstr("deed[D511]"));
}

TEST(semantics_R38, a_rank_that_is_alone_learns_that_nothing_comes) {
  EXPECT_THAT(reports_of(
                  [](deed::session& session) {
                    auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
                    session.ireceive(write(x), from{0}, message_tag{1}).wait();
                  },
                  1),
              HasSubstr("deed[D506]"));
}

TEST(semantics_R39, a_loop_on_test_alone_ends) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    session.insert_task(increase, deed::read_write(out));
    session.send(read(out), to{next(session)}, message_tag{1});
    auto arrived = session.ireceive(write(in), from{before(session)}, message_tag{1});
    while (!arrived.test()) {
    }
    EXPECT_EQ(*session.borrow(read(in)), before(session) + 1);
  });
}

TEST(semantics_R45, a_group_counts_its_own_ranks_and_keeps_its_messages_apart) {
  run([](deed::session& session) {
    const int size = session.size();
    std::vector<deed::rank> reversed, even;
    for (int r = size; r-- > 0;) reversed.emplace_back(r);
    for (int r = 0; r < size; r += 2) even.emplace_back(r);
    auto backwards = session.group(reversed);
    auto half = session.group(even);
    EXPECT_EQ(backwards.rank(), size - 1 - session.rank());
    EXPECT_EQ(half.rank(), session.rank() % 2 == 0 ? session.rank() / 2 : -1);
    auto out = session.register_data(deed::per_rank, session.rank(), {.name = "out"});
    auto other = session.register_data(deed::per_rank, 100 + session.rank(), {.name = "other"});
    auto in = session.register_data(deed::per_rank, -1, {.name = "in"});
    auto second = session.register_data(deed::per_rank, -1, {.name = "second"});
    auto whole = session.register_data(deed::per_rank, std::vector<int>(), {.name = "whole"});
    // To the next rank of the group is to the one before of the session; one tag for both.
    session.send(read(other), to{before(session)}, message_tag{1});
    session.send(read(out), to{(backwards.rank() + 1) % size}, message_tag{1},
                 deed::within(backwards));
    const auto came = session
                          .ireceive(write(in), from{(backwards.rank() + size - 1) % size},
                                    message_tag{1}, deed::within(backwards))
                          .wait();
    session.receive(write(second), from{next(session)}, message_tag{1});
    EXPECT_EQ(came.source, deed::rank{(backwards.rank() + size - 1) % size});
    EXPECT_EQ(*session.borrow(read(in)), next(session));
    EXPECT_EQ(*session.borrow(read(second)), 100 + next(session));
    if (half.rank() >= 0) {
      session.all_gather(read(out), write(whole), deed::within(half));
      const auto all = session.borrow(read(whole));
      ASSERT_EQ(all->size(), static_cast<std::size_t>(half.size()));
      for (int r = 0; r < half.size(); ++r) EXPECT_EQ((*all)[static_cast<std::size_t>(r)], 2 * r);
      half.barrier();
    } else {
      EXPECT_THROW(session.send(read(out), to{0}, message_tag{1}, deed::within(half)), deed::error);
    }
  });
}

}  // namespace
