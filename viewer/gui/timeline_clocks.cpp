// SPDX-License-Identifier: MIT
#include "analysis/clock/time_errors.hpp"
#include "gui/timeline.hpp"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

/// @file
/// How far clocks may be apart: beside each rank, at the ends of the transfers that are selected,
/// and at the playhead.

using namespace deed::viewer;

namespace {

constexpr double leastError = 2; // Pixels to each side: less is not seen.
constexpr int high = 2, cap = 7;

} // namespace

QString Timeline::sayTimeError() const
{
    return QString::fromStdString(say_time_error(m_state->model().clock_errors().worst()));
}

QString Timeline::sayTimeErrorOf(int rank) const
{
    return QString::fromStdString(say_time_error(m_state->model().clock_errors().of(rank)));
}

/// With fewer digits it is rather more than less, as it is a bound. A tooltip has the whole.
QString Timeline::sayTimeErrorIn(int rank, int room) const
{
    const QString whole = sayTimeErrorOf(rank), unit = whole.section(QLatin1Char(' '), 1);
    const double number = whole.section(QLatin1Char(' '), 0, 0).mid(1).toDouble();
    QStringList said{whole};
    if (number > 0)
        said += {QStringLiteral("±%1 %2").arg(std::ceil(10 * number) / 10, 0, 'f', 1).arg(unit),
                 QStringLiteral("±%1 %2").arg(std::ceil(number), 0, 'f', 0).arg(unit)};
    const QFontMetrics metrics = viewport()->fontMetrics();
    const auto fits = [&](const QString &text) { return metrics.horizontalAdvance(text) <= room; };
    const auto first = std::ranges::find_if(said, fits);
    return first == said.end() ? QString() : *first;
}

/// From where to where a moment of a rank may be, on a clock that all ranks read; -1: of any rank.
void Timeline::paintTimeError(QPainter &painter, int rank, const QPointF &at, qint64 time,
                              const QColor &colour) const
{
    const time_errors &errors = m_state->model().clock_errors();
    const std::int64_t error = rank < 0 ? errors.worst() : errors.of(rank);
    if (error == 0 || error == never)
        return;
    const double left = std::max(xOf(rank, time - error), m_gutter - double(cap)),
                 right = std::min(xOf(rank, time + error), viewport()->width() + double(cap));
    if (right - left < 2 * leastError)
        return;
    const int from = qRound(left), to = qRound(right), y = qRound(at.y());
    painter.fillRect(from, y - high / 2, to - from, high, colour);
    for (const int end : {from, to - high})
        painter.fillRect(end, y - cap / 2, high, cap, colour);
}

void Timeline::paintTimeErrors(QPainter &painter, const transfer &x) const
{
    const QColor colour = x.in_vain() ? m_theme.redundant : m_theme.accent;
    const qint64 sent = leftAt(x), come = arrivedAt(x);
    if (isShownRank(x.src))
        paintTimeError(painter, x.src, anchor(x.src, true, sent), sent, colour);
    if (isShownRank(x.dst) && x.end() != never)
        paintTimeError(painter, x.dst, anchor(x.dst, false, come), come, colour);
}
