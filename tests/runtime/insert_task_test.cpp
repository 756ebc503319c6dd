// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet root{"root", [](double& x) {
                               if (x < 0) throw std::domain_error("x < 0");
                             }};
constexpr deed::codelet where{"where", [](int& rank, int here) { rank = here; }};

std::uint64_t messages(const deed::statistics& of) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : of.sent_to) sum += sent.transfers;
  return sum;
}

TEST(insert_task, brings_a_datum_once_however_often_it_is_read) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 3.0);
    auto sum = session.register_data(deed::owner{1}, 0.0);
    for (int i = 0; i < 10; ++i) session.insert_task(add, deed::read_write(sum), deed::read(a));
    session.wait();
    if (session.rank() == 1) {
      EXPECT_EQ(*session.borrow(deed::read(sum)), 30.0);
      EXPECT_EQ(session.statistics().cache_hits, 9u);
    } else {
      EXPECT_EQ(messages(session.statistics()), 1u);
    }
  });
}

TEST(insert_task, brings_a_datum_again_after_it_was_written) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1.0);
    auto sum = session.register_data(deed::owner{1}, 0.0);
    session.insert_task(add, deed::read_write(sum), deed::read(a));
    session.insert_task(bump, deed::read_write(a));
    session.insert_task(add, deed::read_write(sum), deed::read(a));
    session.wait();
    if (session.rank() == 1) {
      EXPECT_EQ(*session.borrow(deed::read(sum)), 3.0);
    } else {
      EXPECT_EQ(messages(session.statistics()), 2u);
    }
  });
}

TEST(insert_task, writes_back_what_was_written_away_from_its_owner) {
  test::on_virtual_ranks(3, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1.0);
    session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{2}));
    session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{2}));  // it is there already
    session.wait();
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(a)), 3.0);
      EXPECT_EQ(messages(session.statistics()), 1u);
    } else {
      EXPECT_EQ(messages(session.statistics()), session.rank() == 2 ? 2u : 0u);
    }
  });
}

TEST(insert_task, runs_on_the_owner_of_what_is_written_unless_told_otherwise) {
  test::on_virtual_ranks(3, [](deed::session& session) {
    auto x = session.register_data(deed::owner{1}, -1);
    auto y = session.register_data(deed::owner{2}, -1);
    const int here = session.rank();
    session.insert_task(where, deed::write(x), deed::value(here));
    session.insert_task(where, deed::write(y), deed::value(here), deed::on_owner_of(x));
    session.fetch(deed::read(x), deed::everywhere);
    session.fetch(deed::read(y), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(x)), 1);
    EXPECT_EQ(*session.borrow(deed::read(y)), 1);
    session.wait();
  });
}

TEST(insert_task, moves_values_of_every_kind_into_the_task) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    auto text = session.register_data(deed::owner{1}, std::string("a"));
    constexpr deed::codelet append{
        "append",
        [](std::string& to, const std::vector<std::string>& parts, std::map<int, int> counts) {
          for (const auto& part : parts) to += part;
          to += std::to_string(counts.size());
        }};
    session.insert_task(append, deed::read_write(text),
                        deed::value(std::vector<std::string>{"b", "c"}),
                        deed::value(std::map<int, int>{{1, 2}}));
    session.fetch(deed::read(text), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(text)), "abc1");
    session.wait();
  });
}

TEST(insert_task, works_in_the_memory_of_the_program) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    std::vector<double> rows(session.rank() == 0 ? 100 : 0, 1.0);
    rows.resize(100);
    {
      auto all = session.register_data(deed::owner{0}, deed::in_place(rows));
      constexpr deed::codelet twice{"twice", [](std::span<double> x) {
                                      for (double& each : x) each *= 2;
                                    }};
      session.insert_task(twice, deed::read_write(all), deed::on(deed::rank{1}));
      session.wait();
    }
    if (session.rank() == 0) {
      EXPECT_EQ(rows[99], 2.0);
    }
  });
}

TEST(insert_task, leaves_a_rank_out_that_asks_whether_it_is_relevant) {
  test::on_virtual_ranks(3, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1.0);
    auto b = session.register_data(deed::owner{1}, 1.0);
    const auto both = [&] {
      if (session.relevant(deed::read_write(b), deed::read(a))) {
        session.insert_task(add, deed::read_write(b), deed::read(a));
      }
    };
    both();
    if (session.relevant(deed::read_write(a))) session.insert_task(bump, deed::read_write(a));
    both();
    session.wait();
    if (session.rank() == 1) {
      EXPECT_EQ(*session.borrow(deed::read(b)), 4.0);
    }
    if (session.rank() == 2) {
      EXPECT_EQ(session.statistics().tasks_submitted, 0u);
    }
  });
}

TEST(insert_task, gives_the_same_result_in_every_order_and_on_threads) {
  const auto program = [](deed::session& session) {
    std::vector<deed::handle<double>> cells;
    for (int i = 0; i < 6; ++i) {
      cells.push_back(session.register_data(deed::owner{i % session.size()}, 1.0 + i));
    }
    constexpr deed::codelet mix{"mix", [](double& x, const double& y) { x = x * 0.5 + y * 0.25; }};
    for (std::size_t step = 0; step < 60; ++step) {
      session.insert_task(mix, deed::read_write(cells[step % 6]),
                          deed::read(cells[(step * 5 + 1) % 6]));
    }
    session.wait();
    double sum = 0;
    for (auto& each : cells) {
      session.fetch(deed::read(each), deed::everywhere);
      sum = sum * 3 + *session.borrow(deed::read(each));
    }
    session.wait();
    return sum;
  };
  double expected = 0;
  test::on_virtual_ranks(1, [&](deed::session& session) { expected = program(session); });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::on_virtual_ranks(
        4, [&](deed::session& session) { EXPECT_EQ(program(session), expected); }, seed);
  }
  for (int workers = 1; workers < 4; ++workers) {
    test::on_threads(
        3, [&](deed::session& session) { EXPECT_EQ(program(session), expected); }, workers);
  }
}

TEST(insert_task, does_not_hang_with_a_window_of_one_task) {
  test::on_virtual_ranks(3,
                         [](deed::session& session) {
                           auto a = session.register_data(deed::owner{0}, 0.0);
                           auto b = session.register_data(deed::owner{1}, 0.0);
                           for (int i = 0; i < 50; ++i) {
                             session.insert_task(add, deed::read_write(b), deed::read(a));
                             session.insert_task(bump, deed::read_write(a),
                                                 deed::on(deed::rank{i % 3}));
                           }
                           session.wait();
                           if (session.rank() == 0) {
                             EXPECT_EQ(*session.borrow(deed::read(a)), 50.0);
                           }
                         },
                         3, {.window = 1});
}

/// What two ranks in one process say to each other beside their session.
std::atomic<bool> task_begun = false, value_came = false;

constexpr deed::codelet await{"await", [](double& in_time) {
                                task_begun = true;
                                const auto end =
                                    std::chrono::steady_clock::now() + std::chrono::seconds(20);
                                while (!value_came && std::chrono::steady_clock::now() < end)
                                  // deed-check: allow(D706) reason: a long task is wanted
                                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                in_time = value_came ? 1 : 0;
                              }};
constexpr deed::codelet tell{"tell", [](double&, const double&) { value_came = true; }};

TEST(insert_task, sends_what_is_there_while_the_worker_is_in_a_task) {
  task_begun = value_came = false;
  test::on_threads(
      2,
      [](deed::session& session) {
        auto there = session.register_data(deed::owner{0}, 1.0);
        auto heard = session.register_data(deed::owner{1}, 0.0);
        auto in_time = session.register_data(deed::owner{0}, 0.0);
        session.insert_task(await, deed::read_write(in_time));
        while (session.rank() == 0 && !task_begun) std::this_thread::yield();
        session.insert_task(tell, deed::read_write(heard), deed::read(there));
        session.wait();
        if (session.rank() == 0) {
          EXPECT_EQ(*session.borrow(deed::read(in_time)), 1)
              << "the value left when the long task had ended";
        }
      },
      1);
}

std::atomic<bool> value_left = false;
constexpr deed::codelet until_it_left{"until_it_left", [](double&) {
                                        while (!value_left) std::this_thread::yield();
                                      }};
constexpr deed::codelet until_begun{"until_begun", [](double&) {
                                      while (!task_begun) std::this_thread::yield();
                                    }};

/// One worker of rank 0 hears of the value between two tasks, of which the second is long; the
/// other one is free by then.
TEST(insert_task, leaves_to_others_what_becomes_ready_before_a_long_task) {
  task_begun = value_came = value_left = false;
  test::on_threads(
      2,
      [](deed::session& session) {
        auto there = session.register_data(deed::owner{1}, 1.0);
        auto heard = session.register_data(deed::owner{0}, 0.0);
        auto in_time = session.register_data(deed::owner{0}, 0.0);
        auto other = session.register_data(deed::owner{0}, 0.0);
        session.insert_task(until_begun, deed::read_write(other));
        session.insert_task(until_it_left, deed::read_write(in_time));
        session.insert_task(await, deed::read_write(in_time));
        session.insert_task(tell, deed::read_write(heard), deed::read(there));
        if (session.rank() == 1) value_left = true;
        while (session.rank() == 0 && !task_begun) std::this_thread::yield();
        session.wait();
        if (session.rank() == 0) {
          EXPECT_EQ(*session.borrow(deed::read(in_time)), 1)
              << "the task that became ready was held by the one in the long task";
        }
      },
      3);
}

/// Processor time of a chain in which each task reads what another rank wrote.
double cpu_of_a_chain(std::size_t tasks) {
  const std::clock_t begin = std::clock();
  test::on_virtual_ranks(2, [&](deed::session& session) {
    std::vector<deed::handle<double>> chain;
    for (std::size_t i = 0; i <= tasks; ++i)
      chain.push_back(session.register_data(deed::owner{static_cast<int>(i % 2)}, 1.0));
    for (std::size_t i = 0; i < tasks; ++i)
      session.insert_task(add, deed::read_write(chain[i + 1]), deed::read(chain[i]));
    session.wait();
  });
  return static_cast<double>(std::clock() - begin);
}

TEST(insert_task, costs_the_same_however_many_transfers_wait) {
  constexpr std::size_t few = 4'000, times = 8;
  double once = cpu_of_a_chain(few), often = cpu_of_a_chain(times * few);
  for (int i = 0; i < 2; ++i) {  // The least: other work makes caches cold.
    once = std::min(once, cpu_of_a_chain(few));
    often = std::min(often, cpu_of_a_chain(times * few));
  }
  EXPECT_LT(often, 3 * times * once) << "as it would if each turn looked at all that wait";
}

constexpr deed::codelet count_on{"count_on", [](int& a, int& b, int& c, int& d, int& e, int& f) {
                                   for (int* each : {&a, &b, &c, &d, &e, &f}) ++*each;
                                 }};
constexpr deed::codelet add_up{"add_up", [](int& sum, const int& x) { sum += x; }};

TEST(insert_task, sends_what_one_task_wrote_in_one_message) {
  constexpr std::uint64_t rounds = 50, outputs = 6;
  test::on_virtual_ranks(
      2,
      [](deed::session& session) {
        std::vector<deed::handle<int>> x;
        for (std::uint64_t i = 0; i < outputs; ++i)
          x.push_back(session.register_data(deed::owner{0}, 0));
        auto sum = session.register_data(deed::owner{1}, 0);
        for (std::uint64_t round = 0; round < rounds; ++round) {
          session.insert_task(count_on, deed::read_write(x[0]), deed::read_write(x[1]),
                              deed::read_write(x[2]), deed::read_write(x[3]),
                              deed::read_write(x[4]), deed::read_write(x[5]));
          for (const auto& each : x)
            session.insert_task(add_up, deed::read_write(sum), deed::read(each));
        }
        session.wait();
        const deed::statistics counts = session.statistics();
        if (session.rank() == 0) {
          EXPECT_EQ(counts.sent_to.at(1).data_frames, rounds * outputs);
          EXPECT_LT(counts.messages_sent, 2 * rounds);
        } else {
          EXPECT_EQ(*session.borrow(deed::read(sum)),
                    static_cast<int>(outputs * rounds * (rounds + 1) / 2));
        }
      },
      0);
}

TEST(a_task_that_throws, is_named_with_its_data_and_the_line_that_inserted_it) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, -1.0, {.name = "a"});
    session.insert_task(root, deed::read_write(a));
    const int line = __LINE__ - 1;
    try {
      session.wait();
      FAIL() << "nothing was thrown";
    } catch (const deed::task_error& thrown) {
      EXPECT_EQ(thrown.codelet(), "root");
      EXPECT_EQ(thrown.rank(), 0);
      const std::string text = thrown.what();
      EXPECT_NE(text.find("deed[D807] task `root` threw: x < 0"), std::string::npos) << text;
      EXPECT_NE(text.find("insert_task_test.cpp:" + std::to_string(line)), std::string::npos)
          << text;
      EXPECT_NE(text.find("writes    `a`, tag 0"), std::string::npos) << text;
    }
  });
}

}  // namespace
