// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>

#include "engine_suite.hpp"

#include <map>
#include <utility>
#include <vector>

/// @file
/// Random traffic, drawn whole before it runs, so that every rank knows all of it.

namespace transport_test {

struct traffic_plan {
  struct step {
    int from, to;
    transfer what;  // With the exact size.
    int seed;
    bool synchronous;
    bool size_known;
    bool more;
  };
  int ranks = 1;
  std::uint64_t seed = 0;
  engine_options options;
  std::vector<step> steps;
};

/// Settings that make rare paths common.
inline engine_options draw_options(deed::random_source& draw) {
  engine_options options;
  options.eager_bytes = std::array<std::size_t, 4>{0, 80, 256, 8192}[draw.below(4)];
  options.chunk_log2 = 6 + static_cast<unsigned>(draw.below(8));
  options.credits = static_cast<int>(draw.below(4));
  options.unmatched_bytes = draw.one_in(2) ? 100 : 1 << 20;
  options.bulk_sends = 1 + static_cast<int>(draw.below(4));
  options.bulk_receives = 1 + static_cast<int>(draw.below(4));
  options.checksums = draw.one_in(3);
  return options;
}

inline traffic_plan draw_traffic(int ranks, std::uint64_t seed, int steps) {
  deed::random_source draw{deed::mix(seed, 77)};
  traffic_plan plan{ranks, seed, draw_options(draw), {}};
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> versions;
  for (int i = 0; i < steps; ++i) {
    const int from = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
    const int to = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
    const std::uint64_t tag = draw.below(3);
    const std::uint64_t bytes = draw.below(std::uint64_t{1} << draw.below(14));
    transfer what = message(from, tag, bytes, tag);
    // Each receiver sees the versions of a datum rise, not all of them.
    if (draw.one_in(2)) what = datum(from, tag, versions[{from, tag}] += 1 + draw.below(2), bytes);
    plan.steps.push_back({from, to, what, i, draw.one_in(8), draw.one_in(2), draw.one_in(2)});
  }
  return plan;
}

/// One rank's part: receives before, between and after the sends, as the seed says.
inline deed::transport::statistics run_traffic(const traffic_plan& plan, endpoint& end,
                                               const deed::clock& time) {
  member me(end, time, plan.options);
  deed::random_source draw{deed::mix(plan.seed, static_cast<std::uint64_t>(me.self))};
  std::vector<const traffic_plan::step*> sends, receives;
  for (const auto& step : plan.steps) {
    if (step.from == me.self) sends.push_back(&step);
    if (step.to == me.self) receives.push_back(&step);
  }
  for (std::size_t s = 0, r = 0; s < sends.size() || r < receives.size();) {
    if (r == receives.size() || (s < sends.size() && draw.one_in(2))) {
      const auto& step = *sends[s++];
      me.send(step.to, step.what, pattern(step.what.bytes, step.seed), step.synchronous, step.more);
    } else {
      const auto& step = *receives[r++];
      transfer what = step.what;
      if (!step.size_known) what.bytes = any_size;
      me.receive(step.from, what);
    }
    if (draw.one_in(3)) me.wire.progress();
  }
  me.until_done();
  for (std::size_t r = 0; r < receives.size(); ++r) {
    EXPECT_EQ(code_of(me.receives[r].error), std::nullopt);
    EXPECT_EQ(me.receives[r].bytes, pattern(receives[r]->what.bytes, receives[r]->seed))
        << "seed " << plan.seed << ", step " << receives[r]->seed;
  }
  for (const held_send& at : me.sends) EXPECT_EQ(code_of(at.error), std::nullopt);
  me.barrier();
  EXPECT_TRUE(me.wire.left_over().empty());
  EXPECT_TRUE(me.faults.empty());
  auto counts = me.wire.counts();
  me.wire.close();
  return counts;
}

/// How many control frames these counts allow.
inline std::uint64_t control_bound(const deed::transport::traffic& all, std::uint64_t to_itself,
                                   const engine_options& options, int ranks) {
  const int window =
      options.credits > 0 ? options.credits : std::max(1, std::min(32, 4096 / ranks));
  const auto half = static_cast<std::uint64_t>(std::max(1, window / 2));
  return 2 * all.announced + (all.transfers - to_itself - all.announced) / half;
}

}  // namespace transport_test
