// SPDX-License-Identifier: MIT
#include "models/shown_heat.hpp"

#include "analysis/say/units.hpp"

using namespace deed::viewer;

ShownHeat::ShownHeat(const deed::viewer::model &model, heat what,
                     const std::optional<time_range> &range)
    : m_model(model)
    , m_what(what)
    , m_part(range)
    , m_ofRun(heat_of_data(model, what, m_part))
{
}

QStringList ShownHeat::names()
{
    QStringList names;
    for (const char *const each : names_of_heat)
        names += QLatin1String(each);
    return names;
}

QString ShownHeat::whyNot() const
{
    const auto missing = heat_not_recorded(m_model, m_what);
    return missing ? QString::fromStdString(missing->sentences.front()) : QString();
}

const datum_heat &ShownHeat::of(std::uint32_t handle)
{
    const auto known = m_data.find(handle);
    if (known != m_data.end())
        return known->second;
    return m_data.emplace(handle, heat_of(m_model, handle, m_what, m_part)).first->second;
}

double ShownHeat::partOfRank(std::int64_t value) const
{
    const auto most = static_cast<double>(ofRun().most_of_rank);
    return most == 0 ? 0 : static_cast<double>(value) / most;
}

double ShownHeat::partOfDatum(std::int64_t value) const
{
    const auto most = static_cast<double>(ofRun().most);
    return most == 0 ? 0 : static_cast<double>(value) / most;
}

QString ShownHeat::say(std::int64_t value) const
{
    return QString::fromStdString(say_heat(m_what, value));
}

QString ShownHeat::head() const
{
    QString said = names().at(static_cast<qsizetype>(m_what));
    if (m_part.range())
        said += QStringLiteral(", of %1 to %2")
                    .arg(QString::fromStdString(say_time(m_part.range()->from)),
                         QString::fromStdString(say_time(m_part.range()->to)));
    return said;
}
