// SPDX-License-Identifier: MIT
#include "gui/run_life.hpp"

#include <QSysInfo>

#include <cerrno>
#include <csignal>

using namespace deed::viewer;

namespace {

bool isGone(const rank_info &rank)
{
    return rank.pid != 0 && rank.host == QSysInfo::machineHostName().toStdString() &&
           ::kill(static_cast<pid_t>(rank.pid), 0) != 0 && errno == ESRCH;
}

} // namespace

RunLife lifeOf(const run &of)
{
    RunLife found;
    for (const rank_info &each : of.ranks())
        if (each.present && !each.ended)
            (isGone(each) ? found.killed : found.going).insert(each.rank);
    return found;
}
