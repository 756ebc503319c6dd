// SPDX-License-Identifier: MIT
// Random programs on 1 to 4 simulated ranks, each with 1 to 4 emulated devices of little memory.
#include "campaign.hpp"

int main(int argc, char** argv) {
  return oracle::run_campaign(
      argc, argv,
      {.from = {.most_ranks = 4, .most_devices = 4, .most_tasks = 300}, .programs = 5000});
}
