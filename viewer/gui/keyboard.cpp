// SPDX-License-Identifier: MIT
#include "gui/arrow_keys.hpp"
#include "gui/main_window.hpp"
#include "gui/panels.hpp"
#include "gui/timeline.hpp"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <vector>

/// @file
/// What canvases do with arrow keys, and where Tab goes; all else is an action of the window.

using namespace deed::viewer;

namespace {

/// The task or transfer next to a time, if the track has one.
std::optional<track_span> nearest(const track &of, qint64 time)
{
    std::optional<track_span> found;
    qint64 least = 0;
    for (const track_span &span : of.spans()) {
        if (span.type == span_type::state)
            continue;
        const qint64 apart = time < span.begin ? span.begin - time
                             : time > span.end ? time - span.end
                                               : 0;
        if (!found || apart < least) {
            found = span;
            least = apart;
        }
        if (span.begin > time)
            break; // Later ones are further away.
    }
    return found;
}

} // namespace

/// Up and Down go from lane to lane, of phases from depth to depth; `.` and `,` stay on one.
void Timeline::stepLane(int direction)
{
    const int now = laneOfSelection();
    const std::vector<int> order = lanesInOrder();
    const auto lanes = static_cast<std::ptrdiff_t>(order.size());
    if (const auto depth = depthOfSelection(now); depth && selectInLane(now, direction, depth))
        return;
    const std::ptrdiff_t here = std::ranges::find(order, now) - order.begin();
    for (std::ptrdiff_t at = now < 0 ? (direction > 0 ? 0 : lanes - 1) : here + direction;
         at >= 0 && at < lanes; at += direction)
        if (const int lane = order[static_cast<std::size_t>(at)];
            isShown(lane) && selectInLane(lane, direction, {}))
            return;
}

/// What is next to the playhead: of phases, on the depth behind `from`; of others, on the first
/// track that has something.
bool Timeline::selectInLane(int lane, int direction, std::optional<std::size_t> from)
{
    const timeline_lane &to = m_lanes[static_cast<std::size_t>(lane)];
    std::optional<track_span> found;
    if (to.sort == lane_sort::values)
        found = valueAt(to, std::max<qint64>(m_state->playhead(), to.values.points().front().time));
    const bool upwards = to.sort == lane_sort::phases && direction < 0;
    for (std::size_t n = 0; n < to.tracks.size() && !found; ++n) {
        const std::size_t depth = upwards ? to.tracks.size() - 1 - n : n;
        if (!from || (upwards ? depth < *from : depth > *from))
            found = nearest(to.tracks[depth], m_state->playhead());
    }
    if (!found)
        return false;
    m_state->select(selectionOf(*found));
    if (m_state->playhead() < found->begin || m_state->playhead() > found->end)
        m_state->setPlayhead(found->begin);
    showSelection();
    return true;
}

void Timeline::keyPressEvent(QKeyEvent *event)
{
    const bool plain = event->modifiers() == Qt::NoModifier;
    if (plain && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        stepLane(event->key() == Qt::Key_Up ? -1 : 1);
    else
        QAbstractScrollArea::keyPressEvent(event);
}

/// Tab passes what lies behind another tab: nobody sees where the keyboard is then.
bool MainWindow::focusNextPrevChild(bool next)
{
    constexpr int mostParts = 200; // More than there are: a window that is hidden has none seen.
    for (int i = 0; i < mostParts; ++i) {
        if (!QMainWindow::focusNextPrevChild(next))
            return false;
        if (focusWidget() == nullptr || isSeen(focusWidget()))
            break;
    }
    return true;
}

/// The cursor is the selected handle.
void OwnershipMatrix::keyPressEvent(QKeyEvent *event)
{
    const int page = std::max(1, verticalScrollBar()->pageStep());
    const int step = event->key() == Qt::Key_Up         ? -1
                     : event->key() == Qt::Key_Down     ? 1
                     : event->key() == Qt::Key_PageUp   ? -page
                     : event->key() == Qt::Key_PageDown ? page
                                                        : 0;
    if (step == 0 || m_handles.empty()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const auto at = std::ranges::find(m_handles, m_state->selectedHandle());
    const int last = static_cast<int>(m_handles.size()) - 1;
    const int index = at == m_handles.end()
                          ? 0
                          : std::clamp(static_cast<int>(at - m_handles.begin()) + step, 0, last);
    m_state->select({Selection::Handle, m_handles[static_cast<std::size_t>(index)]});
    const int row = index % rowsPerBlock(), top = verticalScrollBar()->value();
    verticalScrollBar()->setValue(std::clamp(top, row - page + 1, row));
}

/// The cursor is a cell; Return does what a click does.
void CommMatrix::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    const int down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    if (m_ranks == 0 || event->modifiers() & ~Qt::KeypadModifier)
        return QWidget::keyPressEvent(event);
    if (key == Qt::Key_Return || key == Qt::Key_Enter)
        return activateCell();
    if (down == 0 && right == 0)
        return QWidget::keyPressEvent(event);
    const auto moved = [this](std::size_t from, int by) {
        return static_cast<std::size_t>(
            std::clamp(static_cast<int>(from) + by, 0, static_cast<int>(m_ranks) - 1));
    };
    if (m_cursor)
        setCursorCell(moved(m_cursor->first, down), moved(m_cursor->second, right));
    else
        setCursorCell(0, 0);
}

bool HandleHistory::event(QEvent *event)
{
    return takesArrows(event) || QWidget::event(event);
}

/// From change to change of the datum; Return selects it, where a task or a transfer of it is.
void HandleHistory::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    if (m_handle == none || event->modifiers() & ~Qt::KeypadModifier)
        QWidget::keyPressEvent(event);
    else if (key == Qt::Key_Left || key == Qt::Key_Right)
        stepChange(key == Qt::Key_Right ? 1 : -1);
    else if (key == Qt::Key_Return || key == Qt::Key_Enter)
        m_state->select({Selection::Handle, m_handle});
    else
        QWidget::keyPressEvent(event);
}
