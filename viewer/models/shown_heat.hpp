// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/data_heat.hpp"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <unordered_map>

/// What panels of ownership show in colours in place of the copies of a moment: one measure of a
/// run or of a part of it. Keeps: a reference to the model.
class ShownHeat
{
public:
    /// Cost: that of `deed::viewer::heat_of_data`.
    ShownHeat(const deed::viewer::model &model, deed::viewer::heat what,
              const std::optional<deed::viewer::time_range> &range);
    /// In the order of `deed::viewer::heat`.
    static QStringList names();

    /// What is shown: of copies on ranks, or of data as a whole.
    enum class Of : std::uint8_t { Ranks, Data };
    /// Why there is nothing to show; empty if there is.
    QString whyNot(Of what) const;
    const deed::viewer::run_heat &ofRun() const { return m_ofRun; }
    const deed::viewer::datum_heat &of(std::uint32_t handle);
    /// 0 .. 1, of the colour: of one rank's copy among all of them, and of a datum among the data.
    double partOfRank(std::int64_t value) const;
    double partOfDatum(std::int64_t value) const;
    QString say(std::int64_t value) const;
    /// As long as most of what it says.
    QString longest() const { return say(12'345'678); }
    /// "bytes in, of 500 us to 700 us".
    QString head() const;

private:
    QString sayNothing(Of what) const;

    const deed::viewer::model &m_model;
    deed::viewer::heat m_what;
    deed::viewer::run_part m_part;
    deed::viewer::run_heat m_ofRun;
    std::unordered_map<std::uint32_t, deed::viewer::datum_heat> m_data; // Of those seen.
};
