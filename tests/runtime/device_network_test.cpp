// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
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

}  // namespace
