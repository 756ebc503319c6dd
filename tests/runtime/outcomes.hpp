// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include "../../lib/runtime/src/of_all_ranks.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/// @file
/// Programs that end in a report: what each rank threw, on virtual ranks of both kinds.

namespace test {

/// How a program ended on one rank; `text` is empty if it ended well.
struct outcome {
  deed::error_code code{};
  std::string text;
  bool printed = true;  ///< By `deed::run`, on this rank.
};

struct world {
  enum class kind : std::uint8_t { simulated, threads };
  kind is = kind::simulated;
  std::uint64_t seed = 1;

  using program = std::function<void(deed::session&)>;
  [[nodiscard]] std::vector<outcome> run(int ranks, const program& run,
                                         const deed::session_options& options = {}) const {
    std::vector<outcome> all(static_cast<std::size_t>(ranks));
    if (is == kind::simulated) {
      deed::transport::sim_world made(ranks, {.seed = seed});
      made.run([&](deed::rank self, deed::transport::endpoint& door) {
        one_rank({.rank = self.value,
                  .size = ranks,
                  .door = &door,
                  .time = &made.time(),
                  .simulated = true,
                  .seed = seed,
                  .pass = [&made, self] { made.pass(self); }},
                 options, run, all[static_cast<std::size_t>(self.value)]);
      });
      return all;
    }
    deed::transport::inproc_world made(ranks);
    const deed::real_clock time;
    std::vector<std::jthread> threads;
    for (int r = 0; r < ranks; ++r) {
      threads.emplace_back([&, r] {
        one_rank({.rank = r, .size = ranks, .door = &made.at(deed::rank{r}), .time = &time},
                 options, run, all[static_cast<std::size_t>(r)]);
      });
    }
    threads.clear();
    return all;
  }

 private:
  static void one_rank(const deed::runtime::rank_environment& environment,
                       const deed::session_options& options, const program& run, outcome& ended) {
    deed::session joined(environment, options);
    try {
      run(joined);
      joined.close();
    } catch (const std::exception& thrown) {
      ended.text = thrown.what();
      if (const auto* known = dynamic_cast<const deed::error*>(&thrown)) ended.code = known->code();
      if (const auto* all = dynamic_cast<const deed::runtime::of_all_ranks*>(&thrown))
        ended.printed = all->printed_here();
    }
  }
};

/// Calls `program(world)` for simulated ranks in several orders.
template <class Program>
void simulated_world(Program&& program) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) program(world{world::kind::simulated, seed});
}

/// The same, and for threads. Not for programs that fail on some ranks only: threads without
/// `deed::run` have nobody who ends the others.
template <class Program>
void each_world(Program&& program) {
  simulated_world(program);
  program(world{world::kind::threads, 1});
}

}  // namespace test
