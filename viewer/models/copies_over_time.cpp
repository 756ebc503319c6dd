// SPDX-License-Identifier: MIT
#include "models/copies_over_time.hpp"

using namespace deed::viewer;

void CopiesOverTime::find()
{
    if (!follows())
        return;
    std::call_once(m_isFound, [this] {
        m_lives = copy_lives(m_model);
        m_held = bytes_in_copies(m_model, m_lives);
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

const miss_times &CopiesOverTime::misses()
{
    std::call_once(m_hasMisses, [this] { m_misses = deed::viewer::misses(m_model); });
    return m_misses;
}
