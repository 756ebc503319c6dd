// SPDX-License-Identifier: MIT
#include "models/shown_heat.hpp"

#include "analysis/say/units.hpp"

#include <QObject>

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

QString ShownHeat::whyNot(Of what) const
{
    if (const auto missing = heat_not_recorded(m_model, m_what))
        return QString::fromStdString(missing->sentences.front());
    const std::int64_t most = what == Of::Ranks ? m_ofRun.most_of_rank : m_ofRun.most;
    return most == 0 ? sayNothing(what) : QString();
}

/// That all of it is recorded, and none of it happened.
QString ShownHeat::sayNothing(Of what) const
{
    const QString then = m_part.range()
                             ? QObject::tr("from %1 to %2")
                                   .arg(QString::fromStdString(say_time(m_part.range()->from)),
                                        QString::fromStdString(say_time(m_part.range()->to)))
                             : QObject::tr("in this run");
    switch (m_what) {
    case heat::owner_changes:
        return QObject::tr("No datum changed its owner %1: no program called for a migration.")
            .arg(then);
    case heat::transfers:
        return QObject::tr("Nothing went from rank to rank %1.").arg(then);
    case heat::bytes_in:
        return QObject::tr("No bytes came to a rank from another one %1.").arg(then);
    case heat::redundant_bytes:
        return QObject::tr("Nothing was sent twice, or there and back, %1.").arg(then);
    case heat::no_copy:
        break;
    }
    return what == Of::Ranks
               ? QObject::tr("Each rank had a valid copy of each datum all the time %1.").arg(then)
               : QObject::tr("Each datum had a valid copy on some rank all the time %1; rows, as "
                             "`most first` has them, show which ranks had none.")
                     .arg(then);
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
