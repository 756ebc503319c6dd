// SPDX-License-Identifier: MIT
// Two runs beside each other.
#include "gui/compare_window.hpp"

#include "analysis/ask/same_tasks.hpp"
#include "analysis/generate/generate.hpp"
#include "scratch_folder.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModel>
#include <QApplication>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;

TEST_F(window, compares_two_runs_by_the_names_of_their_tasks) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/other.deed";
  options.tiles = 6;
  options.seed = 11;
  options.ranks = 2;
  generate(options);
  CompareWindow both(QString::fromStdString(s_folder->path() + "/run.deed"),
                     QString::fromStdString(options.path));
  both.show();
  QApplication::processEvents();
  ViewState &a = *both.state(0), &b = *both.state(1);
  EXPECT_EQ(a.begin(), b.begin());
  EXPECT_EQ(a.end(), b.end());
  EXPECT_GE(a.end(), std::max(a.model().events().end(), b.model().events().end()));

  std::vector<std::string> titles;
  for (const table &each : both.findChild<AnswerView *>()->shown().tables)
    titles.push_back(each.title);
  EXPECT_THAT(titles, testing::Contains("time of a task"));
  EXPECT_THAT(titles, testing::Each(testing::Not(testing::StartsWith("tasks that differ"))))
      << "which stand beside it";

  ASSERT_GT(both.differences()->model()->rowCount(), 0) << "other ranks run the tasks";
  both.differences()->selectRow(0);
  ASSERT_EQ(a.selection().kind, Selection::Task);
  ASSERT_EQ(b.selection().kind, Selection::Task);
  const task &first = a.model().tasks()[a.selection().index];
  const task &second = b.model().tasks()[b.selection().index];
  EXPECT_EQ(written_by(a.model(), first), written_by(b.model(), second));
  EXPECT_LT(a.begin(), first.begin);
  EXPECT_GT(a.end(), first.end);

  b.setView(100, 5000);
  EXPECT_EQ(a.begin(), 100) << "one axis";
  EXPECT_TRUE(a.undo());
  EXPECT_EQ(b.begin(), a.begin());
  b.select({Selection::Handle, b.model().find_handle("A[2,0]").value()});
  EXPECT_EQ(a.selection(), (Selection{Selection::Handle, a.model().find_handle("A[2,0]").value()}));
  EXPECT_THROW(CompareWindow(QStringLiteral("/absent"), QStringLiteral("/absent")), unreadable);
}

TEST_F(window, compares_a_run_with_itself) {
  const QString path = QString::fromStdString(s_folder->path() + "/run.deed");
  const CompareWindow both(path, path);
  EXPECT_EQ(both.differences()->model()->rowCount(), 1);
  EXPECT_EQ(both.differences()->model()->index(0, 1).data().toString(), QStringLiteral("none"));
}

/// What stands in a column of the tasks that differ.
QStringList column_of(const CompareWindow &both, int column) {
  const QAbstractItemModel &rows = *both.differences()->model();
  QStringList found;
  for (int row = 0; row < rows.rowCount(); ++row)
    found += rows.index(row, column).data().toString();
  return found;
}

TEST_F(window, lists_the_tasks_of_one_of_two_runs_alone) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/fewer.deed";
  options.tiles = 5;
  generate(options);
  const QString whole = QString::fromStdString(s_folder->path() + "/run.deed"),
                fewer = QString::fromStdString(options.path);
  for (const int has : {0, 1}) {
    CompareWindow both(has == 0 ? whole : fewer, has == 0 ? fewer : whole);
    both.show();
    QApplication::processEvents();
    const same_tasks same(both.state(0)->model(), both.state(1)->model());
    const QString only = has == 0 ? QStringLiteral("first only") : QStringLiteral("second only");
    const QStringList in = column_of(both, 0);
    ASSERT_GT(has == 0 ? same.only_a() : same.only_b(), 0u);
    EXPECT_EQ(static_cast<std::uint64_t>(in.count(only)), has == 0 ? same.only_a() : same.only_b());
    EXPECT_THAT(column_of(both, 3), testing::Contains(has == 0 ? QStringLiteral("ended / -")
                                                               : QStringLiteral("- / ended")));

    // An ended one: it is in view of both runs, and nothing stands for it in the other.
    const QStringList how = column_of(both, 3);
    int row = 0;
    while (row < in.size() && (in[row] != only || !how[row].contains(QStringLiteral("ended"))))
      ++row;
    ASSERT_LT(row, in.size());
    ViewState &mine = *both.state(has), &other = *both.state(1 - has);
    const auto of_both = std::ranges::find_if(
        in, [&](const QString &runs) { return runs == QStringLiteral("both"); });
    ASSERT_NE(of_both, in.end());
    both.differences()->selectRow(static_cast<int>(of_both - in.begin()));
    ASSERT_EQ(other.selection().kind, Selection::Task) << "what is chosen next takes its place";
    both.differences()->selectRow(row);
    ASSERT_EQ(mine.selection().kind, Selection::Task);
    EXPECT_EQ(other.selection().kind, Selection::Nothing);
    const task &shown = mine.model().tasks()[mine.selection().index];
    EXPECT_EQ(has == 0 ? same.in_b(mine.selection().index) : same.in_a(mine.selection().index),
              none);
    EXPECT_EQ(mine.playhead(), shown.begin);
    EXPECT_LT(mine.begin(), shown.begin);
    EXPECT_GT(mine.end(), shown.end);
    EXPECT_EQ(other.begin(), mine.begin());
  }
}

}  // namespace
