// SPDX-License-Identifier: MIT
#pragma once

#include <QAbstractTableModel>

/// The rows of a table that are in view. A view keeps eight bytes for each row of its model, also
/// where its rows are equally high: of ten million events that is more than the events themselves.
///
/// Of a table with few rows, all are in view.
class RowsInView : public QAbstractTableModel
{
    Q_OBJECT
public:
    explicit RowsInView(QAbstractItemModel *all, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    int allRows() const { return m_allRows; }
    bool areAll() const { return m_count == m_allRows; }
    /// Of all rows, the one that is row 0 here.
    int first() const { return m_first; }
    /// Shows `count` rows from `first` on, or as many as there are.
    void show(int first, int count);

private:
    static constexpr int few = 10'000;

    void remove(int at, int count);
    void insert(int at, int count);

    QAbstractItemModel *m_all;
    int m_allRows; // Of `m_all`, which a view that ends does not ask: the run may be gone.
    int m_first = 0;
    int m_count = 0;
};
