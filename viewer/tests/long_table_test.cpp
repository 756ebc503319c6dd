// SPDX-License-Identifier: MIT
#include "gui/long_table.hpp"

#include "models/rows_in_view.hpp"
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QTest>

namespace {

/// A row says its own number.
class numbers : public QAbstractTableModel {
 public:
  explicit numbers(int rows) : m_rows(rows) {}
  int rowCount(const QModelIndex &parent = {}) const override {
    return parent.isValid() ? 0 : m_rows;
  }
  int columnCount(const QModelIndex &parent = {}) const override {
    return parent.isValid() ? 0 : 2;
  }
  QVariant data(const QModelIndex &index, int role) const override {
    return index.isValid() && role == Qt::DisplayRole ? QVariant(index.row()) : QVariant();
  }
  void become(int rows) {
    beginResetModel();
    m_rows = rows;
    endResetModel();
  }

 private:
  int m_rows;
};

TEST(rows_in_view, keep_the_rules_of_models_and_their_indices) {
  numbers all(1'000'000);
  RowsInView rows(&all);
  const QAbstractItemModelTester tester(&rows,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  rows.show(500, 20);
  const QPersistentModelIndex kept = rows.index(15, 0);
  for (const int first : {510, 505, 496, 515}) {
    rows.show(first, 20);
    EXPECT_EQ(rows.first(), first);
    ASSERT_EQ(rows.rowCount(), 20);
    EXPECT_EQ(rows.index(0, 0).data().toInt(), first);
    EXPECT_EQ(rows.index(19, 1).data().toInt(), first + 19);
    EXPECT_EQ(kept.data().toInt(), 515);
  }
  rows.show(999'995, 20);
  EXPECT_EQ(rows.rowCount(), 5);
  EXPECT_FALSE(kept.isValid());
  rows.show(0, 3);
  EXPECT_EQ(rows.index(2, 0).data().toInt(), 2);
  all.become(9'000);
  EXPECT_EQ(rows.rowCount(), 9'000);
  rows.show(100, 20);
  EXPECT_TRUE(rows.areAll());
}

TEST(long_table, goes_through_a_million_rows_with_those_in_view) {
  numbers all(1'000'000);
  LongTable table(&all);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(20);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.resize(300, 240);
  table.show();
  QApplication::processEvents();
  EXPECT_LT(table.model()->rowCount(), 20);
  auto *bar = table.verticalScrollBar();
  const auto chosen = [&] {
    const QModelIndexList rows = table.selectionModel()->selectedRows();
    return rows.size() == 1 ? rows.front().data().toInt() : -1;
  };
  // The row that is drawn at the top, and the last one that is drawn whole.
  const auto top = [&] { return table.indexAt(QPoint(5, 5)).data().toInt(); };
  const int page = table.viewport()->height() / 20;
  EXPECT_EQ(bar->maximum(), 1'000'000 - page);
  bar->setValue(123'456);
  EXPECT_EQ(top(), 123'456);
  bar->setValue(bar->maximum());
  EXPECT_EQ(table.indexAt(QPoint(5, page * 20 - 5)).data().toInt(), 999'999);

  table.choose(500'000);
  EXPECT_EQ(chosen(), 500'000);
  EXPECT_EQ(top(), 500'000);
  QTest::keyClick(&table, Qt::Key_Up);
  EXPECT_EQ(chosen(), 499'999);
  EXPECT_EQ(top(), 499'999);
  for (int i = 0; i < page; ++i) QTest::keyClick(&table, Qt::Key_Down);
  EXPECT_EQ(chosen(), 499'999 + page);
  EXPECT_EQ(top(), 500'000);
  QTest::keyClick(&table, Qt::Key_PageDown);
  EXPECT_EQ(chosen(), 499'999 + 2 * page);
  bar->setValue(0);
  EXPECT_EQ(chosen(), -1);
  EXPECT_EQ(table.currentRow(), 499'999 + 2 * page);
  QTest::keyClick(&table, Qt::Key_End, Qt::ControlModifier);
  EXPECT_EQ(chosen(), 999'999);
  QTest::keyClick(&table, Qt::Key_Home, Qt::ControlModifier);
  EXPECT_EQ(chosen(), 0);

  // The row at the lower edge comes into view when it is clicked: it is the one that is clicked.
  bar->setValue(1'000);
  table.resize(300, 250);
  QApplication::processEvents();
  int clicked = -1;
  QObject::connect(&table, &QTableView::clicked, &table,
                   [&](const QModelIndex &index) { clicked = table.rowOf(index); });
  const QPoint edge(5, table.viewport()->height() - 3);
  const int there = table.indexAt(edge).data().toInt();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, edge);
  EXPECT_EQ(table.currentRow(), there);
  EXPECT_TRUE(clicked == there || clicked == -1) << clicked << " instead of " << there;
}

TEST(long_table, has_wider_columns_for_larger_letters) {
  numbers all(100);
  LongTable table(&all);
  table.setWidths({90});
  QFont letters = table.font();
  letters.setPixelSize(12);
  table.setFont(letters);
  EXPECT_EQ(table.columnWidth(0), 90);
  letters.setPixelSize(24);
  table.setFont(letters);
  EXPECT_EQ(table.columnWidth(0), 180);
}

}  // namespace
