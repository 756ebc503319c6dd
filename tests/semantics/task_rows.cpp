// SPDX-License-Identifier: MIT
// Where tasks run, what is brought to them, and how a session ends: rows R4, R9 and R52 to R68.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet note_rank{"note_rank", [](int& where, int here) { where = here; }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
constexpr deed::codelet overwrite{"overwrite", [](int& x) { x = 7; }};

int last(const deed::session& session) { return session.size() - 1; }
std::uint64_t transfers_from(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

TEST(semantics_R4, sessions_follow_each_other_and_live_side_by_side) {
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  const auto one = [] {
    return reports_of([](deed::session& session) {
      auto x = session.register_data(deed::owner{1}, 1, {.name = "x"});
      session.insert_task(increase, read_write(x));
      session.fetch(read(x), deed::everywhere);
      EXPECT_EQ(*session.borrow(read(x)), 2);
    });
  };
  std::jthread([] {}).join();  // With the first thread of a process a sanitizer starts one itself.
  const auto first = threads();
  EXPECT_EQ(one(), "");
  EXPECT_EQ(one(), "");
  std::string beside;
  std::jthread other([&] { beside = one(); });
  EXPECT_EQ(one(), "");
  other.join();
  EXPECT_EQ(beside, "");
  EXPECT_EQ(threads(), first);
}

TEST(semantics_R9, what_nobody_received_is_named_at_the_end) {
  EXPECT_THAT(reports_of([](deed::session& session) {
                auto x = session.register_data(deed::per_rank, 1.0, {.name = "x"});
                if (session.rank() == 0) session.send(read(x), deed::to{1}, deed::message_tag{3});
              }),
              ::testing::AllOf(HasSubstr("deed[D505]"), HasSubstr("message tag 3, 8 bytes")));
}

TEST(semantics_R52, a_rank_that_takes_no_part_may_leave_a_task_out) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    auto y = session.register_data(deed::owner{last(session)}, 1, {.name = "y"});
    int left_out = 0;
    for (int i = 0; i < 10; ++i) {
      if (session.relevant(read_write(x), read(y)))
        session.insert_task(add, read_write(x), read(y));
      else
        ++left_out;
      if (session.relevant(read_write(y)))
        session.insert_task(increase, read_write(y));
      else
        ++left_out;
    }
    const bool owns_y = session.rank() == last(session), owns_x = session.rank() == 0;
    EXPECT_EQ(left_out, owns_y ? 0 : owns_x ? 10 : 20);
    session.fetch(read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(x)), 1 + 55);
  });
}

TEST(semantics_R53, the_owner_of_what_is_written_executes) {
  run([](deed::session& session) {
    for (int owner = 0; owner < session.size(); ++owner) {
      auto x = session.register_data(deed::owner{owner}, -1, {.name = "x"});
      session.insert_task(note_rank, write(x), deed::value(session.rank()));
      if (session.owns(x)) {
        EXPECT_EQ(*session.borrow(read(x)), owner);
      }
    }
  });
}

TEST(semantics_R55, a_task_runs_on_the_rank_that_is_named) {
  run([](deed::session& session) {
    for (int target = 0; target < session.size(); ++target) {
      auto x = session.register_data(deed::owner{0}, -1, {.name = "x"});
      session.insert_task(note_rank, write(x), deed::value(session.rank()),
                          deed::on(deed::rank{target}));
      if (session.owns(x)) {
        EXPECT_EQ(*session.borrow(read(x)), target);
      }
    }
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    try {
      session.insert_task(increase, read_write(x), deed::on(deed::rank{session.size()}));
      FAIL() << "a rank that does not exist was taken";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::no_such_rank);
    }
    session.wait();
  });
}

TEST(semantics_R57, what_is_read_is_brought_and_what_is_only_written_is_not) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 3, {.name = "x"});
        auto y = session.register_data(deed::owner{1}, 4, {.name = "y"});
        session.insert_task(add, read_write(y), read(x));  // x: 0 to 1.
        session.wait();
        EXPECT_EQ(transfers_from(session), session.rank() == 0 ? 1u : 0u);
        session.insert_task(overwrite, write(x), deed::on(deed::rank{1}));  // Back only: 1 to 0.
        session.wait();
        EXPECT_EQ(transfers_from(session), session.rank() <= 1 ? 1u : 0u);
        if (session.rank() == 0) {
          EXPECT_EQ(*session.borrow(read(x)), 7);
        }
      },
      2);
}

TEST(semantics_R58, every_task_runs_once_over_all_ranks) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{last(session)}, 0, {.name = "x"});
    for (int i = 0; i < 20; ++i)
      session.insert_task(increase, read_write(x), deed::on(deed::rank{i % session.size()}));
    session.wait();
    EXPECT_EQ(session.all_reduce(deed::value(session.statistics().tasks_run),
                                 [](std::uint64_t a, std::uint64_t b) { return a + b; }),
              20u);
    if (session.owns(x)) {
      EXPECT_EQ(*session.borrow(read(x)), 20);
    }
  });
}

TEST(semantics_R59, the_executor_keeps_what_it_sends_back) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        for (int i = 0; i < 3; ++i)
          session.insert_task(increase, read_write(x), deed::on(deed::rank{1}));
        session.wait();
        // Once there, three times back.
        EXPECT_EQ(transfers_from(session), session.rank() == 0   ? 1u
                                           : session.rank() == 1 ? 3u
                                                                 : 0u);
        if (session.rank() == 0) {
          EXPECT_EQ(*session.borrow(read(x)), 4);
        }
      },
      2);
}

TEST(semantics_R60, a_version_is_sent_once_to_a_rank) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        auto sum = session.register_data(deed::owner{1}, 0, {.name = "sum"});
        for (int i = 0; i < 5; ++i) session.insert_task(add, read_write(sum), read(x));
        session.wait();
        EXPECT_EQ(transfers_from(session), session.rank() == 0 ? 1u : 0u);
        session.insert_task(increase, read_write(x));
        for (int i = 0; i < 5; ++i) session.insert_task(add, read_write(sum), read(x));
        session.wait();
        EXPECT_EQ(transfers_from(session), session.rank() == 0 ? 2u : 0u);
        if (session.owns(sum)) {
          EXPECT_EQ(*session.borrow(read(sum)), 5 * 1 + 5 * 2);
        }
      },
      2);
}

TEST(semantics_R61, readers_run_together_and_writers_alone) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
    std::vector<deed::handle<int>> seen;
    for (int i = 0; i < 8; ++i)
      seen.push_back(session.register_data(deed::per_rank, 0, {.name = "seen"}));
    for (auto& each : seen) session.insert_task(add, read_write(each), read(x));
    session.insert_task(increase, read_write(x));  // Behind all readers.
    for (auto& each : seen) session.insert_task(add, read_write(each), read(x));
    for (auto& each : seen) EXPECT_EQ(*session.borrow(read(each)), 1 + 2);
  });
}

TEST(semantics_R66, a_task_on_private_data_runs_where_it_is_inserted) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
    const auto before_it = session.statistics().tasks_run;
    if (session.rank() % 2 == 0) session.insert_task(increase, read_write(x));
    session.wait();
    EXPECT_EQ(session.statistics().tasks_run - before_it, session.rank() % 2 == 0 ? 1u : 0u);
    EXPECT_EQ(*session.borrow(read(x)), session.rank() % 2 == 0 ? 1 : 0);
  });
}

TEST(semantics_R67, a_copy_elsewhere_is_never_stale) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    for (int i = 0; i < 5; ++i) {
      session.fetch(read(x), deed::everywhere);
      EXPECT_EQ(*session.borrow(read(x)), 1 + i);
      session.insert_task(increase, read_write(x));  // On every rank, though one runs it.
    }
    session.fetch(read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(read(x)), 6);
  });
}

TEST(semantics_R68, wait_covers_the_last_send_too) {
  run([](deed::session& session) {
    auto out = session.register_data(deed::per_rank, std::vector<double>(50'000, 1.0));
    auto in = session.register_data(deed::per_rank, std::vector<double>());
    session.receive(write(in), deed::from{semantics::before(session)}, deed::message_tag{1});
    auto sent = session.isend(read(out), deed::to{semantics::next(session)}, deed::message_tag{1});
    session.wait();
    EXPECT_TRUE(sent.test());
    EXPECT_EQ(session.borrow(read(in))->size(), 50'000u);
  });
}

}  // namespace
