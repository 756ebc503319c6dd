// SPDX-License-Identifier: MIT
// How far clocks may be apart, as the window shows it.
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/sentence.hpp"
#include "gui/main_window.hpp"
#include "pixels.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QPixmap>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

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

/// All that its cells say.
QStringList tips_of(QWidget &matrix) {
  QStringList all;
  for (int y = 40; y < matrix.height(); y += 8)
    for (int x = 70; x < matrix.width(); x += 20) {
      QHelpEvent help(QEvent::ToolTip, {x, y}, matrix.mapToGlobal(QPoint(x, y)));
      QApplication::sendEvent(&matrix, &help);
      all += QToolTip::text();
    }
  all.removeDuplicates();
  return all;
}

TEST_F(clocks_in_a_window, leave_no_mean_time_that_is_theirs) {
  for (const bool skewed : {true, false}) {
    open(skewed);
    m_window->showPanel(QStringLiteral("Communication"));
    QApplication::processEvents();
    const QStringList said = tips_of(*m_window->findChild<CommMatrix *>());
    EXPECT_EQ(said.filter(QStringLiteral("what it takes is not known")).isEmpty(), !skewed);
    EXPECT_EQ(said.filter(QStringLiteral(" apart")).isEmpty(), !skewed);
  }
}

/// A script selects the same whatever is taken from the times.
TEST_F(clocks_in_a_window, leave_a_transfer_its_number_and_its_name) {
  using key = std::tuple<std::uint32_t, std::uint32_t, int, int, std::uint16_t>;
  const auto selected = [this](const QString &what) {
    EXPECT_EQ(m_window->runCommand(QStringLiteral("select transfer:") + what), QString());
    const transfer &x =
        m_window->state()->model().transfers()[m_window->state()->selection().index];
    return key(x.handle, x.version, x.src, x.dst, x.seq);
  };
  std::vector<std::vector<key>> found;
  for (const clock_correction by :
       {clock_correction::nothing, clock_correction::sync_and_messages}) {
    open(true, by);
    const model &m = m_window->state()->model();
    auto &mine = found.emplace_back();
    for (int i = 0; i < 30; ++i) mine.push_back(selected(QString::number(i)));
    const transfer &one = m.transfers()[7];
    const QString name = QStringLiteral("%1 v%2 to rank %3")
                             .arg(QString::fromStdString(m.handle_name(one.handle)))
                             .arg(one.version)
                             .arg(one.dst);
    const auto [handle, version, src, dst, seq] = selected(name);
    EXPECT_EQ(std::tuple(handle, version, dst), std::tuple(one.handle, one.version, one.dst));
    for (const QString &none_such : {name + QStringLiteral("9"), QStringLiteral("v4 to rank 1"),
                                     QString::number(m.transfers().size())})
      EXPECT_NE(m_window->runCommand(QStringLiteral("select transfer:") + none_such), QString());
  }
  EXPECT_EQ(found[0], found[1]);
}

/// Of columns without a letter between those with some.
int widest_gap(const QPixmap &text) {
  const QImage drawn = text.toImage();
  int widest = 0, now = 0;
  bool begun = false;
  for (int x = 0; x < drawn.width(); ++x) {
    const bool empty =
        count_pixels(drawn, {x, 0, 1, drawn.height()}, drawn.pixelColor(0, 0)) == drawn.height();
    if (!empty && begun) widest = std::max(widest, now);
    begun |= !empty;
    now = empty ? now + 1 : 0;
  }
  return widest;
}

/// As exact as there is room, and never less: it is a bound.
TEST_F(clocks_in_a_window, stand_apart_from_the_name_of_their_rank) {
  open(true);
  const Timeline *const timeline = m_window->timeline();
  const QString whole = timeline->sayTimeErrorIn(m_ahead, 1'000);
  const QFontMetrics metrics = timeline->viewport()->fontMetrics();
  const auto wide = [&](const QString &text) { return metrics.horizontalAdvance(text); };
  EXPECT_EQ(timeline->sayTimeErrorIn(m_ahead, wide(whole)), whole);
  const double bound = whole.mid(1).section(QLatin1Char(' '), 0, 0).toDouble();
  int before = wide(whole);
  for (const int digits : {1, 0}) {
    const QString said = timeline->sayTimeErrorIn(m_ahead, before - 1);
    const QString number = said.mid(1).section(QLatin1Char(' '), 0, 0);
    EXPECT_LE(wide(said), before - 1);
    EXPECT_EQ(number.section(QLatin1Char('.'), 1).size(), digits) << said.toStdString();
    EXPECT_GE(number.toDouble(), bound);
    EXPECT_LE(number.toDouble(), bound + (digits == 1 ? 0.1 : 1));
    before = wide(said);
  }
  EXPECT_EQ(timeline->sayTimeErrorIn(m_ahead, before - 1), QString());

  m_window->timeline()->showRanks({m_ahead});
  QApplication::processEvents();
  constexpr int ruler = 26, high = 20;
  EXPECT_GE(widest_gap(m_window->timeline()->viewport()->grab(
                {8, ruler + 1, timeline->plotLeft() - 14, high - 3})),
            8);
}

TEST_F(clocks_in_a_window, leave_an_event_its_number) {
  std::vector<std::vector<std::string>> found;
  std::vector<std::vector<std::uint32_t>> places;
  for (const clock_correction by :
       {clock_correction::nothing, clock_correction::sync_and_messages}) {
    open(true, by);
    const run &r = m_window->state()->model().events();
    const auto count = static_cast<int>(r.events().size());
    auto &mine = found.emplace_back();
    auto &where = places.emplace_back();
    for (int i = 0; i < count; i += count / 60) {
      ASSERT_EQ(m_window->runCommand(QStringLiteral("select event:%1").arg(i)), QString());
      where.push_back(m_window->state()->selection().index);
      const event e = r.events()[where.back()];
      mine.push_back(say_lane(r, e.lane) + ' ' + say_raw(m_window->state()->model(), e));
    }
    EXPECT_EQ(std::set(where.begin(), where.end()).size(), where.size()) << "each another one";
    EXPECT_NE(m_window->runCommand(QStringLiteral("select event:%1").arg(count)), QString());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_NE(places[0], places[1]) << "they are not in the same order";
}

/// Of virtual ranks messages may take no time.
TEST(communication, has_a_mean_time_of_nothing) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  {
    event_log log(path, 2, 1, 7);
    for (const int rank : {0, 1})
      log.rank(rank).handle_registered({.handle = 0, .name = "v", .bytes = 800});
    log.add(9, 0, event_log::application, record::xfer_post, {0, 0, 1, 1, 0, 800, 0, 0, ~0ull});
    log.add(10, 0, event_log::progress, record::xfer_start, {0, 1, 1, 0, 0, 0});
    log.add(10, 0, event_log::progress, record::xfer_done, {0, 1, 1, 0, 0, 0});
    log.add(10, 1, event_log::progress, record::xfer_done, {0, 1, 0, 0, 1, 0});
    log.close();
  }
  MainWindow window(QString::fromStdString(path));
  window.resize(1200, 700);
  window.show();
  window.showPanel(QStringLiteral("Communication"));
  auto *const matrix = window.findChild<CommMatrix *>();
  const auto letters = [&](CommMatrix::Measure what) {
    matrix->setMeasure(what);
    const QImage drawn = matrix->grab().toImage();
    const QRect cell(76 + 120, 44, 119, 45);
    return count_pixels(drawn, cell, Theme::textOn(Theme().panel), 60);
  };
  EXPECT_EQ(letters(CommMatrix::Measure::Redundant), 0);
  EXPECT_GT(letters(CommMatrix::Measure::MeanTime), 5);
}

}  // namespace
