// SPDX-License-Identifier: MIT
// What the panels around the timeline say, and where they lead.
#include "analysis/ask/copy_lives.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/say/units.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QUrl>
#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

TEST_F(window, points_from_the_path_of_a_deadlock_to_who_waits) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Critical path")));
  QApplication::processEvents();
  const auto *view = m_window->findChild<QDockWidget *>(QStringLiteral("Critical path"))
                         ->findChild<AnswerView *>();
  EXPECT_THAT(view->toPlainText().toStdString(), HasSubstr("Waits draws who"));
}

TEST_F(window, has_whole_tabs_with_large_letters) {
  for (const QTabBar *tabs : m_window->findChildren<QTabBar *>())
    EXPECT_EQ(tabs->elideMode(), Qt::ElideNone);
}

TEST_F(window, goes_to_what_an_answer_or_a_cell_is_about) {
  const auto go = [&](const QString &panel, const QString &link) {
    EXPECT_TRUE(m_window->showPanel(panel));
    QApplication::processEvents();
    for (auto *view : m_window->findChildren<AnswerView *>())
      if (view->toHtml().contains(link) && view->isVisible()) {
        m_window->state()->select({});
        emit view->anchorClicked(QUrl(link));
        return;
      }
    ADD_FAILURE() << panel.toStdString() << " has no " << link.toStdString();
  };
  const deed::viewer::model &m = m_window->state()->model();
  const auto again = repeats(m, {});
  ASSERT_FALSE(again.empty());
  go(QStringLiteral("Sent twice"), QStringLiteral("transfer:%1").arg(again[0].transfer));
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Transfer, again[0].transfer}));
  EXPECT_EQ(m_window->state()->playhead(), m.transfers()[again[0].transfer].on_the_wire());
  const auto path = critical_path(m);
  ASSERT_EQ(path.back().kind, "compute");
  go(QStringLiteral("Critical path"), QStringLiteral("task:%1").arg(path.back().task));
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Task, path.back().task}));
  const transfer &x = m.transfers()[again[0].transfer];
  emit m_window->findChild<CommMatrix *>()->cellActivated(x.src, x.dst);
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Transfer);
  QApplication::processEvents();
  const auto *view = qobject_cast<AnswerView *>(
      m_window->findChild<QDockWidget *>(QStringLiteral("Sent twice"))->widget());
  ASSERT_NE(view, nullptr);
  EXPECT_FALSE(view->viewport()->visibleRegion().isEmpty());
}

/// Its bars are as high at each moment of the transfer; its line is elsewhere at each.
TEST_F(window, selects_the_arrow_that_is_clicked) {
  auto *timeline = m_window->timeline();
  const deed::viewer::model &m = m_window->state()->model();
  const auto again = repeats(m, {});
  ASSERT_FALSE(again.empty());
  const transfer &x = m.transfers()[again[0].transfer];
  m_window->state()->setView(x.begin() - 10'000, x.end() + 10'000);
  QApplication::processEvents();
  const auto heights = [&](int at) {
    std::set<int> hit;
    for (int y = 30; y < timeline->viewport()->height(); y += 2) {
      QTest::mouseClick(timeline->viewport(), Qt::LeftButton, {}, {at, y});
      if (m_window->state()->selection() == (Selection{Selection::Transfer, again[0].transfer}))
        hit.insert(y);
    }
    return hit;
  };
  const int middle = (timeline->plotLeft() + timeline->viewport()->width()) / 2;
  const std::set<int> here = heights(middle), there = heights(middle + 60);
  std::vector<int> line;
  std::ranges::set_difference(here, there, std::back_inserter(line));
  EXPECT_FALSE(line.empty());
}

TEST_F(window, draws_the_critical_path_while_its_panel_is_in_front) {
  m_window->runCommand(QStringLiteral("at 0"));
  m_window->showPanel(QStringLiteral("Cache"));
  QApplication::processEvents();
  const auto timeline = [&] { return m_window->timeline()->grab().toImage(); };
  const QImage before = timeline();
  m_window->showPanel(QStringLiteral("Critical path"));
  QApplication::processEvents();
  EXPECT_NE(timeline(), before);
  m_window->showPanel(QStringLiteral("Cache"));
  QApplication::processEvents();
  EXPECT_EQ(timeline(), before);
}

TEST_F(window, says_on_its_tabs_how_much_they_hold) {
  EXPECT_EQ(m_window->findChild<QDockWidget *>(QStringLiteral("Sent twice"))->windowTitle(),
            QStringLiteral("Sent twice (2)"));
  EXPECT_EQ(m_window->findChild<QDockWidget *>(QStringLiteral("Checks"))->windowTitle(),
            QStringLiteral("Checks (1)"));
}

TEST_F(window, answers_of_errors_and_checks_are_of_the_range) {
  const auto title = [this](const char *panel) {
    return m_window->findChild<QDockWidget *>(QLatin1String(panel))->windowTitle();
  };
  const auto shown = [this](const char *panel) {
    m_window->showPanel(QLatin1String(panel));
    QApplication::processEvents();
    const auto *dock = m_window->findChild<QDockWidget *>(QLatin1String(panel));
    return qobject_cast<const AnswerView *>(dock->widget())->toPlainText().toStdString();
  };
  EXPECT_TRUE(m_window->showPanel(QLatin1String("sent-twice")));
  EXPECT_FALSE(m_window->showPanel(QLatin1String("sent_twice")));
  const QString errors = title("Errors");
  ASSERT_NE(errors, QStringLiteral("Errors"));
  EXPECT_THAT(shown("Checks"), HasSubstr("no_deadlock: "));
  m_window->timeline()->setRange(1'000, 2'000);
  ASSERT_TRUE(QTest::qWaitFor([&] { return title("Errors") == QStringLiteral("Errors"); }));
  EXPECT_EQ(title("Checks"), QStringLiteral("Checks"));
  EXPECT_EQ(title("Sent twice"), QStringLiteral("Sent twice"));
  EXPECT_THAT(shown("Errors"),
              HasSubstr("of 1.0 us to 2.0 us\nno error was recorded in this part"));
  EXPECT_THAT(shown("Checks"), HasSubstr("of 1.0 us to 2.0 us\nnothing found in this part"));
  EXPECT_THAT(shown("Checks"), Not(HasSubstr("no_deadlock: ")));
  m_window->timeline()->clearRange();
  ASSERT_TRUE(QTest::qWaitFor([&] { return title("Errors") == errors; }));
  EXPECT_EQ(title("Checks"), QStringLiteral("Checks (1)"));
  EXPECT_THAT(shown("Checks"), HasSubstr("no_deadlock: "));
}

TEST_F(window, scrolls_to_the_handle_that_is_selected) {
  m_window->resize(500, 500);
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Ownership")));
  QApplication::processEvents();
  auto *matrix = m_window->findChild<OwnershipMatrix *>();
  const QImage before = matrix->grab().toImage();
  ASSERT_GT(matrix->verticalScrollBar()->maximum(), 0);
  matrix->setFocus();
  std::set<int> places;
  for (std::uint32_t h = 0; h < m_window->state()->model().data().size(); ++h) {
    m_window->state()->select({Selection::Handle, h});
    places.insert(matrix->verticalScrollBar()->value());
  }
  EXPECT_GT(places.size(), 1u);
}

TEST_F(window, shares_a_higher_window_with_the_answers) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Waits")));
  auto *const waits = m_window->findChild<QDockWidget *>(QStringLiteral("Waits"));
  const auto height_at = [&](int of_the_window) {
    m_window->resize(1000, of_the_window);
    QApplication::processEvents();
    return waits->height();
  };
  const int low = height_at(750);
  EXPECT_GT(height_at(1440), low + 200);
  EXPECT_NEAR(height_at(750), low, 8);
  m_window->resizeDocks({waits}, {150}, Qt::Vertical);  // As somebody who drags the border.
  QApplication::processEvents();
  const int chosen = waits->height();
  EXPECT_NEAR(height_at(1440), chosen, 2);
}

// The panel that a window opens with was never put in front by anybody.
TEST_F(window, shares_a_higher_window_also_with_the_panel_it_opens_with) {
  generator_options options;
  options.path = s_folder->path() + "/right.deed";
  generate(options);
  MainWindow opened(QString::fromStdString(options.path));
  opened.show();
  QApplication::processEvents();
  const auto *const shares = opened.findChild<QDockWidget *>(QStringLiteral("Where time went"));
  const int low = shares->height();
  opened.resize(1280, 1440);
  QApplication::processEvents();
  EXPECT_GT(shares->height(), low + 200);
  const std::string numbers = s_folder->path() + "/in_front.csv";
  ASSERT_EQ(opened.runCommand(QStringLiteral("export ") + QString::fromStdString(numbers)),
            QString());
  std::ifstream written(numbers);
  std::string title;
  std::getline(written, title);
  EXPECT_EQ(title, "what,time (ns),share (%)");
}

TEST_F(window, says_how_much_later_a_task_could_have_ended_when_it_is_asked) {
  auto *timeline = m_window->timeline();
  const deed::viewer::model &m = m_window->state()->model();
  const auto all = slack(m);
  const auto most = static_cast<std::uint32_t>(std::ranges::max_element(all) - all.begin());
  ASSERT_GT(all[most], 0);
  track_span span;
  span.begin = m.tasks()[most].begin;
  span.end = m.tasks()[most].end;
  span.ref = most;
  EXPECT_FALSE(timeline->toolTipOf(span).contains(QStringLiteral("later")));
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Critical path")));
  QApplication::processEvents();
  auto *const view = m_window->findChild<QDockWidget *>(QStringLiteral("Critical path"))
                         ->findChild<AnswerView *>();
  const std::size_t before = view->shown().tables.size();
  EXPECT_TRUE(view->toHtml().contains(QStringLiteral("slack:")));
  emit view->anchorClicked(QUrl(QStringLiteral("slack:")));
  EXPECT_EQ(view->shown().tables.size(), before + 2);
  EXPECT_EQ(std::ranges::count(view->shown().tables, "steps", &table::title), 1);
  EXPECT_TRUE(
      timeline->toolTipOf(span).contains(QStringLiteral("could have ended %1 later")
                                             .arg(QString::fromStdString(say_time(all[most])))));
  EXPECT_TRUE(view->toHtml().contains(QStringLiteral("what-if:"))) << "it is asked beside";
  EXPECT_EQ(m_window->runCommand(QStringLiteral("slack")), QString());
}

TEST_F(window, lays_out_more_rows_when_somebody_scrolls_there) {
  AnswerView view;
  view.resize(400, 300);
  view.show();
  table rows{"rows", {"row"}, {}};
  for (int i = 0; i < 300; ++i) rows.rows.push_back({"number " + std::to_string(i) + " of them"});
  view.setAnswer({.sentences = {}, .tables = {rows}});
  QApplication::processEvents();
  EXPECT_TRUE(view.toPlainText().contains(QStringLiteral("number 20 of them")));
  EXPECT_FALSE(view.toPlainText().contains(QStringLiteral("number 200 of them")));
  const int before = view.verticalScrollBar()->maximum();
  view.verticalScrollBar()->setValue(before);
  EXPECT_TRUE(view.toPlainText().contains(QStringLiteral("number 299 of them")));
  EXPECT_EQ(view.verticalScrollBar()->value(), before) << "what was in view stays there";
  EXPECT_GT(view.verticalScrollBar()->maximum(), before);
}

TEST_F(window, shows_a_screen_of_steps_of_the_critical_path) {
  m_window->resize(1280, 800);
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Critical path")));
  QApplication::processEvents();
  const auto *view = m_window->findChild<QDockWidget *>(QStringLiteral("Critical path"))
                         ->findChild<AnswerView *>();
  const auto &tables = view->shown().tables;
  const auto found = std::ranges::find(tables, "steps", &table::title);
  ASSERT_NE(found, tables.end());
  const table &steps = *found;
  ASSERT_GT(steps.rows.size(), 14u);
  int seen = 0;
  QTextCursor at = view->document()->find(QString::fromStdString(steps.title));
  for (const auto &row : steps.rows) {
    at = view->document()->find(QString::fromStdString(row.front()), at);
    ASSERT_FALSE(at.isNull());
    seen += view->cursorRect(at).bottom() <= view->viewport()->height() ? 1 : 0;
  }
  EXPECT_GE(seen, 8);
}

TEST_F(window, leaves_out_columns_that_say_nothing) {
  AnswerView view;
  view.setAnswer({{}, {{"waits", {"waits", "for", "circle"}, {{"rank 0", "rank 3", ""}}}}, false});
  EXPECT_TRUE(view.toPlainText().contains(QStringLiteral("for")));
  EXPECT_FALSE(view.toPlainText().contains(QStringLiteral("circle")));
  view.setAnswer(
      {{}, {{"waits", {"waits", "for", "circle"}, {{"rank 0", "rank 3", "deadlock"}}}}, false});
  EXPECT_TRUE(view.toPlainText().contains(QStringLiteral("circle")));
}

TEST_F(window, keeps_the_row_that_is_chosen_of_many_events_of_one_moment) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Events")));
  QApplication::processEvents();
  auto *const rows =
      m_window->findChild<QDockWidget *>(QStringLiteral("Events"))->findChild<QTableView *>();
  const auto &events = m_window->state()->model().events().events();
  std::uint32_t first = 1;
  while (first + 1 < events.size() && events[first].time != events[first + 1].time) ++first;
  ASSERT_LT(first + 1, events.size());
  Q_EMIT rows->clicked(rows->model()->index(static_cast<int>(first), 0));
  QApplication::processEvents();
  EXPECT_EQ(rows->currentIndex().row(), static_cast<int>(first));
  m_window->state()->setPlayhead(events.back().time);  // Another moment: the last one until then.
  EXPECT_EQ(rows->currentIndex().row(), static_cast<int>(events.size()) - 1);
}

TEST_F(window, breaks_no_word_where_many_tables_are_shown) {
  AnswerView view;
  view.resize(760, 300);
  view.show();
  const table waits{"who waits for whom",
                    {"waits", "for", "because of", "circle"},
                    {{"rank 0", "rank 3", "token v1, message tag 1, asked for", "deadlock"}}};
  view.setAnswer({.sentences = {"a deadlock of 4 ranks"}, .tables = {waits, waits, waits, waits}});
  QApplication::processEvents();
  int found = 0;
  for (QTextCursor at = view.document()->find(QStringLiteral("message")); !at.isNull();
       at = view.document()->find(QStringLiteral("message"), at), ++found) {
    QTextCursor begin(at);
    begin.setPosition(at.selectionStart());
    EXPECT_EQ(view.cursorRect(begin).y(), view.cursorRect(at).y());
  }
  EXPECT_EQ(found, 4);
}

TEST_F(window, stretches_lanes_where_there_is_room) {
  auto *bar = m_window->timeline()->verticalScrollBar();
  EXPECT_GT(bar->maximum(), 0) << "not all lanes fit: they have their least height";
  m_window->resize(1000, 2400);
  QApplication::processEvents();
  EXPECT_EQ(bar->maximum(), 0);
}

TEST_F(window, shows_exactly_the_messages_of_a_cell) {
  const deed::viewer::model &m = m_window->state()->model();
  const auto *const events = m_window->findChild<EventsModel *>();
  auto *const matrix = m_window->findChild<CommMatrix *>();
  int cells = 0;
  for (const bool part : {false, true}) {
    const time_range range{300'000, 600'000};
    if (part) m_window->runCommand(QStringLiteral("mark 300us:600us"));
    for (int src = 0; src < m.ranks(); ++src)
      for (int dst = 0; dst < m.ranks(); ++dst) {
        int messages = 0;
        bool again = false;
        for (const transfer &x : m.transfers())
          if (x.src == src && x.dst == dst && !x.never_took_place() &&
              (!part || run_part(range).touches(x.begin(), x.end()))) {
            ++messages;
            again |= x.in_vain();
          }
        if (messages == 0 || again) continue;
        SCOPED_TRACE(testing::Message() << src << " to " << dst << ", a part: " << part);
        emit matrix->cellActivated(src, dst);
        EXPECT_EQ(events->rowCount(), messages);
        ++cells;
        const QString said = m_window->findChild<QLineEdit *>(QStringLiteral("search"))->text();
        EXPECT_EQ(said.isEmpty(), part);
        if (part) continue;
        EXPECT_EQ(m_window->runCommand(QStringLiteral("search ") + said), QString());
        EXPECT_EQ(events->rowCount(), messages) << "what the box says finds the same";
      }
  }
  EXPECT_GT(cells, 6);
}

/// The name of a datum may be a word of a sentence.
TEST_F(window, shows_what_was_sent_of_a_datum_whose_name_says_so) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  {
    event_log log(path, 2, 0, 1);
    log.rank(0).handle_registered({.handle = 0, .name = "sendbuf", .bytes = 24});
    constexpr int net = event_log::progress;
    constexpr std::uint64_t send = 0, receive = 1;
    for (const std::uint64_t version : {0u, 1u}) {
      const int from = version == 0 ? 0 : 1, to = 1 - from;
      const auto src = static_cast<std::uint64_t>(from), dst = static_cast<std::uint64_t>(to);
      const auto at = static_cast<std::int64_t>(10'000 * (version + 1));
      log.add(at, from, net, record::xfer_start, {0, version, dst, 0, send, 0});
      log.add(at, to, net, record::xfer_start, {0, version, src, 0, receive, 0});
      log.add(at + 1'000, from, net, record::xfer_done, {0, version, dst, 0, send, 0});
      log.add(at + 1'000, to, net, record::xfer_done, {0, version, src, 0, receive, 0});
    }
    log.close();
  }
  MainWindow other(QString::fromStdString(path));
  other.show();
  QApplication::processEvents();
  emit other.findChild<CommMatrix *>()->cellActivated(0, 1);
  const auto *const events = other.findChild<EventsModel *>();
  EXPECT_EQ(events->rowCount(), 1);
  const QString said = other.findChild<QLineEdit *>(QStringLiteral("search"))->text();
  ASSERT_NE(said, QString());
  EXPECT_EQ(other.runCommand(QStringLiteral("search ") + said), QString());
  EXPECT_EQ(events->rowCount(), 1);
}

std::string csv_of(const answer &said) { return render(said, style::csv, {}, ~std::size_t{0}); }

TEST_F(window, answers_of_the_range_that_is_selected) {
  const deed::viewer::model &m = m_window->state()->model();
  const time_range range{300'000, 600'000};
  const std::vector<std::pair<QString, std::function<answer(const run_part &)>>> panels{
      {QStringLiteral("Waits"), [&](const run_part &part) { return waits(m, {}, part); }},
      {QStringLiteral("Cache"),
       [&](const run_part &part) {
         answer said = cache(m, part);
         add_copy_lives(m, copy_lives(m), part, said);
         return said;
       }},
      {QStringLiteral("Sent twice"), [&](const run_part &part) { return why_twice(m, {}, part); }},
      {QStringLiteral("Critical path"),
       [&](const run_part &part) { return say_critical_path(m, part); }},
      {QStringLiteral("Communication"), [&](const run_part &part) { return comm_matrix(m, part); }},
      {QStringLiteral("Where time went"), [&](const run_part &part) { return breakdown(m, part); }},
  };
  const QString file = QString::fromStdString(s_folder->path() + "/answer.csv");
  const auto written = [&](const QString &panel) {
    EXPECT_EQ(m_window->runCommand(QStringLiteral("export %1 %2").arg(panel, file)), QString());
    std::ifstream in(file.toStdString());
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const auto shown = [&](const QString &panel) -> std::string {
    const QWidget *const content = m_window->findChild<QDockWidget *>(panel)->widget();
    const auto *view = qobject_cast<const AnswerView *>(content);
    if (view == nullptr) view = content->findChild<AnswerView *>();
    return view == nullptr ? std::string() : view->toPlainText().toStdString();
  };
  for (const auto &[panel, ask] : panels) {
    SCOPED_TRACE(qPrintable(panel));
    const std::string all = csv_of(ask({})), part = csv_of(ask(range));
    ASSERT_NE(all, part);
    EXPECT_EQ(written(panel), all);
    const std::string before = shown(panel);
    const QImage drawn = picture();
    ASSERT_EQ(m_window->runCommand(QStringLiteral("mark 300us:600us")), QString());
    EXPECT_EQ(written(panel), part);
    EXPECT_NE(picture(), drawn);
    if (!before.empty()) {
      EXPECT_EQ(shown(panel).find("of 300.0 us to 600.0 us"), 0u);
    }
    m_window->timeline()->clearRange();
    EXPECT_EQ(written(panel), all);
    EXPECT_EQ(shown(panel), before);
  }
}

/// Also without an export, once the range stands still.
TEST_F(window, answers_anew_while_somebody_looks) {
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Cache")));
  QApplication::processEvents();
  const auto *const view =
      m_window->findChild<QDockWidget *>(QStringLiteral("Cache"))->findChild<AnswerView *>();
  m_window->timeline()->setRange(300'000, 600'000);
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return view->toPlainText().startsWith(QStringLiteral("of 300.0 us")); }, 10'000));
}

TEST_F(window, gives_the_inspector_its_width_back) {
  auto *const inspector = m_window->findChild<QDockWidget *>(QStringLiteral("Inspector"));
  const auto width_at = [&](int width, int height) {
    m_window->resize(width, height);
    QApplication::processEvents();
    QApplication::processEvents();
    return inspector->width();
  };
  const int before = width_at(1280, 720);
  EXPECT_GE(before, 300);
  EXPECT_LT(width_at(300, 200), 200);
  width_at(700, 500);
  EXPECT_NEAR(width_at(1280, 720), before, 8);
  m_window->resizeDocks({inspector}, {200}, Qt::Horizontal);  // As somebody who drags the border.
  QApplication::processEvents();
  const int chosen = inspector->width();
  EXPECT_NEAR(chosen, 200, 8);
  width_at(300, 200);
  EXPECT_NEAR(width_at(1400, 720), chosen, 8);
}

TEST_F(window, names_the_columns_of_every_export) {
  const QString file = QString::fromStdString(s_folder->path() + "/inspector.csv");
  for (const char *const what : {"select event:5", "select transfer:0"}) {
    m_window->runCommand(QLatin1String(what));
    ASSERT_EQ(m_window->runCommand(QStringLiteral("export Inspector ") + file), QString());
    std::ifstream in(file.toStdString());
    std::string head;
    std::getline(in, head);
    EXPECT_EQ(head, "what,value") << what;
  }
}

TEST_F(window, breaks_no_number_in_a_table) {
  const table times{"time waited: rows wait, columns are waited for",
                    {"rank", "0", "1", "2"},
                    {{"0", say_time(129'893'000), say_time(46'061'000), say_time(115'279'000)}}};
  const table late{"ready, with a worker that was free, and late",
                   {"task", "rank", "could begin", "began", "late by"},
                   {{"relax#1861", "2", "122.487 ms", "125.182 ms", "2.694 ms"}}};
  for (int width = 420; width < 900; width += 20) {
    AnswerView view;
    view.resize(width, 300);
    view.show();
    view.setAnswer({.sentences = {}, .tables = {times, late}});
    QApplication::processEvents();
    for (const char *const text :
         {"129.893 ms", "relax#1861", "115.279 ms", "2.694 ms", "rank", "could begin"}) {
      const QTextCursor at = view.document()->find(QLatin1String(text));
      ASSERT_FALSE(at.isNull()) << text;
      QTextCursor begin(at);
      begin.setPosition(at.selectionStart());
      EXPECT_EQ(view.cursorRect(begin).y(), view.cursorRect(at).y()) << text << " at " << width;
    }
  }
}

/// The head of a column of long texts wraps as they do, where all of them would be cut.
TEST(answer_view, needs_no_more_width_for_a_long_head) {
  AnswerView view;
  view.resize(200, 300);
  view.show();
  const std::string head = "what is here, and where it came from first";
  view.setAnswer({{}, {{"", {head}, {{"a long text that has some words"}}}}});
  QApplication::processEvents();
  EXPECT_EQ(view.horizontalScrollBar()->maximum(), 0);
}

}  // namespace
