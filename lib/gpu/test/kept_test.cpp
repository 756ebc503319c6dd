// SPDX-License-Identifier: MIT
// What a body keeps beyond its end: the right to enqueue, and views of device memory.
#include <deed/gpu/driver.hpp>
#include <deed/gpu/for_each.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto read_write = access_mode::read_write;
using memories = std::span<const device_memory>;

/// Two data on one device, and tasks with bodies that see device memory.
struct kept : testing::Test {
  void start(device_options wanted = emulated(1, 1 << 20), driver_options options = {}) {
    run.emplace(device_set{std::move(wanted)}, std::move(options));
    first.emplace(run->hold(block_of(x), "x"));
    second.emplace(run->hold(block_of(y), "y"));
  }

  /// The text of its error, or "".
  std::string do_task(const char* name, const coherent_datum& datum,
                      std::function<void(enqueue&, memories)> body, access_mode mode = read_write) {
    std::exception_ptr error;
    device_task task;
    task.name = name;
    task.operands = {{&datum, mode}};
    task.body = std::move(body);
    task.done = [&](std::exception_ptr ended) { error = std::move(ended); };
    task.where = deed::place::current();
    run->submit(std::move(task));
    EXPECT_TRUE(settle(*run));
    return text_of(error);
  }

  std::vector<double> x = std::vector<double>(64, 1.0), y = std::vector<double>(200, 2.0);
  std::optional<driver> run;
  std::optional<coherent_datum> first, second;
};

const auto nothing = [](std::span<std::byte* const>) {};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const deed::error& refused) {
    return refused.what();
  }
  return "";
}

TEST_F(kept, a_right_refuses_every_call_when_its_body_has_returned) {
  start();
  enqueue* right = nullptr;
  device_span<double> view;
  EXPECT_EQ(do_task("hold", *first,
                    [&](enqueue& queue, memories memory) {
                      right = &queue;
                      view = memory[0].as<double>();
                      static_cast<void>(queue.device());
                      static_cast<void>(queue.stream());
                    }),
            "");
  std::vector<double> host(64);
  const host_span<double> home{std::span<double>(host)};
  const std::array<std::function<void()>, 9> calls{
      [&] { static_cast<void>(right->device()); },
      [&] { static_cast<void>(right->made_by()); },
      [&] { static_cast<void>(right->stream()); },
      [&] { static_cast<void>(right->native_stream<void*>()); },
      [&] { static_cast<void>(right->native(view)); },
      [&] { right->join(static_cast<void*>(&host)); },
      [&] { right->emulate({}, nothing); },
      [&] { copy(*right, home, view); },
      [&] { right->fill_bytes(detail::bytes_of(view), 0); },
  };
  for (const auto& call : calls) {
    EXPECT_THAT(refusal(call),
                AllOf(HasSubstr("deed[D813] right to enqueue of `hold` outlives its task\n"),
                      HasSubstr("`hold`, inserted at kept_test.cpp:"),
                      HasSubstr("help: use it in the task only")));
  }
}

TEST_F(kept, a_right_refuses_in_the_body_of_another_task) {
  start();
  enqueue* right = nullptr;
  EXPECT_EQ(do_task("hold", *first, [&](enqueue& queue, memories) { right = &queue; }), "");
  EXPECT_THAT(do_task(
                  "late", *second,
                  [&](enqueue&, memories memory) {
                    right->fill_bytes(detail::bytes_of(memory[0].as<double>()), 0);
                  },
                  access_mode::read),
              HasSubstr("deed[D813] right to enqueue of `hold` outlives its task"));
  // Nothing was enqueued: the datum is as before, and others go on.
  EXPECT_EQ(do_task("next", *second, [](enqueue&, memories) {}), "");
}

TEST_F(kept, a_right_still_answers_when_thousands_of_tasks_came_after_it) {
  start();
  enqueue* right = nullptr;
  EXPECT_EQ(do_task("hold", *first, [&](enqueue& queue, memories) { right = &queue; }), "");
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(do_task("more", *first, [](enqueue&, memories) {}), "");
  EXPECT_THAT(refusal([&] { static_cast<void>(right->stream()); }), HasSubstr("deed[D813]"));
}

TEST_F(kept, a_view_is_refused_in_a_task_that_does_not_declare_its_datum) {
  start();
  device_span<double> view;
  const auto keep = [&](enqueue&, memories memory) { view = memory[0].as<double>(); };
  EXPECT_EQ(do_task("keep", *first, keep), "");
  std::vector<double> host(64);
  const host_span<double> home{std::span<double>(host)};
  const std::vector<std::function<void(enqueue&)>> uses{
      [&](enqueue& queue) { copy(queue, home, view); },
      [&](enqueue& queue) { copy(queue, view, host_span<const double>(home)); },
      [&](enqueue& queue) { copy(queue, home.subspan(0, 8), view.subspan(8, 8)); },
      [&](enqueue& queue) { queue.fill_bytes(detail::bytes_of(view), 0); },
      [&](enqueue& queue) { static_cast<void>(queue.native(view)); },
      [&](enqueue& queue) { check_views(queue, 7, device_span<const double>(view)); },
      [&](enqueue& queue) { check_views(queue, view.data() + 63, 0.5); },
      [&](enqueue& queue) { check_views(queue, device_tile<double>(view.data(), 8, 8)); },
      [&](enqueue& queue) {
        queue.emulate({{reinterpret_cast<std::byte*>(view.data().address()), 8, true}}, nothing);
      }};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    EXPECT_THAT(
        do_task(
            "use", *second, [&](enqueue& queue, memories) { uses[i](queue); }, access_mode::read),
        AllOf(HasSubstr("deed[D211] view of `x` escapes task `keep`\n"),
              HasSubstr("`keep`, inserted at kept_test.cpp:"),
              HasSubstr("`use`, inserted at kept_test.cpp:"),
              HasSubstr("registered  kept_test.cpp:")))
        << i;
  }
}

TEST_F(kept, a_view_of_a_datum_that_left_the_device_is_refused) {
  start();
  device_span<double> view;
  EXPECT_EQ(
      do_task("keep", *first, [&](enqueue&, memories memory) { view = memory[0].as<double>(); }),
      "");
  run->retire(std::move(*first));
  ASSERT_TRUE(settle(*run));
  EXPECT_THAT(do_task(
                  "use", *second, [&](enqueue& queue, memories) { (void)queue.native(view); },
                  access_mode::read),
              AllOf(HasSubstr("deed[D211] view of `x` escapes task `keep`\n"),
                    HasSubstr("`keep`, inserted at kept_test.cpp:"),
                    HasSubstr("`use`, inserted at kept_test.cpp:"),
                    HasSubstr("registered  kept_test.cpp:")));
}

TEST_F(kept, a_view_of_a_datum_that_left_long_ago_is_refused_without_its_name) {
  start();
  device_span<double> view;
  EXPECT_EQ(
      do_task("keep", *first, [&](enqueue&, memories memory) { view = memory[0].as<double>(); }),
      "");
  run->retire(std::move(*first));
  std::vector<double> other(32);
  for (int i = 0; i < 100; ++i) {  // Of another size: they lie elsewhere.
    auto passing = run->hold(block_of(other), "passing");
    ASSERT_EQ(do_task("pass", passing, [](enqueue&, memories) {}), "");
    run->retire(std::move(passing));
    ASSERT_TRUE(settle(*run));
  }
  EXPECT_THAT(do_task(
                  "use", *second, [&](enqueue& queue, memories) { (void)queue.native(view); },
                  access_mode::read),
              HasSubstr("deed[D211] view of a datum that has left the device escapes its task\n"));
}

TEST_F(kept, nothing_is_refused_of_what_a_task_declares) {
  start();
  device_span<double> view;
  EXPECT_EQ(
      do_task("keep", *first, [&](enqueue&, memories memory) { view = memory[0].as<double>(); }),
      "");
  // The same datum, by the address that was kept: wrong in the long run, and right here.
  EXPECT_EQ(do_task("again", *first,
                    [&](enqueue& queue, memories memory) {
                      const auto mine = memory[0].as<double>();
                      queue.fill_bytes(detail::bytes_of(mine.subspan(1, 62)), 0);
                      static_cast<void>(queue.native(mine.subspan(63, 1)));
                      static_cast<void>(queue.native(mine.subspan(64, 0)));
                      check_views(queue, mine, device_tile<double>(mine.data(), 8, 8), 0.5);
                    }),
            "");
  EXPECT_EQ(do_task("foreign", *second,
                    [&](enqueue& queue, memories) {  // A vendor's runtime gave it to the body.
                      const device_ptr<double> own(y.data());
                      static_cast<void>(queue.native(device_span<double>(own, 8)));
                    }),
            "");
}

/// Whether the byte can be read; `write` says so without a fault.
bool readable(const void* address) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const bool can = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}

struct windows : testing::TestWithParam<emulated_schedule> {};

TEST_P(windows, of_a_kernel_are_closed_behind_it_and_told_by_name) {
  auto wanted = emulated(2, 1 << 20);
  wanted.emulated.windows = true;
  wanted.emulated.schedule = GetParam();
  std::mutex mutex;
  std::vector<ended_view> told;
  driver_options options;
  options.view_ended = [&](const ended_view& ended) {
    const std::lock_guard lock(mutex);
    told.push_back(ended);
  };
  driver run{device_set{wanted}, options};
  std::vector<int> values(5000, 1);  // Several pages, and not whole ones.
  auto datum = run.hold(block_of(values), "values");
  std::vector<int*> seen;
  for (int i = 0; i < 20; ++i) {
    auto task = task_of(i % 2, "keep", {{&datum, read_write}},
                        [&](std::span<const deed::memory_block> memory) {
                          const auto mine = as<int>(memory[0]);
                          for (int& each : mine) ++each;
                          const std::lock_guard lock(mutex);
                          seen.push_back(mine.data());
                        });
    task.number = static_cast<std::uint64_t>(i);
    task.where = deed::place::current();
    run.submit(std::move(task));
  }
  ASSERT_TRUE(settle(run, 2'000'000));
  ASSERT_EQ(seen.size(), 20u);
  ASSERT_EQ(told.size(), 20u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_FALSE(readable(seen[i]));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), seen[i]), 1);
    EXPECT_EQ(told[i].handle, "values");
    EXPECT_EQ(told[i].task, "keep");
    EXPECT_EQ(told[i].number, i);
    EXPECT_EQ(told[i].device, i % 2 == 0 ? "emulated 0" : "emulated 1");
    const auto* const at = reinterpret_cast<const std::byte*>(seen[i]);
    EXPECT_TRUE(told[i].pages.data() <= at && at < told[i].pages.data() + told[i].pages.size());
  }
  {
    const auto lease = run.acquire({{&datum, access_mode::read}});
    ASSERT_TRUE(wait(run, lease, 2'000'000));
    EXPECT_EQ(values, std::vector<int>(5000, 21));
  }
  ASSERT_TRUE(settle(run, 2'000'000));
  EXPECT_THAT(run.devices().order_reports(), testing::IsEmpty());
}

TEST(windows_of_emulated_devices, are_not_there_unless_asked_for) {
  driver run{device_set{emulated(1, 1 << 20)}};
  std::vector<int> values(64, 1);
  auto datum = run.hold(block_of(values), "values");
  int* seen = nullptr;
  run.submit(task_of(
      0, "keep", {{&datum, read_write}},
      [&](std::span<const deed::memory_block> memory) { seen = as<int>(memory[0]).data(); }));
  ASSERT_TRUE(settle(run));
  EXPECT_TRUE(readable(seen));
}

TEST(windows_of_emulated_devices, let_eviction_and_release_give_memory_back) {
  auto wanted = emulated(1, 1 << 20);
  wanted.emulated.windows = true;
  driver run{device_set{wanted}};
  std::vector<std::vector<int>> values(8, std::vector<int>(50'000, 3));
  std::vector<coherent_datum> data;
  for (auto& each : values) data.push_back(run.hold(block_of(each), "part"));
  for (int round = 0; round < 3; ++round) {
    for (const coherent_datum& each : data) {
      run.submit(
          task_of(0, "more", {{&each, read_write}}, [](std::span<const deed::memory_block> memory) {
            for (int& value : as<int>(memory[0])) ++value;
          }));
    }
  }
  ASSERT_TRUE(settle(run));
  EXPECT_GT(run.stats().evictions, 0u);
  for (coherent_datum& each : data) run.retire(std::move(each));
  ASSERT_TRUE(settle(run));
}

std::string name_of(const testing::TestParamInfo<emulated_schedule>& given) {
  if (given.param == emulated_schedule::stepped) return "stepped";
  return given.param == emulated_schedule::timed ? "timed" : "threaded";
}

INSTANTIATE_TEST_SUITE_P(every_schedule, windows,
                         testing::Values(emulated_schedule::stepped, emulated_schedule::timed,
                                         emulated_schedule::threaded),
                         name_of);

}  // namespace
