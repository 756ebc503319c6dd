// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// @file
/// Messages that leave the memory of an emulated device, whose network reads it, lies, or cannot.

namespace {

using deed::device_network;
using deed::gpu::emulated_network;
using testing::HasSubstr;
using testing::StartsWith;

template <std::size_t N>
using values = std::array<double, N>;

template <std::size_t N>
constexpr deed::codelet fill{"fill", [](values<N>& x, double value) { x.fill(value); }};
template <std::size_t N>
constexpr deed::codelet add{"add", [](values<N>& x, double value) {
                              for (double& each : x) each += value;
                            }};

constexpr std::size_t large = 20'000;  // 160 kB
constexpr std::size_t small = 1'000;   // 8 kB
constexpr std::uint64_t large_bytes = sizeof(values<large>);

deed::session_options devices_that(emulated_network network,
                                   device_network wanted = device_network::automatic) {
  deed::session_options options;
  options.devices.emulated.devices = 2;
  options.devices.emulated.memory_bytes = std::size_t{4} << 20;
  options.devices.emulated.network = network;
  options.devices.check_order = true;
  options.mpi_gpu = wanted;
  options.worker_rule = [](const deed::worker_request& asked) {
    return std::optional(asked.devices[asked.number % asked.devices.size()]);
  };
  return options;
}

/// Rank 0 makes values on its devices, and sends each. @return bytes that the network took there.
template <std::size_t N>
std::uint64_t exchange(deed::session& session) {
  constexpr int rounds = 4;
  const std::uint64_t before = session.statistics().bytes_sent_from_devices;  // The trial's.
  auto x = session.register_data(deed::per_rank, values<N>{}, {.name = "x"});
  for (int round = 1; round <= rounds; ++round) {
    if (session.rank() == 0) {
      session.insert_task(fill<N>, deed::write(x), deed::value(1.0 * round));
      session.insert_task(add<N>, deed::read_write(x), deed::value(0.5));
      session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
    } else if (session.rank() == 1) {
      session.receive(deed::write(x), deed::from{0}, deed::message_tag{3});
      const auto seen = session.borrow(deed::read(x));
      EXPECT_EQ(seen->front(), round + 0.5);
      EXPECT_EQ(seen->back(), round + 0.5);
    }
  }
  session.wait();
  return session.statistics().bytes_sent_from_devices - before;
}

/// What all ranks say of the way; they say the same.
std::string way_of(int ranks, const deed::session_options& options) {
  std::vector<std::string> ways(static_cast<std::size_t>(ranks));
  test::on_virtual_ranks(
      ranks,
      [&](deed::session& session) {
        ways[static_cast<std::size_t>(session.rank())] = session.way_to_network();
      },
      1, options);
  for (const std::string& each : ways) EXPECT_EQ(each, ways.front());
  return ways.front();
}

TEST(device_network, reads_values_where_they_are_once_a_trial_was_right) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::on_virtual_ranks(
        3,
        [](deed::session& session) {
          EXPECT_THAT(session.way_to_network(), StartsWith("directly"));
          const std::uint64_t bytes = exchange<large>(session);
          EXPECT_EQ(bytes, session.rank() == 0 ? 4 * large_bytes : 0);
        },
        seed, devices_that(emulated_network::reads));
  }
}

TEST(device_network, reads_values_between_threads) {
  deed::session_options options = devices_that(emulated_network::reads);
  for (const auto schedule :
       {deed::gpu::emulated_schedule::stepped, deed::gpu::emulated_schedule::threaded}) {
    options.devices.emulated.schedule = schedule;
    options.workers = 2;
    std::atomic<std::uint64_t> bytes{0};
    test::on_threads(
        2, [&](deed::session& session) { bytes += exchange<large>(session); }, options);
    EXPECT_EQ(bytes, 4 * large_bytes);
  }
}

TEST(device_network, takes_small_values_by_way_of_the_host) {
  test::on_virtual_ranks(
      2, [](deed::session& session) { EXPECT_EQ(exchange<small>(session), 0U); }, 1,
      devices_that(emulated_network::reads));
}

/// Others write on the device what the network still reads: they wait.
TEST(device_network, is_done_before_a_value_is_written_again) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::on_virtual_ranks(
        4,
        [](deed::session& session) {
          const int size = session.size(), rank = session.rank();
          const std::uint64_t before = session.statistics().bytes_sent_from_devices;
          auto mine = session.register_data(deed::per_rank, values<large>{});
          auto theirs = session.register_data(deed::per_rank, values<large>{});
          for (int round = 1; round <= 5; ++round) {
            session.insert_task(add<large>, deed::read_write(mine), deed::value(1.0));
            session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
            session.receive(deed::write(theirs), deed::from{(rank + size - 1) % size},
                            deed::message_tag{1});
            session.insert_task(add<large>, deed::read_write(theirs), deed::value(0.0));
            EXPECT_EQ(session.borrow(deed::read(theirs))->back(), 1.0 * round);
          }
          session.wait();
          EXPECT_EQ(session.statistics().bytes_sent_from_devices - before, 5 * large_bytes);
        },
        seed, devices_that(emulated_network::reads));
  }
}

/// A rank reads what another one owns: no message of the program's.
TEST(device_network, reads_values_that_ranks_share) {
  test::on_virtual_ranks(
      2,
      [](deed::session& session) {
        const std::uint64_t before = session.statistics().bytes_sent_from_devices;
        auto x = session.register_data(deed::owner{0}, values<large>{});
        auto y = session.register_data(deed::owner{1}, 0.0);
        constexpr deed::codelet last{
            "last", [](double& to, const values<large>& from) { to = from.back(); }};
        session.insert_task(fill<large>, deed::write(x), deed::value(3.0));
        session.insert_task(last, deed::write(y), deed::read(x));
        if (session.owns(y)) {
          EXPECT_EQ(*session.borrow(deed::read(y)), 3.0);
        }
        session.wait();
        EXPECT_EQ(session.statistics().bytes_sent_from_devices - before,
                  session.rank() == 0 ? large_bytes : 0);
      },
      1, devices_that(emulated_network::reads));
}

TEST(device_network, that_lies_is_found_out_and_not_used) {
  const auto options = devices_that(emulated_network::lies);
  EXPECT_THAT(way_of(3, options), HasSubstr("went wrong on rank 0"));
  test::on_virtual_ranks(
      2, [](deed::session& session) { EXPECT_EQ(exchange<large>(session), 0U); }, 1, options);
}

/// One rank alone has a device that it cannot use: all go the other way.
TEST(device_network, is_not_used_unless_it_is_right_on_every_rank) {
  const auto world_of = [](const std::function<void(deed::session&)>& program) {
    deed::transport::inproc_world world(3);
    const deed::real_clock time;
    std::vector<std::jthread> threads;
    for (int r = 0; r < 3; ++r) {
      threads.emplace_back([&, r] {
        auto options = devices_that(r == 1 ? emulated_network::lies : emulated_network::reads);
        options.workers = 1;
        deed::session joined(
            {.rank = r, .size = 3, .door = &world.at(deed::rank{r}), .time = &time}, options);
        program(joined);
        joined.close();
      });
    }
  };
  world_of([](deed::session& session) {
    EXPECT_THAT(session.way_to_network(), HasSubstr("went wrong on rank 2"));
    EXPECT_EQ(exchange<large>(session), 0U);
  });
}

TEST(device_network, is_left_alone_if_it_is_off_or_cannot_read) {
  EXPECT_THAT(way_of(2, devices_that(emulated_network::reads, device_network::off)),
              HasSubstr("DEED_MPI_GPU=off"));
  EXPECT_THAT(way_of(2, devices_that(emulated_network::none)), HasSubstr("there is no device"));
  EXPECT_THAT(way_of(1, devices_that(emulated_network::reads)), HasSubstr("no other rank"));
  auto hashed = devices_that(emulated_network::reads);
  hashed.checksums = true;
  EXPECT_THAT(way_of(2, hashed), HasSubstr("DEED_CHECKSUM"));
  test::on_virtual_ranks(
      2, [](deed::session& session) { EXPECT_EQ(exchange<large>(session), 0U); }, 1,
      devices_that(emulated_network::reads, device_network::off));
}

TEST(device_network, says_in_one_line_why_it_is_not_as_wanted) {
  const auto said = [](emulated_network network, device_network wanted) {
    testing::internal::CaptureStderr();
    static_cast<void>(way_of(3, devices_that(network, wanted)));
    return testing::internal::GetCapturedStderr();
  };
  const std::string line = said(emulated_network::lies, device_network::on);
  EXPECT_THAT(line, HasSubstr("rank 0] warning: DEED_MPI_GPU=on, but what leaves a device goes "
                              "through host memory: a trial transfer"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_EQ(said(emulated_network::lies, device_network::automatic), "");
  EXPECT_EQ(said(emulated_network::reads, device_network::on), "");
  EXPECT_THAT(said(emulated_network::none, device_network::on), HasSubstr("DEED_MPI_GPU=on"));
}

// Values of 8 MiB and more leave while they come home.

constexpr std::size_t mib = std::size_t{1} << 20;

struct sent_in_pieces {
  std::chrono::nanoseconds took{};
  std::uint64_t frames = 0;
  std::vector<std::string> thrown{"", ""};
};

/// A device of rank 0 makes a value of `bytes`, `rounds` times, and rank 1 gets each.
/// @return what it took, in virtual time, and what the ranks threw.
sent_in_pieces send_large(std::size_t bytes, int rounds, deed::session_options options,
                          std::uint64_t seed = 1) {
  options.devices.emulated.devices = 1;
  options.devices.emulated.memory_bytes = 2 * bytes + mib;
  options.worker_rule = [](const deed::worker_request& asked) {
    return std::optional(asked.devices.front());
  };
  constexpr deed::codelet ramp{"ramp", [](std::span<double> x, double from) {
                                 for (std::size_t i = 0; i < x.size(); ++i)
                                   x[i] = from + static_cast<double>(i);
                               }};
  sent_in_pieces seen;
  deed::transport::sim_world world(2, {.seed = seed});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    std::vector<double> memory(bytes / sizeof(double), 0.0);
    try {
      deed::session joined({.rank = self.value,
                            .size = 2,
                            .door = &door,
                            .time = &world.time(),
                            .simulated = true,
                            .seed = seed,
                            .pass = [&world, self] { world.pass(self); },
                            .spend = [&world, self](auto time) { world.spend(self, time); }},
                           options);
      auto x = joined.register_data(deed::per_rank, deed::in_place(memory), {.name = "x"});
      for (int round = 1; round <= rounds; ++round) {
        if (self.value == 0) {
          joined.insert_task(ramp, deed::write(x), deed::value(1.0 * round));
          joined.send(deed::read(x), deed::to{1}, deed::message_tag{3});
          continue;
        }
        joined.receive(deed::write(x), deed::from{0}, deed::message_tag{3});
        try {
          const auto got = joined.borrow(deed::read(x));
          bool right = true;
          for (std::size_t i = 0; i < got->size(); ++i)
            right = right && (*got)[i] == round + static_cast<double>(i);
          EXPECT_TRUE(right);
        } catch (const deed::error&) {  // `wait` says it again, on every rank.
          if (options.exceptions == deed::on_exception::abort) throw;
        }
      }
      joined.wait();
      if (self.value == 0) seen.frames = joined.statistics().sent_to[1].data_frames;
      joined.close();
    } catch (const std::exception& thrown) {
      seen.thrown[static_cast<std::size_t>(self.value)] = thrown.what();
    }
  });
  seen.took = world.time().now();
  return seen;
}

deed::session_options in_time() {
  deed::session_options options;
  options.devices.emulated.schedule = deed::gpu::emulated_schedule::timed;
  return options;
}

/// Hashed messages are sent as a whole: the hash goes first.
TEST(large_values, leave_a_device_for_the_network_while_they_come_home) {
  auto whole = in_time();
  whole.checksums = true;
  const sent_in_pieces one_after_the_other = send_large(64 * mib, 1, whole);
  const sent_in_pieces at_once = send_large(64 * mib, 1, in_time());
  EXPECT_EQ(one_after_the_other.frames, 1U);
  EXPECT_EQ(at_once.frames, 16U);
  const double share = static_cast<double>(at_once.took.count()) /
                       static_cast<double>(one_after_the_other.took.count());
  RecordProperty("percent", static_cast<int>(100 * share));
  EXPECT_LT(share, 0.8);  // 2.7 ms down and 6.7 ms across, of which all but a piece overlap.
}

TEST(large_values, go_as_a_whole_below_8_MiB) {
  EXPECT_EQ(send_large(8 * mib - 8, 1, in_time()).frames, 1U);
  EXPECT_EQ(send_large(8 * mib, 1, in_time()).frames, 2U);
  EXPECT_EQ(send_large(9 * mib, 1, in_time()).frames, 3U);
}

/// From the second copy on the home is pinned, and the pieces need no stop.
TEST(large_values, are_right_in_any_order_and_again) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    deed::session_options options;
    options.devices.check_order = true;
    const sent_in_pieces seen = send_large(9 * mib, 4, options, seed);
    EXPECT_EQ(seen.thrown, std::vector<std::string>(2));
    EXPECT_EQ(seen.frames, 12U);
  }
}

/// The device is lost with the k-th copy: nobody waits for ever, and both are told.
TEST(large_values, that_are_lost_on_the_way_are_told_on_both_ranks) {
  for (const auto policy : {deed::on_exception::propagate, deed::on_exception::abort}) {
    for (const std::uint64_t k : {1U, 5U, 8U, 12U, 13U}) {  // Four are under way at a time.
      deed::session_options options = in_time();
      options.exceptions = policy;
      options.devices.faults.rules = {{.on = {deed::gpu::operation::copy_to_host},
                                       .nth = k,
                                       .make = {.what = deed::gpu::fault::effect::device_lost}}};
      const sent_in_pieces seen = send_large(48 * mib, 1, options);
      if (k == 13) {
        EXPECT_EQ(seen.thrown, std::vector<std::string>(2)) << k;
        continue;
      }
      for (const std::string& each : seen.thrown) EXPECT_THAT(each, HasSubstr("D011")) << k;
    }
  }
}

}  // namespace
