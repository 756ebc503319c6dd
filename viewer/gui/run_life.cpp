// SPDX-License-Identifier: MIT
#include "gui/run_life.hpp"

#include "analysis/read/still_recorded.hpp"

using namespace deed::viewer;

RunLife lifeOf(const run &of)
{
    RunLife found;
    for (const rank_info &each : of.ranks())
        if (each.is_left_open())
            (each.is_cut() && is_this_machine(each.host) ? found.killed : found.going)
                .insert(each.rank);
    return found;
}
