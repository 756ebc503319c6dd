// SPDX-License-Identifier: MIT
#include "gui/timeline.hpp"

#include <QPainter>
#include <QPolygonF>
#include <QScrollBar>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

/// @file
/// The critical path lies over all that the lanes show: a line along the foot of each lane, dashed
/// where nothing is done, and curves from lane to lane. Where steps are too many for lines, columns
/// beside the name of each rank say how much of the time the path was there, and in what.

using namespace deed::viewer;

namespace {

constexpr double leastLine = 6; // Pixels: what is shorter, as those beside it, is in a column.
constexpr double leastSeen = 2;
constexpr int columnWidth = 4;
constexpr double pathWidth = 4, aroundPath = 1; // In the colour of the ground: on dark bars, too.

/// The first lane of each rank that is of a kind.
std::map<int, std::uint32_t> firstLanes(const run &of, bool (lane::*is)() const)
{
    std::map<int, std::uint32_t> found;
    for (std::uint32_t i = 0; i < of.lanes().size(); ++i)
        if ((of.lanes()[i].*is)())
            found.try_emplace(of.lanes()[i].rank, i);
    return found;
}

} // namespace

/// Of a step, on which lane it was.
void Timeline::setPath(const std::vector<path_step> &steps)
{
    m_path.clear();
    forgetPath();
    if (steps.empty()) // As where the window ends: there may be no run any more.
        return viewport()->update();
    const model &m = m_state->model();
    const auto programs = firstLanes(m.events(), &lane::is_program),
               messages = firstLanes(m.events(), &lane::is_progress);
    for (const path_step &each : steps) {
        PathPart part{each.begin, each.end};
        const bool moves = each.transfer != none;
        const bool ofProgram = each.kind == "submission" || each.kind == "not started yet" ||
                               each.kind == "wait" || each.kind == "borrow" ||
                               each.kind == "comparing clocks";
        part.does = each.kind == "compute" || each.kind == "submission" ? PathPart::Work
                    : each.kind == "network" || each.kind == "copy"     ? PathPart::Move
                                                                        : PathPart::Nothing;
        part.rank = moves                            ? m.transfers()[each.transfer].dst
                    : ofProgram && each.program >= 0 ? each.program
                                                     : m.tasks()[each.task].rank;
        if (each.kind == "network")
            part.from = m.transfers()[each.transfer].src;
        if (each.kind == "copy")
            part.lane = m.events().events()[each.copy].lane; // Of its device.
        else if (!moves && !ofProgram)
            part.lane = m.tasks()[each.task].lane;
        if (part.lane == none) {
            const auto &lanes = moves ? messages : programs;
            if (const auto found = lanes.find(part.rank); found != lanes.end())
                part.lane = found->second;
        }
        m_path.push_back(part);
    }
    viewport()->update();
}

/// Of a long run it takes longer than all else that is painted, and most paints are of the view of
/// the one before, as of a playhead that moves.
void Timeline::drawPath()
{
    const PathView now{m_state->begin(), m_state->end(), viewport()->size(),
                       verticalScrollBar()->value()};
    if (m_pathView == now)
        return;
    m_pathPicture = pathOn(m_rows);
    m_pathOfPinned = pathOn(m_pinnedRows);
    m_pathView = now;
}

/// It points to rows.
void Timeline::forgetPath()
{
    m_pathView.reset();
    m_pathPicture = {};
    m_pathOfPinned = {};
}

/// Of the rows that are given: the lines, and how much of each column is spent on which row.
Timeline::PathPicture Timeline::pathOn(const QList<Row> &rows) const
{
    PathPicture drawn;
    if (rows.isEmpty()) // Mostly none is pinned, and of a long run the steps are many.
        return drawn;
    const time_range view = m_state->timesInView();
    const auto first = std::ranges::upper_bound(m_path, view.from, {}, &PathPart::end);
    if (first == m_path.end() || first->begin > view.to)
        return drawn;
    std::map<std::uint32_t, const Row *> lanes;
    std::map<int, const Row *> headers; // Of a rank that is folded, or has no such lane.
    for (const Row &row : rows) {
        if (row.lane >= 0 && m_lanes[static_cast<std::size_t>(row.lane)].sort == lane_sort::work)
            lanes.emplace(m_lanes[static_cast<std::size_t>(row.lane)].lane, &row);
        else if (row.lane < 0 && !row.values)
            headers.emplace(row.rank, &row);
    }
    const auto isLong = [&](const PathPart &of) {
        return static_cast<double>(of.end - of.begin) * plotWidth() >=
               leastLine * static_cast<double>(m_state->end() - m_state->begin());
    };
    std::optional<QPointF> last;
    for (auto part = first; part != m_path.end() && part->begin <= view.to; ++part) {
        const auto lane = lanes.find(part->lane);
        const auto header = headers.find(part->rank);
        const Row *const row = lane != lanes.end()       ? lane->second
                               : header != headers.end() ? header->second
                                                         : nullptr;
        const double x0 = xOf(part->rank, part->begin), x1 = xOf(part->rank, part->end);
        const bool single = isLong(*part) || (part != m_path.begin() && isLong(part[-1])) ||
                            (part + 1 != m_path.end() && isLong(part[1]));
        if (row == nullptr) // Of rows that are pinned, most of it is elsewhere.
            last.reset();
        else if (single)
            last = addLine(drawn, *row, *part, {x0, x1}, last);
        else
            addToColumns(drawn, header != headers.end() ? *header->second : *row, *part, x0, x1);
    }
    return drawn;
}

/// And what joins it with the end of the line before. Says where it ends.
QPointF Timeline::addLine(PathPicture &to, const Row &row, const PathPart &part,
                          std::pair<double, double> between, std::optional<QPointF> last) const
{
    const bool moves = part.from >= 0 && !row.pinned;
    const double foot = yOf(row) + row.height - pathWidth / 2;
    const QPointF begin =
                      moves ? anchor(part.from, true, part.begin) : QPointF(between.first, foot),
                  end = moves ? anchor(part.rank, false, part.end) : QPointF(between.second, foot);
    if (last && !row.pinned && std::abs(last->x() - begin.x()) < leastLine) {
        to.links.moveTo(*last);
        to.links.lineTo(begin);
    }
    if (moves) {
        const double bend = std::clamp(std::abs(end.x() - begin.x()) / 2, 6.0, 60.0);
        to.links.moveTo(begin);
        to.links.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
        to.heads.append(end);
    } else {
        const double margin = 2 * pathWidth; // What is far outside is not drawn.
        QPainterPath &along = part.does == PathPart::Nothing ? to.idle : to.along;
        along.moveTo(std::max(begin.x(), m_gutter - margin), foot);
        along.lineTo(
            std::min(std::max(end.x(), begin.x() + leastSeen), viewport()->width() + margin), foot);
    }
    return end;
}

void Timeline::addToColumns(PathPicture &to, const Row &row, const PathPart &part, double x0,
                            double x1) const
{
    std::vector<PathColumn> &shares = to.columns[&row];
    shares.resize(static_cast<std::size_t>(plotWidth()) / columnWidth + 1);
    const double from = std::max(0.0, (x0 - m_gutter) / columnWidth),
                 until = std::min((x1 - m_gutter) / columnWidth, double(shares.size()));
    for (auto at = static_cast<std::size_t>(from); static_cast<double>(at) < until; ++at) {
        const double covered = std::min(until, double(at + 1)) - std::max(from, double(at));
        shares[at][part.does] += covered;
    }
}

/// Below names, which are read there, too.
void Timeline::paintPathLinks(QPainter &painter, const PathPicture &path) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.base, pathWidth - 1 + 2 * aroundPath));
    painter.drawPath(path.links);
    painter.setPen(QPen(m_theme.text, pathWidth - 1));
    painter.drawPath(path.links);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.text);
    for (const QPointF &at : path.heads)
        painter.drawPolygon(QPolygonF({at, at + QPointF(-8, -4), at + QPointF(-8, 4)}));
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// What was done stands below what was waited for. A folded rank shows its work above.
void Timeline::paintPathColumns(QPainter &painter, const PathPicture &path) const
{
    const std::array colours{m_theme.text, m_theme.send, m_theme.wait};
    for (const auto &[row, columns] : path.columns) {
        const bool whole = row->lane < 0 && !m_collapsed.contains(row->rank);
        const int high = whole ? row->height - 4 : row->height / 2;
        const int bottom = yOf(*row) + row->height - 2;
        if (bottom < m_ruler || bottom - high > height())
            continue;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const int x = m_gutter + static_cast<int>(i) * columnWidth;
            double upTo = 0;
            int below = 0; // What is drawn.
            for (std::size_t does = 0; does < colours.size(); ++does) {
                upTo += columns[i][does];
                const int top = std::max(upTo > 0 ? 1 : 0, qRound(high * std::min(1.0, upTo)));
                painter.fillRect(x, bottom - top, columnWidth, top - below, colours[does]);
                below = top;
            }
        }
    }
}

void Timeline::paintPathAlong(QPainter &painter, const PathPicture &path) const
{
    QPen around(m_theme.base, pathWidth + 2 * aroundPath, Qt::SolidLine, Qt::FlatCap);
    painter.setPen(around);
    painter.drawPath(path.along);
    painter.drawPath(path.idle);
    QPen line(m_theme.text, pathWidth, Qt::SolidLine, Qt::FlatCap);
    painter.setPen(line);
    painter.drawPath(path.along);
    line.setDashPattern({1.5, 1});
    painter.setPen(line);
    painter.drawPath(path.idle);
}

QString Timeline::sayPathColumns(int rank) const
{
    return tr("how much of the critical path is on rank %1, where its steps are too many to be "
              "drawn each\nfrom below: work, messages and copies, waits")
        .arg(rank);
}
