// SPDX-License-Identifier: MIT
// Random programs on 64 to 1,024 simulated ranks.
#include "campaign.hpp"

int main(int argc, char** argv) {
  return oracle::run_campaign(argc, argv,
                              {.from = {.fewest_ranks = 64, .most_ranks = 1024, .most_tasks = 500},
                               .programs = 200,
                               .patience = std::chrono::seconds(60)});
}
