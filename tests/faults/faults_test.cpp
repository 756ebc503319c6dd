// SPDX-License-Identifier: MIT
// Programs that hang, crash or go wrong in silence elsewhere; F1 to F23 of the list of semantics.
#include "programs.hpp"

namespace {

using bytes = std::vector<std::uint64_t>;
using faults::completes;
using faults::reports;
constexpr std::size_t large = std::size_t{16} << 17;  // 16 MiB.

constexpr deed::codelet touch{"touch", [](bytes& all) { all.back() += 1; }};
constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};

TEST(faults, F1_large_messages_cross_behind_a_task) {
  completes([](deed::session& session) {
    const int other = 1 - session.rank();
    auto a = session.register_data(deed::per_rank, bytes(large), {.name = "a"});
    auto b = session.register_data(deed::per_rank, bytes(large), {.name = "b"});
    session.insert_task(touch, deed::read_write(b));
    session.receive(deed::write(b), deed::from{other}, deed::message_tag{1});
    session.send(deed::read(a), deed::to{other}, deed::message_tag{1});
    session.wait();
  });
}

TEST(faults, F2_a_barrier_does_not_hold_up_a_message) {
  completes([](deed::session& session) {
    auto a = session.register_data(deed::per_rank, bytes(large), {.name = "a"});
    if (session.rank() == 0) session.receive(deed::write(a), deed::from{1}, deed::message_tag{1});
    if (session.rank() == 1) session.send(deed::read(a), deed::to{0}, deed::message_tag{1});
    session.barrier();
  });
}

TEST(faults, F3_both_directions_with_one_tag) {
  completes([](deed::session& session) {
    const int other = 1 - session.rank();
    auto mine = session.register_data(deed::per_rank, session.rank(), {.name = "mine"});
    auto theirs = session.register_data(deed::per_rank, -1, {.name = "theirs"});
    session.send(deed::read(mine), deed::to{other}, deed::message_tag{7});
    session.receive(deed::write(theirs), deed::from{other}, deed::message_tag{7});
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(theirs)), other);
  });
}

TEST(faults, F4_a_rank_leaves_out_what_rewrites_a_copy_that_it_reads) {
  static constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
  reports(
      [](deed::session& session) {
        auto d = session.register_data(deed::owner{0}, 1, {.name = "d"});
        auto sum = session.register_data(deed::owner{1}, 0, {.name = "sum"});
        session.insert_task(add, deed::read_write(sum), deed::read(d));
        if (session.rank() == 0) session.insert_task(increase, deed::read_write(d));
        session.insert_task(add, deed::read_write(sum), deed::read(d));
        session.wait();
      },
      {"deed[D402] a guard forgets `d`", "rank 0", "rank 1", "last write"});
}

TEST(faults, F6_another_owner_on_one_rank) {
  reports(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{session.rank()}, 1, {.name = "x"});
        session.insert_task(increase, deed::read_write(x));
        session.wait();
      },
      {"deed[D111] ranks disagree on the owner of `x`", "owner 0", "owner 1"});
}

TEST(faults, F8_another_size_on_one_rank) {
  reports(
      [](deed::session& session) {
        std::vector<std::uint64_t> memory(session.rank() == 0 ? 16 : 8);
        auto x = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "x"});
        session.fetch(deed::read(x), deed::everywhere);
        session.wait();
      },
      {"deed[D212] ranks disagree on the size of `x`", "1 x 16", "1 x 8"});
}

TEST(faults, F5_a_message_has_another_tag_on_one_rank) {
  reports(
      [](deed::session& session) {
        auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
        if (session.rank() == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{1337});
        if (session.rank() == 1)
          session.receive(deed::write(x), deed::from{0}, deed::message_tag{1338});
        session.wait();
      },
      {"deed[D507]", "1337", "1338"});
}

TEST(faults, F7_an_extra_task_on_one_rank) {
  reports(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        if (session.rank() == 1)
          session.insert_task(increase, deed::read_write(x), deed::on(deed::rank{1}));
        session.wait();
      },
      {"deed[D4", "`x`"});
}

TEST(faults, F8_both_ends_of_a_message_differ_in_size) {
  reports(
      [](deed::session& session) {
        std::vector<std::uint64_t> memory(session.rank() == 0 ? 16 : 8);
        auto x = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
        if (session.rank() == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{1});
        if (session.rank() == 1)
          session.receive(deed::write(x), deed::from{0}, deed::message_tag{1});
        session.wait();
      },
      {"deed[D509]", "128", "64"});
}

TEST(faults, F10_a_receive_without_order_with_and_without_a_callback) {
  completes([](deed::session& session) {
    const int other = 1 - session.rank();
    auto mine = session.register_data(deed::per_rank, session.rank(), {.name = "mine"});
    auto first = session.register_data(deed::per_rank, -1, {.name = "first"});
    auto second = session.register_data(deed::per_rank, -1, {.name = "second"});
    auto start = session.make_gate("start");
    bool called = false;
    session.receive(deed::write(first), deed::from{other}, deed::message_tag{7}, deed::unordered,
                    deed::behind(start));
    session.receive(deed::write(second), deed::from{other}, deed::message_tag{7}, deed::unordered,
                    deed::behind(start), deed::when_done([&] { called = true; }));
    session.send(deed::read(mine), deed::to{other}, deed::message_tag{7});
    session.send(deed::read(mine), deed::to{other}, deed::message_tag{7});
    start.open();
    session.wait();
    EXPECT_TRUE(called);
    EXPECT_EQ(*session.borrow(deed::read(first)) + *session.borrow(deed::read(second)), 2 * other);
  });
}

TEST(faults, F20_an_observer_sees_every_insertion_on_every_rank) {
  completes([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 0, {.name = "x"});
    auto mine = session.register_data(deed::per_rank, 0, {.name = "mine"});
    int on_first = 0, all = 0;
    session.observe([&](const deed::observed_task& task) {
      ++all;
      if (task.runs_on(deed::rank{0})) ++on_first;
    });
    for (int i = 0; i < 10; ++i)
      session.insert_task(increase, deed::read_write(x), deed::on(deed::rank{i % 2}));
    session.insert_task(increase, deed::read_write(mine));
    EXPECT_EQ(all, 11);
    EXPECT_EQ(on_first, session.rank() == 0 ? 6 : 5);
    session.wait();
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(x)), 10);
    }
  });
}

TEST(faults, F12_a_gather_calls_back_on_every_rank) {
  completes([](deed::session& session) {
    std::vector<deed::handle<int>> parts;
    for (int r = 0; r < 2; ++r) parts.push_back(session.register_data(deed::owner{r}, r));
    int called = 0;
    session.gather(deed::read(parts), deed::to{1}, deed::when_done([&] { ++called; }));
    session.wait();
    EXPECT_EQ(called, 1);
  });
}

TEST(faults, F13_a_fetch_to_where_the_value_is_already) {
  completes([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 5, {.name = "x"});
    session.fetch(deed::read(x), deed::everywhere);
    session.fetch(deed::read(x), deed::everywhere);
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(x)), 5);
    EXPECT_EQ(session.statistics().sent_to[1].transfers, session.rank() == 0 ? 1u : 0u);
  });
}

TEST(faults, F14_a_scatter_calls_back_on_a_rank_that_gets_nothing) {
  completes([](deed::session& session) {
    std::vector<deed::handle<int>> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(session.register_data(deed::owner{0}, i));
    int called = 0;
    session.scatter(deed::write(parts), deed::from{0}, std::vector<int>{1, 2, 3},
                    deed::when_done([&] { ++called; }));
    session.wait();
    EXPECT_EQ(called, 1);
  });
}

TEST(faults, F22_a_receive_nobody_served) {
  reports(
      [](deed::session& session) {
        auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
        if (session.rank() == 1)
          session.receive(deed::write(x), deed::from{0}, deed::message_tag{9});
        session.wait();
      },
      {"deed[D506]", "9"});
}

TEST(faults, F23_a_throw_names_its_task) {
  static constexpr deed::codelet fails{"fails", [](int&) { throw std::runtime_error("no luck"); }};
  reports(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        session.insert_task(fails, deed::read_write(x));
        session.wait();
      },
      {"deed[D807]", "`fails`", "no luck", "`x`"});
}

}  // namespace
