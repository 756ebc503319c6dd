// SPDX-License-Identifier: MIT
#include "models/rows_in_view.hpp"

#include <algorithm>

RowsInView::RowsInView(QAbstractItemModel *all, QObject *parent)
    : QAbstractTableModel(parent)
    , m_all(all)
    , m_allRows(all->rowCount())
    , m_count(std::min(few, m_allRows))
{
    connect(all, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(all, &QAbstractItemModel::modelReset, this, [this] {
        m_first = 0;
        m_allRows = m_all->rowCount();
        m_count = std::min(few, m_allRows);
        endResetModel();
    });
}

int RowsInView::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_count;
}

int RowsInView::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_all->columnCount();
}

QVariant RowsInView::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_count)
        return {};
    return m_all->data(m_all->index(m_first + index.row(), index.column()), role);
}

QVariant RowsInView::headerData(int section, Qt::Orientation orientation, int role) const
{
    return m_all->headerData(section, orientation, role);
}

void RowsInView::show(int first, int count)
{
    if (m_allRows <= few) {
        first = 0;
        count = m_allRows;
    }
    first = std::clamp(first, 0, std::max(0, m_allRows - 1));
    count = std::min(count, m_allRows - first);
    if (first >= m_first + m_count || first + count <= m_first) {
        remove(0, m_count);
        m_first = first;
    }
    // What stays keeps its indices.
    remove(0, first - m_first);
    remove(first + count - m_first, m_first + m_count - first - count);
    insert(0, m_first - first);
    insert(m_count, first + count - m_first - m_count);
}

void RowsInView::remove(int at, int count)
{
    if (count <= 0)
        return;
    beginRemoveRows({}, at, at + count - 1);
    m_count -= count;
    if (at == 0)
        m_first += count;
    endRemoveRows();
}

void RowsInView::insert(int at, int count)
{
    if (count <= 0)
        return;
    beginInsertRows({}, at, at + count - 1);
    m_count += count;
    if (at == 0 && m_count != count)
        m_first -= count;
    endInsertRows();
}
