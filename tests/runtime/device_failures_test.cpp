// SPDX-License-Identifier: MIT
// What goes wrong on a device: its name, that of the task or datum, and that the rest goes on.
#include <deed/deed.hpp>
#include <deed/gpu/fault.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using deed::gpu::error_kind;
using deed::gpu::fault;
using deed::gpu::operation;
using test::outcome;
using test::simulated_world;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet set{"set", [](double& x, double value) { x = value; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet grow{"grow", [](std::span<double> all) {
                               for (double& each : all) each += 1;
                             }};
constexpr deed::codelet picky{"picky", [](double& x) {
                                if (x < 0) throw std::domain_error("x < 0");
                              }};

/// Devices that run every task that they can.
deed::session_options on_devices(deed::on_exception policy, fault make = {},
                                 deed::gpu::fault_rule when = {}) {
  deed::session_options options;
  options.exceptions = policy;
  options.devices.emulated = {.devices = 1, .memory_bytes = std::size_t{1} << 20};
  options.devices.check_order = true;
  options.worker_rule = [](const deed::worker_request& task) {
    return std::optional(task.devices.front());
  };
  when.make = make;
  if (when.nth != 0 || when.every != 0) options.devices.faults.rules = {when};
  return options;
}

auto is_of_a_device() {
  return AnyOf(Eq(deed::error_code::device_memory_exhausted), Eq(deed::error_code::launch_failed),
               Eq(deed::error_code::device_lost));
}

TEST(device_failures, of_a_task_cancel_what_needs_it_on_every_rank_under_propagate) {
  simulated_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        3,
        [](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, -1.0, {.name = "x"});
          auto y = session.register_data(deed::owner{1}, 1.0, {.name = "y"});
          auto z = session.register_data(deed::owner{2}, 1.0, {.name = "z"});
          session.insert_task(picky, deed::read_write(x));
          session.insert_task(bump, deed::read_write(x));
          session.insert_task(add, deed::read_write(y), deed::read(x));
          session.insert_task(bump, deed::read_write(z));
          try {
            session.wait();
            ADD_FAILURE() << "nothing was thrown on rank " << session.rank();
          } catch (const deed::task_error& failed) {
            EXPECT_EQ(failed.codelet(), "picky");
            EXPECT_THAT(failed.what(), HasSubstr("x < 0"));
            EXPECT_THAT(failed.what(), ContainsRegex("cancelled +2 tasks"));
            EXPECT_THAT(failed.what(), HasSubstr("device_failures_test.cpp:"));
          }
          if (session.rank() == 2) {
            EXPECT_EQ(*session.borrow(deed::read(z)), 2.0);
          }
          session.insert_task(set, deed::write(x), deed::value(4.0));
          session.insert_task(set, deed::write(y), deed::value(1.0));
          session.insert_task(add, deed::read_write(y), deed::read(x));
          session.wait();
          if (session.rank() == 1) {
            EXPECT_EQ(*session.borrow(deed::read(y)), 5.0);
          }
        },
        on_devices(deed::on_exception::propagate));
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

/// The value of `x` exists on the device alone when that is lost. It is read by a message, a task
/// here, a borrow.
TEST(device_failures, name_what_went_with_its_device_and_finish_the_rest) {
  simulated_world([](const test::world& in) {
    // The first copy home is the message's.
    const auto options =
        on_devices(deed::on_exception::propagate, {.kind = error_kind::device_lost},
                   {.on = {operation::copy_to_host}, .nth = 1});
    const std::vector<outcome> all = in.run(
        2,
        [](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
          auto y = session.register_data(deed::owner{1}, 1.0, {.name = "y"});
          auto z = session.register_data(deed::owner{0}, 1.0, {.name = "z"});
          session.insert_task(bump, deed::read_write(x));
          session.fetch(deed::read(x), deed::to{1});
          try {
            session.wait();
            ADD_FAILURE() << "nothing was thrown on rank " << session.rank();
          } catch (const deed::error& lost) {
            EXPECT_EQ(lost.code(), deed::error_code::device_lost);
            EXPECT_THAT(lost.what(), HasSubstr("`emulated 0` is lost"));
            // It depends on whether the device was heard of as done with the task.
            EXPECT_THAT(lost.what(), AnyOf(HasSubstr("the contents of `x` are lost"),
                                           ContainsRegex("task +`bump`")));
            EXPECT_THAT(lost.what(), Not(HasSubstr("inserted at \n")));
          }
          try {
            if (session.rank() == 0) static_cast<void>(*session.borrow(deed::read(x)));
            EXPECT_EQ(session.rank(), 1) << "a value that is lost was lent";
          } catch (const deed::error& lost) {
            EXPECT_EQ(lost.code(), deed::error_code::device_lost);
          }
          // Rank 0 has no device any more, and its processor takes over.
          session.insert_task(bump, deed::read_write(z));
          session.insert_task(set, deed::write(x), deed::value(7.0));
          session.insert_task(set, deed::write(y), deed::value(0.0));
          session.insert_task(add, deed::read_write(y), deed::read(x));
          session.wait();
          if (session.rank() == 0) {
            EXPECT_EQ(*session.borrow(deed::read(z)), 2.0);
          } else {  // Here it is the first copy home.
            EXPECT_THAT(
                [&] { static_cast<void>(*session.borrow(deed::read(y))); },
                testing::ThrowsMessage<deed::error>(HasSubstr("the contents of `y` are lost")));
          }
          session.insert_task(set, deed::write(y), deed::value(0.0));
          session.insert_task(add, deed::read_write(y), deed::read(x));
          session.wait();
          if (session.rank() == 1) {
            EXPECT_EQ(*session.borrow(deed::read(y)), 7.0);
          }
        },
        options);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(device_failures, keep_their_type_and_name_task_and_line_where_they_end_the_run) {
  const auto options = on_devices(deed::on_exception::abort, {.kind = error_kind::launch_failed},
                                  {.on = {operation::launch}, .nth = 1});
  simulated_world([&](const test::world& in) {
    const std::vector<outcome> all = in.run(
        1,
        [](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
          session.insert_task(bump, deed::read_write(x));
          const std::string line = std::to_string(__LINE__ - 1);
          try {
            session.wait();
            ADD_FAILURE() << "nothing was thrown";
          } catch (const deed::gpu::gpu_error& failed) {
            EXPECT_EQ(failed.kind(), error_kind::launch_failed);
            EXPECT_EQ(failed.site().task, "bump");
            EXPECT_EQ(failed.site().data, "`x`");
            EXPECT_EQ(failed.site().where, "device_failures_test.cpp:" + line);
          }
        },
        options);
    EXPECT_EQ(all[0].text, "");
  });
}

TEST(device_failures, of_memory_leave_the_work_to_the_processor) {
  const auto options = on_devices(deed::on_exception::abort, {.kind = error_kind::out_of_memory},
                                  {.on = {operation::allocate}, .every = 1});
  simulated_world([&](const test::world& in) {
    const std::vector<outcome> all = in.run(
        2,
        [](deed::session& session) {
          auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
          auto y = session.register_data(deed::owner{1}, 1.0, {.name = "y"});
          for (int i = 0; i < 5; ++i) session.insert_task(bump, deed::read_write(x));
          session.insert_task(add, deed::read_write(y), deed::read(x));
          session.wait();
          if (session.rank() == 1) {
            EXPECT_EQ(*session.borrow(deed::read(y)), 7.0);
          }
          EXPECT_EQ(session.statistics().tasks_on_devices, 0u);
        },
        options);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

/// Two ranks; messages, borrows, memory of the program. What is wrong with its values; empty: all
/// that is not lost is right.
std::string wrong_values(deed::session& session, std::vector<double>& memory) {
  std::string wrong;
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto y = session.register_data(deed::owner{1 % session.size()}, 2.0, {.name = "y"});
  auto z = session.register_data(deed::owner{0}, 5.0, {.name = "z"});
  auto m = session.register_data(deed::per_rank, deed::in_place(memory), {.name = "m"});
  for (int round = 0; round < 2; ++round) {
    session.insert_task(bump, deed::read_write(x));
    session.insert_task(add, deed::read_write(y), deed::read(x));
    session.insert_task(bump, deed::read_write(y));
    session.insert_task(bump, deed::read_write(z));
    session.insert_task(grow, deed::read_write(m));
  }
  session.fetch(deed::read(y), deed::everywhere);
  const auto typed = [&](const deed::error& thrown) {
    const std::string text = thrown.what();
    if (!testing::Matches(is_of_a_device())(thrown.code()) || text.find('`') == text.npos)
      wrong += text;
  };
  try {
    session.wait();
  } catch (const deed::error& thrown) {
    typed(thrown);
  }
  const auto look = [&](auto& handle, double expected, bool here) {
    if (!here) return;
    try {
      const double found = *session.borrow(deed::read(handle));
      if (found != expected)
        wrong += std::string("a value of ") + std::to_string(found) + " instead of " +
                 std::to_string(expected) + "\n";
    } catch (const deed::error& thrown) {  // Perhaps only on its way here.
      typed(thrown);
    }
  };
  look(x, 3, session.owns(x));
  look(y, 9, true);
  look(z, 7, session.owns(z));
  return wrong;
}

/// Those that give something back, or all others.
std::vector<operation> calls_that_give_back(bool wanted) {
  std::vector<operation> found;
  for (int i = 0; i < deed::gpu::operations; ++i) {
    const auto each = static_cast<operation>(i);
    const bool gives_back = each == operation::release || each == operation::release_pinned ||
                            each == operation::unregister_host ||
                            each == operation::destroy_stream || each == operation::destroy_event;
    if (gives_back == wanted) found.push_back(each);
  }
  return found;
}

struct fault_at_any_call : testing::TestWithParam<error_kind> {};

TEST_P(fault_at_any_call, leaves_right_values_or_a_clean_error) {
  std::uint64_t runs = 0, with_errors = 0;
  for (const auto& [ranks, gives_back] : {std::pair{1, false}, {2, false}, {1, true}}) {
    std::uint64_t calls = 0;
    for (std::uint64_t k = 0; k <= calls; ++k) {  // The first run has no fault: it counts.
      SCOPED_TRACE(std::to_string(ranks) + " ranks, fault at call " + std::to_string(k));
      deed::session_options options =
          on_devices(deed::on_exception::propagate, {.kind = GetParam()},
                     {.on = calls_that_give_back(gives_back), .nth = k});
      deed::gpu::emulated_leftovers left;
      options.devices.emulated.leftovers = &left;
      std::uint64_t counted = 0;
      options.devices.faults.calls = &counted;
      std::vector<std::vector<double>> memory(2, std::vector<double>(20, 1.0));
      const test::world in{test::world::kind::simulated, k + 1};
      const std::vector<outcome> all = in.run(
          ranks,
          [&](deed::session& session) {
            EXPECT_EQ(wrong_values(session, memory[static_cast<std::size_t>(session.rank())]), "");
          },
          options);
      for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r].text.empty()) {
          EXPECT_EQ(memory[r], std::vector<double>(20, 3.0));
        } else {
          EXPECT_THAT(all[r].code, is_of_a_device()) << all[r].text;
        }
      }
      // What the vendor refuses to take back stays.
      EXPECT_LE(left.streams + left.events + left.allocations + left.pinned, gives_back ? 1u : 0u);
      EXPECT_EQ(left.streams_destroyed_at_work, 0u);
      if (k == 0) {
        calls = counted / static_cast<std::uint64_t>(ranks);
        ASSERT_GT(calls, 50u);
        EXPECT_EQ(all[0].text, "");
      }
      ++runs;
      with_errors += all[0].text.empty() ? 0U : 1U;
      ASSERT_FALSE(HasFailure());
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  RecordProperty("with_errors", static_cast<int>(with_errors));
}

INSTANTIATE_TEST_SUITE_P(, fault_at_any_call,
                         testing::Values(error_kind::out_of_memory, error_kind::launch_failed,
                                         error_kind::illegal_access, error_kind::device_lost,
                                         error_kind::copy_failed),
                         [](const auto& of) {
                           std::string name(deed::gpu::to_string(of.param));
                           for (char& each : name) each = each == ' ' ? '_' : each;
                           return name;
                         });

}  // namespace
