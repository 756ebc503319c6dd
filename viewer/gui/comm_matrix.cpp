// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include "analysis/ask/most_moved.hpp"
#include "analysis/clock/time_errors.hpp"
#include "analysis/say/units.hpp"
#include "gui/arrow_keys.hpp"
#include "gui/letters.hpp"
#include "gui/ownership_looks.hpp"
#include "gui/say_range.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace deed::viewer;

CommMatrix::CommMatrix(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_ranks(static_cast<std::size_t>(state->model().ranks()))
{
    setAccessibleName(tr("Communication matrix"));
    m_cells.resize(m_ranks * m_ranks);
}

void CommMatrix::setRange(const std::optional<time_range> &range)
{
    m_range = range;
    m_isCounted = false;
    if (isVisible() && !visibleRegion().isEmpty())
        look();
}

/// In a long run there are many transfers: behind another panel they wait until somebody looks.
void CommMatrix::look()
{
    if (std::exchange(m_isCounted, true))
        return;
    count();
    update();
}

void CommMatrix::count()
{
    m_cells.assign(m_ranks * m_ranks, {});
    m_isEmpty = true;
    m_redundant = false;
    const run_part part(m_range);
    for (const transfer &x : m_state->model().transfers()) {
        const auto src = static_cast<std::size_t>(x.src), dst = static_cast<std::size_t>(x.dst);
        if (src >= m_ranks || dst >= m_ranks || x.never_took_place() ||
            !part.touches(x.begin(), x.end()))
            continue;
        Cell &c = m_cells[src * m_ranks + dst];
        c.bytes += x.bytes;
        ++c.messages;
        c.redundant += x.in_vain() ? x.bytes : 0;
        m_isEmpty &= x.bytes == 0;
        m_redundant |= c.redundant != 0;
        if (x.begin() == never || x.done_receive == never)
            continue;
        c.timedBytes += x.bytes;
        ++c.timed;
        c.time += static_cast<double>(std::max<qint64>(0, x.done_receive - x.on_the_wire()));
    }
    for (std::size_t i = 0; i < m_cells.size(); ++i)
        m_cells[i].timesTell =
            timesTell(static_cast<int>(i / m_ranks), static_cast<int>(i % m_ranks), m_cells[i]);
    findLimits();
}

/// Clocks may be further apart than what messages take.
bool CommMatrix::timesTell(int src, int dst, const Cell &of) const
{
    return of.timed != 0 &&
           m_state->model().clock_errors().tell(
               src, dst, static_cast<qint64>(of.time / static_cast<double>(of.timed)));
}

/// What a cell shows is no number.
bool CommMatrix::isUnknown(const Cell &of, Measure what)
{
    return of.timed != 0 && !of.timesTell &&
           (what == Measure::MeanTime || what == Measure::Bandwidth);
}

void CommMatrix::findLimits()
{
    m_least = m_most = 0;
    for (const Cell &each : m_cells)
        if (const double value = valueOf(each, m_measure); value > 0) {
            m_most = std::max(m_most, value);
            m_least = m_least == 0 ? value : std::min(m_least, value);
        }
}

QStringList CommMatrix::measureNames()
{
    return {tr("bytes"),     tr("messages"),  tr("mean size"),
            tr("mean time"), tr("bandwidth"), tr("redundant bytes")};
}

void CommMatrix::setMeasure(Measure what)
{
    m_measure = what;
    findLimits();
    update();
}

void CommMatrix::setLogarithmic(bool on)
{
    m_logarithmic = on;
    update();
}

/// 0 where there is none. Bandwidth is bytes per second.
double CommMatrix::valueOf(const Cell &of, Measure what) const
{
    if (isUnknown(of, what))
        return 0;
    const auto over = [](double sum, double by) { return by == 0 ? 0 : sum / by; };
    const auto bytes = static_cast<double>(of.bytes), messages = static_cast<double>(of.messages);
    switch (what) {
    case Measure::Bytes:
        return bytes;
    case Measure::Messages:
        return messages;
    case Measure::MeanSize:
        return over(bytes, messages);
    case Measure::MeanTime:
        return over(of.time, static_cast<double>(of.timed));
    case Measure::Bandwidth:
        return over(static_cast<double>(of.timedBytes) * 1e9, of.time);
    case Measure::Redundant:
        return static_cast<double>(of.redundant);
    }
    return 0;
}

QString CommMatrix::sayValue(const Cell &of, Measure what) const
{
    if (isUnknown(of, what))
        return tr("not known");
    const double value = valueOf(of, what);
    const auto whole = static_cast<quint64>(std::llround(value));
    switch (what) {
    case Measure::Messages:
        return QString::fromStdString(say_count(whole));
    case Measure::MeanTime:
        return QString::fromStdString(say_time(static_cast<qint64>(whole)));
    case Measure::Bandwidth:
        return tr("%1/s").arg(QString::fromStdString(say_bytes(whole)));
    default:
        return QString::fromStdString(say_bytes(whole));
    }
}

/// 0 .. 1, of the colour.
double CommMatrix::partOf(double value) const
{
    if (!m_logarithmic)
        return value / m_most;
    return m_most == m_least ? 1 : std::log(value / m_least) / std::log(m_most / m_least);
}

void CommMatrix::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

QRectF CommMatrix::cellRect(std::size_t src, std::size_t dst) const
{
    const double scale = letterScale(font()), left = 76 * scale, top = 44 * scale;
    const double ranks = static_cast<double>(std::max<std::size_t>(1, m_ranks));
    const double w = std::min(120.0 * scale, (width() - left - 12) / ranks),
                 h = std::min(46.0 * scale, (height() - top - 34) / ranks);
    return {left + static_cast<double>(dst) * w, top + static_cast<double>(src) * h, w - 1, h - 1};
}

QString CommMatrix::head() const
{
    if (m_isEmpty)
        return tr("no rank sent anything to another one");
    const QString what = m_measure == Measure::Bytes
                             ? tr("bytes sent")
                             : measureNames().at(static_cast<qsizetype>(m_measure));
    return tr("%1: rows send, columns receive").arg(what) +
           (m_logarithmic ? tr("; colours on a logarithmic scale") : QString());
}

void CommMatrix::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.base);
    painter.setPen(m_theme.dim);
    const double scale = letterScale(font());
    painter.drawText(QRectF(8, 2, width() - 16, 20 * scale), Qt::AlignVCenter,
                     m_range ? head() + QStringLiteral("; ") +
                                   QString::fromStdString(sayRange(*m_range))
                             : head());
    if (m_isEmpty)
        return;
    for (std::size_t i = 0; i < m_ranks; ++i) {
        const QRectF column = cellRect(0, i), row = cellRect(i, 0);
        painter.setPen(m_theme.text);
        if (column.width() > 22 || i % 8 == 0)
            painter.drawText(
                QRectF(column.left(), 24 * scale, std::max(column.width(), 24 * scale), 18 * scale),
                Qt::AlignCenter, column.width() > 60 ? tr("rank %1").arg(i) : QString::number(i));
        if (row.height() > 11 || i % 8 == 0)
            painter.drawText(QRectF(4, row.top(), 66 * scale, std::max(row.height(), 12 * scale)),
                             Qt::AlignVCenter | Qt::AlignRight, tr("rank %1").arg(i));
    }
    for (std::size_t src = 0; src < m_ranks; ++src)
        for (std::size_t dst = 0; dst < m_ranks; ++dst)
            paintCell(painter, src, dst);
    if (m_cursor && hasFocus()) {
        painter.setPen(QPen(m_theme.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cellRect(m_cursor->first, m_cursor->second).adjusted(1, 1, -1, -1));
    }
    if (!m_redundant)
        return;
    const double y = cellRect(m_ranks - 1, 0).bottom() + 10;
    painter.fillRect(QRectF(76 * scale, y + 5, 14, 4), m_theme.redundant);
    painter.setPen(m_theme.dim);
    painter.drawText(QPointF(76 * scale + 20, y + 11 * scale), tr("share of redundant bytes"));
}

void CommMatrix::paintCell(QPainter &painter, std::size_t src, std::size_t dst) const
{
    const Cell &c = cell(src, dst);
    const QRectF box = cellRect(src, dst);
    if (src == dst && c.messages == 0) { // As other matrices have it: there is no such thing.
        painter.setPen(m_theme.dim);
        painter.drawText(box, Qt::AlignCenter, QStringLiteral("-"));
        return;
    }
    const double value = valueOf(c, m_measure), scale = letterScale(font());
    const QColor colour = heatColour(m_theme, value != 0, partOf(value));
    painter.fillRect(box, colour);
    paintContrastEdge(painter, box, m_theme);
    if (c.redundant != 0) {
        const double share = static_cast<double>(c.redundant) / static_cast<double>(c.bytes);
        painter.fillRect(
            QRectF(box.left(), box.bottom() - 4, std::max(3.0, box.width() * share), 4),
            m_theme.redundant);
    }
    const bool isTime = m_measure == Measure::MeanTime && c.timed != 0; // Of nothing, too.
    if (value == 0 && !isTime && !isUnknown(c, m_measure))
        return;
    const QString text = sayValue(c, m_measure);
    const bool fits = box.width() >= 54 * scale && box.height() >= 14 * scale &&
                      painter.fontMetrics().horizontalAdvance(text) <= box.width() - 4;
    if (!fits && !isUnknown(c, m_measure))
        return;
    painter.setPen(Theme::textOn(colour));
    painter.drawText(box.adjusted(2, 0, -2, c.redundant ? -4 : 0), Qt::AlignCenter,
                     fits ? text : QStringLiteral("?"));
}

void CommMatrix::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    for (std::size_t src = 0; src < m_ranks; ++src)
        for (std::size_t dst = 0; dst < m_ranks; ++dst)
            if (cellRect(src, dst).contains(event->position())) {
                setCursorCell(src, dst);
                activateCell();
            }
}

void CommMatrix::setCursorCell(std::size_t src, std::size_t dst)
{
    m_cursor = {src, dst};
    setAccessibleDescription(sayCounts(src, dst)); // Which data they are takes a while.
    update();
}

void CommMatrix::activateCell()
{
    if (m_cursor && cell(m_cursor->first, m_cursor->second).messages != 0)
        emit cellActivated(static_cast<int>(m_cursor->first), static_cast<int>(m_cursor->second));
}

QString CommMatrix::sayCell(std::size_t src, std::size_t dst) const
{
    return sayCounts(src, dst) + sayMostMoved(src, dst);
}

QString CommMatrix::sayCounts(std::size_t src, std::size_t dst) const
{
    const Cell &c = cell(src, dst);
    if (src == dst && c.messages == 0)
        return tr("rank %1 to itself: there are no messages").arg(src);
    const QString said = tr("rank %1 to rank %2: %3 in %4, %5 redundant")
                             .arg(src)
                             .arg(dst)
                             .arg(sayValue(c, Measure::Bytes))
                             .arg(QString::fromStdString(say_some(c.messages, "message")))
                             .arg(sayValue(c, Measure::Redundant));
    const int from = static_cast<int>(src), to = static_cast<int>(dst);
    if (isUnknown(c, Measure::MeanTime))
        return said + tr("\neach has %1; %2: what it takes is not known")
                          .arg(sayValue(c, Measure::MeanSize),
                               QString::fromStdString(say_clocks_apart(
                                   from, to, m_state->model().clock_errors().between(from, to))));
    return c.time == 0
               ? said
               : said + tr("\neach has %1 and takes %2, which is %3")
                            .arg(sayValue(c, Measure::MeanSize), sayValue(c, Measure::MeanTime),
                                 sayValue(c, Measure::Bandwidth));
}

/// The data that are most of a cell.
QString CommMatrix::sayMostMoved(std::size_t src, std::size_t dst) const
{
    constexpr std::size_t few = 5;
    const model &m = m_state->model();
    const std::string moved = say_most_moved(
        m, most_moved(m, static_cast<int>(src), static_cast<int>(dst), few, run_part(m_range)));
    return moved.empty() ? QString() : tr("\nmost of all: %1").arg(QString::fromStdString(moved));
}

bool CommMatrix::event(QEvent *event)
{
    if (takesArrows(event))
        return true;
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    for (std::size_t src = 0; src < m_ranks; ++src)
        for (std::size_t dst = 0; dst < m_ranks; ++dst)
            if (cellRect(src, dst).contains(help->pos())) {
                QToolTip::showText(help->globalPos(), sayCell(src, dst), this);
                return true;
            }
    QToolTip::hideText();
    return true;
}
