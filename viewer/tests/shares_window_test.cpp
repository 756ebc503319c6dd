// SPDX-License-Identifier: MIT
// Where the time went: per worker, rank or host, the gaps, and what if.
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/grouped_shares.hpp"
#include "analysis/ask/most_moved.hpp"
#include "analysis/ask/what_if.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QHelpEvent>
#include <QSlider>
#include <QTest>
#include <QToolTip>
#include <fstream>
#include <iterator>
#include <numeric>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(window, groups_the_time_of_workers) {
  const model &m = m_window->state()->model();
  const time_shares all = shares(m, {});
  const auto per_rank = grouped(m, all, shares_per::rank);
  ASSERT_EQ(per_rank.size(), 4u);
  for (const group_time &each : per_rank) {
    EXPECT_EQ(each.members, 2);
    const auto add = [](std::int64_t sum, const auto &part) { return sum + part.second; };
    EXPECT_EQ(std::accumulate(each.parts.begin(), each.parts.end(), std::int64_t{0}, add),
              2 * all.wall);
  }
  EXPECT_EQ(grouped(m, all, shares_per::worker).size(), all.workers.size());

  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Where time went")));
  auto *const bars = m_window->findChild<TimeShares *>();
  QApplication::processEvents();
  const QImage of_workers = bars->viewport()->grab().toImage();
  ASSERT_EQ(m_window->runCommand(QStringLiteral("time per rank")), QString());
  QApplication::processEvents();
  EXPECT_NE(bars->viewport()->grab().toImage(), of_workers);
  const QString file = QString::fromStdString(s_folder->path() + "/per_rank.csv");
  ASSERT_EQ(m_window->runCommand(QStringLiteral("export %1").arg(file)), QString());
  std::ifstream in(file.toStdString());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            render(breakdown(m, {}, shares_per::rank), style::csv, {}, ~std::size_t{0}));
  EXPECT_NE(m_window->runCommand(QStringLiteral("time per day")), QString());
}

TEST_F(window, lists_the_longest_gaps_beside_the_bars) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Where time went")));
  QApplication::processEvents();
  auto *const view = m_window->findChild<QDockWidget *>(QStringLiteral("Where time went"))
                         ->findChild<AnswerView *>();
  const auto &tables = view->shown().tables;
  ASSERT_GE(tables.size(), 3u);
  EXPECT_EQ(tables[0].title, "longest times without a task");
  const auto gaps = longest_gaps(m_window->state()->model(), 10);
  ASSERT_EQ(tables[0].rows.size(), gaps.size());
  EXPECT_TRUE(std::ranges::any_of(
      tables, [](const table &each) { return each.title == "how long tasks of gemm took"; }));
  EXPECT_FALSE(view->toPlainText().contains(QStringLiteral("###"))) << "bars are drawn";
  const auto ended = std::ranges::find_if(gaps, [](const gap &g) { return g.next != none; });
  ASSERT_NE(ended, gaps.end());
  emit view->anchorClicked(QUrl(QStringLiteral("task:%1").arg(ended->next)));
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Task, ended->next}));
}

TEST_F(window, says_what_would_be_if) {
  const model &m = m_window->state()->model();
  auto *const bar = m_window->findChild<WhatIfBar *>();
  ASSERT_EQ(m_window->runCommand(QStringLiteral("what-if gemm=0.5 bandwidth=2 workers=inf")),
            QString());
  changes wanted;
  wanted.codelets["gemm"] = 0.5;
  wanted.bandwidth = 2;
  wanted.endless_workers = true;
  EXPECT_EQ(bar->said().toStdString(), say_what_if(m, wanted));
  EXPECT_THAT(bar->said().toStdString(),
              StartsWith("at least " + say_time(shortest_time(m, wanted)) +
                         ", without changes at least " + say_time(shortest_time(m, {})) + ": "));
  EXPECT_TRUE(bar->isVisible());
  const auto sliders = bar->findChildren<QSlider *>();
  const auto factors = bar->findChildren<QDoubleSpinBox *>();
  ASSERT_EQ(sliders.size(), 3);
  EXPECT_EQ(sliders[0]->value(), -30) << "half";
  EXPECT_EQ(sliders[1]->value(), 30) << "twice";
  EXPECT_EQ(sliders[2]->value(), 0);
  sliders[1]->setValue(100);
  EXPECT_EQ(factors[1]->value(), 10);
  wanted.bandwidth = 10;
  EXPECT_TRUE(QTest::qWaitFor([&] { return bar->said().toStdString() == say_what_if(m, wanted); }));
  factors[1]->setValue(40);
  EXPECT_EQ(sliders[1]->value(), sliders[1]->maximum());
  EXPECT_EQ(factors[1]->value(), 40) << "a number goes further";
  ASSERT_EQ(m_window->runCommand(QStringLiteral("what-if")), QString());
  EXPECT_EQ(bar->said().toStdString(), say_what_if(m, {})) << "as it was";
  EXPECT_THAT(m_window->runCommand(QStringLiteral("what-if nobody=2")).toStdString(),
              HasSubstr("there is no codelet `nobody`"));
  EXPECT_NE(m_window->runCommand(QStringLiteral("what-if gemm=fast")), QString());
  EXPECT_NE(m_window->runCommand(QStringLiteral("what-if latency=-1")), QString());

  // As somebody who writes a number.
  for (QDoubleSpinBox *each : bar->findChildren<QDoubleSpinBox *>())
    if (each->accessibleName() == QLatin1String("latency")) each->setValue(10);
  changes slow;
  slow.latency = 10;
  EXPECT_TRUE(QTest::qWaitFor([&] { return bar->said().toStdString() == say_what_if(m, slow); }));
}

TEST_F(window, names_the_data_that_are_most_of_a_cell) {
  const model &m = m_window->state()->model();
  const transfer &x = m.transfers().front();
  const auto most = most_moved(m, x.src, x.dst, 5);
  ASSERT_FALSE(most.empty());
  std::uint64_t bytes = 0;
  for (const transfer &each : m.transfers())
    if (each.src == x.src && each.dst == x.dst && each.handle == most[0].handle &&
        !each.never_took_place())
      bytes += each.bytes;
  EXPECT_EQ(most[0].bytes, bytes);
  CommMatrix matrix(m_window->state());
  matrix.look();
  matrix.resize(800, 400);
  matrix.show();
  QApplication::processEvents();
  const QPoint at(76 + 120 * x.dst + 10, 44 + 46 * x.src + 10);
  QHelpEvent help(QEvent::ToolTip, at, matrix.mapToGlobal(at));
  QApplication::sendEvent(&matrix, &help);
  EXPECT_THAT(QToolTip::text().toStdString(),
              HasSubstr("most of all: " + m.handle_name(most[0].handle) + " " + say_bytes(bytes)));
}

}  // namespace
