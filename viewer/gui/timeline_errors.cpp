// SPDX-License-Identifier: MIT
#include "gui/inspect_failure.hpp"
#include "gui/timeline.hpp"

#include <QPainter>

#include <algorithm>

/// @file
/// What went wrong is seen at every zoom, and nothing lies over it.

using namespace deed::viewer;

namespace {

constexpr double narrowest = 5; // Pixels, of an error that takes no time.

} // namespace

/// What is narrower than it can be seen is widened, within the plot.
void Timeline::addError(const QRect &area, double begin, double end, Error like, OnTop &to) const
{
    const double wide = std::max(narrowest, end - begin);
    const double left = std::clamp((begin + end - wide) / 2, double(m_gutter),
                                   std::max<double>(m_gutter, viewport()->width() - wide));
    like.box = QRectF(left, area.top(), wide, area.height());
    to.errors.push_back(like);
}

/// Of a row of pixels those that have one.
void Timeline::addErrors(const QRect &area, const std::vector<track_pixel> &row, OnTop &to) const
{
    for (std::size_t x = 0; x < row.size(); ++x) {
        const auto kind = [&](std::size_t of) {
            return row[of].flags & flag_error ? flag_error : row[of].flags & flag_stop;
        };
        if (kind(x) == 0)
            continue;
        const std::size_t first = x;
        while (x < row.size() && kind(x) == kind(first))
            ++x;
        addError(area, area.left() + static_cast<double>(first),
                 area.left() + static_cast<double>(x), {.stop = kind(first) == flag_stop}, to);
        --x; // One of the other kind may be next.
    }
}

/// Of a folded rank, where its header alone is seen.
void Timeline::addErrorsOfFolded(int rank, const QRect &area, OnTop &to) const
{
    std::vector<track_pixel> row;
    for (const timeline_lane &lane : placed()) {
        if (lane.rank != rank || lane.sort != lane_sort::work)
            continue;
        for (const track &each : lane.tracks) {
            row.assign(static_cast<std::size_t>(area.width()), {});
            each.draw(m_state->begin(), m_state->end(), row);
            addErrors(area, row, to);
        }
    }
}

/// However many lie on each other: the frame is around the one that is selected. A folded rank has
/// that of all its lanes.
void Timeline::addChosenError(const Row &row, const QRect &area, OnTop &to) const
{
    const Selection now = m_state->selection();
    const run &all = m_state->model().events();
    if (now.kind != Selection::Event || !endsRun(all.events().what(now.index)))
        return;
    const auto chosen = all.events()[now.index];
    if (row.lane < 0 ? row.rank != all.lanes()[chosen.lane].rank : row.lane != laneOfSelection())
        return;
    const double x = xOf(row.rank, chosen.time);
    if (x >= m_gutter && x <= viewport()->width())
        addError(area, x, x,
                 {.chosen = true, .stop = all.events().what(now.index) == record::stop_run}, to);
}

/// Over the playhead, too: it is often just there, and goes on above and below.
void Timeline::paintErrors(QPainter &painter, const OnTop &of) const
{
    for (const Error &each : of.errors)
        painter.fillRect(each.box, each.stop ? m_theme.stop : m_theme.error);
    painter.setPen(QPen(m_theme.text, 2.5));
    painter.setBrush(Qt::NoBrush);
    for (const Error &each : of.errors)
        if (each.chosen)
            painter.drawRect(each.box.adjusted(-2, 0.5, 2, -0.5));
}
