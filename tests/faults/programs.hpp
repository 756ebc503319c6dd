// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

/// @file
/// Programs that must complete or report, on simulated ranks and on threads.

namespace faults {

using program = std::function<void(deed::session&)>;

inline void one_rank(const deed::runtime::rank_environment& environment, const program& run,
                     std::string& thrown) {
  deed::session joined(environment);
  try {
    run(joined);
    joined.close();
  } catch (const std::exception& reason) {
    thrown = reason.what();
  }
}

/// Runs on simulated ranks, and returns what each threw.
inline std::vector<std::string> simulated(int ranks, const program& run, std::uint64_t seed = 1) {
  deed::transport::sim_world made(ranks, {.seed = seed});
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  made.run([&](deed::rank self, deed::transport::endpoint& door) {
    one_rank({.rank = self.value,
              .size = ranks,
              .door = &door,
              .time = &made.time(),
              .simulated = true,
              .seed = seed,
              .pass = [&made, self] { made.pass(self); }},
             run, thrown[static_cast<std::size_t>(self.value)]);
  });
  return thrown;
}

inline std::vector<std::string> threads(int ranks, const program& run) {
  deed::transport::inproc_world made(ranks);
  const deed::real_clock time;
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> all;
  for (int r = 0; r < ranks; ++r) {
    all.emplace_back([&, r] {
      one_rank({.rank = r, .size = ranks, .door = &made.at(deed::rank{r}), .time = &time}, run,
               thrown[static_cast<std::size_t>(r)]);
    });
  }
  all.clear();
  return thrown;
}

inline void completes(const program& run) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::string& each : simulated(2, run, seed)) EXPECT_EQ(each, "") << "seed " << seed;
  }
  for (const std::string& each : threads(2, run)) EXPECT_EQ(each, "");
}

inline void reports(const program& run, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : simulated(2, run)) all += each + "\n";
  for (const std::string& text : texts)
    EXPECT_NE(all.find(text), std::string::npos) << text << "\nin\n" << all;
}

}  // namespace faults
