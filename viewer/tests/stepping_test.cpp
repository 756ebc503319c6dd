// SPDX-License-Identifier: MIT
// From one thing to the next, also where many happen at one time.
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/query/query.hpp"
#include "gui/main_window.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

/// Two ranks: rank 0 writes `u`, rank 1 reads it, then gets it three times more at one time, and
/// fails three times at another.
class stepping : public testing::Test {
 protected:
  static constexpr std::uint64_t u = 0;
  static constexpr std::uint64_t sends = 0, receives = 1;
  static constexpr int worker = event_log::first_worker;
  static constexpr qint64 needed = 3'000, again = 4'000, failed = 6'000;

  void SetUp() override {
    const std::string path = folder_.path() + "/run.deed";
    event_log log(path, 2, 1, 7);
    std::uint16_t codelet = 0;
    for (int rank = 0; rank < 2; ++rank) {
      log.rank(rank).handle_registered({.handle = u, .name = "u", .bytes = 800});
      codelet = log.rank(rank).codelet("step", {});
    }
    run_task(log, 0, 0, codelet, 100, 1'000);
    send(log, 0, 2'000, needed);
    run_task(log, 1, 1, codelet, 3'500, 3'900);
    for (std::uint64_t n = 1; n <= 3; ++n) send(log, n, again, 5'000);
    for (int rank = 0; rank < 2; ++rank)
      log.add(failed, rank, event_log::application, record::error,
              {301, u, 1, no_task, 0, 0, no_place, no_place});
    log.add(failed, 1, worker, record::error, {301, u, 1, no_task, 0, 0, no_place, no_place});
    log.close();
    window_ = std::make_unique<MainWindow>(QString::fromStdString(path));
    window_->resize(1000, 700);
    window_->show();
    QApplication::processEvents();
  }

  /// What `n` commands select, one after the other.
  std::vector<std::uint32_t> selected_by(const char *command, int n) {
    std::vector<std::uint32_t> found;
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(window_->runCommand(QString::fromLatin1(command)), QString());
      found.push_back(window_->state()->selection().index);
    }
    return found;
  }
  static std::set<std::uint32_t> unique(const std::vector<std::uint32_t> &from) {
    return {from.begin(), from.end()};
  }
  const deed::viewer::model &things() const { return window_->state()->model(); }
  QString beside_the_search() const {
    for (const QLabel *each : window_->findChildren<QLabel *>())
      if (each->text().startsWith(QStringLiteral("from the"))) return each->text();
    return {};
  }

  scratch_folder folder_;
  std::unique_ptr<MainWindow> window_;

 private:
  static constexpr std::uint64_t no_task = ~std::uint64_t{0}, no_place = ~std::uint32_t{0};

  static void run_task(event_log &log, int rank, std::uint64_t task, std::uint64_t codelet,
                       std::int64_t begin, std::int64_t end) {
    const std::uint64_t reads = 0, writes = 1;
    log.add(0, rank, event_log::application, record::task_submit,
            {task, codelet, no_place, 0, 0, 1});
    log.add(0, rank, event_log::application, record::task_access,
            {task, 0, u, task == 0 ? writes : reads, task, 1});
    // By its data, or as it was submitted.
    log.add(task == 0 ? 0 : needed, rank, event_log::progress, record::task_ready,
            {task, task == 0 ? 0u : 2u, u << 32 | 1});
    log.add(begin, rank, worker, record::task_begin, {task, codelet});
    log.add(end, rank, worker, record::task_end, {task, 0});
  }
  static void send(event_log &log, std::uint64_t number, std::int64_t start, std::int64_t end) {
    log.add(start, 0, event_log::progress, record::xfer_start, {u, 1, 1, number, sends});
    log.add(end, 0, event_log::progress, record::xfer_done, {u, 1, 1, number, sends});
    log.add(end, 1, event_log::progress, record::xfer_done, {u, 1, 0, number, receives});
  }
};

TEST_F(stepping, reaches_every_record_of_one_time) {
  const auto &events = things().events().events();
  window_->runCommand(QStringLiteral("at 1ns"));
  std::vector<std::uint32_t> later;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (events[i].time > 1) later.push_back(i);
  EXPECT_EQ(selected_by("next event", static_cast<int>(later.size())), later);
  later.pop_back();
  EXPECT_EQ(selected_by("previous event", static_cast<int>(later.size())),
            std::vector<std::uint32_t>(later.rbegin(), later.rend()));
}

TEST_F(stepping, reaches_every_transfer_and_every_error_of_one_time) {
  window_->runCommand(QStringLiteral("at 0"));
  const auto transfers = selected_by("next transfer", 4);
  EXPECT_EQ(unique(transfers).size(), 4u);
  EXPECT_EQ(selected_by("previous transfer", 3),
            std::vector<std::uint32_t>(transfers.rbegin() + 1, transfers.rend()));
  window_->runCommand(QStringLiteral("at 0"));
  EXPECT_EQ(unique(selected_by("next error", 3)).size(), 3u);
  EXPECT_EQ(window_->state()->playhead(), failed);
}

TEST_F(stepping, reaches_every_redundant_transfer_of_one_time) {
  window_->runCommand(QStringLiteral("at 0"));
  const auto first = selected_by("next redundant", 3);
  EXPECT_EQ(unique(first).size(), 3u);
  EXPECT_EQ(window_->state()->playhead(), again);
  EXPECT_EQ(selected_by("next redundant", 3), first) << "after the last comes the first";
  EXPECT_EQ(selected_by("previous redundant", 2),
            std::vector<std::uint32_t>(first.rbegin() + 1, first.rend()));
}

TEST_F(stepping, goes_to_every_hit_of_one_time) {
  window_->runCommand(QStringLiteral("at 0"));
  window_->runCommand(QStringLiteral("clear"));
  auto *const box = window_->findChild<QLineEdit *>(QStringLiteral("search"));
  box->setText(QStringLiteral("record:xfer_start"));
  const auto press = [&](Qt::KeyboardModifiers held) {
    QTest::keyClick(box, Qt::Key_Return, held);
    return window_->state()->selection().index;
  };
  std::vector<std::uint32_t> hits;
  for (int i = 0; i < 4; ++i) hits.push_back(press({}));
  EXPECT_EQ(unique(hits).size(), 4u);
  EXPECT_EQ(press({}), hits.front());
}

/// `u` goes from rank 0 to 1 and back. Every rank records both, when its program comes to them.
TEST(owner_step, stops_once_where_a_migration_is_done) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 3, 0, 7);
  constexpr int app = event_log::application, net = event_log::progress;
  for (int rank = 0; rank < 3; ++rank)
    log.rank(rank).handle_registered({.handle = 0, .name = "u", .bytes = 800});
  constexpr std::uint64_t by_call = 1, migrate = 3, send = 0, receive = 1, nobody = ~0ull;
  const auto move = [&](std::int64_t when, std::uint64_t from, std::uint64_t to) {
    for (int rank = 0; rank < 3; ++rank)
      log.add(when + rank * 10, rank, app, record::owner, {0, 0, from, to, by_call, 0});
    const int owner = static_cast<int>(to);
    log.add(when + owner * 10 + 1, owner, app, record::xfer_post,
            {receive, 0, 0, from, to, 24, 0, migrate, nobody});
    log.add(when + 100, static_cast<int>(from), net, record::xfer_start, {0, 0, to, to, send, 0});
    log.add(when + 500, owner, net, record::xfer_done, {0, 0, from, to, receive, 0});
  };
  move(1'000, 0, 1);
  move(3'000, 1, 0);
  log.add(5'000, 2, app, record::phase_push, {1, 0});
  log.close();
  MainWindow window(QString::fromStdString(path));
  window.show();
  const auto times = [&](const char *command) {
    std::vector<qint64> found;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(window.runCommand(QString::fromLatin1(command)), QString());
      found.push_back(window.state()->playhead());
    }
    return found;
  };
  window.runCommand(QStringLiteral("at 0"));
  EXPECT_EQ(times("next owner"), (std::vector<qint64>{1'500, 3'500, 3'500}));
  window.runCommand(QStringLiteral("at 5us"));
  EXPECT_EQ(times("previous owner"), (std::vector<qint64>{3'500, 1'500, 1'500}));
}

TEST_F(stepping, goes_back_to_what_made_a_task_ready) {
  ASSERT_TRUE(window_->selectByName(QStringLiteral("task:step#1")));
  ASSERT_EQ(window_->runCommand(QStringLiteral("flow back")), QString());
  const Selection back = window_->state()->selection();
  ASSERT_EQ(back.kind, Selection::Transfer);
  EXPECT_EQ(things().transfers()[back.index].done_receive, needed);
  EXPECT_LE(window_->state()->playhead(), needed);
  ASSERT_EQ(window_->runCommand(QStringLiteral("flow back")), QString());
  EXPECT_EQ(QString::fromStdString(things().task_name(window_->state()->selection().index)),
            QStringLiteral("step#0"));
}

TEST_F(stepping, keeps_the_handle_that_is_selected) {
  window_->runCommand(QStringLiteral("select handle:u"));
  const Selection handle = window_->state()->selection();
  ASSERT_EQ(handle.kind, Selection::Handle);
  window_->runCommand(QStringLiteral("at 4500ns"));
  window_->timeline()->setFocus();
  QTest::keyClick(window_->timeline(), Qt::Key_Left);
  EXPECT_EQ(window_->state()->playhead(), again);
  EXPECT_EQ(window_->state()->selection(), handle);
  QTest::keyClick(window_->timeline(), Qt::Key_Right);
  EXPECT_EQ(window_->state()->playhead(), 5'000);
  EXPECT_EQ(window_->state()->selection(), handle);
}

TEST_F(stepping, says_that_it_began_anew_until_the_next_step) {
  window_->runCommand(QStringLiteral("at 5us"));
  window_->runCommand(QStringLiteral("next redundant"));
  EXPECT_EQ(beside_the_search(), QStringLiteral("from the start on"));
  window_->runCommand(QStringLiteral("next redundant"));
  EXPECT_EQ(beside_the_search(), QString());
}

/// What the search says of what it found.
QString found_in(const MainWindow &window) {
  for (const QLabel *each : window.findChildren<QLabel *>())
    if (each->accessibleName() == QLatin1String("What the search found")) return each->text();
  return {};
}

TEST_F(stepping, finds_nothing_of_a_datum_that_is_not_there) {
  ASSERT_EQ(window_->runCommand(QStringLiteral("search record:task_begin")), QString());
  const QString found = found_in(*window_);
  EXPECT_EQ(found, QStringLiteral("2 events"));
  EXPECT_NE(window_->runCommand(QStringLiteral("search dur>soon")), QString());
  ASSERT_EQ(window_->runCommand(QStringLiteral("search record:task_begin")), QString());
  EXPECT_EQ(found_in(*window_), found) << "what was wrong changes nothing";
  ASSERT_EQ(window_->runCommand(QStringLiteral("search handle:nobody")), QString());
  EXPECT_EQ(found_in(*window_), QStringLiteral("0 events"));
}

TEST(a_long_search, goes_on_beside_the_window_and_is_done_for_what_needs_it) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.events = 300'000;  // Some tenths of a second, of which the first twentieth is waited for.
  generate(options);
  MainWindow window(QString::fromStdString(options.path));
  window.show();
  const model &m = window.state()->model();
  const auto first_with = [&](const std::string &word) {
    const auto all = find(m, word);
    return all.empty() ? std::int64_t{-1} : m.events().events()[all.front()].time;
  };
  window.state()->setPlayhead(0);
  ASSERT_EQ(window.runCommand(QStringLiteral("search potrf#")), QString());
  EXPECT_TRUE(found_in(window).contains(QLatin1Char('%'))) << "it is not done yet";
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.state()->playhead() > 0; }, 60'000));
  EXPECT_EQ(window.state()->playhead(), first_with("potrf#"));
  window.state()->setPlayhead(0);
  ASSERT_EQ(window.runCommand(QStringLiteral("search trsm#")), QString());
  ASSERT_EQ(window.runCommand(QStringLiteral("panel Events")), QString());
  EXPECT_EQ(window.state()->playhead(), first_with("trsm#"));
  ASSERT_EQ(window.runCommand(QStringLiteral("search trsm#")), QString());
  EXPECT_GT(window.state()->playhead(), first_with("trsm#")) << "the next of those that are found";
}

}  // namespace
