// SPDX-License-Identifier: MIT
#include "gui/timeline.hpp"

#include <QCursor>
#include <QScrollBar>

using namespace deed::viewer;

QStringList Timeline::laneNames() const
{
    QStringList names;
    for (const timeline_lane &each : m_lanes)
        names += wholeNameOf(each);
    return names;
}

bool Timeline::goToLane(const QString &name)
{
    const auto lane = static_cast<int>(laneNames().indexOf(name));
    if (lane < 0)
        return false;
    if (const int rank = m_lanes[static_cast<std::size_t>(lane)].rank; m_collapsed.contains(rank))
        toggleRank(rank);
    if (!selectInLane(lane, 1, {})) // There is nothing on it.
        m_state->select({});
    scrollTo(lane);
    return true;
}

QStringList Timeline::pinned() const
{
    QStringList names;
    for (const int lane : m_pinned)
        names += wholeNameOf(m_lanes[static_cast<std::size_t>(lane)]);
    return names;
}

void Timeline::setPinned(const QStringList &names)
{
    m_pinned.clear();
    for (const QString &name : names)
        for (int i = 0; i < static_cast<int>(m_lanes.size()); ++i)
            if (!m_pinned.contains(i) && name == wholeNameOf(m_lanes[static_cast<std::size_t>(i)]))
                m_pinned.append(i);
    layoutRows();
    viewport()->update();
    emit pinnedChanged();
}

/// The lane that ran the selected task, or whose event is selected; -1 if none.
int Timeline::laneOfSelection() const
{
    const Selection now = m_state->selection();
    std::uint32_t wanted = none;
    if (now.kind == Selection::Task)
        wanted = m_state->model().tasks()[now.index].lane;
    else if (now.kind == Selection::Event)
        wanted = m_state->model().events().events()[now.index].lane;
    for (int i = 0; i < static_cast<int>(m_lanes.size()); ++i) {
        const timeline_lane &lane = m_lanes[static_cast<std::size_t>(i)];
        if (now.kind == Selection::Event && shows(lane, now.index))
            return i;
        if (lane.sort == lane_sort::work && lane.lane == wanted)
            return i;
    }
    return -1;
}

/// A lane that is in view stays where it is.
void Timeline::scrollToSelection()
{
    m_followsSelection = true;
    if (const Selection now = m_state->selection();
        now.kind == Selection::Transfer && isAway(now.index)) {
        const transfer &x = m_state->model().transfers()[now.index];
        showRanks(m_shownRanks + QList<int>{x.src, x.dst});
    }
    if (const int lane = laneOfSelection(); lane >= 0 && isVisible()) // Else what is in view?
        scrollTo(lane);
}

void Timeline::scrollTo(int lane)
{
    const int rank = m_lanes[static_cast<std::size_t>(lane)].rank;
    if (isValues(lane) && m_foldsValues && !isShown(lane))
        toggleValues(rank);
    if (!isShownRank(rank))
        showRanks(m_shownRanks + QList<int>{rank});
    for (const Row &row : std::as_const(m_rows)) {
        if (row.lane != lane)
            continue;
        QScrollBar *bar = verticalScrollBar();
        const int above = m_ruler + m_pinnedHeight - yOf(row),
                  below = yOf(row) + row.height - viewport()->height();
        if (above > 0)
            bar->setValue(bar->value() - above);
        else if (below > 0)
            bar->setValue(topFrom(bar->value() + below));
        return;
    }
}

void Timeline::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    scrollToSelection();
}

void Timeline::togglePin()
{
    const int chosen = laneOfSelection();
    const int lane = chosen >= 0 ? chosen : hitTest(viewport()->mapFromGlobal(QCursor::pos())).lane;
    if (lane >= 0)
        pin(lane);
}

void Timeline::pin(int lane)
{
    if (!m_pinned.removeOne(lane))
        m_pinned.append(lane);
    layoutRows();
    viewport()->update();
    emit pinnedChanged();
}

void Timeline::setMarks(std::vector<note> marks)
{
    m_marks = std::move(marks);
    layoutRows(); // Their flags have a strip of their own.
    viewport()->update();
}
