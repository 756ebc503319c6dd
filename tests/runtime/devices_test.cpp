// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using deed::gpu::device_span;
using deed::gpu::enqueue;
using testing::HasSubstr;

constexpr deed::codelet axpy{"axpy", [](std::span<double> y, std::span<const double> x, double a) {
                               for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
                             }};
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet fill{"fill", [](deed::tile<double> t, double value) {
                               for (auto row : t) std::ranges::fill(row, value);
                             }};
constexpr deed::codelet sum{"sum", [](double& total, deed::tile<const double> t) {
                              for (auto row : t)
                                for (double x : row) total += x;
                            }};
constexpr deed::codelet append{"append", [](std::vector<double>& v, double x) { v.push_back(x); }};
constexpr deed::codelet fails{"fails", [](double& x) {
                                if (x >= 0) throw std::domain_error("x >= 0");
                              }};
constexpr deed::codelet vendors_only{"vendors_only",
                                     deed::cuda{[](enqueue&, device_span<double>) {}},
                                     deed::hip{[](enqueue&, device_span<double>) {}}};

deed::session_options emulated(int devices, std::size_t bytes = std::size_t{1} << 20) {
  deed::session_options options;
  options.devices.emulated.devices = devices;
  options.devices.emulated.memory_bytes = bytes;
  options.devices.check_order = true;
  return options;
}

/// Simulated ranks choose workers at random: with enough tasks, some run on each device.
TEST(devices, run_tasks_and_bring_values_home_for_the_program) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::on_virtual_ranks(
        1,
        [](deed::session& session) {
          std::vector<double> memory(100, 1.0);
          auto x = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "x"});
          std::vector<double> more(100, 0.0);
          auto y = session.register_data(deed::owner{0}, deed::in_place(more), {.name = "y"});
          for (int i = 0; i < 20; ++i)
            session.insert_task(axpy, deed::read_write(y), deed::read(x), deed::value(2.0));
          // deed-check: allow(D309) reason: one rank runs this
          EXPECT_EQ((*session.borrow(deed::read(y)))[99], 40.0);
          session.wait();
          EXPECT_GT(session.statistics().tasks_on_devices, 0u);
          EXPECT_LE(session.statistics().tasks_on_devices, 20u);
        },
        seed, emulated(2));
  }
}

TEST(pinned_buffer, is_what_devices_copy_from_and_outlives_the_session) {
  for (const int devices : {0, 2}) {
    std::optional<deed::pinned_buffer<double>> kept;
    test::on_virtual_ranks(
        1,
        [&](deed::session& session) {
          deed::pinned_buffer<double> memory(session, 100);
          EXPECT_EQ(memory.pinned(), devices > 0);
          EXPECT_EQ(memory.size(), 100u);
          EXPECT_EQ(memory[99], 0.0);
          std::ranges::fill(memory, 1.0);
          {
            auto x = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "x"});
            auto y = session.register_data(deed::owner{0}, std::vector<double>(100, 2.0));
            for (int i = 0; i < 20; ++i)
              session.insert_task(axpy, deed::read_write(x), deed::read(y), deed::value(1.0));
          }
          EXPECT_EQ(memory[99], 41.0);
          kept.emplace(std::move(memory));
          EXPECT_EQ(memory.size(), 0u);
        },
        7, emulated(devices));
    EXPECT_EQ((*kept)[99], 41.0);
  }
}

TEST(devices, leave_the_last_value_in_memory_of_the_program) {
  for (const bool unregisters : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      std::vector<double> memory(10, 1.0), ones(10, 1.0);
      test::on_virtual_ranks(
          1,
          [&](deed::session& session) {
            auto x = session.register_data(deed::owner{0}, deed::in_place(memory));
            auto one = session.register_data(deed::owner{0}, deed::in_place(ones));
            for (int i = 0; i < 4; ++i)
              session.insert_task(axpy, deed::read_write(x), deed::read(one), deed::value(1.0));
            if (unregisters) {
              std::move(x).unregister();
              session.wait();
              EXPECT_EQ(memory[9], 5.0);
            }
          },
          seed, emulated(1));
      EXPECT_EQ(memory, std::vector<double>(10, 5.0));
    }
  }
}

TEST(devices, send_what_a_device_wrote) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::on_virtual_ranks(
        3,
        [](deed::session& session) {
          const int rank = session.rank(), size = session.size();
          auto token = session.register_data(deed::per_rank, 0.0, {.name = "token"});
          for (int round = 0; round < 3; ++round) {
            const bool first = round == 0 && rank == 0, last = round == 2 && rank == size - 1;
            if (!first)
              session.receive(deed::write(token), deed::from{(rank + size - 1) % size},
                              deed::message_tag{7});
            session.insert_task(bump, deed::read_write(token));
            if (!last)
              session.send(deed::read(token), deed::to{(rank + 1) % size}, deed::message_tag{7});
          }
          session.wait();
          if (rank == size - 1) {
            EXPECT_EQ(*session.borrow(deed::read(token)), 9.0);
          }
        },
        seed, emulated(2));
  }
}

TEST(devices, make_room_by_sending_what_they_have_home) {
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test::on_virtual_ranks(
        2,
        [&](deed::session& session) {
          deed::tiled_matrix<double> a{session,
                                       {.rows = 256,
                                        .cols = 256,
                                        .tile_rows = 64,
                                        .tile_cols = 64,
                                        .initial = 0.0,
                                        .name = "a"}};
          auto total = session.register_data(deed::owner{0}, 0.0, {.name = "total"});
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j)
              session.insert_task(fill, deed::write(a(i, j)),
                                  deed::value(1.0 + static_cast<double>(4 * i + j)));
          }
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j)
              session.insert_task(sum, deed::read_write(total), deed::read(a(i, j)));
          }
          session.wait();
          if (session.rank() == 0) {
            EXPECT_EQ(*session.borrow(deed::read(total)), 136.0 * 64 * 64);
          }
          evictions += session.statistics().device_evictions;
        },
        seed, emulated(1, std::size_t{3} * 64 * 64 * sizeof(double)));
  }
  EXPECT_GT(evictions, 0u);
}

TEST(devices, leave_vectors_to_the_processor) {
  test::on_virtual_ranks(
      1,
      [](deed::session& session) {
        auto v = session.register_data(deed::owner{0}, std::vector<double>{});
        for (int i = 0; i < 8; ++i)
          session.insert_task(append, deed::read_write(v), deed::value(1.0 * i));
        // deed-check: allow(D309) reason: one rank runs this
        EXPECT_EQ(session.borrow(deed::read(v))->size(), 8u);
        session.wait();
        EXPECT_EQ(session.statistics().tasks_on_devices, 0u);
      },
      1, emulated(2));
}

TEST(devices, are_fed_by_real_threads) {
  deed::session_options options = emulated(2);
  options.workers = 2;
  options.devices.emulated.schedule = deed::gpu::emulated_schedule::threaded;
  test::on_threads(
      2,
      [](deed::session& session) {
        std::vector<deed::handle<double>> all;
        for (int i = 0; i < 8; ++i)
          all.push_back(session.register_data(deed::owner{i % 2}, 0.0, {.name = "x"}));
        for (int round = 0; round < 200; ++round) {
          for (auto& x : all) session.insert_task(bump, deed::read_write(x));
        }
        session.wait();
        for (auto& x : all) {
          if (session.owns(x)) {
            EXPECT_EQ(*session.borrow(deed::read(x)), 200.0);
          }
        }
        EXPECT_GT(session.statistics().tasks_on_devices, 0u);
      },
      options);
}

TEST(devices, name_a_task_that_threw_there) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    test::on_virtual_ranks(
        1,
        [](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
          session.insert_task(fails, deed::read_write(x));
          try {
            session.wait();
            ADD_FAILURE() << "nothing was thrown";
          } catch (const deed::task_error& failed) {
            EXPECT_EQ(failed.codelet(), "fails");
            EXPECT_THAT(failed.what(), HasSubstr("x >= 0"));
            EXPECT_THAT(failed.what(), HasSubstr("`x`"));
          }
        },
        seed, emulated(1));
  }
}

/// By name: what still lies on a device when the session ends, and for which task it came there.
TEST(devices, say_what_they_held_where_leaks_are_wanted) {
  deed::session_options options = emulated(1);
  options.checks.leaks = true;
  options.worker_rule = [](const deed::worker_request& task) { return task.devices[0]; };
  for (const bool left : {false, true}) {
    testing::internal::CaptureStderr();
    test::on_virtual_ranks(
        1,
        [&](deed::session& session) {
          std::vector<double> to(100, 1.0), from(100, 1.0);
          auto x = session.register_data(deed::owner{0}, deed::in_place(to), {.name = "grid"});
          auto y = session.register_data(deed::owner{0}, deed::in_place(from));
          session.insert_task(axpy, deed::read_write(x), deed::read(y), deed::value(1.0));
          session.wait();
          if (left) session.close();
        },
        1, options);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said,
                HasSubstr("deed: rank 0: emulated 0 held at most 2.0 KiB of 1.0 MiB, and " +
                          std::string(left ? "2.0 KiB" : "0 B") + " at the end of the session\n"));
    const char* const by_name =
        "1024 bytes on emulated 0: `grid`, modified, for `axpy`, registered at devices_test.cpp:";
    if (left) {
      EXPECT_THAT(said, HasSubstr(by_name));
    } else {
      EXPECT_THAT(said, testing::Not(HasSubstr("on emulated 0:")));
    }
  }
}

TEST(devices, that_are_not_there_are_an_error_at_submit) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    auto v = session.register_data(deed::owner{1}, std::vector<double>(10), {.name = "v"});
    try {
      session.insert_task(vendors_only, deed::write(v));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::no_worker_can_run);
      EXPECT_THAT(refused.what(), HasSubstr("`vendors_only`"));
      EXPECT_THAT(refused.what(), HasSubstr("cuda or hip"));
      EXPECT_THAT(refused.what(), HasSubstr("of rank 1: cpu"));
      EXPECT_THAT(refused.what(), HasSubstr("devices_test.cpp"));
    }
    session.wait();
  });
}

}  // namespace
