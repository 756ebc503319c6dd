// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include "analysis/say/units.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

using namespace deed::viewer;

namespace {

constexpr int nameWidth = 96;
constexpr int rowHeight = 19;
constexpr int headHeight = 22;
constexpr int legendHeight = 24;

struct Look {
    QColor colour;
    char letter;
    const char *word;
};

Look lookOf(const Theme &theme, copy_kind kind)
{
    switch (kind) {
    case copy_kind::owner:
        return {theme.owner, 'O', "owner"};
    case copy_kind::shared:
        return {theme.shared, 'S', "valid copy"};
    case copy_kind::pending:
        return {theme.pending, 'P', "on its way"};
    case copy_kind::stale:
        return {theme.stale, 'x', "stale"};
    case copy_kind::absent:
        break;
    }
    return {theme.base, '.', "none"};
}

} // namespace

OwnershipMatrix::OwnershipMatrix(ViewState *state, QWidget *parent)
    : QAbstractScrollArea(parent), m_state(state)
{
    setFrameShape(QFrame::NoFrame);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Ownership matrix"));
    const model &m = state->model();
    for (std::uint32_t h = 0; h < m.data().size(); ++h)
        if (m.data()[h].known)
            m_handles.push_back(h);
    std::stable_sort(m_handles.begin(), m_handles.end(), [&](auto a, auto b) {
        const auto size = [&](std::uint32_t h) { return m.transfers_of(h).size(); };
        return size(a) > size(b);
    });
    const auto repaint = [this] { viewport()->update(); };
    connect(state, &ViewState::playheadChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, repaint);
}

void OwnershipMatrix::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

int OwnershipMatrix::cellWidth() const
{
    return std::clamp((viewport()->width() - nameWidth - 8) / std::max(1, m_state->model().ranks()), 5, 64);
}

void OwnershipMatrix::updateScrollBars()
{
    const int page = std::max(1, (viewport()->height() - headHeight - legendHeight) / rowHeight);
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(m_handles.size()) - page));
    verticalScrollBar()->setPageStep(page);
    const int wide = m_state->model().ranks() * cellWidth() + nameWidth - viewport()->width();
    horizontalScrollBar()->setRange(0, std::max(0, wide));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

void OwnershipMatrix::resizeEvent(QResizeEvent *event)
{
    updateScrollBars();
    QAbstractScrollArea::resizeEvent(event);
}

void OwnershipMatrix::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.base);
    const model &m = m_state->model();
    const int width = cellWidth(), left = nameWidth - horizontalScrollBar()->value();
    const int bottom = viewport()->height() - legendHeight;
    painter.setClipRect(0, 0, viewport()->width(), bottom);
    painter.fillRect(0, 0, viewport()->width(), headHeight, m_theme.panel);
    painter.setPen(m_theme.dim);
    const int labelEvery = std::max(1, (26 + width - 1) / width);
    for (int rank = 0; rank < m.ranks(); rank += labelEvery)
        painter.drawText(QRect(left + rank * width, 0, std::max(width, 26), headHeight), Qt::AlignVCenter | (width >= 26 ? Qt::AlignHCenter : Qt::AlignLeft), QString::number(rank));

    const std::uint32_t selected = m_state->selectedHandle();
    int y = headHeight;
    QFont mono = font();
    for (std::size_t row = static_cast<std::size_t>(verticalScrollBar()->value()); row < m_handles.size() && y < bottom; ++row, y += rowHeight) {
        const std::uint32_t handle = m_handles[row];
        const datum_state state = state_at(m, handle, m_state->playhead());
        for (int rank = 0; rank < m.ranks(); ++rank) {
            const copy_at &copy = state.copies[static_cast<std::size_t>(rank)];
            const Look look = lookOf(m_theme, copy.kind);
            const QRect cell(left + rank * width, y, width - 1, rowHeight - 1);
            painter.fillRect(cell, look.colour);
            if (copy.kind == copy_kind::absent) {
                painter.setPen(m_theme.grid);
                painter.drawPoint(cell.center());
                continue;
            }
            if (width < 12)
                continue;
            painter.setPen(Theme::textOn(look.colour));
            const QString text = width >= 34 ? QStringLiteral("%1 v%2").arg(QLatin1Char(look.letter)).arg(copy.version)
                                             : QString(QLatin1Char(look.letter));
            painter.drawText(cell, Qt::AlignCenter, text);
        }
        painter.fillRect(0, y, nameWidth, rowHeight, handle == selected ? m_theme.accent : m_theme.panel);
        painter.setPen(handle == selected ? Theme::textOn(m_theme.accent) : m_theme.text);
        painter.drawText(QRect(8, y, nameWidth - 10, rowHeight), Qt::AlignVCenter, QString::fromStdString(m.handle_name(handle)));
        if (handle == selected) {
            painter.setPen(QPen(m_theme.accent, 2));
            painter.drawRect(1, y, left + m.ranks() * width - 2, rowHeight - 1);
        }
    }
    painter.fillRect(0, 0, nameWidth, headHeight, m_theme.panel);
    painter.setPen(m_theme.dim);
    painter.drawText(QRect(8, 0, nameWidth - 10, headHeight), Qt::AlignVCenter, tr("handle \\ rank"));

    painter.setClipping(false);
    painter.fillRect(0, bottom, viewport()->width(), legendHeight, m_theme.panel);
    int x = 8;
    for (const copy_kind kind : {copy_kind::owner, copy_kind::shared, copy_kind::pending, copy_kind::stale}) {
        const Look look = lookOf(m_theme, kind);
        painter.fillRect(x, bottom + 4, 16, 16, look.colour);
        painter.setPen(Theme::textOn(look.colour));
        painter.drawText(QRect(x, bottom + 4, 16, 16), Qt::AlignCenter, QString(QLatin1Char(look.letter)));
        painter.setPen(m_theme.dim);
        const QString word = QLatin1String(look.word);
        painter.drawText(x + 21, bottom + 17, word);
        x += 34 + painter.fontMetrics().horizontalAdvance(word);
    }
    const QString when = tr("at %1").arg(QString::fromStdString(say_time(m_state->playhead())));
    if (x + painter.fontMetrics().horizontalAdvance(when) + 8 < viewport()->width())
        painter.drawText(QRect(x, bottom, viewport()->width() - x - 8, legendHeight), Qt::AlignVCenter | Qt::AlignRight, when);
}

int OwnershipMatrix::rowAt(int y) const
{
    const int row = (y - headHeight) / rowHeight + verticalScrollBar()->value();
    return y < headHeight || y >= viewport()->height() - legendHeight || row >= static_cast<int>(m_handles.size()) ? -1 : row;
}

void OwnershipMatrix::mousePressEvent(QMouseEvent *event)
{
    const int row = rowAt(event->pos().y());
    if (row >= 0)
        m_state->select({Selection::Handle, m_handles[static_cast<std::size_t>(row)]});
}

bool OwnershipMatrix::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int row = rowAt(help->pos().y());
        const int rank = (help->pos().x() - nameWidth + horizontalScrollBar()->value()) / cellWidth();
        if (row >= 0 && help->pos().x() >= nameWidth && rank < m_state->model().ranks()) {
            const std::uint32_t handle = m_handles[static_cast<std::size_t>(row)];
            const auto copy = state_at(m_state->model(), handle, m_state->playhead()).copies[static_cast<std::size_t>(rank)];
            QToolTip::showText(help->globalPos(), tr("%1 on rank %2: %3, v%4").arg(QString::fromStdString(m_state->model().handle_name(handle))).arg(rank).arg(QLatin1String(lookOf(m_theme, copy.kind).word)).arg(copy.version), viewport());
            return true;
        }
    }
    return QAbstractScrollArea::viewportEvent(event);
}
