// SPDX-License-Identifier: MIT
// What the panels draw: who waits, the history of a datum, matrices, where time went.
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "device_run.hpp"
#include "gui/ticks.hpp"
#include "pixels.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

TEST_F(window, draws_who_waits_for_whom_at_the_playhead) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Waits")));
  m_window->state()->setPlayhead(0);
  auto *graph = m_window->findChild<WaitGraph *>();
  QApplication::processEvents();
  EXPECT_TRUE(graph->nodes().isEmpty());
  m_window->state()->setPlayhead(m_window->state()->model().events().end());
  QApplication::processEvents();
  const auto edges = wait_graph(m_window->state()->model(), m_window->state()->playhead());
  ASSERT_FALSE(edges.empty());
  for (const wait_edge &each : edges)
    if (each.in_cycle) {
      EXPECT_TRUE(graph->nodes().contains(QString::fromStdString(each.from)));
    }
  for (int node = 0; node < graph->nodes().size(); ++node)
    EXPECT_TRUE(graph->textOf(node).contains(QStringLiteral("rank "))) << node;
}

/// It looks at all transfers: behind another tab it must not do so at each step of the playhead.
TEST_F(window, asks_who_waits_only_while_somebody_sees_it) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Waits")));
  m_window->state()->setPlayhead(0);
  auto *graph = m_window->findChild<WaitGraph *>();
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Ownership")));
  QApplication::processEvents();
  m_window->state()->setPlayhead(m_window->state()->model().events().end());
  EXPECT_TRUE(graph->nodes().isEmpty());
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Waits")));
  QApplication::processEvents();
  EXPECT_FALSE(graph->nodes().isEmpty());
}

/// Also where the tab was never in front before.
TEST_F(window, draws_who_waits_at_the_playhead_when_its_tab_comes_to_the_front) {
  auto *graph = m_window->findChild<WaitGraph *>();
  m_window->state()->setPlayhead(0);
  QApplication::processEvents();
  m_window->state()->setPlayhead(m_window->state()->model().events().end());
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Waits")));
  QApplication::processEvents();
  EXPECT_FALSE(graph->nodes().isEmpty());
}

TEST_F(window, marks_in_the_history_what_came_again) {
  const deed::viewer::model &m = m_window->state()->model();
  const auto again = repeats(m, {});
  ASSERT_FALSE(again.empty());
  const transfer &x = m.transfers()[again[0].transfer];
  m_window->showPanel(QStringLiteral("History"));
  m_window->state()->select({Selection::Handle, x.handle});
  m_window->state()->setView(x.end() - 1'000, x.end() + 1'000);
  m_window->state()->setPlayhead(0);
  QApplication::processEvents();
  const QImage drawn = m_window->findChild<HandleHistory *>()->grab().toImage();
  int ticks = 0;
  for (int y = 0; y < drawn.height(); ++y)
    for (int px = 0; px < drawn.width(); ++px)
      ticks += drawn.pixelColor(px, y) == Theme().redundant ? 1 : 0;
  EXPECT_GT(ticks, 0);
}

TEST_F(window, has_the_times_of_the_timeline_above_the_history) {
  m_window->showPanel(QStringLiteral("History"));
  m_window->state()->select({Selection::Handle, 0});
  m_window->state()->setPlayhead(0);
  auto *const history = m_window->findChild<HandleHistory *>();
  const qint64 end = m_window->state()->end();
  for (const auto &[from, to] : {std::pair{qint64{0}, end}, {end / 3, end / 2}}) {
    m_window->state()->setView(from, to);
    QApplication::processEvents();
    const QImage drawn = history->grab().toImage();
    const double plot = drawn.width() - 72;
    const qint64 begin = m_window->state()->begin(), until = m_window->state()->end();
    const qint64 step = tickStep(static_cast<double>(until - begin) / plot, 110);
    int ticks = 0;
    for (qint64 time = (begin / step + 1) * step; time < until; time += step, ++ticks) {
      const auto x = 64 + static_cast<int>(m_window->state()->xOf(time, plot));
      EXPECT_EQ(count_pixels(drawn, {x, 36, 1, 5}, Theme().dim), 5) << time;
      if (x + 80 < drawn.width()) {  // There is room for what it says.
        EXPECT_GT(count_pixels(drawn, {x + 4, 24, 70, 14}, Theme().dim, 40), 10) << time;
      }
    }
    EXPECT_GE(ticks, 3);
  }
}

/// Whether most of a row, from `from` to `to` of a run of 80 us, has a colour: a name stands on it.
bool is_coloured(const QImage &drawn, int left, int row, std::pair<int, int> between,
                 const QColor &colour) {
  constexpr int top = 42, lane = 30;
  const int plot = drawn.width() - left - 8;
  const QRect part(left + between.first * plot / 80'000, top + row * lane + 6,
                   (between.second - between.first) * plot / 80'000, lane - 14);
  return count_pixels(drawn, part, colour) * 2 > part.width() * part.height();
}

TEST(history_of_a_device, has_a_row_for_each_memory) {
  using deed::trace::access_kind;
  device_run made;
  made.insert(0, 0, access_kind::write, 0);
  made.insert(0, 1, access_kind::read_write, 1);
  made.run_on_worker(0, 1'000, 2'000);
  made.copy(true, 1, 10'000, 20'000);
  made.kernel(1, 30'000, 40'000);
  made.copy(false, 2, 50'000, 60'000);
  MainWindow window(QString::fromStdString(made.closed(80'000)));
  window.resize(1000, 900);
  window.show();
  window.showPanel(QStringLiteral("History"));
  window.state()->select({Selection::Handle, 0});
  QApplication::processEvents();
  auto *const history = window.findChild<HandleHistory *>();
  const QImage drawn = history->grab().toImage();
  const int left = history->fontMetrics().horizontalAdvance(QStringLiteral("rank 0 gpu0")) + 16;
  const auto is = [&](int row, std::pair<int, int> between, const QColor &colour) {
    return is_coloured(drawn, left, row, between, colour);
  };
  const Theme theme;
  constexpr int host = 0, device = 1;
  EXPECT_TRUE(is(host, {5'000, 35'000}, theme.owner)) << "v1";
  EXPECT_TRUE(is(device, {5'000, 15'000}, theme.base)) << "nothing yet";
  EXPECT_TRUE(is(device, {25'000, 38'000}, theme.owner)) << "v1";
  EXPECT_TRUE(is(device, {42'000, 75'000}, theme.owner)) << "v2";
  EXPECT_TRUE(is(host, {42'000, 58'000}, theme.stale)) << "v2 is on the device alone";
  EXPECT_TRUE(is(host, {62'000, 75'000}, theme.owner)) << "v2";
}

/// As of an emulated device: thousands of copies that each take nanoseconds.
TEST(timeline_of_a_device, shows_copies_that_take_no_time_at_every_zoom) {
  device_run made;
  constexpr std::uint64_t many = 2'000, apart = 400'000;
  for (std::uint64_t i = 1; i <= many; ++i) made.copy(true, 0, i * apart, i * apart + 8);
  MainWindow window(QString::fromStdString(made.closed((many + 1) * apart)));
  window.resize(1000, 900);
  window.show();
  QApplication::processEvents();
  const QImage drawn = window.timeline()->viewport()->grab().toImage();
  EXPECT_GT(count_pixels(drawn, drawn.rect(), Theme().receive), drawn.width() / 2);
}

TEST(timeline_of_a_device, shows_its_kernels_where_its_rank_is_folded) {
  device_run made;
  made.insert(0, 0, deed::trace::access_kind::read, 0);
  made.kernel(0, 10'000, 70'000);
  MainWindow window(QString::fromStdString(made.closed(80'000)));
  window.resize(1000, 900);
  window.show();
  window.timeline()->toggleRank(0);
  QApplication::processEvents();
  const QImage drawn = window.timeline()->viewport()->grab().toImage();
  EXPECT_GT(count_pixels(drawn, drawn.rect(), window.theme().codelet(0)), drawn.width() / 2);
}

/// What it says at a point.
std::string said_at(QWidget &of, const QPoint &at) {
  QHelpEvent help(QEvent::ToolTip, at, of.mapToGlobal(at));
  QApplication::sendEvent(&of, &help);
  return QToolTip::text().toStdString();
}

TEST(tooltips_of_a_device, say_which_it_is_and_what_lies_there) {
  device_run made("NVIDIA H200 (cuda 0000:00:06.0)");
  made.insert(0, 0, deed::trace::access_kind::write, 0);
  made.kernel(0, 10'000, 20'000);
  MainWindow window(QString::fromStdString(made.closed(80'000)));
  window.resize(1000, 900);
  window.show();
  window.state()->setPlayhead(30'000);
  window.showPanel(QStringLiteral("Ownership"));
  QApplication::processEvents();
  QWidget &lanes = *window.timeline()->viewport();
  std::string lane;
  for (int y = 30; y < lanes.height() && !lane.starts_with("rank 0 gpu0"); y += 5)
    lane = said_at(lanes, {20, y});
  EXPECT_THAT(lane, HasSubstr("gpu0\nNVIDIA H200 (cuda 0000:00:06.0)"));
  QWidget &cells = *window.findChild<OwnershipMatrix *>()->viewport();
  EXPECT_THAT(said_at(cells, {110, 31}), HasSubstr("\nrank 0 gpu0, since 20.0 us"));
}

TEST(tooltips_of_a_device, end_where_its_rank_did_not_say_which_it_is) {
  device_run made("");
  MainWindow window(QString::fromStdString(made.closed(80'000)));
  window.resize(1000, 900);
  window.show();
  QApplication::processEvents();
  QWidget &lanes = *window.timeline()->viewport();
  std::string lane;
  for (int y = 30; y < lanes.height() && lane.find("gpu0") == std::string::npos; y += 5)
    lane = said_at(lanes, {20, y});
  EXPECT_THAT(lane, HasSubstr("gpu0"));
  EXPECT_NE(lane.back(), '\n');
}

TEST(legend_of_a_device, names_the_copies_that_there_are) {
  const auto legend_of = [](device_run &made) {
    MainWindow window(QString::fromStdString(made.closed(80'000)));
    return window.findChild<Legend *>()->accessibleDescription().toStdString();
  };
  device_run none_made;
  EXPECT_EQ(legend_of(none_made).find("copy"), std::string::npos);
  device_run made;
  made.copy(true, 0, 10'000, 20'000);
  const std::string said = legend_of(made);
  EXPECT_THAT(said, HasSubstr("copy to a device"));
  EXPECT_EQ(said.find("copy from a device"), std::string::npos);
}

TEST(inspector_of_a_run, has_room_for_its_devices) {
  device_run made("NVIDIA H200 (cuda 0000:00:06.0)");
  made.copy(true, 0, 10'000, 20'000);
  MainWindow window(QString::fromStdString(made.closed(80'000)));
  std::size_t columns = 0;
  for (const AnswerView *each : window.findChildren<AnswerView *>())
    for (const table &shown : each->shown().tables)
      if (shown.title == "devices") columns = shown.columns.size();
  EXPECT_EQ(columns, 3u) << "which it is, its kernels, and how busy it was";
}

/// Rank 0 writes `u` again and again, and rank 1 sees nothing of it.
struct long_history : testing::Test {
  static constexpr qint64 writes = 40'000, apart = 1'000;
  void SetUp() override {
    const std::string path = folder.path() + "/run.deed";
    event_log log(path, 2, 1, 7);
    for (int rank = 0; rank < 2; ++rank)
      log.rank(rank).handle_registered({.handle = 0, .name = "u", .bytes = 800});
    const std::uint64_t codelet = log.rank(0).codelet("step", {});
    constexpr int app = event_log::application, worker = event_log::first_worker;
    for (std::uint64_t n = 0; n < writes; ++n) {
      const auto from = static_cast<std::int64_t>(n) * apart;
      log.add(from, 0, app, record::task_submit, {n, codelet, ~0u, 0, 0, 1});
      log.add(from, 0, app, record::task_access, {n, 0, 0, 1, n, n + 1});
      log.add(from, 0, worker, record::task_begin, {n, codelet});
      log.add(from + apart / 2, 0, worker, record::task_end, {n, 0});
    }
    log.add(writes * apart, 0, worker, record::state, {2, 0, 0});
    log.close();
    window = std::make_unique<MainWindow>(QString::fromStdString(path));
    window->resize(1000, 700);
    window->show();
    window->showPanel(QStringLiteral("History"));
    window->state()->select({Selection::Handle, 0});
  }
  /// Of the row of rank 0: how often it begins, and how many pixels it covers.
  std::pair<int, int> drawn() {
    QApplication::processEvents();
    auto *history = window->findChild<HandleHistory *>();
    const QImage picture = history->grab().toImage();
    std::pair<int, int> found;
    for (int x = 70, before = 0; x < picture.width() - 8; ++x) {
      const bool is = picture.pixelColor(x, 46) == Theme().owner;
      found.first += is && before == 0 ? 1 : 0;
      found.second += is ? 1 : 0;
      before = is ? 1 : 0;
    }
    return found;
  }
  scratch_folder folder;
  std::unique_ptr<MainWindow> window;
};

TEST_F(long_history, is_drawn_to_its_end_at_every_zoom) {
  window->state()->fitAll();
  EXPECT_GT(drawn().second, 800) << "of about 920 pixels";
  for (const qint64 from : {0, 17'000, 39'900}) {
    window->state()->setView(from * apart, (from + 20) * apart);
    EXPECT_NEAR(drawn().first, 20, 2) << "versions from " << from;
  }
  window->state()->setView(39'000 * apart, 39'100 * apart);
  EXPECT_NEAR(drawn().first, 100, 2);
}

TEST_F(long_history, goes_from_change_to_change) {
  auto *history = window->findChild<HandleHistory *>();
  history->setFocus();
  const auto press = [&](int key) {
    QTest::keyClick(history, Qt::Key(key));
    return window->state()->playhead();
  };
  const qint64 last = (writes - 1) * apart + apart / 2;
  window->state()->setPlayhead(last + 1);
  EXPECT_EQ(press(Qt::Key_Left), last);
  EXPECT_EQ(press(Qt::Key_Left), last - apart);
  EXPECT_EQ(press(Qt::Key_Right), last);
  EXPECT_EQ(press(Qt::Key_Right), last) << "it is the last one";
  window->state()->setPlayhead(20'000 * apart);
  EXPECT_EQ(press(Qt::Key_Right), 20'000 * apart + apart / 2);
}

TEST_F(window, draws_as_many_nodes_as_have_room) {
  std::vector<wait_edge> waits;
  for (int i = 0; i < 12; ++i)
    waits.push_back(
        {"task with a name#" + std::to_string(i), "data#" + std::to_string(i), "", false});
  WaitGraph graph;
  graph.resize(300, 200);
  graph.setWaits(waits);
  const qsizetype few = graph.nodes().size();
  EXPECT_GE(few, 4);
  EXPECT_LT(few, 24);
  graph.resize(1600, 1200);
  graph.show();
  QApplication::processEvents();
  EXPECT_GT(graph.nodes().size(), few);
}

TEST_F(window, leaves_room_for_an_arrow_between_two_that_wait) {
  std::vector<wait_edge> waits;
  for (int i = 0; i < 12; ++i)
    waits.push_back(
        {"relax#" + std::to_string(100 + i), "relax#" + std::to_string(101 + i), "", false});
  WaitGraph graph;
  graph.resize(500, 240);
  graph.setWaits(waits);
  const QFontMetricsF metrics(graph.font());
  const auto nodes = static_cast<int>(graph.nodes().size());
  ASSERT_GE(nodes, 4);
  for (int i = 0; i < nodes; ++i)
    for (int k = 0; k < i; ++k)
      EXPECT_FALSE(
          graph.boxOf(i, metrics).adjusted(-15, -15, 15, 15).intersects(graph.boxOf(k, metrics)))
          << i << " and " << k;
}

TEST_F(window, says_outside_of_a_slice_that_nothing_is_known) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/part.deed";
  const run whole(s_folder->path() + "/run.deed");
  const qint64 from = whole.end() / 4, to = whole.end() / 2;
  slice(whole, path, {time_range{from, to}, {}});
  MainWindow part(QString::fromStdString(path));
  part.resize(1280, 720);
  part.show();
  QApplication::processEvents();
  EXPECT_LE(part.state()->playhead(), to);
  EXPECT_GT(part.state()->begin(), from - (to - from) / 10) << "it is what there is to see";
  EXPECT_LT(part.state()->end(), to + (to - from) / 10);
  // Nothing that has a colour stands behind it.
  part.state()->select({});
  part.timeline()->setShowAllArrows(false);
  part.state()->setPlayhead(from);
  part.state()->setView(from, to + (to - from));
  QApplication::processEvents();
  const QImage drawn = part.timeline()->viewport()->grab().toImage();
  const double plot = drawn.width() - part.timeline()->plotLeft();
  const auto x = part.timeline()->plotLeft() + static_cast<int>(part.state()->xOf(to, plot));
  int coloured = 0;
  for (int y = 50; y < drawn.height(); ++y)
    for (int at = x + 2; at < drawn.width() - 16; ++at)
      coloured += drawn.pixelColor(at, y).hsvSaturation() > 60;
  EXPECT_EQ(coloured, 0);
  const auto matrix = [&](qint64 time) {
    part.state()->setPlayhead(time);
    part.showPanel(QStringLiteral("Ownership"));
    QApplication::processEvents();
    const QImage of = part.findChild<OwnershipMatrix *>()->viewport()->grab().toImage();
    return count_pixels(of, of.rect(), Theme().owner);
  };
  EXPECT_GT(matrix(to), 100);
  EXPECT_GT(matrix(to + 1'000), 100) << "the playhead stays in the run";
  EXPECT_EQ(matrix(from / 2), 0);
  part.runCommand(QStringLiteral("select handle:A[2,0]"));
  const auto *inspector = qobject_cast<AnswerView *>(
      part.findChild<QDockWidget *>(QStringLiteral("Inspector"))->widget());
  EXPECT_THAT(inspector->toPlainText().toStdString(), HasSubstr("the slice begins at"));
}

/// A run in which another rank writes a datum, and sends it to its owner.
void record_a_detour(const std::string &path) {
  constexpr std::uint64_t there = 1, home = 0, nowhere = ~std::uint32_t{0};
  constexpr int worker = event_log::first_worker, comm = event_log::progress;
  event_log log(path, 2, 1, 7);
  std::uint16_t codelet = 0;
  for (int rank = 0; rank < 2; ++rank) {
    log.rank(rank).handle_registered({.handle = 0, .name = "v", .bytes = 800});
    codelet = log.rank(rank).codelet("step", {});
  }
  log.add(0, there, event_log::application, record::task_submit, {0, codelet, nowhere, 0, 0, 1});
  log.add(0, there, event_log::application, record::task_access, {0, 0, 0, 1, 0, 1});
  log.add(1'000, there, worker, record::task_begin, {0, codelet});
  log.add(2'000, there, worker, record::task_end, {0, 0});
  log.add(3'000, there, comm, record::xfer_start, {0, 1, home, 0, 0});
  log.add(4'000, there, comm, record::xfer_done, {0, 1, home, 0, 0});
  log.add(4'000, home, comm, record::xfer_done, {0, 1, there, 0, 1});
  log.close();
}

TEST_F(window, shows_the_owner_of_every_datum_at_every_time) {
  const std::string path = s_folder->path() + "/detour.deed";
  record_a_detour(path);
  MainWindow other(QString::fromStdString(path));
  ViewState &state = *other.state();
  state.select({Selection::Handle, 0});
  for (const auto &[time, kind] : {std::pair{500, copy_kind::owner},
                                   {2'500, copy_kind::stale},
                                   {3'500, copy_kind::pending},
                                   {4'500, copy_kind::owner}})
    for (const int width : {300, 150, 116}) {
      SCOPED_TRACE(testing::Message() << time << " ns, " << width << " pixels");
      state.setPlayhead(time);
      const datum_state now = state_at(state.model(), 0, state.playhead());
      EXPECT_EQ(now.copies[0].kind, kind);
      EXPECT_EQ(now.owner, 0u);
      OwnershipMatrix matrix(&state);
      matrix.resize(width, 300);
      matrix.show();
      QApplication::processEvents();
      const QImage drawn = matrix.viewport()->grab().toImage();
      EXPECT_GE(count_pixels(drawn, {97, 24, drawn.width() - 100, 15}, Theme().owner), 20);
    }
}

/// Each of these was the same point, and the legend named none.
TEST_F(window, tells_no_copy_from_data_that_are_not_registered) {
  const std::string path = s_folder->path() + "/life.deed";
  {
    event_log log(path, 2, 1, 7);
    for (const int rank : {0, 1})
      log.add(0, rank, event_log::first_worker, record::state, {2, 0, 0});
    log.set_time(1'000);
    for (const int rank : {0, 1})
      log.rank(rank).handle_registered({.handle = 0, .name = "v", .bytes = 800});
    for (const int rank : {0, 1})
      log.add(3'000, rank, event_log::application, record::handle_unregister, {0, 0});
    for (const int rank : {0, 1})
      log.add(9'000, rank, event_log::first_worker, record::state, {2, 0, 0});
    log.close();
  }
  MainWindow other(QString::fromStdString(path));
  OwnershipMatrix matrix(other.state());
  matrix.resize(900, 200);
  matrix.show();
  QApplication::processEvents();
  QList<QImage> cells, legends;
  for (const qint64 time : {500, 2'000, 6'000}) {
    other.state()->setPlayhead(time);
    QApplication::processEvents();
    const QImage drawn = matrix.viewport()->grab().toImage();
    cells.append(drawn.copy(97 + 44, 23, 42, 17));  // Of rank 1.
    legends.append(drawn.copy(300, drawn.height() - 22, 250, 20));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(cells[i], cells[(i + 1) % 3]) << i;
    EXPECT_NE(legends[i], legends[(i + 1) % 3]) << i;
  }
}

/// What is to be known of the times stands there as a whole, in several lines.
TEST_F(window, wraps_what_is_to_be_known_of_where_time_went) {
  const std::string path = s_folder->path() + "/cut.deed";
  event_log log(path, 2, 1, 7);
  for (const int rank : {0, 1}) {
    const auto codelet = log.rank(rank).codelet("step", {});
    log.add(1'000, rank, event_log::first_worker, record::task_begin, {0, codelet});
    log.add(rank == 0 ? 900'000 : 100'000, rank, event_log::first_worker, record::task_end, {0, 0});
  }
  log.flush();  // One rank says nothing for long.
  MainWindow other(QString::fromStdString(path));
  const auto top_of_bars = [&](int width) {
    TimeShares shares(other.state());
    shares.resize(width, 300);
    shares.show();
    QApplication::processEvents();
    const QImage drawn = shares.viewport()->grab().toImage();
    int y = 0;
    constexpr int wide = 50;  // More than of the legend.
    while (y < drawn.height() && count_pixels(drawn, {250, y, wide, 1}, Theme().codelet(0)) < wide)
      ++y;
    return y;
  };
  EXPECT_GE(top_of_bars(400), top_of_bars(2'000) + 18);
  log.close();
}

/// The run ends with them: the tick lies at the end of the strip, and the window opens there.
TEST_F(window, shows_errors_at_the_end_of_a_run) {
  const deed::viewer::model &m = m_window->state()->model();
  ASSERT_EQ(m_window->state()->playhead(), m.events().end());
  const QImage strip = m_window->findChild<Overview *>()->grab().toImage();
  EXPECT_GE(count_pixels(strip, {strip.width() - 4, 0, 4, strip.height()}, Theme().error),
            2 * strip.height());
  ASSERT_EQ(m_window->state()->selection().kind, Selection::Event);
  m_window->state()->fitAll();
  QApplication::processEvents();
  const QImage lanes = m_window->timeline()->viewport()->grab().toImage();
  const double plot = lanes.width() - m_window->timeline()->plotLeft();
  const int x = m_window->timeline()->plotLeft() +
                static_cast<int>(m_window->state()->xOf(m_window->state()->playhead(), plot));
  EXPECT_GE(count_pixels(lanes, {x - 4, 26, 9, lanes.height() - 26}, Theme().error), 20);
}

TEST_F(window, tells_where_a_program_stood_from_what_is_not_recorded) {
  constexpr std::uint64_t barrier = 3, request = 7, idle_no_task = 2;
  for (const std::uint64_t kind : {barrier, request}) {
    const std::string path = s_folder->path() + "/stay" + std::to_string(kind) + ".deed";
    event_log log(path, 1, 1, 1);
    log.add(0, 0, event_log::application, record::wait_begin, {kind, 1, 0});
    log.add(0, 0, event_log::first_worker, record::state, {idle_no_task, 0, 0});
    log.add(90'000, 0, event_log::application, record::wait_end, {kind, 1});
    log.add(100'000, 0, event_log::first_worker, record::state, {idle_no_task, 0, 0});
    log.close();
    MainWindow of(QString::fromStdString(path));
    of.resize(900, 600);
    of.show();
    of.showPanel(QStringLiteral("Where time went"));
    QApplication::processEvents();
    const QImage drawn = of.findChild<TimeShares *>()->viewport()->grab().toImage();
    const QColor colour = Theme().stay(kind);
    EXPECT_GT(count_pixels(drawn, drawn.rect(), colour), 2'000) << kind;
    EXPECT_LT(count_pixels(drawn, drawn.rect(), Theme().unknown), 10) << "edges of letters";
    // And so does the lane of the worker.
    const QImage lanes = of.timeline()->viewport()->grab().toImage();
    EXPECT_GT(count_pixels(lanes, lanes.rect(), colour), 2'000) << kind;
    for (const timeline_lane &lane : of.timeline()->lanes())
      if (lane.runs_tasks) {
        const QString said = of.timeline()->toolTipOf(lane.tracks[0].span(0));
        EXPECT_TRUE(said.startsWith(QLatin1String(kind == barrier ? "barrier" : "request wait")))
            << said.toStdString();
      }
  }
}

/// In a task that so did not end: on its bar, at every zoom, also where the lane ends with it.
TEST_F(window, shows_a_crash_as_an_error) {
  constexpr int worker = event_log::first_worker;
  for (const qint64 after : {0, 40'000}) {
    const std::string path = s_folder->path() + "/crash" + std::to_string(after) + ".deed";
    event_log log(path, 1, 1, 1);
    const auto codelet = log.rank(0).codelet("bad", {});
    for (std::uint64_t i = 0; i < 3'000; ++i) {
      log.add(static_cast<qint64>(10 * i), 0, worker, record::task_begin, {i, codelet});
      log.add(static_cast<qint64>(10 * i) + 5, 0, worker, record::task_end, {i, 0});
    }
    log.add(40'000, 0, worker, record::task_begin, {3'000, codelet});
    log.add(60'000, 0, worker, record::fatal_signal, {11, ~std::uint64_t{0}});
    if (after != 0)
      log.add(60'000 + after, 0, event_log::application, record::wait_begin, {2, 0, 0});
    log.close();
    MainWindow other(QString::fromStdString(path));
    other.resize(1000, 700);
    other.show();
    QApplication::processEvents();
    const QImage strip = other.findChild<Overview *>()->grab().toImage();
    EXPECT_GE(count_pixels(strip, strip.rect(), Theme().error), 2 * strip.height()) << after;
    other.state()->setPlayhead(0);  // It would stand on it.
    const auto red = [&other](qint64 begin, qint64 end) {
      other.state()->setView(begin, end);
      QApplication::processEvents();
      const QImage lanes = other.timeline()->viewport()->grab().toImage();
      const double plot = lanes.width() - other.timeline()->plotLeft();
      const int x =
          other.timeline()->plotLeft() + static_cast<int>(other.state()->xOf(60'000, plot));
      return count_pixels(lanes, QRect(x - 3, 46, 9, 100) & lanes.rect(), Theme().error);
    };
    EXPECT_GE(red(0, 60'000 + after), 15) << after;
    EXPECT_GE(red(50'000, 65'000), 30) << after;
    const track &lane =
        std::ranges::find(other.timeline()->lanes(), true, &timeline_lane::runs_tasks)->tracks[0];
    EXPECT_TRUE(
        other.timeline()->toolTipOf(lane.span(lane.size() - 1)).startsWith(QLatin1String("crash")));
  }
}

/// As wide as a letter; the names of handles stay where they are while ranks are scrolled to.
TEST_F(window, shows_who_owns_what_of_many_ranks) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/many.deed";
  options.ranks = 64;
  options.tiles = 10;
  generate(options);
  MainWindow many(QString::fromStdString(options.path));
  auto *matrix = many.findChild<OwnershipMatrix *>();
  matrix->setParent(nullptr);
  const std::unique_ptr<OwnershipMatrix> owned(matrix);
  matrix->resize(600, 300);
  matrix->show();
  QApplication::processEvents();
  EXPECT_GE(matrix->horizontalScrollBar()->maximum(), 64 * 12 + 96 - 600);
  const QRect names(0, 0, 90, 200);
  const QImage left = matrix->viewport()->grab().toImage();
  matrix->horizontalScrollBar()->setValue(matrix->horizontalScrollBar()->maximum());
  const QImage right = matrix->viewport()->grab().toImage();
  EXPECT_EQ(left.copy(names), right.copy(names));
  EXPECT_NE(left.copy(names.translated(100, 0)), right.copy(names.translated(100, 0)));
}

TEST_F(window, gives_larger_letters_room_in_its_panels) {
  TimeShares shares(m_window->state());
  shares.resize(800, 400);
  shares.show();
  QApplication::processEvents();
  // Where bars begin, right of the names.
  const auto bar = [&] {
    const QImage drawn = shares.viewport()->grab().toImage();
    int left = drawn.width();
    for (int y = 0; y < drawn.height(); ++y) {
      int x = drawn.width() - 20;
      while (x > 0 && drawn.pixelColor(x, y) != Theme().base) --x;
      if (x > 0) left = std::min(left, x);
    }
    return left;
  };
  const int before = bar();
  QFont large = shares.font();
  large.setPixelSize(24);
  shares.setFont(large);
  QApplication::processEvents();
  EXPECT_GE(bar(), before * 3 / 2);
}

TEST_F(window, shows_long_versions_whole) {
  const std::string path = s_folder->path() + "/versions.deed";
  {
    event_log log(path, 2, 1, 7);
    std::uint16_t codelet = 0;
    for (int rank = 0; rank < 2; ++rank) {
      log.rank(rank).handle_registered({.handle = 0, .name = "v", .bytes = 800});
      codelet = log.rank(rank).codelet("step", {});
    }
    constexpr std::uint64_t nowhere = ~std::uint32_t{0}, writes = 1;
    log.add(0, 0, event_log::application, record::task_submit, {0, codelet, nowhere, 0, 0, 1});
    log.add(0, 0, event_log::application, record::task_access, {0, 0, 0, writes, 0, 123'456});
    log.add(1'000, 0, event_log::first_worker, record::task_begin, {0, codelet});
    log.add(2'000, 0, event_log::first_worker, record::task_end, {0, 0});
    log.close();
  }
  MainWindow other(QString::fromStdString(path));
  other.state()->setPlayhead(2'000);
  OwnershipMatrix matrix(other.state());
  matrix.resize(500, 300);
  matrix.show();
  QApplication::processEvents();
  const QImage drawn = matrix.viewport()->grab().toImage();
  int wide = 0;
  for (int x = 0; x < drawn.width(); ++x) wide += drawn.pixelColor(x, 23) == Theme().owner ? 1 : 0;
  EXPECT_GT(wide, matrix.fontMetrics().horizontalAdvance(QStringLiteral("O v123456")));
}

/// A cell of nothing is as black as the ground.
TEST_F(window, draws_the_edges_of_empty_cells_on_black) {
  CommMatrix matrix(m_window->state());
  matrix.look();
  const Theme theme(Theme::Contrast);
  matrix.setTheme(theme);
  matrix.resize(600, 270);
  matrix.show();
  QApplication::processEvents();
  const QImage drawn = matrix.grab().toImage();
  EXPECT_GT(count_pixels(drawn, drawn.rect(), theme.grid), 500);
}

TEST_F(window, colours_the_messages_by_what_is_chosen) {
  const std::string path = s_folder->path() + "/two_ways.deed";
  {
    event_log log(path, 2, 0, 1);
    constexpr std::uint64_t send = 0, receive = 1;
    for (const int rank : {0, 1})
      for (const std::uint32_t datum : {0u, 1u})
        log.rank(rank).handle_registered(
            {.handle = datum, .name = "x", .bytes = datum == 0 ? 1'000u : 100'000u});
    const auto add = [&](std::uint64_t number, std::uint64_t datum, int from, qint64 at,
                         qint64 took) {
      const auto src = static_cast<std::uint64_t>(from), dst = 1 - src;
      const int to = 1 - from;
      const std::uint64_t bytes = datum == 0 ? 1'000 : 100'000;
      constexpr int app = event_log::application;
      log.add(at, from, app, record::xfer_post,
              {send, datum, number, dst, number, bytes, 0, 0, ~0ull});
      log.add(at, to, app, record::xfer_post,
              {receive, datum, number, src, number, bytes, 0, 0, ~0ull});
      log.add(at, from, app, record::xfer_start, {datum, number, dst, number, send, 0});
      log.add(at + took, from, app, record::xfer_done, {datum, number, dst, number, send, 0});
      log.add(at + took, to, app, record::xfer_done, {datum, number, src, number, receive, 0});
    };
    for (std::uint64_t i = 0; i < 10; ++i) add(i, 0, 0, 1'000 + 100 * static_cast<qint64>(i), 10);
    add(0, 1, 1, 5'000, 4'000);
    log.close();
  }
  MainWindow of(QString::fromStdString(path));
  of.resize(1000, 700);
  of.show();
  of.showPanel(QStringLiteral("Communication"));
  auto *const matrix = of.findChild<CommMatrix *>();
  const auto colours = [&](const char *what) {
    EXPECT_EQ(of.runCommand(QStringLiteral("matrix ") + QLatin1String(what)), QString());
    QApplication::processEvents();
    const QImage drawn = matrix->grab().toImage();
    const int left = 76, top = 44, wide = 120, high = 46;  // Beside what stands in the cells.
    return std::pair(drawn.pixelColor(left + wide + 3, top + 3),
                     drawn.pixelColor(left + 3, top + high + 3));
  };
  const Theme theme;
  const QColor most = theme.owner;
  const auto part = [&](double value) {
    return Theme::blend(theme.base, theme.owner, 0.15 + 0.85 * value);
  };
  EXPECT_EQ(colours("bytes"), std::pair(part(0.1), most));
  EXPECT_EQ(colours("messages"), std::pair(most, part(0.1)));
  EXPECT_EQ(colours("mean size"), std::pair(part(0.01), most));
  EXPECT_EQ(colours("mean time"), std::pair(part(0.0025), most));
  EXPECT_EQ(colours("bandwidth"), std::pair(most, part(0.25)));
  EXPECT_EQ(colours("redundant bytes"), std::pair(theme.panel, theme.panel));
  colours("logarithmic");
  EXPECT_EQ(colours("bytes"), std::pair(part(0), most)) << "the least and the most";
  EXPECT_NE(of.runCommand(QStringLiteral("matrix sizes")), QString());
  QHelpEvent help(QEvent::ToolTip, {90, 105}, matrix->mapToGlobal(QPoint(90, 105)));
  QApplication::sendEvent(matrix, &help);
  EXPECT_THAT(QToolTip::text().toStdString(),
              HasSubstr("in 1 message, 0 B redundant\neach has 100.0 kB and takes 4.0 us,"));
}

/// To paint is to draw, of a long run, too.
TEST_F(window, counts_messages_before_they_are_painted) {
  auto *const matrix = m_window->findChild<CommMatrix *>();
  const auto said = [&] {
    matrix->grab();
    QHelpEvent help(QEvent::ToolTip, {90, 105}, matrix->mapToGlobal(QPoint(90, 105)));
    QApplication::sendEvent(matrix, &help);
    return QToolTip::text().toStdString();
  };
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Communication")));
  QApplication::processEvents();
  const std::string of_all = said();
  EXPECT_THAT(of_all, testing::Not(HasSubstr(" in 0 messages")));
  ASSERT_EQ(m_window->runCommand(QStringLiteral("mark 300us:600us")), QString());
  const std::string of_part = said();
  EXPECT_NE(of_part, of_all) << "at once, as somebody sees it";
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Events")));
  QApplication::processEvents();
  ASSERT_EQ(m_window->runCommand(QStringLiteral("clear")), QString());
  const auto counts = [](const std::string &of) { return of.substr(0, of.find("\nmost")); };
  EXPECT_EQ(counts(said()), counts(of_part)) << "nobody sees it";
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Communication")));
  QApplication::processEvents();
  EXPECT_EQ(said(), of_all);
}

/// No rank sends itself anything: such a cell is none of little or nothing.
TEST_F(window, has_no_cells_on_the_diagonal_of_the_messages) {
  CommMatrix matrix(m_window->state());
  matrix.look();
  matrix.resize(600, 270);
  matrix.show();
  QApplication::processEvents();
  const QImage drawn = matrix.grab().toImage();
  EXPECT_EQ(drawn.pixelColor(76 + 10, 44 + 10), Theme().base);
  EXPECT_GT(count_pixels(drawn, {76, 44, 110, 40}, Theme().dim, 40), 2) << "a dash";
  QHelpEvent help(QEvent::ToolTip, {90, 60}, matrix.mapToGlobal(QPoint(90, 60)));
  QApplication::sendEvent(&matrix, &help);
  EXPECT_EQ(QToolTip::text(), QStringLiteral("rank 0 to itself: there are no messages"));
}

/// It was offered, and nobody took it; `matrix` counts none.
TEST_F(window, has_no_message_that_was_not_taken) {
  const std::string path = s_folder->path() + "/offered.deed";
  {
    event_log log(path, 2, 0, 1);
    log.rank(1).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 1});
    constexpr std::uint64_t send = 0;
    log.add(2'000, 1, event_log::application, record::xfer_start, {0, 0, 0, 0, send, 0});
    log.add(3'000, 0, event_log::application, record::phase_push, {1, 0});
    log.close();
  }
  MainWindow of(QString::fromStdString(path));
  CommMatrix matrix(of.state());
  matrix.look();
  matrix.resize(600, 270);
  matrix.show();
  QApplication::processEvents();
  QHelpEvent help(QEvent::ToolTip, {90, 105}, matrix.mapToGlobal(QPoint(90, 105)));
  QApplication::sendEvent(&matrix, &help);
  EXPECT_THAT(QToolTip::text().toStdString(),
              testing::StartsWith("rank 1 to rank 0: 0 B in 0 messages"));
}

TEST_F(window, says_in_a_tooltip_what_the_head_of_the_shares_has_no_room_for) {
  TimeShares shares(m_window->state());
  shares.resize(120, 270);
  shares.show();
  QApplication::processEvents();
  QHelpEvent help(QEvent::ToolTip, {20, 10}, shares.mapToGlobal(QPoint(20, 10)));
  QApplication::sendEvent(shares.viewport(), &help);
  EXPECT_THAT(QToolTip::text().toStdString(), testing::StartsWith("8 workers x "));
}

/// Each part has a box of its colour above the bars, and a tooltip says all where there is no room.
TEST_F(window, has_a_whole_legend_of_the_shares_at_every_width) {
  TimeShares shares(m_window->state());
  shares.show();
  for (const QSize size : {QSize(1200, 240), {600, 240}, {300, 400}, {200, 120}}) {
    SCOPED_TRACE(size.width());
    shares.resize(size);
    QApplication::processEvents();
    const QImage drawn = shares.viewport()->grab().toImage();
    int top = drawn.height() - 1;  // Of the bars: above them is the panel.
    while (top > 0 && drawn.pixelColor(drawn.width() - 1, top) != Theme().panel) --top;
    ASSERT_GT(top, 20);
    EXPECT_LE(top, std::max(60, drawn.height() / 2 + 20)) << "bars have half of the height";
    const QRect head(0, 20, drawn.width(), top - 20);
    const auto &codelets = m_window->state()->model().codelets();
    if (size.height() > 200) {
      for (std::size_t i = 0; i < codelets.size(); ++i)
        EXPECT_GT(count_pixels(drawn, head, Theme().codelet(i)), 120) << codelets[i].name;
    }
    const QPoint legend(20, top - 8);
    QHelpEvent help(QEvent::ToolTip, legend, shares.mapToGlobal(legend));
    QApplication::sendEvent(shares.viewport(), &help);
    for (const auto &each : codelets)
      EXPECT_THAT(QToolTip::text().toStdString(), HasSubstr(each.name + " "));
  }
}

/// A program of barriers alone: it waits in the second half.
TEST(overview, of_a_run_without_tasks_shows_where_the_program_waits) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) {
    constexpr auto barrier = static_cast<std::uint64_t>(deed::trace::wait_kind::barrier);
    log.add(1'000, rank, event_log::first_worker, record::state, {2, 0, 0});
    log.add(50'000, rank, event_log::application, record::wait_begin, {barrier, 0, 0});
    log.add(99'000, rank, event_log::application, record::wait_end, {barrier, 0});
  }
  log.close();
  MainWindow of(QString::fromStdString(folder.path() + "/run.deed"));
  of.resize(1000, 700);
  of.show();
  QApplication::processEvents();
  const QImage strip = of.findChild<Overview *>()->grab().toImage();
  const QRgb wait = Theme().wait.rgb();
  const auto waits = [&](int from, int to) {
    for (int x = from; x < to; ++x)
      if (strip.pixel(x, strip.height() / 2) == wait) return true;
    return false;
  };
  EXPECT_FALSE(waits(10, strip.width() * 2 / 5));
  EXPECT_TRUE(waits(strip.width() * 3 / 5, strip.width() - 10));
}

TEST(timeline, says_of_a_worker_before_its_first_state_that_it_had_not_started) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(0, 0, event_log::application, record::phase_push, {log.rank(0).text("solve"), 0});
  log.add(60'000, 0, event_log::first_worker, record::state, {2, 0, 0});
  log.add(100'000, 0, event_log::application, record::phase_pop, {0, 0});
  log.close();
  MainWindow of(QString::fromStdString(folder.path() + "/run.deed"));
  of.resize(1000, 700);
  of.show();
  QApplication::processEvents();
  const auto &lanes = of.state()->model().events().lanes();
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const auto before = not_started(of.state()->model(), lane);
    ASSERT_EQ(before.has_value(), lanes[lane].is_worker());
    if (before) {
      EXPECT_EQ(before->from, 0);
      EXPECT_EQ(before->to, 60'000);
    }
  }
  auto *const drawn = of.findChild<Timeline *>();
  const QImage picture = drawn->viewport()->grab().toImage();
  const QRgb wanted = Theme().notStarted.rgb();
  std::optional<QPoint> there;
  for (int y = 0; y < picture.height() && !there; ++y)
    if (picture.pixel(drawn->plotLeft() + 150, y) == wanted)
      there.emplace(drawn->plotLeft() + 150, y);
  ASSERT_TRUE(there);
  QHelpEvent asked(QEvent::ToolTip, *there, drawn->viewport()->mapToGlobal(*there));
  QApplication::sendEvent(drawn->viewport(), &asked);
  EXPECT_TRUE(QToolTip::text().startsWith(QLatin1String("not started yet\n")))
      << QToolTip::text().toStdString();
}

TEST_F(window, copies_what_is_in_use) {
  const auto copied = [&](QWidget *of) {
    of->setFocus();
    for (QAction *each : m_window->findChildren<QAction *>())
      if (each->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_C)) each->trigger();
    return QApplication::clipboard()->mimeData();
  };
  m_window->showPanel(QStringLiteral("Events"));
  EXPECT_EQ(m_window->runCommand(QStringLiteral("select event:17")), QString());
  QApplication::processEvents();
  auto *const events = m_window->findChild<LongTable *>();
  EXPECT_EQ(copied(events)->text().count(QLatin1Char('\t')), events->model()->columnCount() - 1);
  EXPECT_EQ(copied(events)->text().count(QLatin1Char('\n')), 0) << "one row";
  m_window->showPanel(QStringLiteral("Communication"));
  QApplication::processEvents();
  auto *const matrix = m_window->findChild<CommMatrix *>();
  EXPECT_THAT(copied(matrix)->text().toStdString(), testing::StartsWith("src,dst,"));
  EXPECT_EQ(copied(matrix)->imageData().value<QImage>().size(), matrix->size());
  m_window->showPanel(QStringLiteral("Checks"));
  QApplication::processEvents();
  auto *const checks = qobject_cast<AnswerView *>(
      m_window->findChild<QDockWidget *>(QStringLiteral("Checks"))->widget());
  ASSERT_NE(checks, nullptr);
  ASSERT_FALSE(checks->shown().tables.empty());
  EXPECT_EQ(copied(checks)->text().toStdString(),
            render(checks->shown(), style::text, {}, ~std::size_t{0}));
  QKeyEvent key(QEvent::ShortcutOverride, Qt::Key_C, Qt::ControlModifier);
  key.ignore();
  QApplication::sendEvent(checks, &key);
  EXPECT_FALSE(key.isAccepted()) << "the window takes it";
  checks->selectAll();
  EXPECT_EQ(copied(checks)->text(), checks->textCursor().selection().toPlainText());
  const std::string task = sender();
  EXPECT_EQ(m_window->runCommand(QStringLiteral("select task:") + QString::fromStdString(task)),
            QString());
  EXPECT_THAT(copied(m_window->timeline())->text().toStdString(), HasSubstr(task));
}

}  // namespace
