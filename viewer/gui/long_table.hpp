// SPDX-License-Identifier: MIT
#pragma once

#include "models/rows_in_view.hpp"

#include <QList>
#include <QTableView>

/// A table of equally high rows, of any number: its model has the rows in view, its bar scrolls
/// through all of them.
class LongTable : public QTableView
{
    Q_OBJECT
public:
    explicit LongTable(QAbstractItemModel *all, QWidget *parent = nullptr);

    /// Of all rows, the one that an index of the view is of.
    int rowOf(const QModelIndex &index) const { return m_rows->first() + index.row(); }
    /// The current row, of all; -1 if there is none.
    int currentRow() const { return m_current; }
    /// Makes one of all rows the current one, in sight.
    void choose(int row);
    /// In pixels, of the first columns for usual letters; with larger ones they are wider.
    void setWidths(QList<int> usual);
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;
    void doItemsLayout() override;

protected:
    void updateGeometries() override;
    void scrollContentsBy(int dx, int dy) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void changeEvent(QEvent *event) override;

private:
    void fitWidths();
    int page() const;
    void showFrom(int first);
    void showCurrent();
    int lastFirst() const;
    void setBar();
    void bringIntoView(int row);

    RowsInView *m_rows;
    QList<int> m_widths; // For usual letters.
    int m_current = -1;
    bool m_moving = false; // The rows in view change, not what is chosen.
};
