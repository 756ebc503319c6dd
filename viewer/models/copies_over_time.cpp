// SPDX-License-Identifier: MIT
#include "models/copies_over_time.hpp"

#include <algorithm>

using namespace deed::viewer;

void CopiesOverTime::find()
{
    if (!follows())
        return;
    std::call_once(m_isFound, [this] {
        m_lives = copy_lives(m_model);
        m_held = bytes_in_copies(m_model, m_lives);
        for (const curve &each : m_held)
            m_most = std::max<qint64>(m_most, each.reach().most);
    });
}

const std::vector<copy_life> &CopiesOverTime::lives()
{
    find();
    return m_lives;
}

const std::vector<curve> &CopiesOverTime::held()
{
    find();
    return m_held;
}

qint64 CopiesOverTime::most()
{
    find();
    return m_most;
}

const miss_times &CopiesOverTime::misses()
{
    std::call_once(m_hasMisses, [this] { m_misses = deed::viewer::misses(m_model); });
    return m_misses;
}
