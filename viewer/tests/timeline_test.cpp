// SPDX-License-Identifier: MIT
// What the timeline shows of a run whatever part of it is in view.
#include <deed/trace/events.hpp>

#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "gui/main_window.hpp"
#include "late_run.hpp"
#include "pixels.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QHelpEvent>
#include <QImage>
#include <QScrollBar>
#include <QStringList>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

constexpr int app = event_log::application, worker = event_log::first_worker;

class timeline_shows : public testing::Test {
 protected:
  /// `ends`: they ended their recording.
  void open(const std::function<void(event_log &)> &record, bool ends = true, int ranks = 1,
            int workers = 1) {
    const std::string path = m_folder.path() + "/" + std::to_string(m_runs++) + ".deed";
    m_window.reset();
    m_log = std::make_unique<event_log>(path, ranks, workers, 1);
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
  /// Between two times, which pixels a path changes.
  QList<QPoint> drawn_by(const std::vector<path_step> &path, qint64 from, qint64 to) {
    m_window->timeline()->setPath({});
    const QImage without = picture();
    m_window->timeline()->setPath(path);
    const QImage with = picture();
    QList<QPoint> changed;
    for (int y = 0; y < with.height(); ++y)
      for (int x = x_of(from); x < x_of(to); ++x)
        if (with.pixel(x, y) != without.pixel(x, y)) changed.append({x, y});
    return changed;
  }

  static QString tip_at(QWidget &of, const QPoint &at) {
    QHelpEvent asked(QEvent::ToolTip, at, of.mapToGlobal(at));
    QApplication::sendEvent(&of, &asked);
    return QToolTip::text();
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

/// Bars, pixels that have one each, and pixels that stand for many.
TEST_F(timeline_shows, one_picture_of_which_a_view_is_a_part) {
  open(record_many_tasks);
  const Timeline &timeline = *m_window->timeline();
  const int left = timeline.plotLeft(), plot = timeline.viewport()->width() - left;
  constexpr int ruler = 26;
  constexpr qint64 begin = 1'000;
  for (const qint64 pixel : {1, 10, 30}) {
    m_window->state()->setView(begin, begin + plot * pixel);
    const QImage whole = picture();
    for (const int by : {1, 100, 333}) {
      m_window->state()->setView(begin + by * pixel, begin + (by + plot) * pixel);
      const QImage part = picture();
      EXPECT_EQ(part.copy(left, ruler, plot - by, part.height() - ruler),
                whole.copy(left + by, ruler, plot - by, part.height() - ruler))
          << pixel << " ns in a pixel, " << by << " pixels on";
    }
  }
}

/// What the names beside the lanes say, from the top.
QStringList names_beside(Timeline &timeline) {
  QStringList names;
  for (int y = 27; y < timeline.viewport()->height(); y += 3) {
    QHelpEvent asked(QEvent::ToolTip, {30, y}, timeline.viewport()->mapToGlobal(QPoint(30, y)));
    QApplication::sendEvent(timeline.viewport(), &asked);
    if (const QString said = QToolTip::text(); !names.contains(said)) names += said;
  }
  return names;
}

TEST_F(timeline_shows, no_lane_for_messages_where_there_were_none) {
  constexpr int comm = event_log::progress;
  for (const bool sends : {false, true}) {
    open(
        [sends](event_log &log) {
          for (const int rank : {0, 1, 2}) log.add(0, rank, worker, record::state, {2, 0, 0});
          log.rank(0).handle_registered({.handle = 0, .name = "v", .bytes = 800});
          log.rank(1).handle_registered({.handle = 0, .name = "v", .bytes = 800});
          if (sends) {
            log.add(3'000, 0, comm, record::xfer_start, {0, 0, 1, 0, 0});
            log.add(4'000, 0, comm, record::xfer_done, {0, 0, 1, 0, 0});
            log.add(4'000, 1, comm, record::xfer_done, {0, 0, 0, 0, 1});
          }
          for (const int rank : {0, 1, 2}) log.add(9'000, rank, worker, record::state, {2, 0, 0});
        },
        true, 3);
    const QStringList names = names_beside(*m_window->timeline());
    for (const int rank : {0, 1, 2}) {
      const bool there = sends && rank < 2;
      const QString lane = QStringLiteral("rank %1 comm").arg(rank);
      EXPECT_EQ(names.contains(lane), there) << names.join(QLatin1Char(';')).toStdString();
      EXPECT_EQ(names.filter(QStringLiteral("rank %1\nno message").arg(rank)).isEmpty(), there);
    }
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

/// A phase in another, a task from 20 to 80 us, and so many values which are their own numbers.
void record_values(event_log &log, std::uint64_t values) {
  auto &to = log.rank(0);
  const std::uint64_t outer = to.text("solve"), inner = to.text("step");
  const auto codelet = to.codelet("work", {});
  log.add(10'000, 0, app, record::phase_push, {outer, 0});
  log.add(11'000, 0, app, record::phase_push, {inner, 0});
  for (std::uint64_t i = 0; i < values; ++i)
    log.add(12'000, 0, app, record::counter, {to.text("value " + std::to_string(i)), i});
  log.add(20'000, 0, worker, record::task_begin, {1, codelet});
  log.add(80'000, 0, worker, record::task_end, {1, 0});
  log.add(90'000, 0, app, record::phase_pop, {inner, 0});
  log.add(100'000, 0, app, record::phase_pop, {outer, 0});
}

TEST_F(timeline_shows, workers_below_however_many_values) {
  const auto work = [this] {
    const QImage drawn = picture();
    return count_pixels(drawn, drawn.rect(), m_window->theme().codelet(0));
  };
  for (const std::uint64_t values : {1u, 5u, 9u, 40u}) {
    open([values](event_log &log) { record_values(log, values); });
    const QSize size = m_window->timeline()->viewport()->size();
    EXPECT_GE(work(), size.width() / 2 * 15) << values << " values";
  }
  // A folded value unfolds where it is selected, and by a click beside its lane's header.
  EXPECT_EQ(m_window->runCommand(QStringLiteral("select value:value 3")), QString());
  const auto curves = [this] {
    const QImage drawn = picture();
    return count_pixels(drawn, drawn.rect(), Theme().accent);
  };
  m_window->timeline()->setRange(0, 0);
  const QPoint header(40, 26 + 20 + 34 + 9);  // Ruler, rank, two phases.
  const int open = curves();
  EXPECT_GT(open, 500);
  m_window->timeline()->verticalScrollBar()->setValue(0);
  QTest::mouseClick(m_window->timeline()->viewport(), Qt::LeftButton, {}, header);
  EXPECT_EQ(curves(), 0);
  QTest::mouseClick(m_window->timeline()->viewport(), Qt::LeftButton, {}, header);
  EXPECT_GT(curves(), 500);
}

/// A curve that is always 0 is a line on its ground, and no filled half of its lane.
TEST_F(timeline_shows, a_value_of_nothing_as_a_line_at_zero) {
  open([](event_log &log) { record_values(log, 2); });
  const Theme theme;
  const QImage drawn = picture();
  const QColor edge = Theme::blend(theme.base, theme.grid, 0.6),
               wash = Theme::blend(theme.base, theme.accent, 45 / 255.0);
  std::vector<int> above_edge;  // Of the curves, from the top.
  int last = -1;
  for (int y = 26; y < drawn.height(); ++y) {
    const QColor here = drawn.pixelColor(x_of(50'000) + 2, y);
    EXPECT_NE(here, wash);
    if (here == theme.accent) last = y;
    if (here == edge && last >= 0) above_edge.push_back(y - std::exchange(last, -1));
  }
  ASSERT_EQ(above_edge.size(), 2u) << "of 0, and of 1";
  EXPECT_LE(above_edge[0], 6);
  EXPECT_GE(above_edge[1], 12);
}

/// A worker's thread has none of its own: it works for the phase of the program.
TEST_F(timeline_shows, in_which_phases_a_crash_was) {
  for (const int stream : {app, worker}) {
    open([stream](event_log &log) {
      auto &to = log.rank(0);
      const std::uint64_t newton = to.text("newton"), search = to.text("line search");
      log.add(10'000, 0, app, record::phase_push, {newton, 3});
      log.add(11'000, 0, app, record::phase_push, {search, 0});
      log.add(12'000, 0, app, record::phase_pop, {search, 0});
      log.add(20'000, 0, app, record::phase_push, {search, 0});
      log.add(30'000, 0, stream, record::fatal_signal, {11, ~std::uint64_t{0}});
    });
    QString said;
    for (const timeline_lane &lane : m_window->timeline()->lanes())
      for (const track &each : lane.tracks)
        for (const track_span &span : each.spans())
          if (span.flags & flag_error) said = m_window->timeline()->toolTipOf(span);
    EXPECT_EQ(said, QStringLiteral("crash\n30.0 us\nrank 0 was ended by SIGSEGV\n"
                                   "in line search, in newton 3"));
  }
}

/// As on virtual ranks: that nothing was seen of them said that nothing ran.
TEST_F(timeline_shows, tasks_that_take_no_time_far_out) {
  open([](event_log &log) {
    const auto codelet = log.rank(0).codelet("quick", {});
    log.add(0, 0, worker, record::state, {2, 0, 0});
    for (std::uint64_t i = 0; i < 3'000; ++i) {
      log.add(static_cast<qint64>(10 * i), 0, worker, record::task_begin, {i, codelet});
      log.add(static_cast<qint64>(10 * i), 0, worker, record::task_end, {i, 0});
    }
  });
  m_window->state()->setPlayhead(0);
  const QImage drawn = picture();
  EXPECT_GT(count_pixels(drawn, drawn.rect(), m_window->theme().codelet(0)), drawn.width() / 2 * 3);
}

/// The window gets its size, and its panels theirs, when it has chosen the error.
TEST_F(timeline_shows, the_lane_of_the_selected_error_in_a_window_that_shrinks) {
  constexpr int ranks = 4;
  open(
      [](event_log &log) {
        for (int rank = 0; rank < ranks; ++rank) log.add(0, rank, worker, record::state, {2, 0, 0});
        log.add(100'000, ranks - 1, worker, record::fatal_signal, {11, ~std::uint64_t{0}});
      },
      true, ranks);
  const auto red = [this] {
    const QImage drawn = picture();
    return count_pixels(drawn, drawn.rect(), Theme().error);
  };
  m_window->resize(1280, 1400);
  ASSERT_GT(red(), 40);
  for (const int height : {720, 560}) {
    m_window->resize(1280, height);
    EXPECT_GT(red(), 40) << height;
  }
  m_window->timeline()->verticalScrollBar()->triggerAction(QScrollBar::SliderToMinimum);
  m_window->resize(1280, 540);
  QApplication::processEvents();
  EXPECT_EQ(m_window->timeline()->verticalScrollBar()->value(), 0) << "somebody looks elsewhere";
}

/// Also what the program did and waited for, and what has a frame as it is selected.
TEST_F(timeline_shows, all_steps_of_the_critical_path_over_the_selection) {
  open([](event_log &log) {
    const auto codelet = log.rank(0).codelet("work", {});
    log.add(0, 0, worker, record::state, {2, 0, 0});
    log.add(10'000, 0, app, record::wait_begin, {2, 0, 0});
    log.add(30'000, 0, app, record::wait_end, {2, 0, 0});
    log.add(40'000, 0, worker, record::task_begin, {0, codelet});
    log.add(80'000, 0, worker, record::task_end, {0, 0});
  });
  const std::vector<path_step> path{{"submission", 0, none, 0, 10'000, 0},
                                    {"wait", 0, none, 10'000, 30'000, 0},
                                    {"queueing", 0, none, 30'000, 40'000},
                                    {"compute", 0, none, 40'000, 80'000}};
  for (const Selection selected : {Selection{}, Selection{Selection::Task, 0}}) {
    m_window->state()->select(selected);
    m_window->state()->setPlayhead(0);
    for (const path_step &each : path) {
      const int wide = x_of(each.end) - x_of(each.begin);
      EXPECT_GE(drawn_by(path, each.begin, each.end).size(), 2 * wide)
          << each.kind << (selected.kind == Selection::Nothing ? "" : ", selected");
    }
  }
}

/// Many steps in each pixel: one sees on which rank they were, and of which how many.
TEST_F(timeline_shows, where_a_long_critical_path_goes) {
  constexpr std::uint64_t tasks = 3'000;
  open(
      [](event_log &log) {
        for (const int rank : {0, 1}) {
          const auto codelet = log.rank(rank).codelet("many", {});
          for (std::uint64_t i = 0; i < tasks; ++i) {
            log.add(static_cast<qint64>(10 * i), rank, worker, record::task_begin, {i, codelet});
            log.add(static_cast<qint64>(10 * i) + 9, rank, worker, record::task_end, {i, 0});
          }
        }
      },
      true, 2);
  m_window->state()->setPlayhead(0);
  const auto path = [this](const std::function<int(std::uint64_t)> &rank) {
    std::vector<path_step> steps;
    for (std::uint64_t i = 0; i < tasks; ++i) {
      const auto at = static_cast<qint64>(10 * i);
      steps.push_back(
          {"compute", m_window->state()->model().find_task(rank(i), i), none, at, at + 10});
    }
    return steps;
  };
  const auto lowest_first = [](const QPoint &a, const QPoint &b) { return a.y() < b.y(); };
  const auto halves = path([](std::uint64_t i) { return i < tasks / 2 ? 0 : 1; });
  const auto early = drawn_by(halves, 1'000, 14'000), late = drawn_by(halves, 16'000, 29'000);
  ASSERT_FALSE(early.isEmpty() || late.isEmpty());
  EXPECT_LT(std::ranges::max(early, lowest_first).y(), std::ranges::min(late, lowest_first).y());
  const auto mixed =
      drawn_by(path([](std::uint64_t i) { return i % 4 == 0 ? 1 : 0; }), 1'000, 14'000);
  const int border = std::ranges::max(early, lowest_first).y();
  const auto above = std::ranges::count_if(mixed, [&](const QPoint &p) { return p.y() <= border; });
  EXPECT_GT(above, 2 * (mixed.size() - above)) << "three of four are on the upper rank";
  EXPECT_GT(mixed.size() - above, early.size() / 8);
}

/// What is written left of a moment says by an arrow that it is about what is right of it.
TEST_F(timeline_shows, from_which_moment_on_nothing_is_recorded) {
  open(
      [](event_log &log) {
        record_many_tasks(log);
        log.add(40'000, 0, app, record::wait_begin, {2, 0, 0});
      },
      false);
  m_window->state()->setPlayhead(0);
  m_window->state()->setView(20'000, 40'200);
  const auto beside_the_line = [this] {
    return count_pixels(picture(), QRect(x_of(40'000) - 6, 28, 5, 16), Theme().error);
  };
  EXPECT_GE(beside_the_line(), 8);
  m_window->state()->setView(20'000, 80'000);
  EXPECT_EQ(beside_the_line(), 0) << "it is right of it";
}

TEST_F(timeline_shows, the_first_workers_below_many_phases_and_values) {
  constexpr int workers = 3;
  open(
      [](event_log &log) {
        record_values(log, 4);
        const std::uint64_t inner = log.rank(0).text("deeper");
        for (const qint64 depth : {1, 2, 3, 4})
          log.add(12'000 + depth, 0, app, record::phase_push, {inner, 0});
        const auto codelet = log.rank(0).codelet("work", {});
        for (int i = 1; i < workers; ++i) {
          const auto task = static_cast<std::uint64_t>(1 + i);
          log.add(20'000, 0, worker + i, record::task_begin, {task, codelet});
          log.add(80'000, 0, worker + i, record::task_end, {task, 0});
        }
        for (const qint64 depth : {1, 2, 3, 4})
          log.add(85'000 + depth, 0, app, record::phase_pop, {inner, 0});
      },
      true, 1, workers);
  const QImage drawn = picture();
  const int least = (x_of(80'000) - x_of(20'000)) * 20;  // Of each.
  EXPECT_GE(count_pixels(drawn, drawn.rect(), m_window->theme().codelet(0)), workers * least);
}

/// Nothing is cut above, wherever the error is that a run opens at.
TEST_F(timeline_shows, a_whole_row_at_the_top) {
  constexpr int ranks = 6;
  for (const int height : {560, 600, 640, 720}) {
    open(
        [](event_log &log) {
          for (int rank = 0; rank < ranks; ++rank)
            log.add(0, rank, worker, record::state, {2, 0, 0});
          log.add(100'000, ranks - 2, worker, record::fatal_signal, {11, ~std::uint64_t{0}});
        },
        true, ranks);
    m_window->resize(1280, height);
    QApplication::processEvents();
    ASSERT_GT(m_window->timeline()->verticalScrollBar()->value(), 0);
    const QImage drawn = picture();
    QList<int> lines;  // At the foot of each row.
    const QColor foot = Theme::blend(Theme().panel, Theme().grid, 0.7);
    for (int y = 27; y < drawn.height(); ++y)
      if (drawn.pixelColor(2, y) == foot) lines.append(y);
    ASSERT_GT(lines.size(), 3);
    const int first = lines[0] - 26 + 1;  // From the ruler on.
    QList<int> heights;
    for (int i = 1; i < lines.size(); ++i) heights.append(lines[i] - lines[i - 1]);
    EXPECT_TRUE(heights.contains(first)) << first << " pixels, in " << height;
  }
}

/// One datum after the other goes from rank 1 to rank 0, each for another reason.
TEST_F(timeline_shows, why_each_transfer_was_sent) {
  using deed::trace::transfer_reason;
  const std::vector reasons{transfer_reason::task,    transfer_reason::fetch,
                            transfer_reason::migrate, transfer_reason::write_back,
                            transfer_reason::user,    transfer_reason::reduce};
  const auto begin_of = [](std::size_t i) { return static_cast<qint64>(10'000 * (i + 1)); };
  open(
      [&](event_log &log) {
        for (std::size_t i = 0; i < reasons.size(); ++i) {
          const auto reason = static_cast<std::uint64_t>(reasons[i]);
          const qint64 at = begin_of(i);
          log.add(at - 2, 0, app, record::xfer_post, {1, 0, i, 1, i, 24, 0, reason, ~0ull});
          log.add(at - 1, 1, app, record::xfer_post, {0, 0, i, 0, i, 24, 0, reason, ~0ull});
          log.add(at, 1, event_log::progress, record::xfer_start, {0, i, 0, i, 0, 0});
          log.add(at + 1'500, 0, event_log::progress, record::xfer_done, {0, i, 1, i, 1, 0});
          log.add(at + 1'500, 1, event_log::progress, record::xfer_done, {0, i, 0, i, 0, 0});
        }
      },
      true, 2);
  m_window->timeline()->setShowAllArrows(false);
  for (const auto theme : {Theme::Light, Theme::Dark, Theme::Contrast}) {
    m_window->timeline()->setTheme(Theme(theme));
    const QImage drawn = picture();
    for (const QColor &colour : {Theme(theme).send, Theme(theme).receive}) {
      std::vector<QImage> bars;
      for (std::size_t i = 0; i < reasons.size(); ++i) {
        const int x = x_of(begin_of(i)) + 2;
        int y = 0;
        while (y < drawn.height() && count_pixels(drawn, {x, y, 8, 1}, colour) < 2) ++y;
        bars.push_back(drawn.copy(x, y, 8, 8));
      }
      EXPECT_EQ(count_pixels(bars[0], bars[0].rect(), colour), 64) << "for a task it is plain";
      for (std::size_t i = 1; i < bars.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(bars[i], bars[j]) << i << " and " << j;
    }
  }
}

/// None hides another.
TEST_F(timeline_shows, what_each_worker_of_a_folded_rank_does) {
  open(
      [](event_log &log) {
        const auto first = log.rank(0).codelet("first", {}),
                   other = log.rank(0).codelet("other", {});
        for (const int i : {0, 1}) {
          const auto task = static_cast<std::uint64_t>(i);
          log.add(10'000, 0, worker + i, record::task_begin, {task, i == 0 ? first : other});
          log.add(90'000, 0, worker + i, record::task_end, {task, 0});
        }
        log.add(100'000, 0, app, record::phase_push, {log.rank(0).text("end"), 0});
      },
      true, 1, 2);
  m_window->timeline()->toggleRank(0);
  const QImage drawn = picture();
  const int wide = x_of(90'000) - x_of(10'000) - 4;
  for (const std::size_t codelet : {0u, 1u})
    EXPECT_GE(count_pixels(drawn, drawn.rect(), m_window->theme().codelet(codelet)), 6 * wide);
}

/// Marks of tasks that take no time are as high as their strip at most.
TEST_F(timeline_shows, all_of_the_strip_above_many_tasks_that_take_no_time) {
  constexpr int workers = 5;
  const auto seen_of_first = [&](bool marks) {
    open(
        [&](event_log &log) {
          const auto first = log.rank(0).codelet("first", {}),
                     other = log.rank(0).codelet("other", {});
          log.add(10'000, 0, worker, record::task_begin, {0, first});
          log.add(90'000, 0, worker, record::task_end, {0, 0});
          for (std::uint64_t task = 1; marks && task < 3'000; ++task) {
            const auto at = static_cast<std::int64_t>(10'000 + 26 * task);
            log.add(at, 0, worker + 1, record::task_begin, {task, other});
            log.add(at, 0, worker + 1, record::task_end, {task, 0});
          }
          log.add(100'000, 0, app, record::phase_push, {log.rank(0).text("end"), 0});
        },
        true, 1, workers);
    m_window->timeline()->toggleRank(0);
    const QImage drawn = picture();
    const int left = m_window->timeline()->plotLeft();
    return count_pixels(drawn, {left, 0, drawn.width() - left, drawn.height()},
                        m_window->theme().codelet(0));
  };
  const int alone = seen_of_first(false);
  EXPECT_GT(alone, 100);
  EXPECT_EQ(seen_of_first(true), alone);
}

TEST_F(timeline_shows, in_its_legend_what_there_is) {
  open([](event_log &log) {
    const auto used = log.rank(0).codelet("used", {});
    EXPECT_NE(log.rank(0).codelet("never", {}), used);
    log.add(10'000, 0, worker, record::task_begin, {0, used});
    log.add(20'000, 0, worker, record::task_end, {0, 0});
    const auto migrate = static_cast<std::uint64_t>(deed::trace::transfer_reason::migrate);
    log.add(30'000, 0, app, record::xfer_post, {1, 0, 0, 1, 0, 24, 0, migrate, ~0ull});
    log.add(40'000, 0, app, record::xfer_done, {0, 0, 1, 0, 1, 0});
  });
  const auto *legend = m_window->findChild<Legend *>();
  EXPECT_EQ(legend->accessibleDescription(),
            QStringLiteral("used, not started yet, send, receive, migration"));
  m_window->showPanel(QStringLiteral("Critical path"));
  EXPECT_TRUE(legend->accessibleDescription().startsWith(QStringLiteral("critical path, dashed")));
}

/// Each has a colour of its own; what else a program waits for has that of a barrier.
TEST_F(timeline_shows, waits_of_the_program_in_its_legend) {
  open([](event_log &log) {
    constexpr std::uint64_t handle = 1, barrier = 3, gate = 5;
    for (const std::uint64_t kind : {handle, barrier, gate}) {
      const auto from = static_cast<std::int64_t>(kind) * 1'000;
      log.add(from, 0, app, record::wait_begin, {kind, 1, 0});
      log.add(from + 500, 0, app, record::wait_end, {kind, 1});
    }
  });
  EXPECT_TRUE(m_window->findChild<Legend *>()->accessibleDescription().contains(
      QStringLiteral("borrow, barrier, other waits of the program")));
}

/// It is kept as long as the view stays.
TEST_F(timeline_shows, the_critical_path_anew_after_each_change) {
  constexpr int ranks = 3;
  open(
      [](event_log &log) {
        for (std::uint64_t i = 0; i < 30; ++i) {
          const int rank = static_cast<int>(i % ranks);
          const auto codelet = log.rank(rank).codelet("work", {});
          log.add(static_cast<qint64>(1'000 * i), rank, worker, record::task_begin, {i, codelet});
          log.add(static_cast<qint64>(1'000 * i) + 900, rank, worker, record::task_end, {i, 0});
        }
      },
      true, ranks);
  std::vector<path_step> path;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const task &t = m_window->state()->model().tasks()[i];
    path.push_back({"compute", i, none, t.begin, t.end});
  }
  std::ranges::sort(path, {}, &path_step::begin);
  Timeline &timeline = *m_window->timeline();
  timeline.setPath(path);
  ViewState &state = *m_window->state();
  const std::vector<std::pair<const char *, std::function<void()>>> changes{
      {"nothing", [] {}},
      {"zoom", [&] { state.zoom(0.4, 12'000); }},
      {"pan", [&] { state.pan(2'000); }},
      {"a rank is folded", [&] { timeline.toggleRank(1); }},
      {"a lane is pinned", [&] { timeline.setPinned({QStringLiteral("rank 2 w00")}); }},
      {"a mark", [&] { timeline.setMarks({{9'000, "here"}}); }},
      {"a theme", [&] { timeline.setTheme(Theme(Theme::Dark)); }},
      {"a smaller window", [&] { m_window->resize(900, 560); }},
      {"scrolled",
       [&] { timeline.verticalScrollBar()->setValue(timeline.verticalScrollBar()->maximum()); }},
      {"a playhead", [&] { state.setPlayhead(17'000); }},
      {"no path", [&] { timeline.setPath({}), path.clear(); }},
  };
  for (const auto &[what, change] : changes) {
    picture();
    change();
    const QImage after = picture();
    timeline.setPath(path);
    EXPECT_EQ(after, picture()) << what;
  }
}

/// From rank 0 to rank 1, one after the other; of datum 0 the first `of_first`. The last one brings
/// what the one before did.
void record_messages(event_log &log, std::uint64_t all, std::uint64_t of_first) {
  for (const int rank : {0, 1})
    for (const std::uint32_t datum : {0u, 1u})
      log.rank(rank).handle_registered({.handle = datum, .name = "v", .bytes = 800});
  for (std::uint64_t i = 0; i < all; ++i) {
    const std::uint64_t datum = i < of_first ? 0 : 1, version = i + 2 == all ? i + 1 : i;
    const auto at = static_cast<qint64>(10 * (i + 1));
    log.add(at, 0, event_log::progress, record::xfer_start, {datum, version, 1, i, 0, 0});
    log.add(at + 10, 0, event_log::progress, record::xfer_done, {datum, version, 1, i, 0, 0});
    log.add(at + 10, 1, event_log::progress, record::xfer_done, {datum, version, 0, i, 1, 0});
  }
}

/// Too many to be drawn each are bundles, whose tooltips say how many they are.
TEST_F(timeline_shows, arrows_however_many_are_in_view) {
  constexpr std::uint64_t more_than_are_drawn_each = 1'200;
  open(
      [](event_log &log) {
        record_messages(log, 3 * more_than_are_drawn_each, more_than_are_drawn_each);
      },
      true, 2);
  ASSERT_TRUE(m_window->state()->model().transfers().back().in_vain());
  Timeline &timeline = *m_window->timeline();
  const Theme theme;
  const auto between_the_lanes = [&](const QColor &colour, int tolerance = 0) {
    const QImage drawn = picture();
    const auto is_row_of = [&](int y, const QColor &of) {
      return count_pixels(drawn, {0, y, drawn.width(), 1}, of) > drawn.width() / 2;
    };
    int from = 0, to = drawn.height();
    for (int y = 0; y < drawn.height(); ++y)
      if (is_row_of(y, theme.send)) from = y + 1;
    while (to > from && !is_row_of(to - 1, theme.receive)) --to;
    while (to > from && is_row_of(to - 1, theme.receive)) --to;
    QList<QPoint> found;
    for (int y = from; y < to; ++y)
      for (int x = timeline.plotLeft(); x < drawn.width(); ++x)
        if (count_pixels(drawn, {x, y, 1, 1}, colour, tolerance) == 1) found.append({x, y});
    return found;
  };
  m_window->state()->select({});
  m_window->state()->setPlayhead(0);
  EXPECT_GT(between_the_lanes(theme.redundant, 60).size(), 5) << "what is in vain, at every zoom";
  const QImage with = picture();
  timeline.setShowAllArrows(false);
  EXPECT_NE(picture(), with) << "the others";
  EXPECT_EQ(between_the_lanes(theme.accent).size(), 0);
  m_window->state()->select({Selection::Handle, 0});
  const QList<QPoint> chosen = between_the_lanes(theme.accent);
  ASSERT_GT(chosen.size(), 100) << "the datum that is selected";
  QStringList said;
  for (qsizetype i = 0; i < chosen.size(); i += 50) said += tip_at(*timeline.viewport(), chosen[i]);
  EXPECT_FALSE(said.filter(QStringLiteral("rank 0 to rank 1: ")).isEmpty())
      << said.join(QLatin1Char(';')).toStdString();
}

/// They lead to nothing that is drawn, and still tell that something left, or came.
TEST_F(timeline_shows, arrows_to_ranks_that_are_away_as_stubs) {
  constexpr int highest = 100, messages = 5;
  open([](event_log &log) { record_messages(log, messages, messages); }, true, 2);
  Timeline &timeline = *m_window->timeline();
  m_window->state()->select({});
  for (const int rank : {0, 1}) {
    timeline.showRanks({rank});
    timeline.setShowAllArrows(false);
    const QImage without = picture();
    timeline.setShowAllArrows(true);
    const QImage with = picture();
    QRect changed;
    for (int y = 0; y < with.height(); ++y)
      for (int x = timeline.plotLeft(); x < with.width(); ++x)
        if (with.pixel(x, y) != without.pixel(x, y)) changed |= QRect(x, y, 1, 1);
    EXPECT_FALSE(changed.isEmpty()) << "rank " << rank;
    EXPECT_LT(changed.height(), highest) << "rank " << rank;
  }
}

/// Beside long ones they have no height of their own.
TEST_F(timeline_shows, short_tasks_in_the_strip_above_too) {
  open([](event_log &log) {
    const auto codelet = log.rank(0).codelet("work", {});
    auto task = [&, i = std::uint64_t{0}](qint64 from, qint64 to) mutable {
      log.add(from, 0, worker, record::task_begin, {i, codelet});
      log.add(to, 0, worker, record::task_end, {i++, 0});
    };
    task(0, 400'000);
    for (qint64 at = 500'000; at < 900'000; at += 500) task(at, at + 5);
    log.add(1'000'000, 0, worker, record::state, {2, 0, 0});
  });
  const QImage strip = m_window->findChild<Overview *>()->grab().toImage();
  const QColor work = Theme::blend(Theme().base, m_window->theme().anyCodelet(), 0.65);
  const auto coloured = [&](int from, int to) {  // Of a hundred, at its foot.
    const QRect part(strip.width() * from / 100, strip.height() - 2,
                     strip.width() * (to - from) / 100, 1);
    return 100 * count_pixels(strip, part, work, 8) / part.width();
  };
  EXPECT_GT(coloured(5, 35), 90);
  EXPECT_GT(coloured(55, 85), 90);
  EXPECT_EQ(coloured(43, 47), 0);
  EXPECT_EQ(coloured(93, 97), 0);
}

/// Its header, which says so, stands where its lanes would.
TEST_F(timeline_shows, a_rank_without_a_trace_in_its_place) {
  generator_options options;
  options.path = m_folder.path() + "/missing.deed";
  generate(options);
  std::filesystem::remove_all(options.path + "/rank-000001");
  m_window = std::make_unique<MainWindow>(QString::fromStdString(options.path));
  m_window->resize(1280, 1200);
  m_window->show();
  QApplication::processEvents();
  const auto place_with = [this](const QList<int> &ranks) {
    m_window->timeline()->showRanks(ranks);
    const QImage drawn = picture();
    const int left = m_window->timeline()->plotLeft(), plot = drawn.width() - left;
    int y = 26;
    while (y < drawn.height() && count_pixels(drawn, {left, y, plot, 1}, Theme().dim) < plot / 20)
      ++y;
    return y;
  };
  const int first = place_with({1, 2, 0}), second = place_with({2, 1, 0}),
            last = place_with({2, 0, 1});
  EXPECT_LT(first, second);
  EXPECT_LT(second, last);
  EXPECT_LT(last, m_window->timeline()->viewport()->height());
}

/// What a thread stood and waited for has a mark at every zoom, and in the legend.
TEST_F(timeline_shows, which_transfers_came_late) {
  scratch_folder folder;
  record_late_transfer(folder.path() + "/late.deed");
  m_window = std::make_unique<MainWindow>(QString::fromStdString(folder.path() + "/late.deed"));
  m_window->resize(1280, 720);
  m_window->show();
  EXPECT_TRUE(m_window->findChild<Legend *>()->accessibleDescription().contains(
      QStringLiteral("came late")));
  const track_span late{.ref = 0, .type = span_type::receive},
      other{.ref = 1, .type = span_type::receive};
  EXPECT_TRUE(m_window->timeline()->toolTipOf(late).contains(
      QStringLiteral("came late: a thread of rank 1 waited 300.0 us for it")));
  EXPECT_FALSE(m_window->timeline()->toolTipOf(other).contains(QStringLiteral("late")));
  // The circle is dark and its face is not, whatever lies below.
  const auto ground_around = [&](qint64 time) {
    const QImage drawn = picture();
    int most = 0;
    for (int y = 100; y < drawn.height() - 12; ++y)
      most = std::max(most, count_pixels(drawn, {x_of(time) - 4, y - 4, 9, 9}, Theme().text, 30));
    return most;
  };
  m_window->state()->setPlayhead(0);
  for (const qint64 end : {1'000'000, 400'000}) {
    m_window->state()->setView(0, end);
    EXPECT_GT(ground_around(310'000), ground_around(360'000) + 6) << end;
  }
}

}  // namespace
