// SPDX-License-Identifier: MIT
// What copies took, over time.
#include "analysis/ask/copy_lives.hpp"
#include "pixels.hpp"
#include "window_fixture.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QFont>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>
#include <algorithm>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

class cache_panel : public window {
 protected:
  void SetUp() override {
    window::SetUp();
    ASSERT_TRUE(m_window->showPanel(QStringLiteral("Cache")));
    m_window->resize(1280, 720);
    QApplication::processEvents();
    m_curves = m_window->findChild<CacheCurves *>();
  }
  QImage drawn() {
    QApplication::processEvents();
    return m_curves->viewport()->grab().toImage();
  }
  std::string tip_at(const QPoint &at) {
    QWidget *const canvas = m_curves->viewport();
    QHelpEvent help(QEvent::ToolTip, at, canvas->mapToGlobal(at));
    QApplication::sendEvent(canvas, &help);
    return QToolTip::text().toStdString();
  }
  CacheCurves *m_curves = nullptr;
};

TEST_F(cache_panel, draws_what_copies_took_on_each_rank) {
  const QImage all = drawn();
  EXPECT_GT(count_pixels(all, all.rect(), Theme().accent), 100);
  EXPECT_GT(count_pixels(all, all.rect(), Theme().shared), 20) << "misses";
  m_window->runCommand(QStringLiteral("range 0:1us"));
  EXPECT_NE(drawn(), all) << "the part in view";
}

/// As misses: what is out of view sets no scale.
TEST(what_copies_took, is_drawn_on_a_scale_of_what_is_in_view) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  {
    event_log log(path, 2, 1, 7);
    register_two(log);
    write_transfer(log, 0, 0, nobody, {1'000, 2'000, -1, 5'000});
    write_transfer(log, 1, 0, nobody, {50'000, 51'000, -1, 60'000});
    log.add(100'000, 1, app, record::state, {2, 0, 0});
    log.close();
  }
  MainWindow window(QString::fromStdString(path));
  window.resize(1280, 720);
  window.show();
  window.showPanel(QStringLiteral("Cache"));
  auto *const curves = window.findChild<CacheCurves *>();
  const auto top_of_first = [&] {
    QApplication::processEvents();
    const QImage drawn = curves->viewport()->grab().toImage();
    const int left = curves->plotLeft();
    int y = 22 + 52;
    while (y < drawn.height() &&
           count_pixels(drawn, {left, y, drawn.width() - left, 1}, Theme().accent) == 0)
      ++y;
    return y;
  };
  ASSERT_EQ(window.runCommand(QStringLiteral("range 10us:40us")), QString());
  const int first = top_of_first();
  ASSERT_EQ(window.runCommand(QStringLiteral("range 61us:90us")), QString());
  EXPECT_EQ(top_of_first(), first);
  window.state()->fitAll();
  EXPECT_EQ(top_of_first(), first) << "the second, which is as high then";
}

TEST_F(cache_panel, says_what_there_was_at_a_moment) {
  const model &m = m_window->state()->model();
  const auto lives = copy_lives(m);
  const auto held = bytes_in_copies(m, lives);
  const int left = m_curves->plotLeft(), width = m_curves->viewport()->width() - left - 8;
  const QPoint at(left + width / 2, 22 + 52 + 34 + 10);  // In the lane of rank 1.
  const auto point = held[1].at(m_window->state()->timeAt(width / 2, width));
  ASSERT_TRUE(point);
  const auto bytes = static_cast<std::uint64_t>(held[1].points()[*point].value);
  EXPECT_THAT(tip_at(at), HasSubstr("rank 1 at "));
  EXPECT_THAT(tip_at(at), HasSubstr(say_bytes(bytes) + " in copies of other ranks' data"));
  EXPECT_THAT(tip_at({at.x(), 40}), HasSubstr("misses from "));
  QTest::mouseClick(m_curves->viewport(), Qt::LeftButton, {}, at);
  EXPECT_EQ(m_window->state()->playhead(), m_window->state()->timeAt(width / 2, width));
}

TEST_F(cache_panel, has_room_for_what_stands_beside_its_lanes) {
  for (const int points : {8, 10, 16}) {
    QFont font = m_curves->font();
    font.setPointSize(points);
    m_curves->setFont(font);
    const int wide = QFontMetrics(font).horizontalAdvance(QStringLiteral("up to 888.8 kB"));
    EXPECT_GE(m_curves->plotLeft(), 8 + wide) << points;
  }
}

TEST_F(cache_panel, has_a_row_of_the_copies_of_each_handle) {
  const auto *const view =
      m_window->findChild<QDockWidget *>(QStringLiteral("Cache"))->findChild<AnswerView *>();
  EXPECT_TRUE(view->toPlainText().contains(QStringLiteral("copies of each handle")));
}

TEST(copies_of_a_long_run, are_followed_when_somebody_asks) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.events = 1'000'001;
  generate(options);
  MainWindow window(QString::fromStdString(options.path));
  window.show();
  ASSERT_TRUE(window.showPanel(QStringLiteral("Cache")));
  auto *const view =
      window.findChild<QDockWidget *>(QStringLiteral("Cache"))->findChild<AnswerView *>();
  EXPECT_TRUE(view->toPlainText().contains(QStringLiteral("what became of each copy?")));
  EXPECT_FALSE(view->toPlainText().contains(QStringLiteral("copies of each handle")));
  window.findChild<CacheCurves *>()->viewport()->grab();  // Without them.
  ASSERT_EQ(window.runCommand(QStringLiteral("mark 0:100ms")), QString());
  emit view->anchorClicked(QUrl(QStringLiteral("copies:")));
  const auto tells = [&] {
    return view->toPlainText().contains(QStringLiteral("copies of each handle")) &&
           !view->toPlainText().contains(QStringLiteral("what became of each copy?"));
  };
  EXPECT_TRUE(tells());
  EXPECT_TRUE(view->toPlainText().contains(QStringLiteral("to 100"))) << "of which part it is";
  ASSERT_EQ(window.runCommand(QStringLiteral("clear")), QString());
  EXPECT_TRUE(QTest::qWaitFor([&] { return tells(); }, 60'000)) << "of the whole run, too";
  QTest::qWait(300);  // Until what is kept of it would be shown.
  EXPECT_TRUE(tells());
}

}  // namespace
