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
    if (m_allRows <= few)
        count = m_allRows;
    count = std::clamp(count, 0, m_allRows);
    first = std::clamp(first, 0, m_allRows - count);
    if (count < m_count) {
        beginRemoveRows({}, count, m_count - 1);
        m_count = count;
        endRemoveRows();
    } else if (count > m_count) {
        m_first = std::min(m_first, m_allRows - count);
        beginInsertRows({}, m_count, count - 1);
        m_count = count;
        endInsertRows();
    }
    if (first == m_first || count == 0)
        return;
    m_first = first;
    emit dataChanged(index(0, 0), index(count - 1, columnCount() - 1));
}
