// SPDX-License-Identifier: MIT
// Verify mode, beside what it prints of programs that fail (reports/): what is left at the end,
// messages without buffers, and that right programs hear nothing.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet double_all{"double_all", [](std::span<double> v) {
                                     for (double& x : v) x *= 2;
                                   }};
constexpr deed::codelet halve_all{"halve_all", [](std::span<double> v) {
                                    for (double& x : v) x /= 2;
                                  }};
constexpr deed::codelet scale{"scale", [](double& x, double by) { x *= by; }};
const deed::session_options leaks{.checks = {.leaks = true}};
const deed::session_options messages{.checks = {.messages = true}};
const deed::session_options everything{
    .checks = {.global = true, .messages = true, .leaks = true, .pages = true}};

std::string line(int number) { return "verify_test.cpp:" + std::to_string(number); }

/// What a program that ends well prints.
std::string said_by(const test::world& in, const deed::session_options& options,
                    const test::world::program& program) {
  testing::internal::CaptureStderr();
  for (const test::outcome& each : in.run(2, program, options)) EXPECT_EQ(each.text, "");
  return testing::internal::GetCapturedStderr();
}

TEST(leaks, name_a_write_that_nobody_reads) {
  test::each_world([](const test::world& in) {
    int registered = 0, written = 0;
    const std::string said = said_by(in, leaks, [&](deed::session& session) {
      auto c = session.register_data(deed::owner{1}, 0.0, {.name = "c"});
      session.insert_task(bump, deed::read_write(c));
      if (session.rank() == 1) registered = __LINE__ - 2, written = __LINE__ - 1;
    });
    EXPECT_EQ(said, "deed[D103] the last write to `c` is never used\n  written     " +
                        line(written) + "\n  registered  " + line(registered) +
                        "\n  rank        1\n  help: borrow or send it before its handle ends, or "
                        "delete the task\n");
  });
}

TEST(leaks, are_silent_where_somebody_reads) {
  test::each_world([](const test::world& in) {
    EXPECT_EQ(said_by(in, leaks,
                      [](deed::session& session) {
                        auto a = session.register_data(deed::owner{1}, 0.0, {.name = "a"});
                        auto b = session.register_data(deed::owner{0}, 0.0, {.name = "b"});
                        auto own = session.register_data(deed::per_rank, 0.0, {.name = "own"});
                        session.insert_task(bump, deed::read_write(a));
                        session.insert_task(add, deed::read_write(b), deed::read(a));
                        session.fetch(deed::read(b), deed::everywhere);
                        session.insert_task(bump, deed::read_write(own));
                        EXPECT_EQ(*session.borrow(deed::read(own)), 1);
                        session.wait();
                      }),
              "");
  });
}

TEST(leaks, name_a_request_that_nobody_waited_for) {
  test::each_world([](const test::world& in) {
    int started = 0;
    const std::string said = said_by(in, leaks, [&](deed::session& session) {
      auto own = session.register_data(deed::per_rank, 1.0);
      const int other = 1 - session.rank();
      if (session.rank() == 0) started = __LINE__ + 1;
      static_cast<void>(session.isend(deed::read(own), deed::to{other}, deed::message_tag{1}));
      auto arrived = session.ireceive(deed::write(own), deed::from{other}, deed::message_tag{1});
      arrived.wait();
      EXPECT_EQ(*session.borrow(deed::read(own)), 1);
    });
    EXPECT_THAT(said, AllOf(HasSubstr("deed[D501] a request is dropped, and nobody waited for it\n"
                                      "  started  " +
                                      line(started)),
                            HasSubstr("  ranks    all 2\n")));
    EXPECT_EQ(said.find("deed[", 5), std::string::npos);
  });
}

TEST(leaks, name_a_handle_that_is_overwritten) {
  test::each_world([](const test::world& in) {
    const std::string said = said_by(in, leaks, [&](deed::session& session) {
      auto block = session.register_data(deed::owner{0}, 0.0, {.name = "first"});
      block = session.register_data(deed::owner{1}, 0.0, {.name = "second"});
      auto other = std::move(block);
      block = std::move(other);  // Nothing is lost here.
    });
    EXPECT_THAT(said, HasSubstr("deed[D105] the handle of `first` is overwritten while it lives"));
    EXPECT_THAT(said, Not(HasSubstr("`second`")));
  });
}

TEST(leaks, name_a_gate_that_is_never_opened) {
  test::each_world([](const test::world& in) {
    const std::string said = said_by(in, leaks, [&](deed::session& session) {
      auto start = session.make_gate("start");
      auto go = session.make_gate("go");
      go.open();
    });
    EXPECT_THAT(
        said, AllOf(HasSubstr("deed[D702] gate `start` is never opened"), Not(HasSubstr("`go`"))));
  });
}

TEST(leaks, name_what_outlives_the_session) {
  test::each_world([](const test::world& in) {
    const std::string said = said_by(in, leaks, [&](deed::session& session) {
      auto a = session.register_data(deed::owner{0}, 0.0, {.name = "a"});
      session.close();
    });
    EXPECT_THAT(said, HasSubstr("deed[D113] the handle of `a` outlives the session"));
  });
}

TEST(global, finds_a_task_that_its_runner_does_not_insert) {
  test::simulated_world([](const test::world& in) {
    int inserted = 0;
    const auto all = in.run(
        3,
        [&](deed::session& session) {
          auto b = session.register_data(deed::owner{1}, 0.0, {.name = "b"});
          for (int i = 0; i < 3; ++i) {
            inserted = __LINE__ + 1;
            if (session.rank() != 1 || i == 0) session.insert_task(bump, deed::read_write(b));
          }
          session.wait();
        },
        everything);
    EXPECT_EQ(all[0].code, deed::error_code::rank_must_take_part);
    EXPECT_THAT(all[0].text, AllOf(HasSubstr("rank 1 must take part in task `bump`, which it runs"),
                                   HasSubstr("rank 0  inserts it 3 times, at " + line(inserted)),
                                   HasSubstr("rank 1  inserts it 1 time\n")));
  });
}

TEST(messages, have_no_buffers_on_simulated_ranks) {
  const auto both_send_first = [](deed::session& session) {
    auto own = session.register_data(deed::per_rank, 1.0);
    auto came = session.register_data(deed::per_rank, 1.0);
    const int other = 1 - session.rank();
    session.isend(deed::read(own), deed::to{other}, deed::message_tag{1}).wait();
    session.receive(deed::write(came), deed::from{other}, deed::message_tag{1});
    session.wait();
  };
  test::simulated_world([&](const test::world& in) {
    for (const test::outcome& each : in.run(2, both_send_first)) EXPECT_EQ(each.text, "");
    for (const test::outcome& each : in.run(2, both_send_first, messages)) {
      EXPECT_EQ(each.code, deed::error_code::needs_buffering);
      EXPECT_THAT(each.text, HasSubstr("works only while messages are buffered"));
      EXPECT_THAT(each.text, HasSubstr("rank 1      sends `unnamed` (`double`) to rank 0, message "
                                       "tag 1, at verify_test.cpp:"));
    }
  });
}

TEST(messages, whose_tags_differ_are_told_with_both_lines) {
  test::simulated_world([](const test::world& in) {
    int line_of_send = 0, line_of_receive = 0;
    const auto ended = in.run(
        2,
        [&](deed::session& session) {
          auto own = session.register_data(deed::per_rank, 1.0, {.name = "own"});
          if (session.rank() == 0) {
            line_of_send = __LINE__ + 1;
            session.send(deed::read(own), deed::to{1}, deed::message_tag{3});
          } else {
            line_of_receive = __LINE__ + 1;
            session.receive(deed::write(own), deed::from{0}, deed::message_tag{4});
          }
          session.wait();
        },
        messages);
    for (const test::outcome& each : ended) {
      EXPECT_EQ(each.code, deed::error_code::message_tags_differ);
      EXPECT_THAT(each.text,
                  AllOf(HasSubstr("sends `own` (`double`) to rank 1, message tag 3, at " +
                                  line(line_of_send)),
                        HasSubstr("receives `own` (`double`) from rank 0, message tag "
                                  "4, at " +
                                  line(line_of_receive)),
                        HasSubstr("registered  `own` at " + line(line_of_send - 3))));
    }
  });
}

TEST(messages, may_be_taken_back) {
  test::each_world([](const test::world& in) {
    EXPECT_EQ(said_by(in, messages,
                      [](deed::session& session) {
                        auto own = session.register_data(deed::per_rank, 1.0);
                        auto none = session.ireceive(deed::write(own), deed::from{session.rank()},
                                                     deed::message_tag{9});
                        EXPECT_TRUE(none.cancel());
                      }),
              "");
  });
}

TEST(data_of_two_ranks, written_by_a_task_that_does_not_say_where) {
  test::simulated_world([](const test::world& in) {
    constexpr deed::codelet exchange{"exchange", [](double& x, double& y) { std::swap(x, y); }};
    const std::string said = said_by(in, {.checks = {.global = true}}, [&](deed::session& session) {
      auto a = session.register_data(deed::owner{0}, 0.0, {.name = "a"});
      auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
      for (int i = 0; i < 3; ++i)
        session.insert_task(exchange, deed::read_write(a), deed::read_write(b));
      session.insert_task(exchange, deed::read_write(a), deed::read_write(b), deed::on_owner_of(a));
      session.wait();
    });
    EXPECT_THAT(said, HasSubstr("deed[D412] task `exchange` writes data of ranks 0 and 1"));
    EXPECT_EQ(said.find("deed[", 5), std::string::npos);  // Once.
  });
}

/// Pruning by relevance, messages, collectives, values that differ where one rank runs the task.
void right_program(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  const int size = session.size(), rank = session.rank();
  for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0 * i));
  auto own = session.register_data(deed::per_rank, std::vector<double>(2000));
  auto came = session.register_data(deed::per_rank, std::vector<double>(2000));
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& here = parts[i];
      const auto& next = parts[(i + 1) % parts.size()];
      if (session.relevant(deed::read_write(here), deed::read(next)))
        session.insert_task(add, deed::read_write(here), deed::read(next));
      session.insert_task(scale, deed::read_write(here), deed::value(session.owns(here) ? 0.5 : 0));
    }
    session.insert_task(scale, deed::read_write(parts[0]), deed::value(2.0),
                        deed::on_each{deed::everywhere});
    session.send(deed::read(own), deed::to{(rank + 1) % size}, deed::message_tag{step});
    session.receive(deed::write(came), deed::from{(rank + size - 1) % size},
                    deed::message_tag{step});
    session.wait();
  }
  session.gather(deed::read(parts), deed::to{0});
  session.fetch(deed::read(parts[0]), deed::everywhere);
  static_cast<void>(*session.borrow(deed::read(came)));
}

TEST(a_right_program, hears_nothing_in_verify_mode) {
  test::each_world(
      [](const test::world& in) { EXPECT_EQ(said_by(in, everything, right_program), ""); });
}

TEST(pages, are_silent_of_views_that_end_with_their_tasks) {
  deed::session_options options{.checks = {.pages = true}};
  options.devices.emulated = {.devices = 2, .memory_bytes = std::size_t{1} << 20};
  test::each_world([&](const test::world& in) {
    EXPECT_EQ(said_by(in, options,
                      [](deed::session& session) {
                        std::vector<double> memory(5000, 1.0);
                        auto own = session.register_data(deed::per_rank, 1.0, {.name = "own"});
                        auto all = session.register_data(deed::owner{0}, deed::in_place(memory));
                        for (int i = 0; i < 40; ++i) {
                          session.insert_task(bump, deed::read_write(own));
                          session.insert_task(double_all, deed::read_write(all));
                          session.insert_task(halve_all, deed::read_write(all));
                        }
                        EXPECT_EQ(*session.borrow(deed::read(own)), 41);
                        session.wait();
                        if (session.rank() == 0) {
                          EXPECT_EQ(session.borrow(deed::read(all))->back(), 1.0);
                          EXPECT_GT(session.statistics().tasks_on_devices, 0u);
                        }
                      }),
              "");
  });
}

}  // namespace
