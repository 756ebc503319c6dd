// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>
#include <deed/runtime/environment.hpp>
#include <deed/transport/inproc.hpp>

#include "../support/virtual_ranks.hpp"
#include "analysis/ask/ask.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// Kernels, copies and evictions of devices are in the recording, with the device's own times.

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

constexpr std::size_t numbers = 512;
constexpr int rows = 6, rounds = 4;

using row = std::array<double, numbers>;

constexpr deed::codelet add{"add", [](row& to, const row& from) {
                              for (std::size_t i = 0; i < numbers; ++i) to[i] += from[i];
                            }};

/// More data than a device has room for; every task reads what another wrote.
void program(deed::session& session) {
  std::vector<deed::handle<row>> data;
  for (int i = 0; i < rows; ++i)
    data.push_back(
        session.register_data(deed::owner{i % session.size()}, row{1.0}, {.name = "row"}));
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < rows; ++i)
      session.insert_task(add, deed::read_write(data[static_cast<std::size_t>(i)]),
                          deed::read(data[static_cast<std::size_t>((i + 1) % rows)]));
  session.wait();
}

deed::session_options on_devices(const std::string& path, const char* events = nullptr) {
  deed::session_options options;
  options.devices.emulated.devices = 2;
  options.devices.emulated.memory_bytes = 3 * sizeof(row);
  options.history = "off";
  options.worker_rule = [](const deed::worker_request& task) {
    return task.devices[task.number % task.devices.size()];
  };
  options.trace.path = path;
  options.trace.packet_bytes = 64 << 10;
  if (events != nullptr) options.trace.set("events", events);
  return options;
}

std::uint64_t count(const run& of, record what) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < of.events().size(); ++i)
    found += of.events()[i].what == what ? 1U : 0U;
  return found;
}

/// The version in which a task finds a datum; -1 if it does not use it.
std::int64_t version_for(const model& of, std::uint32_t task, std::uint32_t handle) {
  for (const deed::viewer::access& each : of.accesses(of.tasks()[task]))
    if (each.handle == handle) return each.ver_in;
  return -1;
}

/// What data got and gave back is what the counter of each device says.
void expect_memory_in_use(const run& of) {
  std::map<std::uint32_t, std::int64_t> in_use;  // By lane.
  std::uint64_t for_room = 0;
  for (std::size_t i = 0; i < of.events().size(); ++i) {
    const event e = of.events()[i];
    const auto bytes = static_cast<std::int64_t>(of.get(e, field::bytes));
    if (e.what == record::alloc) in_use[e.lane] += bytes;
    if (e.what == record::free) {
      in_use[e.lane] -= bytes;
      for_room += of.get(e, field::cause) == 2 ? 1U : 0U;
    }
    if (e.what == record::counter) {
      EXPECT_EQ(static_cast<std::int64_t>(of.get(e, field::value)), in_use[e.lane]);
    }
  }
  EXPECT_FALSE(in_use.empty());
  EXPECT_EQ(for_room, count(of, record::evict));
}

void expect_the_work_of_devices(const std::string& path) {
  const run events(path);
  const model things(events);
  ASSERT_THAT(events.incomplete(), testing::IsEmpty());
  std::uint64_t kernels = 0;
  for (const deed::viewer::task& each : things.tasks()) {
    ASSERT_NE(each.end, never);
    EXPECT_LE(each.ready, each.end);
    constexpr std::uint32_t of_device = 4;
    if (events.lanes()[each.lane].kind == of_device) ++kernels;
  }
  EXPECT_EQ(things.tasks().size(), static_cast<std::size_t>(rows * rounds));
  EXPECT_EQ(kernels, count(events, record::kernel));
  EXPECT_GT(kernels, 0u);
  EXPECT_EQ(count(events, record::copy_begin), count(events, record::copy_end));
  EXPECT_GT(count(events, record::evict), 0u);
  expect_memory_in_use(events);
  std::uint64_t of_tasks = 0, counters = 0;
  for (std::size_t i = 0; i < events.events().size(); ++i) {
    const event e = events.events()[i];
    const int rank = events.rank_of(e);
    if (e.what == record::copy_end) {
      EXPECT_EQ(events.get(e, field::bytes), sizeof(row));
      EXPECT_NE(events.get(e, field::src), events.get(e, field::dst));
    }
    if (e.what == record::copy_end || e.what == record::kernel) {
      EXPECT_LE(events.moment(e, field::t_begin), events.moment(e, field::t_end));
      EXPECT_LE(events.moment(e, field::t_end), e.time);
    }
    if (e.what == record::counter) {
      ++counters;
      EXPECT_EQ(things.text(rank, events.get32(e, field::id)),
                "bytes on " + events.lanes()[e.lane].name);
    }
    if (e.what != record::copy_begin) continue;
    if (events.get(e, field::for_task) == ~std::uint64_t{0}) continue;
    ++of_tasks;
    const std::uint32_t task = things.find_task(rank, events.get(e, field::for_task));
    ASSERT_NE(task, none);
    EXPECT_EQ(version_for(things, task, events.get32(e, field::handle)),
              events.get32(e, field::version));
  }
  EXPECT_GT(of_tasks, 0u);
  EXPECT_GT(counters, 0u);
  const std::string about = render(info(things), style::text, {}, 100);
  EXPECT_THAT(about, HasSubstr("rank 0 gpu1: emulated 1"));
  EXPECT_THAT(about, HasSubstr("evictions"));
  const std::string times = render(stats(things, {}), style::text, {}, 100);
  EXPECT_THAT(times, testing::ContainsRegex("rank 0 host +rank 0 gpu0"));
  EXPECT_THAT(times, testing::ContainsRegex("rank 0 gpu0 +rank 0 host"));
  EXPECT_EQ(std::system(("babeltrace2 " + path + " >/dev/null").c_str()), 0);
}

TEST(recorded_devices, work_in_virtual_time) {
  for (const auto schedule :
       {deed::gpu::emulated_schedule::timed, deed::gpu::emulated_schedule::stepped}) {
    const scratch_folder folder;
    deed::session_options options = on_devices(folder.path() + "/run.deed");
    options.devices.emulated.schedule = schedule;
    test::on_virtual_ranks(2, program, 3, options);
    expect_the_work_of_devices(options.trace.path);
  }
}

TEST(recorded_devices, work_on_the_clock_of_the_machine) {
  const scratch_folder folder;
  deed::session_options options = on_devices(folder.path() + "/run.deed");
  options.devices.emulated.schedule = deed::gpu::emulated_schedule::threaded;
  {
    deed::transport::inproc_world world(1);
    const deed::real_clock time;
    const deed::runtime::rank_environment environment{.rank = 0,
                                                      .size = 1,
                                                      .door = &world.at(deed::rank{0}),
                                                      .time = &time,
                                                      .pass = {},
                                                      .cores = 2};
    deed::session session(environment, options);
    program(session);
  }
  expect_the_work_of_devices(options.trace.path);
  const run events(options.trace.path);
  const model things(events);
  for (const deed::viewer::task& each : things.tasks()) {
    constexpr std::int64_t clocks_differ = 50'000;
    EXPECT_GE(each.begin + clocks_differ, each.submit);
  }
}

TEST(recorded_devices, are_left_out_where_nobody_wants_them) {
  const scratch_folder folder;
  const deed::session_options options = on_devices(folder.path() + "/run.deed", "task,access");
  test::on_virtual_ranks(1, program, 3, options);
  const run events(options.trace.path);
  for (const record each :
       {record::kernel, record::copy_begin, record::copy_end, record::evict, record::memnode})
    EXPECT_EQ(count(events, each), 0u);
}

}  // namespace
