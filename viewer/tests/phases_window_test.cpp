// SPDX-License-Identifier: MIT
// Phases and values of a program in the window.
#include "analysis/generate/event_log.hpp"
#include "gui/main_window.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include "steps_apart.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QHelpEvent>
#include <QImage>
#include <QLineEdit>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

class phases_window : public testing::Test {
 protected:
  void SetUp() override {
    record_phases(m_folder.path() + "/run.deed");
    m_window = std::make_unique<MainWindow>(QString::fromStdString(m_folder.path() + "/run.deed"));
    m_window->resize(1000, 800);
    m_window->show();
    QApplication::processEvents();
  }
  void run(const char *command) {
    EXPECT_EQ(m_window->runCommand(QLatin1String(command)), QString()) << command;
  }
  /// Of the phase or value that is selected.
  std::string selected() const {
    const auto &m = m_window->state()->model();
    const Selection now = m_window->state()->selection();
    if (now.kind != Selection::Event) return "no event";
    if (const phase_span *const phase = m.phase_of(now.index)) return m.phase_name(*phase);
    if (const value_series *const series = m.values_of(now.index))
      return m.value_name(*series) + " " + std::to_string(m.value_of(now.index));
    return "another event";
  }

  scratch_folder m_folder;
  std::unique_ptr<MainWindow> m_window;
};

TEST_F(phases_window, takes_a_phase_by_its_name_and_fits_it) {
  run("select phase:step 2");
  EXPECT_EQ(selected(), "step 2");
  EXPECT_EQ(m_window->state()->playhead(), 52'000);
  EXPECT_EQ(m_window->findChild<AnswerView *>()->shown().sentences.at(1),
            "Phase step 2 took 18.0 us, from 52.0 us to 70.0 us.");
  run("fit selection");
  run("fit selection");
  EXPECT_EQ(m_window->state()->begin(), 52'000);
  EXPECT_EQ(m_window->state()->end(), 70'000);
  m_window->timeline()->setRangeToSelection();
  EXPECT_EQ(m_window->timeline()->range(), std::pair(qint64{52'000}, qint64{70'000}));
  EXPECT_NE(m_window->runCommand(QStringLiteral("select phase:step 9")), QString());
}

TEST_F(phases_window, takes_all_of_a_name_and_goes_to_the_next) {
  run("select phase:step");
  EXPECT_EQ(selected(), "step 0");
  run("next phase");
  EXPECT_EQ(selected(), "exchange") << "the first one lies in it";
  const auto boxes = m_window->findChildren<QLineEdit *>();
  EXPECT_TRUE(std::ranges::any_of(
      boxes, [](const QLineEdit *box) { return box->text() == QLatin1String("phase:step"); }));
  EXPECT_NE(m_window->runCommand(QStringLiteral("select phase:ste")), QString());
}

TEST_F(phases_window, takes_the_value_at_the_playhead) {
  run("at 60us");
  run("select value:residual");
  EXPECT_EQ(selected(), "residual 1000");
  m_window->timeline()->walk(1);
  EXPECT_EQ(selected(), "residual 250");
  EXPECT_EQ(m_window->state()->playhead(), 69'000);
  EXPECT_NE(m_window->runCommand(QStringLiteral("select value:mass")), QString());
}

TEST_F(phases_window, goes_through_phases_by_the_keyboard) {
  run("select phase:step 1");
  m_window->timeline()->walk(1);
  EXPECT_EQ(selected(), "step 2");
  QTest::keyClick(m_window->timeline(), Qt::Key_Up);
  EXPECT_EQ(selected(), "solve");
  QTest::keyClick(m_window->timeline(), Qt::Key_Down);
  EXPECT_EQ(selected(), "step 2");
  QTest::keyClick(m_window->timeline(), Qt::Key_Down);
  EXPECT_EQ(selected(), "exchange");
  QTest::keyClick(m_window->timeline(), Qt::Key_Down);
  EXPECT_EQ(selected(), "residual 1000");
  QTest::keyClick(m_window->timeline(), Qt::Key_Up);
  EXPECT_EQ(selected(), "exchange");
  run("next phase");
  EXPECT_EQ(selected(), "step 3");
}

TEST_F(phases_window, selects_what_is_clicked_and_keeps_its_lane) {
  const Timeline &timeline = *m_window->timeline();
  // The ruler, the header of the rank, and half of what stands on the depth.
  const QPoint step(
      timeline.plotLeft() + (timeline.viewport()->width() - timeline.plotLeft()) * 60 / 102,
      26 + 20 + 2 + 15 + 7);
  QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {}, step);
  EXPECT_EQ(selected(), "step 2");
  QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {}, step + QPoint(0, 40));
  EXPECT_EQ(selected(), "residual 1000");
  m_window->timeline()->togglePin();
  EXPECT_EQ(timeline.pinned(), QStringList{QStringLiteral("rank 0 residual")});
  run("pin rank 1 phases w00");
  EXPECT_EQ(timeline.pinned().size(), 2);
}

/// What stands on a bar or beside a lane is drawn as text: how far from the left of a row there are
/// letters of it.
int reach_of_letters(const QImage &in, const QRect &part) {
  int last = part.left() - 1;
  for (int x = part.left(); x <= part.right(); ++x)
    for (int y = part.top(); y <= part.bottom(); ++y)
      if (std::abs(qGray(in.pixel(x, y)) - qGray(in.pixel(part.right(), y))) > 60) last = x;
  return last - part.left() + 1;
}

class named_phases : public testing::Test {
 protected:
  /// Of one run: the phase from 10 to 90 microseconds.
  std::unique_ptr<MainWindow> open(const char *name, std::uint64_t index,
                                   std::vector<std::uint64_t> values = {}) {
    const std::string path = m_folder.path() + "/" + std::to_string(m_runs++) + ".deed";
    constexpr int app = event_log::application;
    event_log log(path, 1, 1, 1);
    const std::uint64_t text = log.rank(0).text(name), value = log.rank(0).text("flops");
    log.add(10'000, 0, app, record::phase_push, {text, index});
    for (std::size_t i = 0; i < values.size(); ++i)
      log.add(20'000 + static_cast<std::int64_t>(i), 0, app, record::counter, {value, values[i]});
    log.add(90'000, 0, app, record::phase_pop, {text, index});
    log.add(100'000, 0, event_log::first_worker, record::state, {2, 0, 0});
    log.close();
    auto made = std::make_unique<MainWindow>(QString::fromStdString(path));
    made->resize(1000, 800);
    made->show();
    made->state()->setView(0, 400'000);  // The phase has a fifth of the width.
    QApplication::processEvents();
    return made;
  }
  /// How wide the letters on the phase are.
  static int letters_on(const MainWindow &of) {
    const Timeline &timeline = *of.timeline();
    const QImage drawn = timeline.viewport()->grab().toImage();
    const double plot = timeline.viewport()->width() - timeline.plotLeft();
    const int from = timeline.plotLeft() + static_cast<int>(plot / 40) + 4;
    return reach_of_letters(
        drawn,
        {from, 26 + 20 + 4, static_cast<int>(plot * 9 / 40) - from + timeline.plotLeft() - 4, 11});
  }

  scratch_folder m_folder;
  int m_runs = 0;
};

TEST_F(named_phases, have_the_begin_of_a_long_name_and_the_number_of_a_numbered_one) {
  const int all = letters_on(*open("assemble right hand side with a long name", 0));
  const int first = letters_on(*open("assemble", 0)),
            number = letters_on(*open("assemble right hand side", 10));
  EXPECT_GT(first, 20);
  EXPECT_GE(all, first);
  EXPECT_GT(number, 4);
  EXPECT_LT(number, 20);
}

/// A half of "400.0 us" is another time.
TEST_F(named_phases, have_the_length_of_a_range_whole_or_not_at_all) {
  const auto window = open("solve", 0);
  const Timeline &timeline = *window->timeline();
  const auto tag = [&](qint64 begin, qint64 end) {
    window->timeline()->setRange(begin, end);
    QApplication::processEvents();
    const QImage drawn = timeline.viewport()->grab().toImage();
    int wide = 0;
    for (int x = timeline.plotLeft(); x < drawn.width(); ++x)
      wide += drawn.pixelColor(x, 26 + 4) == Theme().accent ? 1 : 0;
    return wide;
  };
  const int whole = tag(200'000, 201'000);
  EXPECT_GE(whole, 90);
  EXPECT_NEAR(tag(1'000, 2'000), whole, 2);
  EXPECT_NEAR(tag(398'000, 399'000), whole, 2);
  window->state()->setView(0, 50'000);
  EXPECT_EQ(tag(60'000, 70'000), 0);
}

/// Both are "1.08 M .. 1.10 G" where whole figures have no room.
TEST_F(named_phases, have_values_whose_least_and_most_are_whole) {
  const auto beside = [this](std::vector<std::uint64_t> values) {
    const auto window = open("solve", 0, std::move(values));
    const Timeline &timeline = *window->timeline();
    return timeline.viewport()->grab().toImage().copy(0, 0, timeline.plotLeft(),
                                                      timeline.viewport()->height());
  };
  const QImage one = beside({1'081'564, 1'100'000'000});
  EXPECT_EQ(one, beside({1'081'999, 1'100'000'001}));
  EXPECT_NE(one, beside({1'081'564, 1'200'000'000})) << "the most is seen";
}

class steps_apart : public testing::Test {
 protected:
  void SetUp() override {
    record_steps_apart(m_folder.path() + "/run.deed");
    m_window = std::make_unique<MainWindow>(QString::fromStdString(m_folder.path() + "/run.deed"));
    m_window->resize(1000, 800);
    m_window->show();
    QApplication::processEvents();
  }
  void run(const char *command) {
    EXPECT_EQ(m_window->runCommand(QLatin1String(command)), QString()) << command;
  }
  int x_of(qint64 place) const {
    const Timeline &timeline = *m_window->timeline();
    const int left = timeline.plotLeft();
    return left +
           static_cast<int>(m_window->state()->xOf(place, timeline.viewport()->width() - left));
  }
  /// "rank 0 task 1": what a click somewhere above a place of the axis selects, and where.
  std::map<std::string, QPoint> tasks_at(qint64 place) {
    std::map<std::string, QPoint> found;
    for (int y = 30; y < m_window->timeline()->viewport()->height(); y += 4) {
      const QPoint at(x_of(place), y);
      QTest::mouseClick(m_window->timeline()->viewport(), Qt::LeftButton, {}, at);
      const Selection now = m_window->state()->selection();
      if (now.kind != Selection::Task) continue;
      const task &t = m_window->state()->model().tasks()[now.index];
      found.try_emplace("rank " + std::to_string(t.rank) + " task " + std::to_string(t.number), at);
    }
    return found;
  }
  QImage picture() const {
    QApplication::processEvents();
    return m_window->timeline()->viewport()->grab().toImage();
  }

  scratch_folder m_folder;
  std::unique_ptr<MainWindow> m_window;
};

TEST_F(steps_apart, stand_above_each_other_by_iteration) {
  EXPECT_EQ(tasks_at(41'000).size(), 0U);
  run("axis iteration");
  const auto found = tasks_at(41'000);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->first, "rank 0 task 1");
  EXPECT_EQ(found.rbegin()->first, "rank 1 task 1");
}

TEST_F(steps_apart, stand_above_each_other_by_the_order_of_tasks) {
  QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ShiftModifier);
  ASSERT_NE(m_window->state()->axis(), nullptr);
  const auto found = tasks_at(51'000);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->first, "rank 0 task 1");
  EXPECT_EQ(found.rbegin()->first, "rank 1 task 1");
  QTest::keyClick(m_window.get(), Qt::Key_T);
  EXPECT_EQ(m_window->state()->axis()->what(), iteration_axis::by::phases) << "the other one";
  run("axis tasks");
  run("axis time");
  EXPECT_EQ(m_window->state()->axis(), nullptr);
}

TEST_F(steps_apart, have_the_times_of_the_rank_that_is_clicked) {
  run("axis iteration");
  const QPoint slow = tasks_at(41'000).at("rank 1 task 1");
  QTest::mouseClick(m_window->timeline()->viewport(), Qt::LeftButton, {}, slow);
  EXPECT_NEAR(static_cast<double>(m_window->state()->playhead()), 54'667, 300);
  const QPoint from(x_of(30'000), slow.y()), to(x_of(45'000), slow.y());
  QTest::mousePress(m_window->timeline()->viewport(), Qt::LeftButton, {}, from);
  QTest::mouseMove(m_window->timeline()->viewport(), to);
  QTest::mouseRelease(m_window->timeline()->viewport(), Qt::LeftButton, {}, to);
  ASSERT_TRUE(m_window->timeline()->range().has_value());
  EXPECT_NEAR(static_cast<double>(m_window->timeline()->range()->first), 40'000, 300);
  EXPECT_NEAR(static_cast<double>(m_window->timeline()->range()->second), 60'000, 300);
}

TEST_F(steps_apart, fit_where_they_are_drawn) {
  run("axis iteration");
  run("select phase:step 6");
  run("fit selection");
  run("fit selection");
  EXPECT_EQ(m_window->state()->begin(), 30'000);
  EXPECT_EQ(m_window->state()->end(), 45'000);
}

/// A part of it where a few ranks are shown, as the ruler has it, too.
TEST_F(steps_apart, are_named_beside_the_ruler) {
  const auto corner = [this] {
    QHelpEvent help(QEvent::ToolTip, {20, 10}, QPoint());
    QApplication::sendEvent(m_window->timeline()->viewport(), &help);
    return QToolTip::text().toStdString();
  };
  EXPECT_EQ(corner(), "Lanes");
  run("axis iteration");
  EXPECT_EQ(corner(), "Lanes, by step");
  run("ranks 1");
  EXPECT_EQ(corner(), "1 of 2 ranks, by step");
}

TEST_F(steps_apart, stand_by_time_again) {
  run("at 35us");
  run("mark 22us:38us");
  const QImage before = picture();
  QTest::keyClick(m_window.get(), Qt::Key_T);
  ASSERT_NE(m_window->state()->axis(), nullptr);
  EXPECT_NE(picture(), before);
  run("axis time");
  EXPECT_EQ(picture(), before);
  EXPECT_NE(m_window->runCommand(QStringLiteral("axis order")), QString());
}

TEST_F(named_phases, have_no_axis_without_numbers) {
  const auto window = open("solve", 0);
  EXPECT_NE(window->runCommand(QStringLiteral("axis iteration")), QString());
  EXPECT_EQ(window->state()->axis(), nullptr);
}

}  // namespace
