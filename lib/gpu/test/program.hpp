// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/gpu/driver.hpp>

#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Programs of tasks over integers: written down once, run on devices and in sequence.

namespace deed::gpu::test {

/// One step: `data[written[i]] = f(all that is read)`, on a device, or on the host if negative.
struct instruction {
  int device = 0;
  std::vector<std::pair<std::size_t, access_mode>> uses;
  std::uint64_t salt = 0;
};

struct program {
  std::vector<std::size_t> sizes{};  ///< Elements of each datum.
  std::vector<instruction> steps{};
  std::size_t memory_bytes = 0;
  bool pinned_homes = false;
};

using values = std::vector<std::vector<std::uint64_t>>;

/// What every task does: every written element depends on all that is read.
inline void apply(std::uint64_t salt, std::span<const access_mode> modes,
                  std::span<const std::span<std::uint64_t>> data) {
  std::uint64_t sum = salt;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!reads(modes[i])) continue;
    for (const std::uint64_t value : data[i]) sum = mix(sum, value);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!writes(modes[i])) continue;
    for (std::size_t k = 0; k < data[i].size(); ++k) data[i][k] = mix(sum, k + i);
  }
}

inline values initial(const program& plan) {
  values data;
  for (std::size_t i = 0; i < plan.sizes.size(); ++i) {
    data.emplace_back(plan.sizes[i], mix(i + 1));
  }
  return data;
}

inline values sequential(const program& plan) {
  values data = initial(plan);
  for (const instruction& step : plan.steps) {
    std::vector<access_mode> modes;
    std::vector<std::span<std::uint64_t>> parts;
    for (const auto& [datum, mode] : step.uses) {
      modes.push_back(mode);
      parts.emplace_back(data[datum]);
    }
    apply(step.salt, modes, parts);
  }
  return data;
}

inline program random_plan(std::uint64_t seed, int devices, int steps) {
  random_source draw(seed);
  program plan;
  const std::size_t count = 3 + draw.below(8);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    plan.sizes.push_back(draw.one_in(12) ? 0 : 1 + draw.below(3000));
    largest = std::max(largest, plan.sizes.back());
  }
  for (int i = 0; i < steps; ++i) {
    instruction step;
    step.device =
        draw.one_in(6) ? -1 : static_cast<int>(draw.below(static_cast<std::uint64_t>(devices)));
    step.salt = draw();
    const std::size_t uses = 1 + draw.below(3);
    while (step.uses.size() < uses) {
      const std::size_t datum = draw.below(count);
      const bool there = std::any_of(step.uses.begin(), step.uses.end(),
                                     [&](const auto& use) { return use.first == datum; });
      if (there) continue;
      const auto mode = draw.below(10);
      step.uses.emplace_back(datum, mode < 5   ? access_mode::read
                                    : mode < 8 ? access_mode::read_write
                                               : access_mode::write);
    }
    plan.steps.push_back(std::move(step));
  }
  // Between "three data fit" and "everything fits".
  plan.memory_bytes = (3 + draw.below(6)) * (largest * 8 + 4096) + (64 << 10);
  plan.pinned_homes = draw.one_in(2);
  return plan;
}

struct outcome {
  test::values values;
  std::string problem;              ///< A hang, or a leak.
  std::vector<std::string> errors;  ///< Of tasks, in the order of their ends.
  std::vector<bool> failed;         ///< Of each step.
  std::vector<bool> lost;           ///< Of each datum: its last reader got an error.
  std::vector<std::string> unordered;
  std::uint64_t redundant_waits = 0;
  std::uint64_t calls = 0;
  std::uint64_t faults = 0;
  statistics counters;
};

/// The program without the steps that failed: what must come out for data that nobody lost.
inline values without_failures(const program& plan, const outcome& seen) {
  program rest = plan;
  rest.steps.clear();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!seen.failed[i]) rest.steps.push_back(plan.steps[i]);
  }
  return sequential(rest);
}

/// What a device does for a task, from what the host would do.
using body_maker = std::function<device_body(host_body)>;
inline device_body on_emulated_bytes(host_body body) { return emulated_body(std::move(body)); }

/// Runs the program on devices. With `fallback`, tasks have a body for the host, too.
inline outcome run_on(const program& plan, device_options options, bool fallback = false,
                      driver_options how = {}, const body_maker& make_body = on_emulated_bytes) {
  // Of a seed twice the same: whether a task is brief is a matter of time.
  const step_clock time(std::chrono::microseconds(10));
  if (how.time == nullptr && !options.cuda && !options.hip) how.time = &time;
  outcome seen;
  seen.values = initial(plan);
  seen.failed.resize(plan.steps.size());
  seen.lost.resize(plan.sizes.size());
  how.chunk_bytes = 4096;  // So that small data are several chunks.
  driver driver{device_set(std::move(options)), how};
  std::vector<coherent_datum> data;
  for (std::size_t i = 0; i < plan.sizes.size(); ++i) {
    memory_block home = block_of(seen.values[i]);
    if (plan.pinned_homes) home.space = memory_space::pinned;
    data.push_back(driver.hold(home, "d" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const instruction& step = plan.steps[i];
    std::vector<operand> operands;
    std::vector<access_mode> modes;
    for (const auto& [datum, mode] : step.uses) {
      operands.push_back({&data[datum], mode});
      modes.push_back(mode);
    }
    const auto body = [salt = step.salt, modes](std::span<const memory_block> memory) {
      std::vector<std::span<std::uint64_t>> parts;
      for (const memory_block& block : memory) parts.push_back(as<std::uint64_t>(block));
      apply(salt, modes, parts);
    };
    if (step.device < 0) {
      auto lease = driver.acquire(operands, "host step " + std::to_string(i));
      if (!wait(driver, lease)) {
        seen.problem = "a lease was never granted";
        return seen;
      }
      if (lease.error()) {
        seen.errors.push_back(text_of(lease.error()));
        seen.failed[i] = true;
      } else {
        body(lease.memory());
      }
      continue;
    }
    auto task = task_of(step.device, "step " + std::to_string(i), operands, body);
    task.body = make_body(body);
    if (fallback) task.on_host = body;
    task.done = [&seen, i](std::exception_ptr error) {
      if (!error) return;
      seen.errors.push_back(text_of(error));
      seen.failed[i] = true;
    };
    driver.submit(std::move(task));
    if (step.salt % 4 == 0) driver.step();
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    auto lease = driver.acquire({{&data[i], access_mode::read}}, "the end");
    if (!wait(driver, lease)) {
      seen.problem = "the end was never reached";
      return seen;
    }
    if (lease.error()) seen.lost[i] = true;
  }
  if (!settle(driver)) seen.problem = "it never became idle";
  seen.counters = driver.stats();
  data.clear();
  for (int i = 0; i < 3; ++i) driver.step();
  if (const std::string left = driver.report(); !left.empty()) seen.problem = "left over: " + left;
  for (const auto& [first, second] : driver.devices().order_reports()) {
    seen.unordered.push_back(first + " / " + second);
  }
  seen.redundant_waits = driver.devices().redundant_waits();
  seen.calls = driver.devices().calls();
  seen.faults = driver.devices().faults_made();
  return seen;
}

/// As `run_on`, and nothing may be left over.
inline outcome run(const program& plan, device_options options, bool fallback = false,
                   driver_options how = {}) {
  emulated_leftovers left;
  options.emulated.leftovers = &left;
  outcome seen = run_on(plan, std::move(options), fallback, how);
  if (seen.problem.empty() && left != emulated_leftovers{}) {
    seen.problem = std::to_string(left.streams) + " streams, " + std::to_string(left.events) +
                   " events, " + std::to_string(left.allocations) + " allocations, " +
                   std::to_string(left.pinned) + " pinned left over, " +
                   std::to_string(left.streams_destroyed_at_work) + " streams destroyed at work";
  }
  return seen;
}

}  // namespace deed::gpu::test
