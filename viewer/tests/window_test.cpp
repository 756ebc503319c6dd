// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/sentence.hpp"
#include "gui/hang_window.hpp"
#include "gui/layouts.hpp"
#include "gui/outline_window.hpp"
#include "gui/panels.hpp"
#include "scratch_folder.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QSettings>
#include <QSlider>
#include <QTabBar>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
TEST_F(window, shows_an_outline_of_what_each_thread_recorded) {
  OutlineWindow first(outline_of(s_folder->path() + "/run.deed"), QStringLiteral("soon"));
  first.resize(1000, 700);
  const QImage light = first.grab().toImage().convertToFormat(QImage::Format_RGB32);
  first.setTheme(Theme(Theme::Dark));
  const QImage dark = first.grab().toImage().convertToFormat(QImage::Format_RGB32);
  EXPECT_NE(light, dark);
  // Each of four ranks has an application, messages and two workers, one row below the other.
  const auto recorded = [&](int row) {
    const QColor ground = Theme(Theme::Dark).base;
    for (int y = 68 + row * 34; y < 68 + (row + 1) * 34; ++y)
      for (int x = 110; x < 1000; x += 7)
        if (QColor(dark.pixel(x, y)).green() > ground.green() + 40) return true;
    return false;
  };
  for (int row = 0; row < 16; ++row) EXPECT_TRUE(recorded(row)) << row;
}

TEST_F(window, opens_a_run_behind_its_outline) {
  const QString path = QString::fromStdString(s_folder->path() + "/run.deed");
  bool closes = false;
  int seen = 0;
  const auto open = [&] {
    QTimer::singleShot(0, QCoreApplication::instance(), [&] {
      for (QWidget *each : QApplication::topLevelWidgets())
        if (auto *outline = qobject_cast<OutlineWindow *>(each)) {
          seen += outline->isVisible() ? 1 : 0;
          if (closes) outline->close();
        }
    });
    return openWithOutline(path, {}, Theme(), std::chrono::milliseconds(0));
  };
  const auto run = open();
  EXPECT_EQ(seen, 1);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->events->events().size(), m_window->state()->model().events().events().size());
  closes = true;
  EXPECT_FALSE(open().has_value()) << "nobody waits for it any more";
  EXPECT_EQ(seen, 2);
  EXPECT_THROW((void)openWithOutline(path + "x", {}, Theme()), unreadable);
}

TEST_F(window, opens_at_the_first_error) {
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Event);
  EXPECT_GT(m_window->state()->playhead(), 0);
}

TEST_F(window, is_the_same_picture_each_time) {
  const QImage one = picture();
  MainWindow other(QString::fromStdString(s_folder->path() + "/run.deed"));
  other.resize(1000, 700);
  other.show();
  QApplication::processEvents();
  EXPECT_EQ(one, other.grab().toImage().convertToFormat(QImage::Format_RGB32));
}

TEST_F(window, has_no_empty_panel_in_any_theme) {
  for (const char *const theme : {"light", "dark", "contrast"}) {
    EXPECT_EQ(m_window->runCommand(QStringLiteral("theme ") + QLatin1String(theme)), QString());
    EXPECT_EQ(m_window->runCommand(QStringLiteral("select handle:A[2,0]")), QString());
    for (const QString &panel : m_window->panelNames()) {
      ASSERT_TRUE(m_window->showPanel(panel));
      QApplication::processEvents();
      const QWidget *content = m_window->findChild<QDockWidget *>(panel)->widget();
      const QImage image =
          const_cast<QWidget *>(content)->grab().toImage().convertToFormat(QImage::Format_RGB32);
      QSet<QRgb> colours;
      for (int y = 0; y < image.height(); y += 2)
        for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
      EXPECT_GT(colours.size(), 4) << qPrintable(panel) << " " << theme;
    }
  }
}

/// Beside each other, and while others are laid out: as one after the other.
TEST_F(window, answers_all_panels_as_one_by_one) {
  const auto texts = [](const MainWindow &of) {
    QStringList found;
    for (const QString &panel : of.panelNames())
      for (const QTextBrowser *view :
           of.findChild<QDockWidget *>(panel)->findChildren<QTextBrowser *>())
        found += panel + QLatin1String(": ") + view->toPlainText();
    return found;
  };
  MainWindow other(QString::fromStdString(s_folder->path() + "/run.deed"));
  other.resize(1000, 700);
  other.show();
  for (const QString &panel : other.panelNames()) {
    ASSERT_TRUE(other.showPanel(panel));
    QApplication::processEvents();
  }
  m_window->answerAll();
  EXPECT_EQ(texts(*m_window), texts(other));
  EXPECT_EQ(texts(*m_window).filter(QStringLiteral("Checks: ")).size(), 1);
  EXPECT_EQ(texts(*m_window).filter(QRegularExpression(QStringLiteral(": $"))), QStringList());
}

TEST_F(window, undoes_and_redoes_what_is_in_view) {
  ViewState *state = m_window->state();
  state->setView(1000, 2000);
  state->zoom(0.5, 1500);
  EXPECT_EQ(state->end() - state->begin(), 500);
  EXPECT_TRUE(state->undo());
  EXPECT_EQ(state->begin(), 1000);
  EXPECT_EQ(state->end(), 2000);
  EXPECT_TRUE(state->redo());
  EXPECT_EQ(state->end() - state->begin(), 500);
}

TEST_F(window, goes_from_pixels_to_times_and_back) {
  ViewState *state = m_window->state();
  state->setView(-500, 123'456);
  for (int x = 0; x < 800; x += 37) EXPECT_NEAR(state->xOf(state->timeAt(x, 800), 800), x, 0.01);
}

TEST_F(window, zooms_at_the_pointer_with_the_wheel) {
  ViewState *state = m_window->state();
  QWidget *view = m_window->timeline()->viewport();
  const QPointF at(400, 100);
  const double width = view->width() - m_window->timeline()->plotLeft();
  const qint64 under = state->timeAt(at.x() - m_window->timeline()->plotLeft(), width);
  const qint64 before = state->end() - state->begin();
  QWheelEvent wheel(at, view->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(view, &wheel);
  EXPECT_LT(state->end() - state->begin(), before);
  EXPECT_NEAR(static_cast<double>(state->timeAt(at.x() - m_window->timeline()->plotLeft(), width)),
              static_cast<double>(under), static_cast<double>(before) / width);
}

TEST_F(window, selects_a_range_by_dragging_and_clears_it) {
  QWidget *view = m_window->timeline()->viewport();
  QTest::mousePress(view, Qt::LeftButton, {}, {300, 60});
  QMouseEvent move(QEvent::MouseMove, QPointF(450, 60), view->mapToGlobal(QPointF(450, 60)),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(view, &move);
  QTest::mouseRelease(view, Qt::LeftButton, {}, {450, 60});
  ASSERT_TRUE(m_window->timeline()->range());
  EXPECT_EQ(m_window->runCommand(QStringLiteral("clear")), QString());
  EXPECT_FALSE(m_window->timeline()->range());
}

TEST_F(window, walks_to_every_redundant_transfer) {
  EXPECT_EQ(m_window->runCommand(QStringLiteral("at 0")), QString());
  m_window->runCommand(QStringLiteral("next redundant"));
  const Selection first = m_window->state()->selection();
  ASSERT_EQ(first.kind, Selection::Transfer);
  EXPECT_TRUE(m_window->state()->model().transfers()[first.index].redundant);
  m_window->runCommand(QStringLiteral("next redundant"));
  EXPECT_NE(m_window->state()->selection(), first);
  m_window->runCommand(QStringLiteral("next redundant"));  // After the last, the first.
  EXPECT_EQ(m_window->state()->selection(), first);
}

TEST_F(window, says_that_nothing_was_sent_twice) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  static_cast<void>(generate(options));
  MainWindow other(QString::fromStdString(options.path));
  EXPECT_TRUE(other.runCommand(QStringLiteral("next redundant"))
                  .contains(QStringLiteral("nothing was sent twice")));
}

TEST_F(window, says_what_is_wrong_with_a_command) {
  EXPECT_TRUE(
      m_window->runCommand(QStringLiteral("at soon")).contains(QStringLiteral("write a time")));
  EXPECT_TRUE(
      m_window->runCommand(QStringLiteral("dance")).contains(QStringLiteral("no such command")));
  EXPECT_TRUE(m_window->runCommand(QStringLiteral("select handle:nobody"))
                  .contains(QStringLiteral("no such thing")));
  EXPECT_EQ(m_window->runCommand(QStringLiteral("# a comment")), QString());
}

TEST_F(window, refuses_what_a_command_does_not_take) {
  for (const char *const line : {"next x",
                                 "next",
                                 "previous x",
                                 "flow x",
                                 "fit foo",
                                 "clear x",
                                 "slack x",
                                 "writer x",
                                 "collapse 4",
                                 "collapse x",
                                 "collapse",
                                 "collapse -1",
                                 "search (",
                                 "search dur>",
                                 "search rank:x",
                                 "search peer:0,x",
                                 "search ver:",
                                 "search when foo",
                                 "mark 3s:4s",
                                 "range 1s:2s",
                                 "mark -5us:-1us",
                                 "mark 2us:1us",
                                 "at 100s",
                                 "at -5us",
                                 "at 5 parsecs",
                                 "screenshot",
                                 "screenshot s.xyz",
                                 "export cache",
                                 "export cache x.txt"}) {
    const Selection chosen = m_window->state()->selection();
    const QString wrong = m_window->runCommand(QLatin1String(line));
    EXPECT_TRUE(wrong.startsWith(QStringLiteral("`%1` cannot be done: ").arg(QLatin1String(line))))
        << line << ": " << qPrintable(wrong);
    EXPECT_FALSE(wrong.contains(QLatin1Char('\n'))) << line;
    EXPECT_FALSE(m_window->cannotWrite()) << line;
    EXPECT_EQ(m_window->state()->selection(), chosen) << line;
    EXPECT_FALSE(m_window->timeline()->range()) << line;
  }
  for (const char *const line :
       {"export /absent/x.svg", "export cache /absent/x.csv", "screenshot /absent/x.png"}) {
    EXPECT_NE(m_window->runCommand(QLatin1String(line)), QString()) << line;
    EXPECT_TRUE(m_window->cannotWrite()) << line;
  }
  EXPECT_EQ(m_window->runCommand(QStringLiteral("at 100")), QString()) << "as deed-trace takes it";
  EXPECT_EQ(m_window->state()->playhead(), 100);
}

TEST_F(window, has_unique_keys_and_survives_every_action) {
  QSet<QString> keys;
  for (QAction *action : m_window->findChildren<QAction *>()) {
    if (!action->shortcut().isEmpty()) {
      EXPECT_FALSE(keys.contains(action->shortcut().toString()))
          << qPrintable(action->shortcut().toString());
      keys.insert(action->shortcut().toString());
    }
    const QString name = action->text();
    if (name.contains(QStringLiteral("Export")) || name.contains(QStringLiteral("Clocks")) ||
        name.contains(QStringLiteral("layout")) || name.contains(QStringLiteral("Open")) ||
        name.contains(QStringLiteral("Quit")) || name.contains(QStringLiteral("Keys")) ||
        name.contains(QStringLiteral("commands")) || name.contains(QStringLiteral("Compare")) ||
        name == QStringLiteral("Go to a lane or a handle"))
      continue;  // These close the window or wait for an answer.
    action->trigger();
    QApplication::processEvents();
  }
  EXPECT_GT(keys.size(), 30);
}

TEST_F(window, exports_every_panel_as_shapes_picture_and_numbers) {
  const scratch_folder folder;
  const QString path = QString::fromStdString(folder.path()) + QStringLiteral("/part");
  ASSERT_EQ(m_window->runCommand(QStringLiteral("select handle:A[2,0]")), QString());
  QStringList panels = m_window->panelNames();
  panels += QStringLiteral("timeline");
  const auto text_of = [](const QString &file) {
    std::ifstream in(file.toStdString(), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  for (const QString &panel : panels) {
    SCOPED_TRACE(qPrintable(panel));
    for (const char *const form : {".svg", ".png", ".csv"}) {
      const QString file = path + QLatin1String(form);
      ASSERT_EQ(m_window->runCommand(QStringLiteral("export %1 %2").arg(panel, file)), QString());
      EXPECT_GT(std::filesystem::file_size(file.toStdString()), 5u) << form;
    }
    EXPECT_NE(text_of(path + QStringLiteral(".svg")).find("</svg>"), std::string::npos);
    EXPECT_FALSE(QImage(path + QStringLiteral(".png")).isNull());
  }
  // The last was the timeline: what it shows is there in words.
  EXPECT_THAT(text_of(path + QStringLiteral(".csv")), testing::HasSubstr("task_begin"));
  EXPECT_EQ(m_window->runCommand(QStringLiteral("panel communication")), QString());
  QApplication::processEvents();
  EXPECT_EQ(m_window->runCommand(QStringLiteral("export ") + path + QStringLiteral(".csv")),
            QString());
  EXPECT_THAT(text_of(path + QStringLiteral(".csv")), testing::HasSubstr("src,dst,messages"));
  EXPECT_NE(m_window->runCommand(QStringLiteral("export nobody x.svg")), QString());
  EXPECT_NE(m_window->runCommand(QStringLiteral("export x.txt")), QString());
  EXPECT_NE(m_window->runCommand(QStringLiteral("export /absent/x.svg")), QString());
  EXPECT_NE(m_window->runCommand(QStringLiteral("export /absent/x.csv")), QString());
}

TEST_F(window, is_replaced_by_one_with_other_clocks) {
  for (QAction *action : m_window->findChildren<QAction *>())
    if (action->text().startsWith(QStringLiteral("Clocks"))) action->trigger();
  QApplication::processEvents();
  EXPECT_FALSE(m_window->isVisible());
  MainWindow *other = nullptr;
  for (QWidget *each : QApplication::topLevelWidgets())
    if (auto *found = qobject_cast<MainWindow *>(each); found != nullptr && found->isVisible())
      other = found;
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->windowTitle().contains(QStringLiteral("clocks corrected")));
  EXPECT_EQ(other->state()->model().events().events().size(),
            m_window->state()->model().events().events().size());
  other->close();
}

TEST_F(window, keeps_the_layout_that_somebody_chose) {
  const scratch_folder folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                     QString::fromStdString(folder.path()));
  const QString run = QString::fromStdString(s_folder->path() + "/run.deed");
  EXPECT_FALSE(takeLayout(*m_window)) << "nothing was kept yet";
  auto *cache = m_window->findChild<QDockWidget *>(QStringLiteral("Cache"));
  m_window->addDockWidget(Qt::LeftDockWidgetArea, cache);
  m_window->resize(1100, 640);
  keepLayout(*m_window);
  MainWindow other(run);
  EXPECT_NE(other.dockWidgetArea(other.findChild<QDockWidget *>(QStringLiteral("Cache"))),
            Qt::LeftDockWidgetArea);
  ASSERT_TRUE(takeLayout(other));
  EXPECT_EQ(other.dockWidgetArea(other.findChild<QDockWidget *>(QStringLiteral("Cache"))),
            Qt::LeftDockWidgetArea);
  EXPECT_EQ(other.size(), QSize(1100, 640));
  forgetLayout();
  EXPECT_FALSE(takeLayout(other));
}

TEST_F(window, names_everything_that_takes_the_keyboard) {
  int found = 0;
  for (QWidget *widget : m_window->findChildren<QWidget *>()) {
    if (widget->focusPolicy() == Qt::NoFocus || widget->parentWidget() == nullptr ||
        widget->objectName().startsWith(QStringLiteral("qt_")))
      continue;
    QAccessibleInterface *told = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(told, nullptr) << widget->metaObject()->className();
    // What a widget is made of, such as the clear button of a field, is named by Qt.
    const bool part_of = qobject_cast<QAbstractScrollArea *>(widget->parentWidget()) != nullptr ||
                         qobject_cast<QTabBar *>(widget) != nullptr;
    if (part_of) continue;
    EXPECT_FALSE(told->text(QAccessible::Name).isEmpty())
        << widget->metaObject()->className() << " in "
        << widget->parentWidget()->metaObject()->className() << " "
        << qPrintable(widget->parentWidget()->objectName());
    ++found;
  }
  EXPECT_GT(found, 12);
}

TEST_F(window, says_what_is_selected_to_those_who_do_not_see_it) {
  m_window->runCommand(QStringLiteral("select handle:A[2,0]"));
  EXPECT_TRUE(m_window->timeline()->accessibleDescription().contains(QStringLiteral("A[2,0]")));
  m_window->runCommand(QStringLiteral("clear"));
  EXPECT_FALSE(m_window->timeline()->accessibleDescription().contains(QStringLiteral("A[2,0]")));
}

TEST_F(window, follows_the_flow_there_and_back) {
  ASSERT_TRUE(m_window->selectByName(QString::fromStdString("task:" + sender())));
  const Selection start = m_window->state()->selection();
  m_window->runCommand(QStringLiteral("flow"));
  const Selection next = m_window->state()->selection();
  EXPECT_NE(next, start);
  ASSERT_EQ(next.kind, Selection::Transfer);
  m_window->runCommand(QStringLiteral("flow back"));
  EXPECT_EQ(m_window->state()->selection(), start);
}

TEST_F(window, fits_the_selection_and_then_fills_the_view_with_it) {
  ASSERT_TRUE(m_window->selectByName(QString::fromStdString("task:" + sender())));
  ViewState *state = m_window->state();
  const auto span = state->spanOfSelection();
  ASSERT_TRUE(span);
  state->fitSelection();
  EXPECT_LT(state->begin(), span->first);
  state->fitSelection();
  EXPECT_EQ(state->begin(), span->first);
  EXPECT_EQ(state->end(), span->second);
}

TEST_F(window, keeps_marks_and_pinned_lanes_beside_the_trace) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  slice(run(s_folder->path() + "/run.deed"), path, {});
  {
    MainWindow first(QString::fromStdString(path));
    EXPECT_EQ(first.runCommand(QStringLiteral("at 900us")), QString());
    EXPECT_EQ(first.runCommand(QStringLiteral("note \"here\" it begins")), QString());
    EXPECT_EQ(first.runCommand(QStringLiteral("pin rank 2 w00")), QString());
    EXPECT_EQ(first.runCommand(QStringLiteral("pin rank 0 w01")), QString());
    EXPECT_NE(first.runCommand(QStringLiteral("pin rank 99 w00")), QString());
    EXPECT_EQ(first.runCommand(QStringLiteral("pin rank 0 w01")), QString()) << "lets it go";
    EXPECT_EQ(read_notes(path), run_notes()) << "a script that makes pictures changes no recording";
    EXPECT_NE(first.runCommand(QStringLiteral("save pins")), QString());
    EXPECT_EQ(first.runCommand(QStringLiteral("save notes")), QString());
  }
  MainWindow again(QString::fromStdString(path));
  EXPECT_EQ(again.timeline()->pinned(), QStringList{QStringLiteral("rank 2 w00")});
  again.state()->setPlayhead(0);
  for (QAction *action : again.findChildren<QAction *>())
    if (action->text() == QStringLiteral("Next mark")) action->trigger();
  EXPECT_EQ(again.state()->playhead(), 900'000);
  EXPECT_EQ(read_notes(path).marks, (std::vector<note>{{900'000, "\"here\" it begins"}}));
}

/// Of two marks so close that no label has room, each has its flag; others are not cut short.
TEST_F(window, draws_labels_of_close_marks_beside_each_other) {
  const auto flags = [&](qint64 apart) {
    m_window->timeline()->setMarks({{400'000, "first of them"}, {400'000 + apart, "second"}});
    const QImage drawn = m_window->timeline()->grab().toImage();
    std::vector<int> widths;
    bool inside = false;
    for (int x = m_window->timeline()->plotLeft(); x < drawn.width(); ++x) {
      const bool blue = drawn.pixelColor(x, 1) == Theme().accent;
      if (blue && !inside) widths.push_back(0);
      if (blue) ++widths.back();
      inside = blue;
    }
    return widths;
  };
  m_window->state()->setView(300'000, 700'000);
  const auto far = flags(200'000);
  ASSERT_EQ(far.size(), 2u);
  const auto close = flags(20'000);
  ASSERT_EQ(close.size(), 2u) << "one covers the other";
  EXPECT_LT(close[0], far[0]);
  EXPECT_EQ(close[1], far[1]);
}

TEST_F(window, writes_a_label_whole_where_nothing_is_beside_it) {
  const QString text = QStringLiteral("a label that is rather long, and alone");
  m_window->timeline()->setMarks({{350'000, text.toStdString()}});
  m_window->state()->setView(300'000, 700'000);
  const QImage drawn = m_window->timeline()->grab().toImage();
  int wide = 0;
  for (int x = 0; x < drawn.width(); ++x) wide += drawn.pixelColor(x, 1) == Theme().accent ? 1 : 0;
  EXPECT_GT(wide, m_window->timeline()->fontMetrics().horizontalAdvance(text));
}

/// Times stand above what points at the moment.
TEST_F(window, keeps_the_playhead_off_the_times_of_the_ruler) {
  const auto ruler = [&](qint64 time) {
    m_window->state()->setPlayhead(time);
    QWidget *const view = m_window->timeline()->viewport();
    return view->grab(QRect(0, 0, view->width(), 17)).toImage();
  };
  m_window->state()->setView(-10'000, 1'000'000);
  m_window->state()->select({});
  EXPECT_EQ(ruler(0), ruler(500'000));
}

TEST_F(window, gives_larger_letters_more_room) {
  const int before = m_window->timeline()->plotLeft();
  QFont large = m_window->font();
  large.setPixelSize(18);
  m_window->setFont(large);
  const QFontMetrics metrics(m_window->timeline()->font());
  EXPECT_GT(m_window->timeline()->plotLeft(), before);
  EXPECT_GE(m_window->timeline()->plotLeft(),
            metrics.horizontalAdvance(QStringLiteral("rank 0 w00")) +
                metrics.horizontalAdvance(QStringLiteral("100 %")));
}

TEST_F(window, hits_a_pinned_lane_where_it_is_drawn) {
  ASSERT_EQ(m_window->runCommand(QStringLiteral("pin rank 1 w00")), QString());
  const deed::viewer::model &m = m_window->state()->model();
  std::uint32_t chosen = none;
  for (std::uint32_t i = 0; i < m.tasks().size(); ++i)
    if (m.tasks()[i].begin != never && say_lane(m.events(), m.tasks()[i].lane) == "rank 1 w00")
      chosen = i;
  ASSERT_NE(chosen, none);
  const task &t = m.tasks()[chosen];
  m_window->state()->setView(t.begin - 10, t.end + 10);
  QWidget *view = m_window->timeline()->viewport();
  const int middle = (m_window->timeline()->plotLeft() + view->width()) / 2;
  QTest::mouseClick(view, Qt::LeftButton, {}, {middle, 26 + 13});  // The first row below the ruler.
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Task, chosen}));
  ASSERT_EQ(m_window->runCommand(QStringLiteral("pin rank 1 w00")), QString());
}

TEST_F(window, shows_the_ranks_that_are_asked_for_and_that_of_a_selection) {
  const model &m = m_window->state()->model();
  ASSERT_EQ(m.ranks(), 4);
  const QImage all = picture();
  for (const char *const wrong :
       {"ranks", "ranks 4", "ranks 2-1", "ranks x", "ranks -1", "ranks 1,", "ranks 1-2-3"})
    EXPECT_TRUE(m_window->runCommand(QString::fromUtf8(wrong))
                    .contains(QStringLiteral("write all, or ranks from 0 to 3")))
        << wrong;
  for (const char *const twice : {"ranks 0,0", "ranks 0-2,0"})
    EXPECT_TRUE(m_window->runCommand(QString::fromUtf8(twice))
                    .contains(QStringLiteral("rank 0 stands there twice")))
        << twice;
  EXPECT_EQ(picture(), all);
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ranks 3,0-1")), QString());
  EXPECT_EQ(m_window->timeline()->shownRanks(), (QList<int>{3, 0, 1}));
  const QImage some = picture();
  EXPECT_NE(some, all);
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ranks 0,1,3")), QString());
  EXPECT_NE(picture(), some) << "from the top as they are named";
  const auto hidden = std::ranges::find(m.tasks(), 2, &task::rank);
  ASSERT_NE(hidden, m.tasks().end());
  const auto index = static_cast<std::uint32_t>(hidden - m.tasks().begin());
  m_window->state()->select({Selection::Task, index});
  EXPECT_EQ(m_window->timeline()->shownRanks(), (QList<int>{0, 1, 3, 2}));
  m_window->timeline()->toggleOnlyRank();
  EXPECT_TRUE(m_window->timeline()->shownRanks().isEmpty()) << "all, where some were away";
  m_window->timeline()->toggleOnlyRank();
  EXPECT_EQ(m_window->timeline()->shownRanks(), QList<int>{2}) << "that of the selection";
  const auto between = std::ranges::find_if(m.transfers(), [](const transfer &x) {
    return x.src != 2 && x.dst != 2 && x.src != x.dst && !x.never_took_place();
  });
  ASSERT_NE(between, m.transfers().end());
  m_window->state()->select(
      {Selection::Transfer, static_cast<std::uint32_t>(between - m.transfers().begin())});
  EXPECT_EQ(m_window->timeline()->shownRanks(), (QList<int>{2, between->src, between->dst}))
      << "else nothing were drawn of it";
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ranks all")), QString());
  EXPECT_TRUE(m_window->timeline()->shownRanks().isEmpty());
}

TEST_F(window, stops_where_a_state_begins) {
  const auto moments = moments_when(m_window->state()->model(), "handle:A[2,*] valid:0");
  const auto later = std::find_if(moments.begin(), moments.end(),
                                  [](const moment &each) { return each.time > 0; });
  ASSERT_NE(later, moments.end());
  m_window->state()->setPlayhead(0);
  ASSERT_EQ(m_window->runCommand(QStringLiteral("search when handle:A[2,*] valid:0")), QString());
  EXPECT_EQ(m_window->state()->playhead(), later->time) << "the first one after the playhead";
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Handle, later->handle}));
  m_window->state()->setPlayhead(0);
  QAction *play = nullptr;
  for (QAction *action : m_window->findChildren<QAction *>()) {
    if (action->text() == QStringLiteral("Stop at hits")) action->setChecked(true);
    if (action->data() == QStringLiteral("Play or pause")) play = action;
  }
  ASSERT_NE(play, nullptr);
  play->trigger();
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return m_window->state()->playhead() >= later->time; }, 60'000));
  QTest::qWait(200);  // It would play on.
  EXPECT_EQ(m_window->state()->playhead(), later->time);
}

TEST_F(window, opens_a_report_of_a_deadlock) {
  const scratch_folder folder;
  const QString file = QString::fromStdString(folder.path() + "/hang.json");
  std::ofstream(file.toStdString())
      << R"({"format": "deed-hang", "version": 1, "code": "D511", "happened": "h", "ranks": [
             {"rank": 0, "where": "w", "waits": [{"what": "a receive", "peer": 1, "tag": 1}]},
             {"rank": 1, "where": "w", "waits": [{"what": "a receive", "peer": 0, "tag": 1}]}]})";
  HangWindow report(file);
  report.show();
  QApplication::processEvents();
  EXPECT_EQ(report.graph()->nodes().size(), 2);
  report.graph()->setCulprit(QStringLiteral("rank 1"));
  EXPECT_TRUE(report.graph()->nodes().contains(QStringLiteral("rank 1: likely cause")));
  EXPECT_THROW(HangWindow(QStringLiteral("/absent/hang.json")), unreadable);
}

/// Of many ranks the report is long, and it is all that there is to read.
TEST_F(window, shows_all_that_a_report_of_a_deadlock_says) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  constexpr int ranks = 60;
  std::ofstream out(file);
  out << R"({"format": "deed-hang", "version": 1, "code": "D401", "happened": "h", "ranks": [)";
  for (int rank = 0; rank < ranks; ++rank)
    out << (rank == 0 ? "" : ",") << R"({"rank": )" << rank
        << R"(, "where": "w", "waits": [{"what": "a task,", "peer": )" << (rank + 1) % ranks
        << R"(, "tag": 1, "datum": "`A[2,3]`", "version": 4, "owner": 0}]})";
  out << "]}";
  out.close();
  HangWindow report(QString::fromStdString(file));
  report.show();
  QApplication::processEvents();
  const QString text = report.findChild<AnswerView *>()->toPlainText();
  EXPECT_TRUE(text.contains(QStringLiteral("rank 59")));
  EXPECT_FALSE(text.contains(QStringLiteral("rows more"))) << text.toStdString();
  const hang known = read_hang(file);
  ASSERT_FALSE(known.waits.empty());
  EXPECT_EQ(WaitGraph::subjectOf(known.waits.front()), QStringLiteral("`A[2,3]` v4"));
}

/// Rank 0 waits twice for rank 1, in a group, and of rank 2 no wait is known.
TEST_F(window, draws_a_report_of_calls_in_a_group_whole) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file)
      << R"({"format": "deed-hang", "version": 1, "code": "D609", "happened": "h", "facts": [
             {"who": "rank 1", "what": "made no call   <-- likely cause"}], "ranks": [
             {"rank": 0, "where": "wait() at x.cpp:1", "waits": [
              {"what": "a receive", "peer": 1, "tag": 8, "group": "3, 1, 0",
               "collective": "`gather` to rank 1 in the group of ranks 3, 1, 0"},
              {"what": "a receive", "peer": 1, "tag": 9, "group": "3, 1, 0",
               "collective": "`barrier` in the group of ranks 3, 1, 0"}]},
             {"rank": 1, "where": "w", "waits": [{"what": "a receive", "peer": 0, "tag": 1}]},
             {"rank": 2, "where": "barrier() at x.cpp:3", "waits": []}]})";
  const hang known = read_hang(file);
  EXPECT_EQ(WaitGraph::subjectOf(known.waits.front()),
            QStringLiteral("`gather` to rank 1, call #8"));
  HangWindow report(QString::fromStdString(file));
  report.show();
  QApplication::processEvents();
  WaitGraph *const graph = report.graph();
  EXPECT_EQ(graph->caption(), QStringLiteral("no wait is known of rank 2"));
  graph->resize(190, 120);
  const QFontMetricsF metrics(graph->font());
  for (int i = 0; i < graph->nodes().size(); ++i)
    EXPECT_TRUE(QRectF(graph->rect()).contains(graph->boxOf(i, metrics))) << i;
}

TEST_F(window, says_where_ranks_stand_of_which_no_wait_is_known) {
  const scratch_folder folder;
  const std::string file = folder.path() + "/hang.json";
  std::ofstream(file)
      << R"({"format": "deed-hang", "version": 1, "code": "D404", "happened": "h", "ranks": [
             {"rank": 0, "where": "barrier() at x.cpp:3", "waits": []},
             {"rank": 1, "where": "the end of the program", "waits": []}]})";
  const std::string said = render(say_hang(read_hang(file)), style::text, {}, 100);
  EXPECT_NE(said.find("no wait is known of rank 0, rank 1: where each rank stands is below"),
            std::string::npos)
      << said;
}

TEST_F(window, scrolls_to_the_lane_of_what_is_selected) {
  const deed::viewer::model &m = m_window->state()->model();
  const auto on_last_rank = [&] {
    for (std::uint32_t i = 0; i < m.tasks().size(); ++i)
      if (m.tasks()[i].rank == 3 && m.tasks()[i].begin != never) return i;
    return none;
  }();
  ASSERT_NE(on_last_rank, none);
  auto *bar = m_window->timeline()->verticalScrollBar();
  bar->setValue(0);
  m_window->state()->select({Selection::Task, on_last_rank});
  const int there = bar->value();
  EXPECT_GT(there, 0);
  m_window->state()->select({});
  m_window->state()->select({Selection::Task, on_last_rank});
  EXPECT_EQ(bar->value(), there) << "what is in view stays";
}

TEST_F(window, says_how_much_it_plays_in_a_second) {
  QSlider *speed = nullptr;
  for (QSlider *each : m_window->findChildren<QSlider *>())
    if (each->accessibleName() == QStringLiteral("Speed of replay")) speed = each;
  ASSERT_NE(speed, nullptr);
  const auto labels = [&] {
    QStringList texts;
    for (const QLabel *each : m_window->findChildren<QLabel *>()) texts += each->text();
    return texts;
  };
  for (const auto &[value, text] :
       {std::pair{0, "1.0 us/s"}, {12, "12 us/s"}, {50, "32 ms/s"}, {67, "1.1x"}, {100, "1000x"}}) {
    speed->setValue(value);
    EXPECT_TRUE(labels().contains(QLatin1Char(' ') + QLatin1String(text))) << text;
  }
}

TEST_F(window, has_models_that_keep_the_rules) {
  EventsModel events(m_window->state()->model());
  const QAbstractItemModelTester one(&events,
                                     QAbstractItemModelTester::FailureReportingMode::Fatal);
  events.setEvents({1, 2, 3});
  EXPECT_EQ(events.rowCount(), 3);
  AnswerModel answers(table{"t", {"a", "b"}, {{"1", "2"}, {"3"}}});
  const QAbstractItemModelTester two(&answers,
                                     QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(answers.index(0, 1).data().toString(), QStringLiteral("2"));
  EXPECT_FALSE(answers.index(1, 1).data().isValid());
}

}  // namespace

int main(int argc, char **argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setStyle(QStringLiteral("Fusion"));
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
