// SPDX-License-Identifier: MIT
// The window without a mouse.
#include "gui/choose.hpp"
#include "gui/compare_window.hpp"
#include "gui/open_any.hpp"
#include "window_fixture.hpp"
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

namespace {

using namespace deed::viewer;

TEST_F(window, is_used_by_the_keyboard_alone) {
  // Every panel is reached by Tab once it is in front.
  for (const QString &panel : m_window->panelNames()) {
    ASSERT_TRUE(m_window->showPanel(panel));
    QApplication::processEvents();
    const QWidget *content = m_window->findChild<QDockWidget *>(panel)->widget();
    m_window->timeline()->setFocus();
    bool reached = false;
    for (int i = 0; i < 100 && !reached; ++i) {  // Links of answers are steps, too.
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      const QWidget *focus = QApplication::focusWidget();
      ASSERT_NE(focus, nullptr);
      reached = focus == content || content->isAncestorOf(focus);
    }
    EXPECT_TRUE(reached) << qPrintable(panel);
  }
  // The matrix has a cursor: the selected handle.
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Ownership")));
  QApplication::processEvents();
  auto *matrix = m_window->findChild<OwnershipMatrix *>();
  m_window->runCommand(QStringLiteral("select handle:A[1,0]"));
  const std::uint32_t before = m_window->state()->selection().index;
  QTest::keyClick(matrix, Qt::Key_Down);
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Handle);
  EXPECT_NE(m_window->state()->selection().index, before);
  QTest::keyClick(matrix, Qt::Key_Up);
  EXPECT_EQ(m_window->state()->selection().index, before);
}

/// Tab leaves a table, also one with rows.
void expect_left_by_tab(QWidget *table) {
  table->setFocus();
  QTest::keyClick(table, Qt::Key_Tab);
  EXPECT_NE(QApplication::focusWidget(), table);
}

TEST_F(window, lets_tab_leave_every_table) {
  m_window->runCommand(QStringLiteral("note one"));
  m_window->runCommand(QStringLiteral("note two"));
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Notes")));
  QApplication::processEvents();
  expect_left_by_tab(m_window->findChild<QTableWidget *>());
  generator_options options;
  options.path = s_folder->path() + "/two.deed";
  options.tiles = 6;
  options.ranks = 2;
  generate(options);
  CompareWindow both(QString::fromStdString(s_folder->path() + "/run.deed"),
                     QString::fromStdString(options.path));
  both.show();
  QApplication::processEvents();
  both.activateWindow();
  ASSERT_GT(both.differences()->model()->rowCount(), 1);
  expect_left_by_tab(both.differences());
}

TEST_F(window, shows_what_has_the_keyboard_in_every_theme) {
  const auto press_tab = [] { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab); };
  for (const Theme::Name name : {Theme::Light, Theme::Dark, Theme::Contrast}) {
    const Theme theme(name);
    m_window->setTheme(theme);
    m_window->timeline()->setFocus();
    for (int i = 0; i < 20; ++i) {
      press_tab();
      QWidget *focus = QApplication::focusWidget();
      const QImage drawn =
          m_window->grab(QRect(focus->mapTo(m_window.get(), QPoint(0, 0)), focus->size()))
              .toImage();
      for (const QPoint &corner : {QPoint(0, 0), QPoint(drawn.width() - 1, drawn.height() - 1)})
        EXPECT_EQ(drawn.pixelColor(corner), theme.accent) << focus->metaObject()->className();
    }
  }
}

TEST_F(window, gives_the_keyboard_to_the_panel_that_is_asked_for) {
  for (QAction *action : m_window->findChildren<QAction *>()) {
    if (action->shortcut().isEmpty() || !m_window->panelNames().contains(action->text())) continue;
    m_window->findChild<QLineEdit *>(QStringLiteral("search"))->setFocus();
    action->trigger();
    const QWidget *panel = m_window->findChild<QDockWidget *>(action->text())->widget();
    const QWidget *focus = QApplication::focusWidget();
    ASSERT_NE(focus, nullptr);
    EXPECT_TRUE(panel == focus || panel->isAncestorOf(focus)) << qPrintable(action->text());
  }
}

TEST(choose, takes_any_words_and_nothing_where_none_fits) {
  Choose question(QStringLiteral("All commands"),
                  {QStringLiteral("Pan left"), QStringLiteral("Next owner change"),
                   QStringLiteral("Layout: performance")});
  question.show();
  auto *words = question.findChild<QLineEdit *>();
  const auto type = [&](const char *text) {
    words->clear();
    QTest::keyClicks(words, QLatin1String(text));
  };
  type("perf");
  EXPECT_EQ(question.chosen(), QStringLiteral("Layout: performance"));
  type("change next");
  EXPECT_EQ(question.chosen(), QStringLiteral("Next owner change"));
  type("dance");
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_TRUE(question.isVisible());
  EXPECT_EQ(question.chosen(), QString());
  const auto *nothing = question.findChild<QLabel *>();
  EXPECT_TRUE(nothing->isVisible());
  EXPECT_EQ(nothing->text(), QStringLiteral("nothing found"));
  type("n");
  EXPECT_FALSE(nothing->isVisible());
  EXPECT_EQ(question.chosen(), QStringLiteral("Next owner change")) << "it begins so";
  QTest::keyClick(words, Qt::Key_Down);
  EXPECT_EQ(question.chosen(), QStringLiteral("Pan left"));
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_EQ(question.result(), QDialog::Accepted);
}

/// What `keys` is asked for in a dialog that it opens.
QString text_of_dialog(QWidget *in, Qt::Key key) {
  QString text;
  QTimer::singleShot(0, in, [&] {
    auto *dialog = qobject_cast<QDialog *>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    text = dialog->findChild<QTextBrowser *>()->toPlainText();
    dialog->reject();
  });
  QTest::keyClick(in, key);
  return text;
}

TEST_F(window, lists_its_keys_on_f1_in_every_window) {
  const QString keys = text_of_dialog(m_window->timeline(), Qt::Key_F1);
  for (const char *const each : {"?, F1", "Tab", "Up, Down", "F2", "Ctrl+Shift+P", "Space"})
    EXPECT_TRUE(keys.contains(QLatin1String(each))) << each;
  const QString path = QString::fromStdString(s_folder->path() + "/run.deed");
  CompareWindow both(path, path);
  both.show();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&both));
  EXPECT_TRUE(text_of_dialog(&both, Qt::Key_F1).contains(QStringLiteral("Next difference")));
}

TEST_F(window, leaves_the_search_by_escape_and_keeps_the_selection) {
  m_window->runCommand(QStringLiteral("select handle:A[2,0]"));
  const Selection chosen = m_window->state()->selection();
  auto *box = m_window->findChild<QLineEdit *>(QStringLiteral("search"));
  box->setFocus();
  QTest::keyClick(box, Qt::Key_Escape);
  EXPECT_TRUE(m_window->timeline()->hasFocus());
  EXPECT_EQ(m_window->state()->selection(), chosen);
  QTest::keyClick(m_window->timeline(), Qt::Key_Escape);
  EXPECT_EQ(m_window->state()->selection(), Selection());
}

TEST_F(window, folds_ranks_and_selects_a_free_range_by_keys) {
  auto *timeline = m_window->timeline();
  ASSERT_TRUE(m_window->selectByName(QString::fromStdString("task:" + sender())));
  const int whole = timeline->verticalScrollBar()->maximum();
  QTest::keyClick(timeline, Qt::Key_C);
  const int folded = timeline->verticalScrollBar()->maximum();
  EXPECT_LT(folded, whole);
  QTest::keyClick(timeline, Qt::Key_C, Qt::ShiftModifier);
  EXPECT_EQ(timeline->verticalScrollBar()->maximum(), whole);
  QTest::keyClick(timeline, Qt::Key_C, Qt::ShiftModifier);
  EXPECT_EQ(timeline->verticalScrollBar()->maximum(), 0);

  m_window->runCommand(QStringLiteral("at 100us"));
  QTest::keyClick(timeline, Qt::Key_V);
  EXPECT_FALSE(timeline->range());
  m_window->runCommand(QStringLiteral("at 300us"));
  QTest::keyClick(timeline, Qt::Key_V);
  m_window->runCommand(QStringLiteral("at 500us"));
  EXPECT_EQ(timeline->range(), (std::pair<qint64, qint64>(100'000, 300'000)));
}

TEST_F(window, switches_layouts_by_keys) {
  const QWidget *shares = m_window->findChild<TimeShares *>()->viewport();
  m_window->showPanel(QStringLiteral("Notes"));
  QApplication::processEvents();
  QTest::keyClick(m_window->timeline(), Qt::Key_F7);
  QApplication::processEvents();
  EXPECT_TRUE(shares->isVisible() && !shares->visibleRegion().isEmpty());
}

TEST_F(window, changes_its_colours_by_keys) {
  QTest::keyClick(m_window->timeline(), Qt::Key_F6, Qt::ControlModifier);
  EXPECT_TRUE(m_window->theme().dark);
  QTest::keyClick(m_window->timeline(), Qt::Key_F7, Qt::ControlModifier);
  EXPECT_TRUE(m_window->theme().contrast);
  QTest::keyClick(m_window->timeline(), Qt::Key_F5, Qt::ControlModifier);
  EXPECT_FALSE(m_window->theme().dark || m_window->theme().contrast);
}

/// Of many ranks one goes there by its name.
TEST_F(window, goes_to_a_lane_by_its_name) {
  m_window->timeline()->toggleAllRanks();
  QTimer::singleShot(0, m_window.get(), [] {
    auto *const asked = qobject_cast<Choose *>(QApplication::activeModalWidget());
    if (asked == nullptr) return;
    auto *const words = asked->findChild<QLineEdit *>();
    QTest::keyClicks(words, QStringLiteral("rank 2 w00"));
    QTest::keyClick(words, Qt::Key_Return);
  });
  QTest::keyClick(m_window->timeline(), Qt::Key_P, Qt::ControlModifier);
  const Selection now = m_window->state()->selection();
  ASSERT_EQ(now.kind, Selection::Task);
  EXPECT_EQ(m_window->state()->model().tasks()[now.index].rank, 2);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("select lane:rank 1 comm")), QString());
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Transfer);
  EXPECT_NE(m_window->runCommand(QStringLiteral("select lane:rank 9 w00")), QString());
}

TEST_F(window, takes_names_of_menus_in_a_script) {
  EXPECT_EQ(m_window->runCommand(QStringLiteral("Next redundant transfer")), QString());
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Transfer);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("fit the selection")), QString());
  EXPECT_GT(m_window->state()->begin(), 0);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("whole run")), QString());
  EXPECT_LT(m_window->state()->begin(), 0);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("Theme: dark")), QString());
  EXPECT_TRUE(m_window->theme().dark);
  for (const char *const asks : {"Quit", "Open a run", "All commands", "Keys"})
    EXPECT_NE(m_window->runCommand(QLatin1String(asks)), QString()) << asks;
}

TEST_F(window, goes_to_a_mark_by_return_and_takes_it_away_by_delete) {
  m_window->runCommand(QStringLiteral("at 400us"));
  m_window->runCommand(QStringLiteral("note here"));
  m_window->runCommand(QStringLiteral("at 0us"));
  m_window->showPanel(QStringLiteral("Notes"));
  QApplication::processEvents();
  auto *marks = m_window->findChild<QTableWidget *>();
  marks->setFocus();
  marks->setCurrentCell(0, 0);
  QTest::keyClick(marks, Qt::Key_Return);
  EXPECT_EQ(m_window->state()->playhead(), 400'000);
  QTest::keyClick(marks, Qt::Key_Delete);
  EXPECT_EQ(marks->rowCount(), 0);
}

TEST_F(window, says_that_a_note_of_a_script_cannot_be_kept) {
  const std::string taken = s_folder->path() + "/run.deed/notes.json.part";
  std::filesystem::create_directory(taken);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("note here")), QString());
  EXPECT_TRUE(m_window->runCommand(QStringLiteral("save notes"))
                  .contains(QStringLiteral("cannot be written")));
  std::filesystem::remove(taken);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("save notes")), QString());
}

TEST_F(window, opens_with_a_page_that_says_how_to_open_a_run) {
  StartWindow start{Theme()};
  start.show();
  EXPECT_EQ(start.findChildren<QPushButton *>().size(), 2);
  EXPECT_TRUE(showAny(QStringLiteral("/absent"), Theme()).contains(QStringLiteral("absent")));
  EXPECT_TRUE(start.isVisible());
  EXPECT_EQ(showAny(QString::fromStdString(s_folder->path() + "/run.deed"), Theme()), QString());
  EXPECT_FALSE(start.isVisible());
  int opened = 0;
  for (QWidget *each : QApplication::topLevelWidgets())
    if (auto *window = qobject_cast<MainWindow *>(each);
        window != nullptr && each != m_window.get()) {
      ++opened;
      window->close();
    }
  EXPECT_EQ(opened, 1);
}

TEST_F(window, changes_a_note_by_the_keyboard_alone) {
  m_window->runCommand(QStringLiteral("note old"));
  QTest::keyClick(m_window->timeline(), Qt::Key_4, Qt::AltModifier);
  QApplication::processEvents();
  auto *const marks = m_window->findChild<QTableWidget *>();
  ASSERT_EQ(QApplication::focusWidget(), marks);
  marks->setCurrentCell(0, 0);  // That of the time.
  QTest::keyClick(marks, Qt::Key_F2);
  auto *const editor = marks->findChild<QLineEdit *>();
  ASSERT_NE(editor, nullptr);
  editor->selectAll();
  QTest::keyClicks(editor, QStringLiteral("new"));
  QTest::keyClick(editor, Qt::Key_Return);
  QApplication::processEvents();
  EXPECT_EQ(marks->item(0, 1)->text(), QStringLiteral("new"));
}

TEST_F(window, has_a_current_note_when_the_keyboard_comes_there) {
  m_window->runCommand(QStringLiteral("note old"));
  QTest::keyClick(m_window->timeline(), Qt::Key_4, Qt::AltModifier);
  QApplication::processEvents();
  auto *const marks = m_window->findChild<QTableWidget *>();
  QTest::keyClick(marks, Qt::Key_F2);
  EXPECT_NE(marks->findChild<QLineEdit *>(), nullptr);
}

TEST_F(window, goes_through_the_cells_of_the_matrix_by_keys) {
  QTest::keyClick(m_window->timeline(), Qt::Key_4, Qt::ControlModifier);
  QApplication::processEvents();
  auto *const matrix = m_window->findChild<CommMatrix *>();
  ASSERT_EQ(QApplication::focusWidget(), matrix);
  std::pair<int, int> went{-1, -1};
  QObject::connect(matrix, &CommMatrix::cellActivated, matrix,
                   [&](int src, int dst) { went = {src, dst}; });
  const qint64 before = m_window->state()->playhead();
  for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right, Qt::Key_Right, Qt::Key_Left})
    QTest::keyClick(matrix, key);
  EXPECT_EQ(m_window->state()->playhead(), before) << "an arrow is no step here";
  const QImage drawn = matrix->grab().toImage();
  QTest::keyClick(matrix, Qt::Key_Up);
  EXPECT_NE(matrix->grab().toImage(), drawn) << "the cell is seen";
  EXPECT_TRUE(matrix->accessibleDescription().startsWith(QStringLiteral("rank 0 to rank 1")));
  QTest::keyClick(matrix, Qt::Key_Return);
  EXPECT_EQ(went, std::pair(0, 1));
  EXPECT_NE(QApplication::focusWidget(), matrix);
}

TEST_F(window, goes_from_change_to_change_of_a_datum_by_keys) {
  m_window->runCommand(QStringLiteral("select task:") + QString::fromStdString(sender()));
  const std::uint32_t handle = m_window->state()->selectedHandle();
  QTest::keyClick(m_window->timeline(), Qt::Key_3, Qt::ControlModifier);
  QApplication::processEvents();
  auto *const history = m_window->findChild<HandleHistory *>();
  m_window->runCommand(QStringLiteral("at 0"));
  std::set<qint64> times;
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(history, Qt::Key_Right);
    times.insert(m_window->state()->playhead());
    EXPECT_EQ(m_window->state()->selection().kind, Selection::Task) << "it is no step";
  }
  EXPECT_EQ(times.size(), 3u);
  QTest::keyClick(history, Qt::Key_Left);
  EXPECT_EQ(m_window->state()->playhead(), *std::next(times.begin()));
  QTest::keyClick(history, Qt::Key_Return);
  EXPECT_EQ(m_window->state()->selection(), (Selection{Selection::Handle, handle}));
}

}  // namespace
