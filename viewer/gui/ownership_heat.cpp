// SPDX-License-Identifier: MIT
#include "gui/ownership_matrix.hpp"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

/// @file
/// The matrix of ownership, where its colours are a measure of the whole run or of a range, and the
/// order of its rows.

using namespace deed::viewer;

void OwnershipMatrix::setHeat(std::shared_ptr<ShownHeat> heat)
{
    m_heat = std::move(heat);
    setAccessibleDescription(m_heat ? whyNot() : QString());
    chooseWidth();
    updateScrollBars();
    sortRows();
    viewport()->update();
}

void OwnershipMatrix::setOrder(Order order)
{
    m_order = order;
    sortRows();
    viewport()->update();
}

void OwnershipMatrix::sortRows()
{
    orderRows();
    scrollToSelection(); // Its row is elsewhere now.
}

void OwnershipMatrix::orderRows()
{
    std::ranges::sort(m_handles);
    if (m_order == Order::AsRegistered)
        return;
    if (m_heat) {
        const std::vector<std::int64_t> &ofRun = m_heat->ofRun().data;
        std::ranges::stable_sort(m_handles, std::ranges::greater{},
                                 [&](std::uint32_t h) { return ofRun[h]; });
        return;
    }
    // Those that no task uses, as above the diagonal of a factorisation, come last.
    std::ranges::stable_sort(m_handles, std::ranges::greater{}, [&](std::uint32_t h) {
        return std::pair(m_state->model().transfers_of(h).size(), bool{m_used[h]});
    });
}

/// A rank each; of a measure, the datum as a whole behind them.
int OwnershipMatrix::columns() const
{
    return m_state->model().ranks() + (m_heat ? 1 : 0);
}

void OwnershipMatrix::paintHeat(QPainter &painter, int index)
{
    const datum_heat &mine = m_heat->of(m_handles[static_cast<std::size_t>(index)]);
    const QPoint at = cornerOf(index);
    const int width = cellWidth();
    const auto paint = [&](std::size_t column, std::int64_t value, const QColor &colour) {
        const QRect cell(at.x() + scaled(nameWidth) + static_cast<int>(column) * width, at.y(),
                         width - 1, scaled(rowHeight) - 1);
        paintHeatCell(painter, cell, m_theme, colour, value == 0 ? QString() : m_heat->say(value));
    };
    for (std::size_t rank = 0; rank < mine.ranks.size(); ++rank)
        paint(rank, mine.ranks[rank],
              heatColour(m_theme, mine.ranks[rank] != 0, m_heat->partOfRank(mine.ranks[rank])));
    paint(mine.ranks.size(), mine.all, m_theme.base);
}

void OwnershipMatrix::paintHeatLegend(QPainter &painter) const
{
    const QRect where(0, viewport()->height() - scaled(legendHeight), viewport()->width(),
                      scaled(legendHeight));
    painter.fillRect(where, m_theme.panel);
    const int x =
        paintHeatScale(painter, where, m_theme, m_heat->say(m_heat->ofRun().most_of_rank));
    sayAtRight(painter, x, m_heat->head());
}

QString OwnershipMatrix::sayHeat(std::uint32_t handle, int column) const
{
    const datum_heat &mine = m_heat->of(handle);
    const auto rank = static_cast<std::size_t>(column);
    const bool all = rank >= mine.ranks.size();
    return tr("%1 on %2: %3 (%4)")
        .arg(QString::fromStdString(m_state->model().handle_name(handle)),
             all ? tr("all ranks") : tr("rank %1").arg(column),
             m_heat->say(all ? mine.all : mine.ranks[rank]), m_heat->head());
}
