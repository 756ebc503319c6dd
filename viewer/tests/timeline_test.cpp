// SPDX-License-Identifier: MIT
// What the timeline shows of a run whatever part of it is in view.
#include "analysis/generate/event_log.hpp"
#include "gui/main_window.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QImage>
#include <QScrollBar>
#include <QTest>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

constexpr int app = event_log::application, worker = event_log::first_worker;

/// Edges of letters are paler than these.
int count_pixels(const QImage &in, const QRect &part, const QColor &colour, int tolerance = 0) {
  int found = 0;
  for (int y = part.top(); y <= part.bottom(); ++y)
    for (int x = part.left(); x <= part.right(); ++x) {
      const QColor here = in.pixelColor(x, y);
      found += std::abs(here.red() - colour.red()) <= tolerance &&
               std::abs(here.green() - colour.green()) <= tolerance &&
               std::abs(here.blue() - colour.blue()) <= tolerance;
    }
  return found;
}

class timeline_shows : public testing::Test {
 protected:
  /// One rank with one worker; `ends`: it ended its recording.
  void open(const std::function<void(event_log &)> &record, bool ends = true) {
    const std::string path = m_folder.path() + "/" + std::to_string(m_runs++) + ".deed";
    m_window.reset();
    m_log = std::make_unique<event_log>(path, 1, 1, 1);
    record(*m_log);
    ends ? m_log->close() : m_log->flush();
    m_window = std::make_unique<MainWindow>(QString::fromStdString(path));
    m_window->resize(1280, 720);
    m_window->show();
    QApplication::processEvents();
  }
  QImage picture() {
    QApplication::processEvents();
    return m_window->timeline()->viewport()->grab().toImage();
  }
  /// Where a time is.
  int x_of(qint64 time) const {
    const Timeline &timeline = *m_window->timeline();
    const double plot = timeline.viewport()->width() - timeline.plotLeft();
    return timeline.plotLeft() + static_cast<int>(m_window->state()->xOf(time, plot));
  }

  scratch_folder m_folder;
  int m_runs = 0;
  std::unique_ptr<event_log> m_log;  // To end it cuts off what the window has mapped.
  std::unique_ptr<MainWindow> m_window;
};

/// A task each 10 ns until 30 us.
void record_many_tasks(event_log &log) {
  const auto codelet = log.rank(0).codelet("many", {});
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    log.add(static_cast<qint64>(10 * i), 0, worker, record::task_begin, {i, codelet});
    log.add(static_cast<qint64>(10 * i) + 5, 0, worker, record::task_end, {i, 0});
  }
}

/// The window opens at the error, so that the playhead stands on it; later work begins just behind.
TEST_F(timeline_shows, errors_beside_the_playhead_at_every_zoom) {
  for (const int stream : {app, worker}) {
    open([stream](event_log &log) {
      record_many_tasks(log);
      log.add(15'000, 0, stream, record::fatal_signal, {11, ~std::uint64_t{0}});
    });
    ASSERT_EQ(m_window->state()->playhead(), 15'000);
    const auto red = [this] {
      const QImage drawn = picture();
      const int x = x_of(15'000);
      return count_pixels(drawn, QRect(x - 4, 26, 9, drawn.height() - 26) & drawn.rect(),
                          Theme().error);
    };
    constexpr int high = 14, wide = 4;  // Of the lower lane, at least.
    for (const qint64 around : {15'000, 1'000, 30}) {
      m_window->state()->setView(15'000 - around, 15'000 + around);
      EXPECT_GE(red(), high * wide) << "stream " << stream << ", " << around << " ns around it";
    }
    m_window->state()->fitAll();
    m_window->timeline()->toggleRank(0);
    EXPECT_GE(red(), high * wide) << "stream " << stream << ", folded";
  }
}

/// Letters at the edge of the plot are parts of a sentence that is cut.
TEST_F(timeline_shows, where_a_recording_ends_in_whole_words_or_with_dots) {
  open(
      [](event_log &log) {
        record_many_tasks(log);
        log.add(40'000, 0, app, record::wait_begin, {2, 0, 0});
      },
      false);
  const auto header = [this] {
    const QImage drawn = picture();
    const int left = m_window->timeline()->plotLeft();
    return drawn.copy(left, 28, drawn.width() - left, 16);
  };
  const auto red = [](const QImage &in, int from, int to) {
    return count_pixels(in, QRect(from, 0, to - from, in.height()), Theme().error, 80);
  };
  m_window->state()->setPlayhead(0);
  for (const qint64 end : {39'000, 39'990, 40'200, 42'000, 60'000}) {
    m_window->state()->setView(20'000, end);
    const QImage drawn = header();
    EXPECT_EQ(red(drawn, 0, 3) + red(drawn, drawn.width() - 3, drawn.width()), 0) << end;
    EXPECT_EQ(red(drawn, 3, drawn.width() - 3) > 50, end > 40'000) << end;
  }
  m_window->state()->setView(50'000, 60'000);
  EXPECT_GT(red(header(), 3, 400), 50) << "also where the line lies left of the view";
  m_window->resize(700, 720);  // Neither side has room.
  m_window->state()->setView(39'000, 41'000);
  const QImage drawn = header();
  EXPECT_GT(red(drawn, 3, drawn.width() - 3), 50);
  EXPECT_EQ(red(drawn, 0, 3) + red(drawn, drawn.width() - 3, drawn.width()), 0);
}

/// The wash of a range lies below the letters, which are as black or white as beside it.
TEST_F(timeline_shows, names_in_a_range_as_clearly_as_beside_it) {
  open([](event_log &log) {
    const std::uint64_t name = log.rank(0).text("assemble");
    log.add(10'000, 0, app, record::phase_push, {name, 0});
    log.add(90'000, 0, app, record::phase_pop, {name, 0});
    log.add(100'000, 0, worker, record::state, {2, 0, 0});
  });
  const Theme theme(Theme::Contrast);
  m_window->setTheme(theme);
  m_window->timeline()->setRange(0, 100'000);
  const QColor ground = Theme::blend(theme.phase(0), theme.accent, 40 / 255.0);
  const QImage drawn = picture();
  const QRect name(x_of(10'000), 26 + 20 + 2, 80, 15);  // Ruler, header.
  EXPECT_GT(count_pixels(drawn, name, Theme::textOn(ground), 12), 5);
}

}  // namespace
