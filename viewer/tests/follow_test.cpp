// SPDX-License-Identifier: MIT
// A window of a run that is still being recorded.
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "gui/followed_run.hpp"
#include "scratch_folder.hpp"
#include "window_fixture.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QProcess>
#include <QScrollBar>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace deed::viewer;

/// As if its program was halfway.
void write_half(const run &of, const std::string &path) {
  slice_options first_half;
  first_half.range = time_range{0, of.end() / 2};
  slice(of, path, first_half);
}

/// It goes on to its end. In one step: who follows it never finds a part of its files.
void write_rest(const run &of, const std::string &path) {
  slice(of, path + ".whole", {});
  std::filesystem::rename(path, path + ".half");
  std::filesystem::rename(path + ".whole", path);
}

TEST_F(window, follows_a_run_that_grows) {
  const QString whole = QString::fromStdString(s_folder->path() + "/run.deed");
  const scratch_folder folder;
  const std::string path = folder.path() + "/growing.deed";
  FollowedRun followed(QString::fromStdString(path));
  followed.show();
  EXPECT_EQ(followed.current(), nullptr) << "nothing is there yet";

  const run all(whole.toStdString());
  write_half(all, path);
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != nullptr; }, 60'000));
  const std::size_t before = followed.current()->state()->model().events().events().size();
  const std::string chosen = sender();
  ASSERT_TRUE(followed.current()->selectByName(QString::fromStdString("task:" + chosen)));
  followed.current()->state()->setPlayhead(all.end() / 4);
  EXPECT_TRUE(followed.current()->showPanel(QStringLiteral("Cache")));

  write_rest(all, path);
  const auto events = [&] { return followed.current()->state()->model().events().events().size(); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return events() > before; }, 60'000));
  const ViewState &state = *followed.current()->state();
  ASSERT_EQ(state.selection().kind, Selection::Task);
  EXPECT_EQ(state.model().task_name(state.selection().index), chosen);
  EXPECT_EQ(state.playhead(), all.end() / 4);
}

/// Its dialog would be deleted with it, while it runs.
TEST_F(window, follows_a_run_only_while_no_dialog_and_no_editor_is_open) {
  const run all(s_folder->path() + "/run.deed");
  const scratch_folder folder;
  const std::string path = folder.path() + "/growing.deed";
  write_half(all, path);
  FollowedRun followed(QString::fromStdString(path));
  followed.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != nullptr; }, 60'000));
  MainWindow *const before = followed.current();
  before->runCommand(QStringLiteral("note here"));
  ASSERT_TRUE(before->showPanel(QStringLiteral("Notes")));
  QApplication::processEvents();
  auto *notes = before->findChild<QTableWidget *>();
  notes->setFocus();
  notes->editItem(notes->item(0, 1));
  write_rest(all, path);
  QTest::qWait(400);  // Time for several looks.
  EXPECT_EQ(followed.current(), before) << "a text is being written";
  notes->setFocus();

  {
    QDialog question(before);
    QTimer::singleShot(400, &question, [&] {
      EXPECT_EQ(followed.current(), before) << "a question is being asked";
      question.accept();
    });
    EXPECT_EQ(question.exec(), QDialog::Accepted);
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return followed.current() != before; }, 60'000));
}

TEST_F(window, goes_on_with_what_is_typed_and_chosen_when_a_run_has_grown) {
  const run all(s_folder->path() + "/run.deed");
  const scratch_folder folder;
  const std::string path = folder.path() + "/growing.deed";
  write_half(all, path);
  FollowedRun followed(QString::fromStdString(path));
  followed.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != nullptr; }, 60'000));
  MainWindow *const before = followed.current();
  const auto focus_is = [&](QWidget *wanted) { return followed.focusWidget() == wanted; };
  EXPECT_EQ(before->runCommand(QStringLiteral("search record:task_begin")), QString());
  const auto hits = [&] { return followed.current()->findChild<EventsModel *>()->rowCount(); };
  const int found = hits();
  before->timeline()->setRange(100, 2'000);
  before->timeline()->toggleRank(1);
  followed.resize(1000, 500);
  QApplication::processEvents();
  auto *lanes = before->timeline()->verticalScrollBar();
  lanes->setValue(lanes->maximum() / 2);
  const int scrolled = lanes->value();
  ASSERT_GT(scrolled, 0);
  ASSERT_EQ(before->runCommand(QStringLiteral("next event")), QString());
  const Selection chosen = before->state()->selection();
  ASSERT_EQ(chosen.kind, Selection::Event);
  const qint64 playhead = before->state()->playhead();
  auto *box = before->findChild<QLineEdit *>(QStringLiteral("search"));
  box->setFocus();
  QTest::keyClicks(box, QStringLiteral(" -rank:0"));
  QTest::keyClick(box, Qt::Key_Left);

  write_rest(all, path);
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != before; }, 60'000));
  MainWindow &now = *followed.current();
  box = now.findChild<QLineEdit *>(QStringLiteral("search"));
  EXPECT_TRUE(focus_is(box));
  EXPECT_EQ(box->text(), QStringLiteral("record:task_begin -rank:0"));
  QTest::keyClicks(box, QStringLiteral("1"));
  EXPECT_EQ(box->text(), QStringLiteral("record:task_begin -rank:10"));
  EXPECT_GT(hits(), found) << "what was searched for, not what is being written";
  EXPECT_LT(hits(), static_cast<int>(now.state()->model().events().events().size()));
  QApplication::processEvents();
  EXPECT_EQ(now.timeline()->verticalScrollBar()->value(), scrolled);
  EXPECT_EQ(now.timeline()->range(), (std::pair<qint64, qint64>(100, 2'000)));
  EXPECT_EQ(now.state()->playhead(), playhead);
  ASSERT_EQ(now.state()->selection().kind, Selection::Event);
  EXPECT_EQ(now.state()->model().events().events()[now.state()->selection().index].time, playhead);
}

TEST_F(window, follows_a_run_that_grows_with_what_the_command_line_wants) {
  const run all(s_folder->path() + "/run.deed");
  FollowedRun followed(QString::fromStdString(s_folder->path() + "/run.deed"));
  QStringList refused;
  QObject::connect(&followed, &FollowedRun::refused, &followed,
                   [&](const QString &why) { refused += why; });
  followed.setCommands({QStringLiteral("size 900x610"), QStringLiteral("panel Cache"),
                        QStringLiteral("at 900us"), QStringLiteral("layout nobody"),
                        QStringLiteral("select task:later#1"), QStringLiteral("at soon")});
  followed.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != nullptr; }, 60'000));
  EXPECT_EQ(followed.size(), QSize(900, 610));
  EXPECT_EQ(followed.current()->state()->playhead(), 900'000);
  ASSERT_EQ(refused.size(), 2);
  EXPECT_TRUE(refused[0].contains(QStringLiteral("the layouts are ownership")));
  EXPECT_TRUE(refused[1].contains(QStringLiteral("write a time")));
}

/// Of two ranks, of this process.
class growing_run {
 public:
  explicit growing_run(const std::string &path) : log_(path, 2, 1, 1) {
    log_.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
    add(1'000);
  }
  void add(std::int64_t time) {
    log_.add(time, 0, event_log::first_worker, record::task_begin, {7, 0});
    log_.add(time + 500, 1, event_log::first_worker, record::task_begin, {8, 0});
    log_.flush();
  }
  void end() { log_.close(); }

 private:
  event_log log_;
};

/// A process that does not exist any more.
std::string gone() {
  QProcess ran;
  ran.start(QStringLiteral("true"), QStringList());
  ran.waitForStarted();
  const std::string pid = std::to_string(ran.processId());
  ran.waitForFinished();
  return pid;
}

/// As if another process had recorded it.
void give_away(const std::string &run, const std::string &pid) {
  const std::string mine = "pid = " + std::to_string(QCoreApplication::applicationPid());
  for (const auto &each : std::filesystem::recursive_directory_iterator(run)) {
    if (each.path().filename() != "metadata") continue;
    std::ifstream in(each.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.replace(text.find(mine), mine.size(), "pid = " + pid);
    std::ofstream(each.path(), std::ios::binary) << text;
  }
}

/// How much of the timeline says that something is wrong.
int red_of(FollowedRun &followed) {
  const QImage drawn = followed.current()->timeline()->grab().toImage();
  int red = 0;
  for (int y = 0; y < drawn.height(); ++y)
    for (int x = 0; x < drawn.width(); ++x) red += drawn.pixelColor(x, y) == Theme().error ? 1 : 0;
  return red;
}

bool waits_for(FollowedRun &followed, const char *title) {
  return QTest::qWaitFor([&] { return followed.windowTitle().contains(QLatin1String(title)); },
                         60'000);
}

TEST_F(window, says_of_a_run_that_it_follows_whether_it_goes_on) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/growing.deed", killed = folder.path() + "/killed.deed";
  growing_run program(path);
  std::filesystem::copy(path, killed, std::filesystem::copy_options::recursive);
  give_away(killed, gone());

  FollowedRun followed(QString::fromStdString(path));
  EXPECT_TRUE(followed.windowTitle().contains(QStringLiteral("nothing is recorded yet")));
  followed.show();
  ASSERT_TRUE(waits_for(followed, "following, last event"));
  EXPECT_EQ(red_of(followed), 0) << "what comes next is not lost";
  program.end();
  ASSERT_TRUE(waits_for(followed, "deed-view, ended"));
  EXPECT_EQ(red_of(followed), 0);

  FollowedRun dead(QString::fromStdString(killed));
  dead.show();
  ASSERT_TRUE(waits_for(dead, "deed-view, killed"));
  EXPECT_GT(red_of(dead), 0);
}

TEST_F(window, holds_a_run_that_it_follows_until_it_may_go_on) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/growing.deed";
  growing_run program(path);
  FollowedRun followed(QString::fromStdString(path));
  followed.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != nullptr; }, 60'000));
  MainWindow *const before = followed.current();
  QTest::keyClick(before->timeline(), Qt::Key_U);
  EXPECT_TRUE(followed.windowTitle().contains(QStringLiteral("held")));
  program.add(5'000);
  QTest::qWait(400);  // Time for several looks.
  EXPECT_EQ(followed.current(), before);
  QTest::keyClick(before->timeline(), Qt::Key_U);
  ASSERT_TRUE(QTest::qWaitFor([&] { return followed.current() != before; }, 60'000));
  EXPECT_TRUE(followed.windowTitle().contains(QStringLiteral("following, last event")));
  QTest::keyClick(followed.current()->timeline(), Qt::Key_T, Qt::ControlModifier);
  EXPECT_TRUE(followed.windowTitle().contains(QStringLiteral("clocks corrected")));
  EXPECT_TRUE(followed.current()->isVisible());
  program.end();
}

}  // namespace
