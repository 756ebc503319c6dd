// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>
#include <deed/transport/sim.hpp>

#include "cost_history.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Which worker runs a task, in the virtual time of one processor and two emulated devices. A
/// device computes four times as fast as a processor, but starting a kernel costs 10 microseconds
/// and a copy 5, so that neither is always the better one.

namespace {

using std::chrono::nanoseconds;
using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
using testing::HasSubstr;

constexpr deed::codelet fill{"fill", [](tile a, double value) {
                               for (auto row : a) std::ranges::fill(row, value);
                             }};
constexpr deed::codelet potrf{"potrf", [](tile a) {
                                for (std::size_t k = 0; k < a.rows(); ++k) a(k, k) += 1;
                              }};
constexpr deed::codelet trsm{"trsm", [](tile b, const_tile l) {
                               for (std::size_t k = 0; k < b.rows(); ++k) b(k, k) += l(k, k);
                             }};
constexpr deed::codelet gemm{"gemm", [](tile c, const_tile a, const_tile b) {
                               for (std::size_t k = 0; k < c.rows(); ++k)
                                 c(k, k) += a(k, k) - b(k, k);
                             }};
constexpr deed::codelet relax{
    "relax", [](tile next, const_tile now, const_tile north, const_tile south, const_tile west,
                const_tile east) {
      next(0, 0) = 0.2 * (now(0, 0) + north(0, 0) + south(0, 0) + west(0, 0) + east(0, 0));
    }};

/// Who runs the task that writes tile (i, j): -1 a processor, else a device.
using placement = std::function<int(std::string_view codelet, std::size_t i, std::size_t j)>;

/// A program, and where each of its tasks writes, in the order of insertion.
struct program {
  struct written {
    std::string_view codelet;
    std::size_t i, j;
  };
  std::function<void(deed::session&)> run;
  std::vector<written> tasks;
};

program cholesky() {
  constexpr std::size_t tiles = 10, edge = 64;
  constexpr std::uint64_t cube = edge * edge * edge;
  program made;
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j <= i; ++j) made.tasks.push_back({"fill", i, j});
  for (std::size_t k = 0; k < tiles; ++k) {
    made.tasks.push_back({"potrf", k, k});
    for (std::size_t i = k + 1; i < tiles; ++i) made.tasks.push_back({"trsm", i, k});
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j <= i; ++j) made.tasks.push_back({"gemm", i, j});
  }
  made.run = [](deed::session& session) {
    constexpr std::ptrdiff_t size = tiles * edge, part = edge;
    deed::tiled_matrix<double> a{
        session, {.rows = size, .cols = size, .tile_rows = part, .tile_cols = part, .name = "a"}};
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        session.insert_task(fill, deed::write(a(i, j)), deed::value(1.0), deed::flops{edge * edge});
    for (std::size_t k = 0; k < tiles; ++k) {
      session.insert_task(potrf, deed::read_write(a(k, k)), deed::flops{cube / 3});
      for (std::size_t i = k + 1; i < tiles; ++i)
        session.insert_task(trsm, deed::read_write(a(i, k)), deed::read(a(k, k)),
                            deed::flops{cube});
      for (std::size_t i = k + 1; i < tiles; ++i)
        for (std::size_t j = k + 1; j <= i; ++j)
          session.insert_task(gemm, deed::read_write(a(i, j)), deed::read(a(i, k)),
                              deed::read(a(j, k)), deed::flops{2 * cube});
    }
    session.wait();
  };
  return made;
}

program heat() {
  constexpr std::size_t tiles = 6, edge = 192, steps = 12;
  program made;
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < tiles; ++j) made.tasks.push_back({"fill", i, j});
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j < tiles; ++j) made.tasks.push_back({"relax", i, j});
  made.run = [](deed::session& session) {
    constexpr std::ptrdiff_t size = tiles * edge, part = edge;
    deed::tiled_matrix<double> now{
        session, {.rows = size, .cols = size, .tile_rows = part, .tile_cols = part, .name = "now"}};
    auto next = now.like("next");
    for (auto [i, j] : now.indices())
      session.insert_task(fill, deed::write(now(i, j)), deed::value(1.0), deed::flops{edge * edge});
    const auto before = [](std::size_t i) { return (i + tiles - 1) % tiles; };
    const auto behind = [](std::size_t i) { return (i + 1) % tiles; };
    for (std::size_t step = 0; step < steps; ++step) {
      for (auto [i, j] : now.indices())
        session.insert_task(relax, deed::write(next(i, j)), deed::read(now(i, j)),
                            deed::read(now(before(i), j)), deed::read(now(behind(i), j)),
                            deed::read(now(i, before(j))), deed::read(now(i, behind(j))),
                            deed::flops{10 * edge * edge});
      std::swap(now, next);
    }
    session.wait();
  };
  return made;
}

deed::session_options two_devices() {
  deed::session_options options;
  options.devices.emulated = {.devices = 2,
                              .memory_bytes = std::size_t{256} << 20,
                              .schedule = deed::gpu::emulated_schedule::timed};
  options.devices.emulated.costs.operations_per_ns = 40;
  options.devices.check_order = true;
  return options;
}

struct outcome {
  nanoseconds took{};
  std::uint64_t on_devices = 0;
};

/// One virtual rank, in virtual time.
outcome run(const program& what, const deed::session_options& options, std::uint64_t seed) {
  deed::transport::sim_world world(1, {.seed = seed});
  outcome seen;
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session session({.rank = self.value,
                           .size = 1,
                           .door = &door,
                           .time = &world.time(),
                           .simulated = true,
                           .seed = seed,
                           .pass = [&world, self] { world.pass(self); },
                           .spend = [&world, self](nanoseconds time) { world.spend(self, time); }},
                          options);
    const nanoseconds before = world.time().now();
    what.run(session);
    seen = {world.time().now() - before, session.statistics().tasks_on_devices};
    session.close();
  });
  return seen;
}

nanoseconds placed(const program& what, const placement& where, std::uint64_t seed) {
  deed::session_options options = two_devices();
  options.worker_rule =
      [&](const deed::worker_request& task) -> std::optional<deed::gpu::device_id> {
    const auto& [codelet, i, j] = what.tasks.at(task.number);
    EXPECT_EQ(codelet, task.codelet);
    const int worker = where(codelet, i, j);
    return worker < 0 ? std::nullopt : std::optional(deed::gpu::device_id{worker});
  };
  return run(what, options, seed).took;
}

/// A file of this test's own, which goes with it.
class history_file {
 public:
  history_file()
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               ".history")) {
    std::filesystem::remove(path_);
  }
  history_file(const history_file&) = delete;
  ~history_file() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void become(const std::string& text) const { std::ofstream(path_, std::ios::trunc) << text; }

 private:
  std::filesystem::path path_;
};

struct named_placement {
  const char* name;
  placement where;
};

void is_nearly_the_best(const program& what, const std::vector<named_placement>& mixed,
                        const std::vector<named_placement>& devices_only) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const history_file history;
    deed::session_options by_cost = two_devices();
    by_cost.history = history.path();
    const nanoseconds learning = run(what, by_cost, seed).took;
    const nanoseconds chosen = run(what, by_cost, seed).took;

    const nanoseconds processor =
        placed(what, [](std::string_view, std::size_t, std::size_t) { return -1; }, seed);
    nanoseconds device = nanoseconds::max();
    for (const auto& each : devices_only) {
      const nanoseconds took = placed(what, each.where, seed);
      std::printf("  %-34s %9.1f us\n", each.name, static_cast<double>(took.count()) / 1e3);
      device = std::min(device, took);
    }
    nanoseconds best = std::min(processor, device);
    for (const auto& each : mixed) {
      const nanoseconds took = placed(what, each.where, seed);
      std::printf("  %-34s %9.1f us\n", each.name, static_cast<double>(took.count()) / 1e3);
      best = std::min(best, took);
    }
    std::printf("  %-34s %9.1f us\n  %-34s %9.1f us\n  %-34s %9.1f us\n", "processor only",
                static_cast<double>(processor.count()) / 1e3, "by cost, nothing known",
                static_cast<double>(learning.count()) / 1e3, "by cost",
                static_cast<double>(chosen.count()) / 1e3);
    EXPECT_LE(static_cast<double>(chosen.count()), 1.2 * static_cast<double>(best.count()));
    EXPECT_LT(chosen, processor);
    EXPECT_LT(chosen, device);
  }
}

TEST(worker_choice, places_a_cholesky_factorisation_nearly_as_well_as_the_best_fixed_placement) {
  const auto tiles = [](std::size_t i, std::size_t j) { return static_cast<int>((i + j) % 2); };
  const auto small_here = [](std::string_view codelet) {
    return codelet == "potrf" || codelet == "fill";
  };
  is_nearly_the_best(
      cholesky(),
      {{"potrf and fill here",
        [&](auto codelet, auto i, auto j) { return small_here(codelet) ? -1 : tiles(i, j); }},
       {"potrf, fill and trsm here",
        [&](auto codelet, auto i, auto j) {
          return small_here(codelet) || codelet == "trsm" ? -1 : tiles(i, j);
        }},
       {"every fifth tile here",
        [&](auto, auto i, auto j) { return (3 * i + j) % 5 == 0 ? -1 : tiles(i, j); }},
       {"every sixth tile and potrf here",
        [&](auto codelet, auto i, auto j) {
          return small_here(codelet) || (2 * i + j) % 6 == 0 ? -1 : tiles(i, j);
        }},
       {"every tenth tile and potrf here",
        [&](auto codelet, auto i, auto j) {
          return small_here(codelet) || (3 * i + j) % 10 == 0 ? -1 : static_cast<int>(i % 2);
        }}},
      {{"one device", [](auto, auto, auto) { return 0; }},
       {"two devices, as a chess board", [&](auto, auto i, auto j) { return tiles(i, j); }},
       {"two devices, by rows", [](auto, auto i, auto) { return static_cast<int>(i % 2); }}});
}

TEST(worker_choice, places_a_heat_equation_nearly_as_well_as_the_best_fixed_placement) {
  const auto halves = [](std::size_t i) { return i < 3 ? 0 : 1; };
  is_nearly_the_best(
      heat(),
      {{"fill here",
        [&](auto codelet, auto i, auto) { return codelet == "fill" ? -1 : halves(i); }},
       {"one row here", [](auto, auto i, auto) { return i == 5  ? -1
                                                        : i < 3 ? 0
                                                                : 1; }},
       {"one tile here, halves",
        [&](auto, auto i, auto j) { return i == 0 && j == 0 ? -1 : halves(i); }},
       {"three tiles here, halves",
        [&](auto, auto i, auto j) { return i == 0 && j < 3 ? -1 : halves(i); }},
       {"six tiles here, in two blocks",
        [&](auto, auto i, auto j) { return (i == 0 || i == 5) && j < 3 ? -1 : halves(i); }}},
      {{"one device", [](auto, auto, auto) { return 0; }},
       {"two devices, halves", [&](auto, auto i, auto) { return halves(i); }},
       {"two devices, rows in turn", [](auto, auto i, auto) { return static_cast<int>(i % 2); }}});
}

std::string told_by(const deed::session_options& options, const program& what) {
  testing::internal::CaptureStderr();
  static_cast<void>(run(what, options, 1));
  return testing::internal::GetCapturedStderr();
}

TEST(worker_choice, remembers_what_tasks_took_in_the_run_before) {
  const history_file history;
  deed::session_options options = two_devices();
  options.history = history.path();
  const program what = cholesky();
  static_cast<void>(run(what, options, 1));
  const std::string after_one = history.text();
  EXPECT_THAT(after_one, testing::StartsWith("deed history 1 of "));
  EXPECT_THAT(after_one, HasSubstr("task \"cpu\""));
  EXPECT_THAT(after_one, HasSubstr("task \"emulated\""));
  EXPECT_THAT(after_one, HasSubstr("\"gemm\""));
  EXPECT_THAT(after_one, HasSubstr("link \"to emulated\""));

  // A kernel of the model takes 10 us, and what it computes at 40 operations per nanosecond.
  deed::runtime::cost_history known;
  EXPECT_EQ(known.read(history.path(), deed::runtime::machine_name()), "");
  const auto& gemm_there = known.task("emulated", "gemm", 3 * 64 * 64 * sizeof(double));
  EXPECT_GT(gemm_there.samples, 0u);
  const double kernel = 10'000 + 2 * 64 * 64 * 64 / 40.0;
  EXPECT_GT(gemm_there.mean_ns, kernel - 1);
  EXPECT_LT(gemm_there.mean_ns, 1.25 * kernel) << "streams may wait for each other a little";
  const auto& gemm_here = known.task("cpu", "gemm", 3 * 64 * 64 * sizeof(double));
  EXPECT_GT(gemm_here.samples, 0u);
  EXPECT_NEAR(gemm_here.mean_ns, 2 * 64 * 64 * 64 / 10.0, 1);

  // The next run begins with it: its first task goes where it is cheap, not where it is untried.
  EXPECT_EQ(told_by(options, what), "");
  EXPECT_NE(history.text(), after_one);
}

TEST(worker_choice, ignores_a_damaged_history_with_one_line_and_writes_a_new_one) {
  const history_file history;
  deed::session_options options = two_devices();
  options.history = history.path();
  const program what = cholesky();
  static_cast<void>(run(what, options, 1));
  const std::string good = history.text();
  std::string changed = good;
  changed[good.size() / 2] = changed[good.size() / 2] == '7' ? '8' : '7';
  for (const std::string& damaged : {std::string(), std::string("deed"), std::string("\0\xff\n", 3),
                                     good.substr(0, good.size() / 2), changed, good + "task"}) {
    history.become(damaged);
    EXPECT_EQ(told_by(options, what),
              "deed: the history of costs in " + history.path() + " is damaged: ignored\n");
    EXPECT_EQ(told_by(options, what), "") << "a good one was written";
  }
}

TEST(worker_choice, leaves_the_history_of_another_machine_alone) {
  const history_file history;
  deed::session_options options = two_devices();
  options.history = history.path();
  const program what = cholesky();
  deed::runtime::cost_history theirs;
  theirs.task("cpu", "gemm", 8).add(nanoseconds(5));
  ASSERT_TRUE(theirs.write(history.path(), "another-machine", 0));
  const std::string before = history.text();
  EXPECT_EQ(told_by(options, what),
            "deed: the history of costs in " + history.path() + " is another machine's: ignored\n");
  EXPECT_EQ(history.text(), before);
}

TEST(worker_choice, refuses_a_rule_that_names_a_worker_that_is_not_offered) {
  deed::session_options options = two_devices();
  options.worker_rule = [](const deed::worker_request& task) {
    EXPECT_TRUE(task.processor);
    EXPECT_EQ(task.devices.size(), 2u);
    return std::optional(deed::gpu::device_id{7});
  };
  try {
    static_cast<void>(run(cholesky(), options, 1));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::no_worker_can_run);
    EXPECT_THAT(refused.what(), HasSubstr("device 7 cannot run"));
    EXPECT_THAT(refused.what(), HasSubstr("worker_choice_test.cpp"));
  }
}

/// A vendor loads a kernel when it is called first: that time says nothing of the next ones.
TEST(measured_time, forgets_a_first_sample_that_was_much_longer_than_the_second) {
  using std::chrono::milliseconds;
  deed::runtime::measured_time known;
  known.add(milliseconds(60));
  known.add(milliseconds(1));
  EXPECT_EQ(known.mean_ns, 1e6);
  EXPECT_EQ(known.samples, 1u) << "it is tried once more";
  known.add(milliseconds(3));
  EXPECT_EQ(known.mean_ns, 2e6);
  known.add(milliseconds(20));
  EXPECT_EQ(known.samples, 3u) << "what comes later counts";
}

TEST(measured_time, leaves_out_the_first_of_a_run_that_is_much_longer_than_those_of_other_runs) {
  using std::chrono::milliseconds;
  deed::runtime::measured_time known{.samples = 1, .mean_ns = 1e6};
  known.add(milliseconds(60));
  EXPECT_EQ(known.mean_ns, 1e6);
  known.add(milliseconds(1));
  EXPECT_EQ(known.samples, 2u);
}

TEST(cost_history, counts_sizes_as_equal_within_a_quarter_of_an_octave) {
  using deed::runtime::cost_history;
  EXPECT_EQ(cost_history::class_of(1000), cost_history::class_of(1023));
  EXPECT_NE(cost_history::class_of(1023), cost_history::class_of(1024));
  EXPECT_NE(cost_history::class_of(0), cost_history::class_of(1));
  unsigned last = 0;
  for (std::uint64_t bytes = 1; bytes < 1'000'000; ++bytes) {
    const unsigned here = cost_history::class_of(bytes);
    EXPECT_TRUE(here == last || here > last) << bytes;
    last = here;
  }
}

TEST(measured_link, finds_latency_and_bandwidth) {
  deed::runtime::measured_link link;
  EXPECT_GT(link.expected(1 << 20), link.expected(1 << 10)) << "a guess, but of the right kind";
  for (const std::uint64_t bytes : {1000u, 2000u, 50'000u, 4'000'000u})
    link.add(bytes, nanoseconds(5000 + bytes / 25));
  EXPECT_NEAR(static_cast<double>(link.expected(1'000'000).count()), 45'000, 100);
  EXPECT_NEAR(static_cast<double>(link.expected(0).count()), 5000, 50);
}

}  // namespace
