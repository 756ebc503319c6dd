// SPDX-License-Identifier: MIT
#include "gui/ticks.hpp"
#include "gui/timeline.hpp"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <iterator>

/// @file
/// The ruler, and where on it times are. By iteration the time of one place is another on each
/// rank: the ruler has the time of none of them, and what stands for one moment bends from rank to
/// rank.

using namespace deed::viewer;

namespace {

constexpr int tickDistance = 110; // Pixels.

} // namespace

qint64 tickStep(double nanosecondsPerPixel, int pixels)
{
    const double wanted = std::max(1.0, nanosecondsPerPixel * pixels);
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (power * factor >= wanted)
            return static_cast<qint64>(power * factor);
    return static_cast<qint64>(power * 10);
}

QString tickText(qint64 time, qint64 step, qint64 last)
{
    const double unit = last >= 1'000'000'000 ? 1e9
                        : last >= 1'000'000   ? 1e6
                        : last >= 1'000       ? 1e3
                                              : 1;
    const char *const name = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : unit == 1e3 ? "us" : "ns";
    int digits = 0;
    for (double apart = static_cast<double>(step); apart < unit; apart *= 10)
        ++digits;
    return QString::number(static_cast<double>(time) / unit, 'f', digits) + QLatin1Char(' ') +
           QLatin1String(name);
}

/// -1: on the ruler.
double Timeline::xOf(int rank, qint64 time) const
{
    return m_gutter + m_state->xOf(m_state->placeOf(rank, time), plotWidth());
}

/// Of the rank whose row is there.
qint64 Timeline::timeAt(const QPoint &at) const
{
    const Row *const row = rowAt(at.y());
    return m_state->timeAtPlace(row == nullptr ? -1 : row->rank,
                                m_state->timeAt(at.x() - m_gutter, plotWidth()));
}

void Timeline::takeAxis()
{
    const iteration_axis *const axis = m_state->axis();
    m_placed = axis == nullptr ? std::vector<timeline_lane>() : on_axis(m_lanes, *axis);
    forgetPath();
}

/// From the top; the last one reaches down to the end of the window.
std::vector<Timeline::RankBlock> Timeline::rankBlocks() const
{
    std::vector<RankBlock> blocks;
    const auto add = [&](const Row &row, int least) {
        const int top = std::max(least, yOf(row));
        const int bottom = std::min(viewport()->height(), yOf(row) + row.height);
        if (bottom <= top)
            return;
        if (!blocks.empty() && blocks.back().rank == row.rank)
            blocks.back().bottom = bottom;
        else
            blocks.push_back({row.rank, top, bottom});
    };
    for (const Row &row : m_pinnedRows)
        add(row, m_ruler);
    for (const Row &row : m_rows)
        add(row, m_ruler + m_pinnedHeight);
    if (!blocks.empty())
        blocks.back().bottom = viewport()->height();
    return blocks;
}

/// The part that is selected; none if none is.
std::vector<QRectF> Timeline::rangeBoxes() const
{
    const auto chosen = range();
    if (!chosen)
        return {};
    const auto box = [&](int rank, int top, int bottom) {
        const double x0 = xOf(rank, chosen->first), x1 = xOf(rank, chosen->second);
        return QRectF(x0, top, x1 - x0, bottom - top);
    };
    if (m_state->axis() == nullptr)
        return {box(-1, m_ruler, m_ruler + viewport()->height())};
    std::vector<QRectF> boxes;
    for (const RankBlock &each : rankBlocks())
        boxes.push_back(box(each.rank, each.top, each.bottom));
    return boxes;
}

void Timeline::paintBentLine(QPainter &painter, qint64 time) const
{
    QPolygonF line{QPointF(xOf(-1, time), m_ruler - 1)};
    for (const RankBlock &each : rankBlocks()) {
        const double x = xOf(each.rank, time);
        line << QPointF(x, each.top) << QPointF(x, each.bottom);
    }
    painter.save();
    painter.setClipRect(m_gutter, 0, viewport()->width() - m_gutter, viewport()->height());
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    painter.restore();
}

void Timeline::paintPlayhead(QPainter &painter) const
{
    const double x = xOf(-1, m_state->playhead());
    paintTimeError(painter, -1, QPointF(x, m_ruler - 4.0), m_state->playhead(), m_theme.playhead);
    painter.setPen(QPen(m_theme.playhead, 1));
    if (m_state->axis() != nullptr)
        paintBentLine(painter, m_state->playhead());
    if (x < m_gutter || x > viewport()->width())
        return;
    if (m_state->axis() == nullptr)
        painter.drawLine(QPointF(x, m_ruler - 1), QPointF(x, viewport()->height()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.playhead);
    // Below the times of the ruler, as high as its ticks.
    painter.drawPolygon(
        QPolygonF({{x - 6, m_ruler - 8.0}, {x + 6, m_ruler - 8.0}, {x, m_ruler + 1.0}}));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

std::vector<Timeline::Tick> Timeline::ticks() const
{
    if (const iteration_axis *const axis = m_state->axis())
        return iterationTicks(*axis);
    const double perPixel = static_cast<double>(m_state->end() - m_state->begin()) / plotWidth();
    const qint64 step = tickStep(perPixel, tickDistance);
    std::vector<Tick> all;
    for (qint64 t = (m_state->begin() / step - 1) * step; t <= m_state->end(); t += step)
        all.push_back({static_cast<int>(m_state->xOf(t, plotWidth())) + m_gutter,
                       tickText(t, step, m_state->end())});
    return all;
}

/// Where iterations begin, of many each fifth or hundredth; of few how long ago that was, too.
std::vector<Timeline::Tick> Timeline::iterationTicks(const iteration_axis &axis) const
{
    const auto &all = axis.iterations();
    const auto nameOf = [&](const iteration_axis::iteration &of) {
        return QStringLiteral("%1 %2").arg(QString::fromStdString(axis.name())).arg(of.index);
    };
    const double perPixel = static_cast<double>(m_state->end() - m_state->begin()) / plotWidth();
    const double each = static_cast<double>(axis.end() - all.front().begin) / perPixel /
                        static_cast<double>(all.size());
    const int room = viewport()->fontMetrics().horizontalAdvance(nameOf(all.back())) + 16;
    const qint64 stride = each >= room ? 1 : tickStep(1 / std::max(each, 1e-9), room);
    const auto x = [&](qint64 place) { return static_cast<int>(xOf(-1, place)); };
    std::vector<Tick> ticks;
    int until = 0; // By labels.
    const auto place = [](const iteration_axis::iteration &of) { return of.begin; };
    auto at = std::ranges::upper_bound(all, m_state->begin(), {}, place);
    at -= std::min<std::ptrdiff_t>(at - all.begin(), 1); // What began before the view.
    for (; at != all.end() && at->begin <= m_state->end(); ++at) {
        if ((at - all.begin()) % stride != 0)
            continue;
        const bool hasRoom = x(at->begin) >= until;
        ticks.push_back({x(at->begin), hasRoom ? nameOf(*at) : QString()});
        until = hasRoom ? x(at->begin) + room : until;
        const qint64 end = std::next(at) == all.end() ? axis.end() : std::next(at)->begin;
        if (stride == 1)
            addTicksWithin(at->begin, end, until, ticks);
    }
    if (at == all.end() && axis.end() <= m_state->end())
        ticks.push_back({x(axis.end()), x(axis.end()) >= until ? tr("end") : QString()});
    return ticks;
}

/// In an iteration that is wide enough, how long ago it began; from some pixel on.
void Timeline::addTicksWithin(qint64 begin, qint64 end, int from, std::vector<Tick> &to) const
{
    const double perPixel = static_cast<double>(m_state->end() - m_state->begin()) / plotWidth();
    const qint64 step = tickStep(perPixel, tickDistance);
    const qint64 last = std::min(m_state->end(), end - step / 2);
    const qint64 hidden = std::max<qint64>(0, m_state->begin() - begin) / step;
    for (qint64 t = begin + std::max<qint64>(1, hidden) * step; t <= last; t += step)
        if (const auto x = static_cast<int>(xOf(-1, t)); x >= from)
            to.push_back({x, QLatin1Char('+') + tickText(t - begin, step, end - begin)});
}

void Timeline::paintRuler(QPainter &painter) const
{
    painter.fillRect(0, 0, viewport()->width(), m_ruler, m_theme.panel);
    painter.setPen(m_theme.grid);
    painter.drawLine(0, m_ruler - 1, viewport()->width(), m_ruler - 1);
    for (const Tick &each : ticks()) {
        if (each.x < m_gutter)
            continue;
        painter.setPen(m_theme.dim);
        painter.drawLine(each.x, m_ruler - 7, each.x, m_ruler - 1);
        if (each.x + 8 + painter.fontMetrics().horizontalAdvance(each.text) < viewport()->width())
            painter.drawText(each.x + 4, m_ruler - 9, each.text);
    }
    painter.fillRect(0, 0, m_gutter, m_ruler - 1, m_theme.panel);
    painter.setPen(m_theme.dim);
    const QRect room(8, 0, m_gutter - 10, m_ruler);
    const QString whole = sayLanes(true);
    const bool fits = painter.fontMetrics().horizontalAdvance(whole) <= room.width();
    painter.drawText(room, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(fits ? whole : sayLanes(false),
                                                      Qt::ElideRight, room.width()));
}

/// "3 of 4 ranks, by step"; of by what, the times of the ruler tell, too.
QString Timeline::sayLanes(bool byWhat) const
{
    const QString lanes =
        m_shownRanks.isEmpty()
            ? tr("Lanes")
            : tr("%1 of %2 ranks").arg(m_shownRanks.size()).arg(m_state->model().ranks());
    return m_state->axis() == nullptr || !byWhat
               ? lanes
               : tr("%1, by %2").arg(lanes, QString::fromStdString(m_state->axis()->name()));
}
