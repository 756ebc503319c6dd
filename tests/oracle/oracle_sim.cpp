// SPDX-License-Identifier: MIT
// Random programs on 1 to 8 simulated ranks: random orders, delays, windows and eager limits.
#include "campaign.hpp"

int main(int argc, char** argv) { return oracle::run_campaign(argc, argv, {}); }
