// SPDX-License-Identifier: MIT
#include "gui/long_table.hpp"
#include "gui/letters.hpp"

#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>
#include <utility>

LongTable::LongTable(QAbstractItemModel *all, QWidget *parent)
    : QTableView(parent)
    , m_rows(new RowsInView(all, this))
{
    {
        const QScopedValueRollback moving(m_moving, true); // There is nothing to choose from yet.
        setModel(m_rows);
    }
    connect(m_rows, &QAbstractItemModel::modelReset, this, [this] { m_current = -1; });
}

void LongTable::setWidths(QList<int> usual)
{
    m_widths = std::move(usual);
    fitWidths();
}

void LongTable::fitWidths()
{
    const double scale = letterScale(font());
    for (int column = 0; column < m_widths.size(); ++column)
        setColumnWidth(column, static_cast<int>(m_widths[column] * scale));
}

void LongTable::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitWidths();
}

/// Rows that are whole in view.
int LongTable::page() const
{
    return std::max(1, viewport()->height() / verticalHeader()->defaultSectionSize());
}

void LongTable::choose(int row)
{
    if (m_rows->areAll())
        return selectRow(row);
    m_current = row;
    executeDelayedItemsLayout(); // The bar may know of fewer rows yet.
    bringIntoView(row);
    showCurrent();
}

void LongTable::bringIntoView(int row)
{
    const int first = m_rows->first(), last = first + page() - 1;
    if (row < first || row > last)
        verticalScrollBar()->setValue(row < first ? row : row - page() + 1);
}

void LongTable::showFrom(int first)
{
    const QScopedValueRollback moving(m_moving, true);
    m_rows->show(std::min(first, lastFirst()), page() + 1);
    if (m_rows->areAll())
        return;
    showCurrent();
    setBar();
    viewport()->update();
}

/// The last row that can be the first one in view.
int LongTable::lastFirst() const
{
    return std::max(0, m_rows->allRows() - page());
}

/// The view sets it to the rows that it knows of.
void LongTable::setBar()
{
    if (m_rows->areAll())
        return;
    verticalScrollBar()->setRange(0, lastFirst());
    verticalScrollBar()->setPageStep(page());
    verticalScrollBar()->setValue(m_rows->first());
}

/// The row in view that is the current one may be another now, or none.
void LongTable::showCurrent()
{
    const QScopedValueRollback moving(m_moving, true);
    const int row = m_current - m_rows->first();
    if (m_current < 0 || row < 0 || row >= m_rows->rowCount())
        selectionModel()->clear();
    else
        selectRow(row);
}

void LongTable::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    if (!m_moving)
        m_current = current.isValid() ? rowOf(current) : -1;
    QTableView::currentChanged(current, previous);
}

void LongTable::scrollTo(const QModelIndex &index, ScrollHint hint)
{
    if (m_rows->areAll())
        QTableView::scrollTo(index, hint);
    else if (!m_moving && index.isValid())
        bringIntoView(rowOf(index));
}

void LongTable::updateGeometries()
{
    const bool nested = m_moving;
    const QScopedValueRollback moving(m_moving, true);
    QTableView::updateGeometries();
    setBar();
    if (!nested)
        showFrom(m_rows->first());
}

void LongTable::doItemsLayout()
{
    QTableView::doItemsLayout();
    if (!m_rows->areAll())
        verticalHeader()->setOffset(0); // It is set to what the bar says.
}

void LongTable::scrollContentsBy(int dx, int dy)
{
    if (m_rows->areAll())
        return QTableView::scrollContentsBy(dx, dy);
    if (dx != 0)
        QTableView::scrollContentsBy(dx, 0);
    if (dy != 0 && !m_moving)
        showFrom(verticalScrollBar()->value());
}

QModelIndex LongTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers)
{
    if (m_rows->areAll())
        return QTableView::moveCursor(action, modifiers);
    const bool toAnEnd = modifiers & Qt::ControlModifier;
    int row = std::max(m_current, 0);
    switch (action) {
    case MoveUp:
    case MovePrevious:
        row -= 1;
        break;
    case MoveDown:
    case MoveNext:
        row += m_current < 0 ? 0 : 1;
        break;
    case MovePageUp:
        row -= page();
        break;
    case MovePageDown:
        row += page();
        break;
    case MoveHome:
    case MoveEnd:
        if (!toAnEnd)
            return QTableView::moveCursor(action, modifiers);
        row = action == MoveHome ? 0 : m_rows->allRows() - 1;
        break;
    default:
        return QTableView::moveCursor(action, modifiers);
    }
    row = std::clamp(row, 0, m_rows->allRows() - 1);
    bringIntoView(row);
    return m_rows->index(row - m_rows->first(), std::max(0, currentIndex().column()));
}
