// SPDX-License-Identifier: MIT
#include <deed/transport/sim.hpp>

#include "worlds.hpp"

#include <vector>

namespace semantics {

std::string reports_of(const program& row, int ranks) {
  deed::transport::sim_world made(ranks, {.seed = 1});
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  made.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session joined({.rank = self.value,
                          .size = ranks,
                          .door = &door,
                          .time = &made.time(),
                          .simulated = true,
                          .seed = 1,
                          .pass = [&made, self] { made.pass(self); }});
    try {
      row(joined);
      joined.close();
    } catch (const std::exception& reason) {
      thrown[static_cast<std::size_t>(self.value)] = reason.what();
      try {
        joined.close();
      } catch (const std::exception&) {  // The same again.
      }
    }
  });
  std::string all;
  for (const std::string& each : thrown) all += each.empty() ? "" : each + "\n";
  return all;
}

}  // namespace semantics
