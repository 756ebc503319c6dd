// SPDX-License-Identifier: MIT
// How far clocks may be apart, as the window shows it.
#include "analysis/generate/generate.hpp"
#include "gui/main_window.hpp"
#include "pixels.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QImage>
#include <QLabel>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace deed::viewer;

class clocks_in_a_window : public testing::Test {
 protected:
  void open(bool skewed, clock_correction clocks = {}) {
    generator_options options;
    options.path = m_folder.path() + (skewed ? "/skewed.deed" : "/virtual.deed");
    if (skewed) options.inject = {{"skew", 1}};
    if (clocks == clock_correction::nothing)
      for (const injected_fault &each : generate(options).faults) m_ahead = each.src;
    m_window =
        std::make_unique<MainWindow>(OpenedRun::open(QString::fromStdString(options.path), clocks));
    m_window->resize(1200, 700);
    m_window->show();
    QApplication::processEvents();
  }
  /// Of the playhead, as the bar of the replay says it.
  QString time() const {
    for (const QLabel *each : m_window->findChildren<QLabel *>())
      if (each->text().startsWith(QLatin1String("t = "))) return each->text();
    return {};
  }
  /// The longest line from left to right of a colour.
  int longest_line(const QColor &colour) {
    QApplication::processEvents();
    const QImage drawn = m_window->timeline()->viewport()->grab().toImage();
    int longest = 0;
    for (int y = 0; y < drawn.height(); ++y)
      for (int x = m_window->timeline()->plotLeft(), now = 0; x < drawn.width(); ++x) {
        now = drawn.pixelColor(x, y) == colour ? now + 1 : 0;
        longest = std::max(longest, now);
      }
    return longest;
  }
  /// A message to the rank whose clock is ahead, with its lanes on top.
  void show_message() {
    m_window->timeline()->showRanks({m_ahead});
    const model &m = m_window->state()->model();
    for (std::uint32_t i = 0; i < m.transfers().size(); ++i) {
      const transfer &x = m.transfers()[i];
      if (x.in_vain() || x.start == never || x.done_receive == never || x.dst != m_ahead) continue;
      m_window->state()->select({Selection::Transfer, i});
      m_window->state()->setView(x.done_receive - half, x.done_receive + half);
      return;
    }
    FAIL() << "no message";
  }
  static constexpr qint64 half = 40'000'000;

  scratch_folder m_folder;
  int m_ahead = 1;
  std::unique_ptr<MainWindow> m_window;
};

TEST_F(clocks_in_a_window, say_how_far_times_may_be_apart) {
  open(true);
  EXPECT_TRUE(time().contains(QStringLiteral(" ms ±"))) << time().toStdString();
  const QString before = m_window->timeline()->sayTimeError();
  open(true, clock_correction::sync_and_messages);
  EXPECT_TRUE(time().contains(QStringLiteral("±")));
  EXPECT_NE(m_window->timeline()->sayTimeError(), before);
  EXPECT_TRUE(m_window->timeline()->sayTimeError().endsWith(QLatin1String(" us")))
      << m_window->timeline()->sayTimeError().toStdString();
}

TEST_F(clocks_in_a_window, of_virtual_ranks_say_nothing) {
  open(false);
  EXPECT_FALSE(time().contains(QStringLiteral("±"))) << time().toStdString();
  EXPECT_EQ(m_window->timeline()->sayTimeError(), QString());
}

TEST_F(clocks_in_a_window, are_lines_at_the_ends_of_what_is_selected_and_at_the_playhead) {
  open(true);
  show_message();
  const int selected = longest_line(Theme().accent);
  EXPECT_GT(selected, 10);
  m_window->state()->select({});
  EXPECT_LT(longest_line(Theme().accent), selected);
  m_window->state()->setPlayhead(m_window->state()->begin() + half);
  EXPECT_GT(longest_line(Theme().playhead), 20);
  open(false);
  show_message();
  EXPECT_LT(longest_line(Theme().accent), 10);
}

}  // namespace
