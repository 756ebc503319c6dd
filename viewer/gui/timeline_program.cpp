// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "gui/timeline.hpp"

#include <QFontMetrics>
#include <QPainter>
#include <QStringList>

#include <algorithm>

/// @file
/// What the program says of itself: phases, and values over time.

using namespace deed::viewer;

/// Whether a lane shows what a stream of this kind did: 1 a worker, 2 the program, 3 messages.
bool Timeline::isStream(const timeline_lane &lane, std::uint32_t kind) const
{
    return lane.sort == lane_sort::work &&
           m_state->model().events().lanes()[lane.lane].kind == kind;
}

QString Timeline::nameOf(const timeline_lane &lane) const
{
    return QString::fromStdString(lane.sort == lane_sort::work
                                      ? m_state->model().events().lanes()[lane.lane].name
                                      : lane.name);
}

/// Of all lanes no other one has it, but for values of one name that a rank names twice.
QString Timeline::wholeNameOf(const timeline_lane &lane) const
{
    return lane.sort == lane_sort::work
               ? QString::fromStdString(say_lane(m_state->model().events(), lane.lane))
               : tr("rank %1 %2").arg(lane.rank).arg(nameOf(lane));
}

/// Whether an event is one of those that a lane of the program stands for.
bool Timeline::shows(const timeline_lane &lane, std::uint32_t event) const
{
    const model &m = m_state->model();
    if (lane.sort == lane_sort::phases)
        return m.events().events()[event].lane == lane.lane && m.phase_of(event) != nullptr;
    return lane.sort == lane_sort::values && m.values_of(event) == lane.series;
}

std::optional<std::size_t> Timeline::depthOfSelection(int lane) const
{
    if (lane < 0 || m_lanes[static_cast<std::size_t>(lane)].sort != lane_sort::phases)
        return {};
    const phase_span *const phase = m_state->model().phase_of(m_state->selection().index);
    const std::size_t depths = m_lanes[static_cast<std::size_t>(lane)].tracks.size();
    return std::min<std::size_t>(phase->depth, depths - 1);
}

/// The value that holds at a time.
std::optional<track_span> Timeline::valueAt(const timeline_lane &of, qint64 time) const
{
    const auto point = of.values.at(time);
    if (!point)
        return {};
    return track_span{of.values.points()[*point].time,
                      of.values.end_of(*point),
                      of.series->events[*point],
                      0,
                      span_type::value,
                      0};
}

/// From one value to the next one of its name; false if none is selected.
bool Timeline::walkValues(int direction)
{
    const Selection now = m_state->selection();
    const value_series *const series =
        now.kind == Selection::Event ? m_state->model().values_of(now.index) : nullptr;
    if (series == nullptr)
        return false;
    const auto at = std::ranges::lower_bound(series->events, now.index);
    if (direction > 0 ? at + 1 == series->events.end() : at == series->events.begin())
        return true;
    const std::uint32_t next = direction > 0 ? at[1] : at[-1];
    m_state->select({Selection::Event, next});
    m_state->setPlayhead(m_state->model().events().events().time(next));
    showSelection();
    return true;
}

bool Timeline::isValues(int lane) const
{
    return m_lanes[static_cast<std::size_t>(lane)].sort == lane_sort::values;
}

/// Whether it is for messages, and no message was ever recorded there.
bool Timeline::isSilent(const timeline_lane &lane) const
{
    return isStream(lane, 3) && m_state->model().events().lanes()[lane.lane].discarded == 0 &&
           lane.waits.empty() && std::ranges::all_of(lane.tracks, &track::empty);
}

/// The lane for messages of a rank, where it is left out, as there were none.
const timeline_lane *Timeline::silentOf(int rank) const
{
    for (const timeline_lane &lane : m_lanes)
        if (lane.rank == rank && isSilent(lane))
            return &lane;
    return nullptr;
}

/// Whether a lane has a row.
bool Timeline::isShown(int lane) const
{
    const timeline_lane &of = m_lanes[static_cast<std::size_t>(lane)];
    const bool folded = m_foldsValues && isValues(lane) && !m_openValues.contains(of.rank);
    return !folded && !m_collapsed.contains(of.rank) && !isSilent(of);
}

void Timeline::toggleValues(int rank)
{
    if (!m_openValues.remove(rank))
        m_openValues.insert(rank);
    layoutRows();
    viewport()->update();
}

/// "0 .. 1,234": the scale of a curve; in three digits each if that has no room.
QString Timeline::sayReach(const timeline_lane &of, int room) const
{
    const value_range reach = of.values.reach();
    const auto say = [&reach](std::string (*value)(std::int64_t)) {
        return QString::fromStdString(reach.least == reach.most
                                          ? value(reach.least)
                                          : value(reach.least) + " .. " + value(reach.most));
    };
    const QFontMetrics metrics = viewport()->fontMetrics();
    const QString whole = say(say_value);
    if (metrics.horizontalAdvance(whole) <= room)
        return whole;
    return metrics.elidedText(say(say_short_value), Qt::ElideRight, room);
}

/// "residual, particles".
QString Timeline::sayValuesOf(int rank) const
{
    QStringList names;
    for (const timeline_lane &lane : m_lanes)
        if (lane.rank == rank && lane.sort == lane_sort::values)
            names += nameOf(lane);
    return names.join(QLatin1String(", "));
}

/// What a rank lacks, if anything.
QString Timeline::sayRank(int rank) const
{
    QStringList said;
    if (silentOf(rank) != nullptr)
        said += tr("no message from it or to it is recorded: it has no lane of messages");
    if (const QString error = sayTimeErrorOf(rank); error == QLatin1String("±?"))
        said += tr("nothing tells how far its clock is from that of rank 0");
    else if (!error.isEmpty())
        said += tr("%1: so far its times may be from those of rank 0, by what its clock is ahead "
                   "and by what is\nnot known of that; Ctrl+T takes what is known of it away, or "
                   "shows it again")
                    .arg(error);
    if (said.isEmpty())
        return {};
    return tr("rank %1").arg(rank) + QLatin1Char('\n') + said.join(QLatin1Char('\n'));
}

/// What a name beside a lane has no room for.
QString Timeline::sayLaneAt(const Hit &hit) const
{
    if (hit.values)
        return sayValuesOf(hit.rank);
    if (hit.header)
        return sayRank(hit.rank);
    if (hit.lane < 0)
        return {};
    const timeline_lane &lane = m_lanes[static_cast<std::size_t>(hit.lane)];
    QString name = wholeNameOf(lane);
    if (const std::string device =
            isStream(lane, 4) ? device_name(m_state->model().events(), lane.lane) : std::string();
        !device.empty())
        name += QLatin1Char('\n') + QString::fromStdString(device);
    return isValues(hit.lane) ? name + QLatin1Char('\n') + sayReach(lane, QWIDGETSIZE_MAX) : name;
}

/// The name, and the scale below it; in a low row behind it, if that has room.
void Timeline::paintGutterValues(QPainter &painter, const timeline_lane &lane, const QString &name,
                                 const QRect &area) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const bool twoLines = area.height() >= 2 * metrics.height();
    const QRect half = area.adjusted(0, 0, 0, twoLines ? -area.height() / 2 : 0);
    painter.drawText(half, Qt::AlignVCenter, name);
    painter.setPen(m_theme.dim);
    const QString reach = sayReach(lane, area.width());
    if (twoLines)
        painter.drawText(area.adjusted(0, area.height() / 2, 0, 0), Qt::AlignVCenter, reach);
    else if (metrics.horizontalAdvance(name) + 8 + metrics.horizontalAdvance(reach) <= area.width())
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignRight, reach);
}

/// Each pixel from the least to the most of what it stands for, and a wash down to the least of the
/// run. What has one value only is a line: in the middle, or of nothing at all on the ground.
void Timeline::paintValues(QPainter &painter, const timeline_lane &lane, const QRect &area) const
{
    if (area.height() < 2 || area.width() < 1)
        return;
    std::vector<value_range> row(static_cast<std::size_t>(area.width()));
    lane.values.draw(m_state->begin(), m_state->end(), row);
    const value_range all = lane.values.reach();
    const double high = static_cast<double>(all.most) - static_cast<double>(all.least);
    const auto yOfValue = [&](std::int64_t value) {
        const double part =
            high == 0 ? (value == 0 ? 0 : 0.5)
                      : (static_cast<double>(value) - static_cast<double>(all.least)) / high;
        return area.bottom() - 1 - static_cast<int>(part * (area.height() - 3));
    };
    QColor wash = m_theme.accent;
    wash.setAlpha(m_theme.dark ? 70 : 45);
    for (std::size_t x = 0; x < row.size(); ++x) {
        if (row[x].empty())
            continue;
        const int at = area.left() + static_cast<int>(x);
        const int top = yOfValue(row[x].most), bottom = yOfValue(row[x].least);
        if (high != 0)
            painter.fillRect(at, top, 1, area.bottom() - top + 1, wash);
        painter.fillRect(at, top, 1, bottom - top + 2, m_theme.accent);
    }
    const Selection now = m_state->selection();
    if (now.kind != Selection::Event || m_state->model().values_of(now.index) != lane.series)
        return;
    const qint64 time = m_state->model().events().events().time(now.index);
    painter.setPen(QPen(m_theme.text, 1.5));
    painter.setBrush(m_theme.accent);
    painter.drawEllipse(
        QPointF(xOf(lane.rank, time), yOfValue(m_state->model().value_of(now.index)) + 0.5), 3.5,
        3.5);
    painter.setBrush(Qt::NoBrush);
}
