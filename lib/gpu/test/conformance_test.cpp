// SPDX-License-Identifier: MIT
// What every table of device calls has to do. Real devices run it where there are any.
#include "backend/backends.hpp"
#include "backend/decorators/decorators.hpp"
#include "backend/emulated.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::gpu;
using deed::memory_space;
using std::chrono::nanoseconds;

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device_api>()> make;
};

std::unique_ptr<device_api> emulated(emulated_schedule schedule, bool peers = true) {
  return std::make_unique<emulated_api>(emulated_options{
      .devices = 2, .memory_bytes = 8 << 20, .schedule = schedule, .seed = 3, .peers = peers});
}

#ifdef DEED_WITH_HIP
std::unique_ptr<device_api> make_hip() {
  const bool over_cuda = std::getenv("TEST_HIP_OVER_CUDA") != nullptr;
  return make_hip_api(over_cuda ? hip_driver::not_needed : hip_driver::needed);
}
#endif

std::vector<candidate> candidates() {
  std::vector<candidate> all{
      {"stepped", [] { return emulated(emulated_schedule::stepped); }},
      {"timed", [] { return emulated(emulated_schedule::timed); }},
      {"threaded", [] { return emulated(emulated_schedule::threaded); }},
      {"decorated", [] {
         auto checked = std::make_unique<check_api>(emulated(emulated_schedule::stepped));
         return std::make_unique<fault_api>(std::move(checked), fault_plan{});
       }}};
  // The vendors' take part where they have a device; their tests below say what happens elsewhere.
  std::vector<candidate> vendors;
#ifdef DEED_WITH_CUDA
  vendors.push_back({"cuda", make_cuda_api});
#endif
#ifdef DEED_WITH_HIP
  vendors.push_back({"hip", make_hip});
#endif
  for (candidate& vendor : vendors) {
    int devices = 0;
    std::string why;
    if (vendor.make()->count(devices, why).ok() && devices > 0) all.push_back(std::move(vendor));
  }
  return all;
}

class device_api_test : public testing::TestWithParam<candidate> {
 protected:
  void SetUp() override {
    api = GetParam().make();
    std::string why;
    const status counted = api->count(devices, why);
    ASSERT_TRUE(counted.ok());
    ASSERT_TRUE(api->set_device(0).ok());
  }
  stream_ref stream() {
    void* native = nullptr;
    EXPECT_TRUE(api->create_stream(false, native).ok());
    streams.emplace_back(native, device_id{0});
    return streams.back();
  }
  event_ref event(bool timing = false) {
    void* native = nullptr;
    EXPECT_TRUE(api->create_event(timing, native).ok());
    events.emplace_back(native, device_id{0});
    return events.back();
  }
  std::byte* device_memory(std::size_t bytes) {
    void* address = nullptr;
    EXPECT_TRUE(api->allocate(bytes, address).ok());
    blocks.push_back(address);
    return static_cast<std::byte*>(address);
  }
  std::byte* pinned(std::size_t bytes) {
    void* address = nullptr;
    EXPECT_TRUE(api->allocate_pinned(bytes, address).ok());
    pins.push_back(address);
    return static_cast<std::byte*>(address);
  }
  static raw_span on_device(std::byte* at, std::size_t bytes, int device = 0) {
    return {at, bytes, memory_space::device, device};
  }
  static raw_span on_host(std::byte* at, std::size_t bytes) {
    return {at, bytes, memory_space::pinned, -1};
  }
  static raw_span pageable(std::byte* at, std::size_t bytes) {
    return {at, bytes, memory_space::host, -1};
  }
  void TearDown() override {
    if (devices == 0) return;
    EXPECT_TRUE(api->set_device(0).ok());
    for (const auto each : streams) EXPECT_TRUE(api->sync_stream(each).ok());
    for (const auto each : events) EXPECT_TRUE(api->destroy_event(each).ok());
    for (const auto each : streams) EXPECT_TRUE(api->destroy_stream(each).ok());
    for (void* each : blocks) EXPECT_TRUE(api->release(each).ok());
    for (void* each : pins) EXPECT_TRUE(api->release_pinned(each).ok());
  }

  std::unique_ptr<device_api> api;
  int devices = 0;
  std::vector<stream_ref> streams;
  std::vector<event_ref> events;
  std::vector<void*> blocks, pins;
};

TEST_P(device_api_test, tells_what_a_device_is) {
  device_attributes found;
  ASSERT_TRUE(api->attributes(0, found).ok());
  EXPECT_FALSE(found.name.empty());
  EXPECT_TRUE(api->made_by() == backend::emulated || found.name.ends_with(")"))
      << found.name << ": its model, and where it is";
  EXPECT_GT(found.compute_major, 0);
}

TEST_P(device_api_test, refuses_a_device_that_is_not_there) {
  EXPECT_FALSE(api->set_device(devices).ok());
  EXPECT_FALSE(api->set_device(-1).ok());
  device_attributes found;
  EXPECT_FALSE(api->attributes(devices, found).ok());
  EXPECT_TRUE(api->last_error().ok()) << "the next launch is not blamed for it";
}

TEST_P(device_api_test, remembers_the_current_device) {
  int now = -1;
  ASSERT_TRUE(api->get_device(now).ok());
  EXPECT_EQ(now, 0);
}

TEST_P(device_api_test, has_a_current_device_for_each_thread) {
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  std::jthread([&] { EXPECT_TRUE(api->set_device(1).ok()); }).join();
  int now = -1;
  ASSERT_TRUE(api->get_device(now).ok());
  EXPECT_EQ(now, 0);
}

TEST_P(device_api_test, counts_free_memory) {
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_TRUE(api->memory_info(before, total).ok());
  device_memory(4 << 20);
  ASSERT_TRUE(api->memory_info(after, total).ok());
  EXPECT_LE(after + (4 << 20), before);
  EXPECT_LE(before, total);
}

TEST_P(device_api_test, aligns_memory_to_256_bytes) {
  for (const std::size_t bytes : {1u, 100u, 257u}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device_memory(bytes)) % 256, 0u);
  }
}

TEST_P(device_api_test, runs_out_of_memory_and_goes_on) {
  std::size_t free_bytes = 0, total = 0;
  ASSERT_TRUE(api->memory_info(free_bytes, total).ok());
  void* address = this;
  EXPECT_EQ(api->allocate(total * 2, address).kind, error_kind::out_of_memory);
  EXPECT_EQ(address, nullptr);
  EXPECT_TRUE(api->last_error().ok()) << "the next launch is not blamed for it";
  device_memory(1024);
}

TEST_P(device_api_test, takes_memory_back) {
  void* address = nullptr;
  ASSERT_TRUE(api->allocate(1024, address).ok());
  EXPECT_TRUE(api->release(address).ok());
  EXPECT_FALSE(api->release(address).ok()) << "twice";
  EXPECT_TRUE(api->last_error().ok()) << "the next launch is not blamed for it";
}

TEST_P(device_api_test, releases_nothing_without_complaint) {
  EXPECT_TRUE(api->release(nullptr).ok());
  EXPECT_TRUE(api->release_pinned(nullptr).ok());
}

TEST_P(device_api_test, gives_pinned_memory_to_the_host) { std::memset(pinned(4096), 7, 4096); }

TEST_P(device_api_test, registers_memory_once) {
  std::vector<std::byte> memory(1 << 16);
  ASSERT_TRUE(api->register_host(memory.data(), memory.size()).ok());
  EXPECT_FALSE(api->register_host(memory.data(), memory.size()).ok());
  EXPECT_TRUE(api->unregister_host(memory.data()).ok());
  EXPECT_FALSE(api->unregister_host(memory.data()).ok());
  EXPECT_TRUE(api->last_error().ok()) << "the next launch is not blamed for it";
}

TEST_P(device_api_test, begins_with_idle_streams) {
  bool idle = false;
  EXPECT_TRUE(api->query_stream(stream(), idle).ok());
  EXPECT_TRUE(idle);
}

TEST_P(device_api_test, makes_urgent_streams) {
  void* native = nullptr;
  ASSERT_TRUE(api->create_stream(true, native).ok());
  EXPECT_TRUE(api->destroy_stream(stream_ref(native, device_id{0})).ok());
}

TEST_P(device_api_test, takes_an_event_that_was_never_recorded_as_done) {
  bool done = false;
  EXPECT_TRUE(api->query(event(), done).ok());
  EXPECT_TRUE(done);
  EXPECT_TRUE(api->sync_event(event()).ok());
}

TEST_P(device_api_test, does_not_wait_for_an_event_that_was_never_recorded) {
  const auto on = stream();
  EXPECT_TRUE(api->wait(on, event()).ok());
  EXPECT_TRUE(api->sync_stream(on).ok());
}

TEST_P(device_api_test, copies_there_and_back) {
  const auto on = stream();
  std::byte* const host = pinned(8192);
  std::byte* const there = device_memory(4096);
  for (int i = 0; i < 4096; ++i) host[i] = static_cast<std::byte>(i * 7);
  ASSERT_TRUE(api->copy(on, on_device(there, 4096), on_host(host, 4096)).ok());
  ASSERT_TRUE(api->copy(on, on_host(host + 4096, 4096), on_device(there, 4096)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(std::memcmp(host, host + 4096, 4096), 0);
}

TEST_P(device_api_test, copies_part_of_a_block) {
  const auto on = stream();
  std::byte* const host = pinned(64);
  std::byte* const there = device_memory(4096);
  std::memset(host, 1, 64);
  ASSERT_TRUE(api->fill(on, on_device(there, 4096), 9).ok());
  ASSERT_TRUE(api->copy(on, on_device(there + 100, 8), on_host(host, 8)).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 64), on_device(there + 96, 64)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(host[3], std::byte{9});
  EXPECT_EQ(host[4], std::byte{1});
  EXPECT_EQ(host[11], std::byte{1});
  EXPECT_EQ(host[12], std::byte{9});
}

TEST_P(device_api_test, copies_pageable_memory_before_it_returns) {
  const auto on = stream();
  std::vector<std::byte> host(1000, std::byte{3});
  std::byte* const there = device_memory(1000);
  ASSERT_TRUE(api->copy(on, on_device(there, 1000), pageable(host.data(), 1000)).ok());
  std::fill(host.begin(), host.end(), std::byte{0});  // Too late for the copy.
  ASSERT_TRUE(api->copy(on, pageable(host.data(), 1000), on_device(there, 1000)).ok());
  EXPECT_EQ(host[999], std::byte{3});
}

TEST_P(device_api_test, copies_within_a_device) {
  const auto on = stream();
  std::byte* const host = pinned(16);
  std::byte *const one = device_memory(16), *const two = device_memory(16);
  ASSERT_TRUE(api->fill(on, on_device(one, 16), 5).ok());
  ASSERT_TRUE(api->copy(on, on_device(two, 16), on_device(one, 16)).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 16), on_device(two, 16)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(host[15], std::byte{5});
}

TEST_P(device_api_test, copies_nothing_without_complaint) {
  const auto on = stream();
  EXPECT_TRUE(api->copy(on, on_device(device_memory(16), 0), on_host(pinned(16), 0)).ok());
}

TEST_P(device_api_test, fills_bytes) {
  const auto on = stream();
  std::byte* const host = pinned(300);
  std::byte* const there = device_memory(300);
  ASSERT_TRUE(api->fill(on, on_device(there, 300), 0xA5).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 300), on_device(there, 300)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(host[299], std::byte{0xA5});
}

TEST_P(device_api_test, keeps_the_order_of_a_stream) {
  const auto on = stream();
  std::byte* const host = pinned(8);
  std::byte* const there = device_memory(8);
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(api->fill(on, on_device(there, 8), static_cast<unsigned char>(i)).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 8), on_device(there, 8)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(host[7], std::byte{49});
}

TEST_P(device_api_test, records_an_event_behind_the_work) {
  const auto on = stream();
  const auto done_event = event();
  std::byte* const host = pinned(1 << 16);
  std::byte* const there = device_memory(1 << 16);
  ASSERT_TRUE(api->fill(on, on_device(there, 1 << 16), 4).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 1 << 16), on_device(there, 1 << 16)).ok());
  ASSERT_TRUE(api->record(done_event, on).ok());
  bool done = false;
  for (int i = 0; i < 10'000'000 && !done; ++i) ASSERT_TRUE(api->query(done_event, done).ok());
  ASSERT_TRUE(done);
  EXPECT_EQ(host[(1 << 16) - 1], std::byte{4});
}

TEST_P(device_api_test, lets_one_stream_wait_for_another) {
  const auto writer = stream(), reader = stream();
  const auto written = event();
  std::byte* const host = pinned(1 << 12);
  std::byte* const there = device_memory(1 << 12);
  for (int round = 0; round < 20; ++round) {
    const auto value = static_cast<unsigned char>(round + 1);
    const auto read_event = event();
    ASSERT_TRUE(api->fill(writer, on_device(there, 1 << 12), value).ok());
    ASSERT_TRUE(api->record(written, writer).ok());
    ASSERT_TRUE(api->wait(reader, written).ok());
    ASSERT_TRUE(api->copy(reader, on_host(host, 1 << 12), on_device(there, 1 << 12)).ok());
    ASSERT_TRUE(api->record(read_event, reader).ok());
    ASSERT_TRUE(api->wait(writer, read_event).ok());
    ASSERT_TRUE(api->sync_event(read_event).ok());
    ASSERT_EQ(host[4095], static_cast<std::byte>(value));
  }
}

TEST_P(device_api_test, waits_for_the_record_that_it_saw) {
  const auto one = stream(), two = stream();
  const auto again = event();
  std::byte* const there = device_memory(16);
  ASSERT_TRUE(api->fill(one, on_device(there, 16), 1).ok());
  ASSERT_TRUE(api->record(again, one).ok());
  ASSERT_TRUE(api->wait(two, again).ok());
  ASSERT_TRUE(api->record(again, two).ok());  // Behind the wait: no circle.
  EXPECT_TRUE(api->sync_stream(two).ok());
}

TEST_P(device_api_test, measures_time_between_timing_events) {
  const auto on = stream();
  const auto begin = event(true), end = event(true);
  std::byte* const there = device_memory(1 << 20);
  ASSERT_TRUE(api->record(begin, on).ok());
  ASSERT_TRUE(api->fill(on, on_device(there, 1 << 20), 1).ok());
  ASSERT_TRUE(api->record(end, on).ok());
  ASSERT_TRUE(api->sync_event(end).ok());
  nanoseconds time{-1};
  ASSERT_TRUE(api->elapsed(begin, end, time).ok());
  EXPECT_GE(time, nanoseconds{0});
}

TEST_P(device_api_test, measures_nothing_with_plain_events) {
  const auto on = stream();
  const auto begin = event(), end = event();
  ASSERT_TRUE(api->record(begin, on).ok());
  ASSERT_TRUE(api->record(end, on).ok());
  ASSERT_TRUE(api->sync_event(end).ok());
  nanoseconds time{};
  EXPECT_FALSE(api->elapsed(begin, end, time).ok());
  EXPECT_TRUE(api->last_error().ok()) << "the next launch is not blamed for it";
}

TEST_P(device_api_test, becomes_idle_after_the_whole_device_was_waited_for) {
  const auto one = stream(), two = stream();
  std::byte* const there = device_memory(32);
  ASSERT_TRUE(api->fill(one, on_device(there, 16), 1).ok());
  ASSERT_TRUE(api->fill(two, on_device(there + 16, 16), 1).ok());
  ASSERT_TRUE(api->sync_device().ok());
  bool idle = false;
  ASSERT_TRUE(api->query_stream(one, idle).ok());
  EXPECT_TRUE(idle);
  ASSERT_TRUE(api->query_stream(two, idle).ok());
  EXPECT_TRUE(idle);
}

TEST_P(device_api_test, says_which_peers_there_are) {
  bool can = true;
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  ASSERT_TRUE(api->can_access_peer(0, 0, can).ok());
  EXPECT_FALSE(can);
  ASSERT_TRUE(api->can_access_peer(0, 1, can).ok());
}

TEST_P(device_api_test, copies_to_a_peer_with_access) {
  bool can = false;
  if (devices < 2 || !api->can_access_peer(0, 1, can).ok() || !can) GTEST_SKIP() << "no peers here";
  ASSERT_TRUE(api->enable_peer(1).ok());
  const auto on = stream();
  std::byte* const here = device_memory(64);
  std::byte* const host = pinned(64);
  ASSERT_TRUE(api->set_device(1).ok());
  std::byte* const there = device_memory(64);
  ASSERT_TRUE(api->set_device(0).ok());
  ASSERT_TRUE(api->fill(on, on_device(here, 64), 6).ok());
  ASSERT_TRUE(api->copy(on, on_device(there, 64, 1), on_device(here, 64)).ok());
  ASSERT_TRUE(api->fill(on, on_device(here, 64), 0).ok());
  ASSERT_TRUE(api->copy(on, on_device(here, 64), on_device(there, 64, 1)).ok());
  ASSERT_TRUE(api->copy(on, on_host(host, 64), on_device(here, 64)).ok());
  ASSERT_TRUE(api->sync_stream(on).ok());
  EXPECT_EQ(host[63], std::byte{6});
}

TEST_P(device_api_test, leaves_no_error_behind_what_went_well) {
  stream();
  EXPECT_TRUE(api->last_error().ok());
}

TEST_P(device_api_test, names_its_numbers) { EXPECT_FALSE(api->native_name(2).empty()); }

INSTANTIATE_TEST_SUITE_P(of, device_api_test, testing::ValuesIn(candidates()),
                         [](const auto& test) { return test.param.name; });

// What only the emulated device promises.

struct emulated_device : testing::Test {
  emulated_api api{{.devices = 2, .memory_bytes = 1 << 20, .seed = 9}};
  void* native = nullptr;
  void SetUp() override {
    ASSERT_TRUE(api.set_device(0).ok());
    ASSERT_TRUE(api.create_stream(false, native).ok());
  }
  stream_ref on() const { return {native, device_id{0}}; }
  std::byte* memory(std::size_t bytes) {
    void* address = nullptr;
    EXPECT_TRUE(api.allocate(bytes, address).ok());
    return static_cast<std::byte*>(address);
  }
};

TEST_F(emulated_device, fills_fresh_memory_with_a_pattern) {
  EXPECT_EQ(*api.shadow(memory(100)), std::byte{0xCB});
}

TEST_F(emulated_device, has_addresses_that_the_host_cannot_touch) {
  volatile std::byte* const address = memory(100);
  EXPECT_DEATH({ address[0] = std::byte{1}; }, "");
}

TEST_F(emulated_device, keeps_freed_addresses_in_quarantine) {
  std::byte* const first = memory(5000);
  ASSERT_TRUE(api.release(first).ok());
  EXPECT_NE(memory(5000), first);
  EXPECT_EQ(api.shadow(first), nullptr);
}

TEST_F(emulated_device, refuses_work_under_a_wrong_current_device) {
  std::byte* const there = memory(16);
  ASSERT_TRUE(api.set_device(1).ok());
  EXPECT_EQ(api.fill(on(), {there, 16, memory_space::device, 0}, 1).kind, error_kind::invalid);
}

TEST_F(emulated_device, refuses_memory_that_was_freed) {
  std::byte* const there = memory(16);
  ASSERT_TRUE(api.release(there).ok());
  EXPECT_EQ(api.fill(on(), {there, 16, memory_space::device, 0}, 1).kind, error_kind::invalid);
}

TEST_F(emulated_device, refuses_more_than_an_allocation_holds) {
  EXPECT_EQ(api.fill(on(), {memory(16), 17, memory_space::device, 0}, 1).kind, error_kind::invalid);
}

TEST_F(emulated_device, refuses_another_devices_event_for_recording) {
  ASSERT_TRUE(api.set_device(1).ok());
  void* foreign = nullptr;
  ASSERT_TRUE(api.create_event(false, foreign).ok());
  ASSERT_TRUE(api.set_device(0).ok());
  EXPECT_EQ(api.record({foreign, device_id{1}}, on()).kind, error_kind::invalid);
  EXPECT_TRUE(api.wait(on(), {foreign, device_id{1}}).ok());
}

TEST_F(emulated_device, refuses_peer_copies_without_access) {
  std::byte* const here = memory(16);
  ASSERT_TRUE(api.set_device(1).ok());
  std::byte* const there = memory(16);
  ASSERT_TRUE(api.set_device(0).ok());
  EXPECT_EQ(
      api.copy(on(), {there, 16, memory_space::device, 1}, {here, 16, memory_space::device, 0})
          .kind,
      error_kind::not_supported);
}

TEST_F(emulated_device, counts_copies_that_block) {
  std::vector<std::byte> host(16);
  ASSERT_TRUE(api.copy(on(), {memory(16), 16, memory_space::device, 0},
                       {host.data(), 16, memory_space::host, -1})
                  .ok());
  EXPECT_EQ(api.counters().blocking_copies, 1u);
}

TEST_F(emulated_device, runs_nothing_before_somebody_asks) {
  std::byte* const there = memory(16);
  ASSERT_TRUE(api.fill(on(), {there, 16, memory_space::device, 0}, 1).ok());
  EXPECT_EQ(*api.shadow(there), std::byte{0xCB});
  EXPECT_TRUE(api.advance());
  EXPECT_EQ(*api.shadow(there), std::byte{1});
  EXPECT_FALSE(api.advance());
}

TEST_F(emulated_device, runs_kernels_on_its_own_bytes) {
  std::byte* const there = memory(16);
  ASSERT_TRUE(api.launch(on(), {{{there, 16, true}},
                                [&](std::span<std::byte* const> at) {
                                  EXPECT_NE(at[0], there);
                                  at[0][3] = std::byte{8};
                                }})
                  .ok());
  ASSERT_TRUE(api.sync_stream(on()).ok());
  EXPECT_EQ(api.shadow(there)[3], std::byte{8});
}

TEST_F(emulated_device, stays_lost) {
  api.disturb({.what = fault::effect::device_lost});
  void* address = nullptr;
  EXPECT_EQ(api.allocate(16, address).kind, error_kind::device_lost);
  EXPECT_EQ(api.sync_device().kind, error_kind::device_lost);
  EXPECT_EQ(api.last_error().kind, error_kind::device_lost);
  ASSERT_TRUE(api.set_device(1).ok());
  EXPECT_TRUE(api.allocate(16, address).ok());
}

TEST_F(emulated_device, notices_a_stream_that_dies_at_work) {
  ASSERT_TRUE(api.fill(on(), {memory(16), 16, memory_space::device, 0}, 1).ok());
  ASSERT_TRUE(api.destroy_stream(on()).ok());
  EXPECT_EQ(api.counters().busy_streams_destroyed, 1u);
}

TEST_F(emulated_device, changes_one_byte_when_it_corrupts) {
  std::vector<std::byte> host(16, std::byte{1});
  std::byte* const there = memory(16);
  api.disturb({.what = fault::effect::corrupt});
  ASSERT_TRUE(api.copy(on(), {there, 16, memory_space::device, 0},
                       {host.data(), 16, memory_space::host, -1})
                  .ok());
  EXPECT_EQ(std::count(api.shadow(there), api.shadow(there) + 16, std::byte{1}), 15);
}

TEST(emulated_schedules, give_the_same_order_for_the_same_seed_and_others_for_others) {
  const auto order_of = [](std::uint64_t seed) {
    emulated_api api({.devices = 1, .memory_bytes = 1 << 16, .seed = seed});
    EXPECT_TRUE(api.set_device(0).ok());
    std::string order;
    for (char name = 'a'; name < 'g'; ++name) {
      void* native = nullptr;
      EXPECT_TRUE(api.create_stream(false, native).ok());
      EXPECT_TRUE(
          api.launch({native, device_id{0}}, {{}, [&order, name](auto) { order += name; }}).ok());
    }
    EXPECT_TRUE(api.sync_device().ok());
    return order;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_NE(order_of(1), order_of(2));
}

TEST(emulated_schedules, overlap_copies_and_kernels_in_virtual_time) {
  emulated_api api({.devices = 1, .memory_bytes = 1 << 20, .schedule = emulated_schedule::timed});
  ASSERT_TRUE(api.set_device(0).ok());
  const auto begin = api.now();
  for (int i = 0; i < 2; ++i) {
    void* native = nullptr;
    ASSERT_TRUE(api.create_stream(false, native).ok());
    ASSERT_TRUE(
        api.launch({native, device_id{0}}, {{}, [](auto) {}, std::chrono::milliseconds(1)}).ok());
  }
  void *native = nullptr, *address = nullptr, *host = nullptr;
  ASSERT_TRUE(api.create_stream(false, native).ok());
  ASSERT_TRUE(api.allocate(1 << 19, address).ok());
  ASSERT_TRUE(api.allocate_pinned(1 << 19, host).ok());
  ASSERT_TRUE(api.copy({native, device_id{0}},
                       {static_cast<std::byte*>(address), 1 << 19, memory_space::device, 0},
                       {static_cast<std::byte*>(host), 1 << 19, memory_space::pinned, -1})
                  .ok());
  ASSERT_TRUE(api.sync_stream({native, device_id{0}}).ok());
  EXPECT_LT(api.now() - begin, std::chrono::milliseconds(1)) << "the copy waited for the kernels";
  ASSERT_TRUE(api.sync_device().ok());
  EXPECT_EQ(api.counters().engine_busy[0], std::chrono::milliseconds(2)) << "one kernel at a time";
}

// Without a device, each vendor says why, and nothing breaks.

#ifdef DEED_WITH_CUDA
TEST(cuda_without_a_device, says_why) {
  const auto api = make_cuda_api();
  int devices = -7;
  std::string why;
  const status counted = api->count(devices, why);
  if (counted.ok() && devices > 0) GTEST_SKIP() << "there is one";
  EXPECT_EQ(devices, 0);
  EXPECT_EQ(counted.kind, error_kind::no_device);
  EXPECT_FALSE(why.empty());
  void* address = nullptr;
  EXPECT_EQ(api->allocate(16, address).kind, error_kind::no_device);
  EXPECT_EQ(api->set_device(0).kind, error_kind::no_device);
  EXPECT_EQ(api->sync_device().kind, error_kind::no_device);
}
#endif

#ifdef DEED_WITH_HIP
TEST(hip_without_a_device, says_why) {
  const auto api = make_hip();
  int devices = -7;
  std::string why;
  const status counted = api->count(devices, why);
  if (counted.ok() && devices > 0) GTEST_SKIP() << "there is one";
  EXPECT_EQ(devices, 0);
  EXPECT_EQ(counted.kind, error_kind::no_device);
  EXPECT_FALSE(why.empty());
  if (std::getenv("TEST_HIP_OVER_CUDA") != nullptr) {
    EXPECT_THAT(why, testing::HasSubstr("CUDA"));
  }
  void* address = nullptr;
  EXPECT_EQ(api->allocate(16, address).kind, error_kind::no_device);
  EXPECT_EQ(api->set_device(0).kind, error_kind::no_device);
}
#endif

}  // namespace
