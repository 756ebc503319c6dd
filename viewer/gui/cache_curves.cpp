// SPDX-License-Identifier: MIT
#include "gui/cache_curves.hpp"

#include "analysis/say/units.hpp"
#include "gui/letters.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace deed::viewer;

namespace {

constexpr int binWidth = 4; // Misses of so many pixels are one bar.
constexpr int sideRoom = 8, textApart = 4;
constexpr int legendRoom = 22, missHeight = 52, heldHeight = 34;

QString sayHeld(qint64 bytes)
{
    return QString::fromStdString(say_bytes(static_cast<std::uint64_t>(bytes)));
}

} // namespace

CacheCurves::CacheCurves(ViewState *state, CopiesOverTime *copies, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
    , m_copies(copies)
{
    setFrameShape(QFrame::NoFrame);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Copies over time"));
    const auto repaint = [this] { viewport()->update(); };
    connect(state, &ViewState::viewChanged, this, repaint);
    connect(state, &ViewState::playheadChanged, this, repaint);
}

void CacheCurves::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

int CacheCurves::scaled(int usual) const
{
    return static_cast<int>(usual * letterScale(font()));
}

/// Beside the longest that stands there.
int CacheCurves::plotLeft() const
{
    constexpr qint64 longOne = 999'900'000;
    return sideRoom + fontMetrics().horizontalAdvance(tr("up to %1").arg(sayHeld(longOne))) +
           2 * textApart;
}

QRect CacheCurves::plot() const
{
    return {plotLeft(), scaled(legendRoom),
            std::max(10, viewport()->width() - plotLeft() - sideRoom), scaled(missHeight)};
}

QRect CacheCurves::laneOf(int rank) const
{
    const QRect above = plot();
    return {above.left(),
            above.bottom() + 1 + rank * scaled(heldHeight) - verticalScrollBar()->value(),
            above.width(), scaled(heldHeight)};
}

void CacheCurves::updateScrollBar()
{
    const int room = viewport()->height() - plot().bottom() - 1;
    verticalScrollBar()->setRange(
        0, std::max(0, m_state->model().ranks() * scaled(heldHeight) - room));
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(scaled(heldHeight));
}

void CacheCurves::resizeEvent(QResizeEvent *event)
{
    updateScrollBar();
    QAbstractScrollArea::resizeEvent(event);
}

void CacheCurves::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateScrollBar();
}

/// Cold ones cannot be helped; the others are as far from that as colours are.
QColor CacheCurves::colourOf(std::size_t kind) const
{
    const std::array colours{m_theme.shared, m_theme.owner, m_theme.redundant, m_theme.error};
    return colours[kind];
}

CacheCurves::Counts CacheCurves::missesIn(qint64 from, qint64 to) const
{
    Counts found{};
    const miss_times &all = m_copies->misses();
    for (std::size_t kind = 0; kind < all.size(); ++kind)
        found[kind] =
            std::ranges::lower_bound(all[kind], to) - std::ranges::lower_bound(all[kind], from);
    return found;
}

/// The times of the bar at a pixel.
std::pair<qint64, qint64> CacheCurves::binAt(int x) const
{
    const int first = x / binWidth * binWidth;
    return {m_state->timeAt(first, plot().width()),
            m_state->timeAt(first + binWidth, plot().width())};
}

void CacheCurves::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.base);
    const qint64 most = mostInView();
    for (int rank = 0; rank < m_state->model().ranks(); ++rank)
        if (const QRect lane = laneOf(rank);
            lane.bottom() > plot().bottom() && lane.top() < viewport()->height())
            paintHeld(painter, rank, most);
    painter.fillRect(0, 0, viewport()->width(), plot().bottom() + 1, m_theme.base);
    paintMisses(painter);
    paintLegend(painter);
    const int x =
        plot().left() + static_cast<int>(m_state->xOf(m_state->playhead(), plot().width()));
    if (x < plot().left() || x > plot().right())
        return;
    painter.setPen(m_theme.playhead);
    painter.drawLine(x, plot().top(), x, viewport()->height());
}

void CacheCurves::paintLegend(QPainter &painter) const
{
    int x = plot().left();
    const int side = scaled(11);
    for (std::size_t kind = 0; kind < kinds_of_misses.size(); ++kind) {
        const QString text = QLatin1String(kinds_of_misses[kind]);
        painter.fillRect(x, (scaled(legendRoom) - side) / 2, side, side, colourOf(kind));
        painter.setPen(m_theme.dim);
        painter.drawText(QRect(x + side + 5, 0, viewport()->width(), scaled(legendRoom)),
                         Qt::AlignVCenter, text);
        x += side + 19 + painter.fontMetrics().horizontalAdvance(text);
    }
}

void CacheCurves::paintMisses(QPainter &painter) const
{
    const QRect area = plot();
    const int bars = (area.width() + binWidth - 1) / binWidth;
    std::vector<Counts> counts;
    qint64 most = 1;
    for (int bar = 0; bar < bars; ++bar) {
        const auto [from, to] = binAt(bar * binWidth);
        counts.push_back(missesIn(from, to));
        most = std::max(most, std::reduce(counts.back().begin(), counts.back().end()));
    }
    for (int bar = 0; bar < bars; ++bar) {
        double bottom = area.bottom();
        for (std::size_t kind = 0; kind < kinds_of_misses.size(); ++kind) {
            const qint64 count = counts[static_cast<std::size_t>(bar)][kind];
            if (count == 0)
                continue;
            const double high = std::max(1.0, double(count) / double(most) * (area.height() - 6));
            painter.fillRect(
                QRectF(area.left() + bar * binWidth, bottom - high, binWidth - 1, high),
                colourOf(kind));
            bottom -= high;
        }
    }
    painter.setPen(m_theme.text);
    const QRect name(sideRoom, area.top(), area.left() - sideRoom - textApart, area.height() / 2);
    painter.drawText(name, Qt::AlignBottom, tr("misses"));
    painter.setPen(m_theme.dim);
    painter.drawText(
        name.translated(0, area.height() / 2), Qt::AlignTop,
        tr("up to %1").arg(QString::fromStdString(say_count(static_cast<std::uint64_t>(most)))));
    painter.setPen(m_theme.grid);
    painter.drawLine(0, area.bottom(), viewport()->width(), area.bottom());
}

/// In the time that is in view; 0 where nothing is known.
qint64 CacheCurves::heldInView(int rank) const
{
    std::array<value_range, 1> all;
    m_copies->held()[static_cast<std::size_t>(rank)].draw(m_state->begin(), m_state->end(), all);
    return all.front().empty() ? 0 : all.front().most;
}

qint64 CacheCurves::mostInView() const
{
    qint64 most = 1;
    for (int rank = 0; rank < static_cast<int>(m_copies->held().size()); ++rank)
        most = std::max(most, heldInView(rank));
    return most;
}

/// All on one scale, so that ranks can be compared.
void CacheCurves::paintHeld(QPainter &painter, int rank, qint64 most) const
{
    const QRect area = laneOf(rank);
    if (m_copies->held().empty()) {
        painter.setPen(m_theme.dim);
        return painter.drawText(area.adjusted(4, 0, 0, 0), Qt::AlignVCenter,
                                rank == 0 ? tr("what copies took is behind the link") : QString());
    }
    const curve &mine = m_copies->held()[static_cast<std::size_t>(rank)];
    std::vector<value_range> row(static_cast<std::size_t>(area.width()));
    mine.draw(m_state->begin(), m_state->end(), row);
    const auto yOf = [&](qint64 bytes) {
        return area.bottom() - 2 -
               static_cast<int>(static_cast<double>(bytes) / static_cast<double>(most) *
                                (area.height() - 6));
    };
    QColor wash = m_theme.accent;
    wash.setAlpha(m_theme.dark ? 90 : 60);
    for (std::size_t x = 0; x < row.size(); ++x) {
        if (row[x].empty())
            continue;
        const int at = area.left() + static_cast<int>(x);
        const int top = yOf(row[x].most), bottom = yOf(row[x].least);
        painter.fillRect(at, top, 1, area.bottom() - 1 - top, wash);
        painter.fillRect(at, top, 1, bottom - top + 1, m_theme.accent);
    }
    painter.setPen(m_theme.text);
    const QRect name(sideRoom, area.top(), area.left() - sideRoom - textApart, area.height() / 2);
    painter.drawText(name, Qt::AlignVCenter, tr("rank %1").arg(rank));
    painter.setPen(m_theme.dim);
    painter.drawText(name.translated(0, area.height() / 2), Qt::AlignVCenter,
                     tr("up to %1").arg(sayHeld(heldInView(rank))));
    painter.setPen(m_theme.grid);
    painter.drawLine(0, area.bottom(), viewport()->width(), area.bottom());
}

void CacheCurves::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && event->position().x() >= plot().left())
        m_state->setPlayhead(
            m_state->timeAt(event->position().x() - plot().left(), plot().width()));
}

QString CacheCurves::sayAt(const QPoint &at) const
{
    const int x = at.x() - plot().left();
    if (x < 0 || x >= plot().width())
        return {};
    const qint64 time = m_state->timeAt(x, plot().width());
    const QString when = QString::fromStdString(say_time(time));
    if (at.y() <= plot().bottom()) {
        const auto [from, to] = binAt(x);
        QString said =
            tr("misses from %1 to %2:")
                .arg(QString::fromStdString(say_time(from)), QString::fromStdString(say_time(to)));
        const Counts counts = missesIn(from, to);
        for (std::size_t kind = 0; kind < counts.size(); ++kind)
            said += QStringLiteral("\n%1 %2")
                        .arg(counts[kind])
                        .arg(QLatin1String(kinds_of_misses[kind]));
        return said;
    }
    for (int rank = 0; rank < static_cast<int>(m_copies->held().size()); ++rank) {
        const curve &mine = m_copies->held()[static_cast<std::size_t>(rank)];
        const auto point = mine.at(time);
        if (laneOf(rank).contains(at) && point)
            return tr("rank %1 at %2: %3 in copies of other ranks' data")
                .arg(rank)
                .arg(when, sayHeld(mine.points()[*point].value));
    }
    return {};
}

bool CacheCurves::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QToolTip::showText(help->globalPos(), sayAt(help->pos()), viewport());
    return true;
}
