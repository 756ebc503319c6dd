// SPDX-License-Identifier: MIT
// The same program and seed twice: the same events.
#include "campaign.hpp"

int main(int argc, char** argv) {
  return oracle::run_campaign(argc, argv, {.first = 500001, .programs = 100, .twice = true});
}
