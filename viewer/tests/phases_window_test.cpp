// SPDX-License-Identifier: MIT
// Phases and values of a program in the window.
#include "gui/main_window.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>
#include <memory>
#include <string>
#include <utility>

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

}  // namespace
