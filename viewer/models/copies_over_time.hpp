// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/copy_lives.hpp"

#include <QtGlobal>

#include <mutex>
#include <vector>

/// What copies of a run took and when they were missed, found when somebody asks for the first
/// time. Threads: any. Keeps: a reference to the model.
class CopiesOverTime
{
public:
    explicit CopiesOverTime(const deed::viewer::model &model)
        : m_model(model)
    {
    }
    const std::vector<deed::viewer::copy_life> &lives();
    /// Bytes, by rank.
    const std::vector<deed::viewer::curve> &held();
    /// The most that a rank held.
    qint64 most();
    const deed::viewer::miss_times &misses();

private:
    void find();

    const deed::viewer::model &m_model;
    std::once_flag m_isFound;
    std::vector<deed::viewer::copy_life> m_lives;
    std::vector<deed::viewer::curve> m_held;
    qint64 m_most = 0;
    deed::viewer::miss_times m_misses;
};
