// SPDX-License-Identifier: MIT
// Random programs on 1 to 6 ranks that are threads, with 1 to 3 workers each: the ground for TSan.
#include "campaign.hpp"

int main(int argc, char** argv) {
  return oracle::run_campaign(argc, argv,
                              {.where = oracle::world::threads,
                               .from = {.most_ranks = 6, .most_tasks = 500},
                               .programs = 500});
}
