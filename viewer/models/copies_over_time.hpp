// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/copy_lives.hpp"

#include <QtGlobal>

#include <atomic>
#include <mutex>
#include <vector>

/// What copies of a run took and when they were missed, found when somebody asks for the first
/// time; of a long run, what they took is followed where that is wanted alone, and nothing before:
/// it takes a second and a half of ten million events. Threads: any. Keeps: a reference to the
/// model.
class CopiesOverTime
{
public:
    explicit CopiesOverTime(const deed::viewer::model &model)
        : m_model(model)
        , m_follows(model.events().events().size() <= mostAtOnce)
    {
    }
    bool follows() const { return m_follows; }
    void follow() { m_follows = true; }
    const std::vector<deed::viewer::copy_life> &lives();
    /// Bytes, by rank.
    const std::vector<deed::viewer::curve> &held();
    const deed::viewer::miss_times &misses();

private:
    static constexpr std::size_t mostAtOnce = 1'000'000; // Events.
    void find();

    const deed::viewer::model &m_model;
    std::atomic<bool> m_follows;
    std::once_flag m_isFound, m_hasMisses;
    std::vector<deed::viewer::copy_life> m_lives;
    std::vector<deed::viewer::curve> m_held;
    deed::viewer::miss_times m_misses;
};
