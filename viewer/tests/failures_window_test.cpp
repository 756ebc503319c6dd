// SPDX-License-Identifier: MIT
// What the window shows first of a run that failed, or that was stopped.
#include "analysis/generate/event_log.hpp"
#include "gui/main_window.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QImage>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

constexpr int app = event_log::application, worker = event_log::first_worker;
constexpr std::uint64_t nothing = 0xffff'ffff;

class failures : public testing::Test {
 protected:
  void open(const std::function<void(event_log &)> &record) {
    const std::string path = m_folder.path() + "/run.deed";
    event_log log(path, 2, 1, 1);
    record(log);
    log.close();
    m_window = std::make_unique<MainWindow>(QString::fromStdString(path));
    m_window->resize(1280, 720);
    m_window->show();
    QApplication::processEvents();
  }
  const AnswerView *view(const char *panel) const {
    return qobject_cast<const AnswerView *>(
        m_window->findChild<QDockWidget *>(QLatin1String(panel))->widget());
  }
  std::string text_of(const char *panel) const { return view(panel)->toPlainText().toStdString(); }

  scratch_folder m_folder;
  std::unique_ptr<MainWindow> m_window;
};

/// The ownership of the moment is what the panel in front shows.
TEST_F(failures, that_left_the_program_open_before_they_ended_its_data) {
  open([](event_log &log) {
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
    log.add(10'000, 0, app, record::handle_unregister, {0, 0});
    log.add(11'000, 0, app, record::error,
            {208, 0, nothing, ~std::uint64_t{0}, 0, 0, nothing, nothing});
  });
  EXPECT_EQ(m_window->state()->playhead(), 9'999);
  EXPECT_EQ(m_window->state()->selection().kind, Selection::Event);
}

/// Virtual ranks do much at one time: the window has the moment that `state --at error` has.
TEST_F(failures, of_virtual_ranks_open_with_what_was_lent_at_that_moment) {
  open([](event_log &log) {
    constexpr std::uint64_t mut = 1, application = 0;
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
    log.add(5'000, 0, app, record::borrow, {0, mut, application, nothing});
    log.add(5'000, 0, app, record::release, {0, mut, application, nothing});
    log.add(5'000, 0, app, record::handle_unregister, {0, 0});
    log.add(5'000, 0, app, record::error,
            {307, 0, nothing, ~std::uint64_t{0}, 0, 0, nothing, nothing});
  });
  EXPECT_EQ(m_window->state()->playhead(), 5'000);
  m_window->state()->select({Selection::Handle, 0});
  QApplication::processEvents();
  EXPECT_THAT(text_of("Inspector"), HasSubstr("the program of rank 0, for writing, at "));
}

std::size_t times(const std::string &part, const std::string &in) {
  std::size_t found = 0;
  for (std::size_t at = in.find(part); at != std::string::npos; at = in.find(part, at + 1)) ++found;
  return found;
}

TEST_F(failures, of_a_task_are_said_once) {
  open([](event_log &log) {
    auto &rank = log.rank(1);
    rank.handle_registered({.handle = 0, .name = "part1", .bytes = 8});
    const auto codelet = rank.codelet("limit", deed::place::current());
    const auto line = rank.location(deed::place::current());
    const auto said = rank.text(
        "deed[D807] task `limit` threw: x[0] is 32\n  inserted  wr.cpp:61, insertion #24\n"
        "  help: catch it inside the codelet");
    log.add(500, 1, app, record::task_submit, {24, codelet, 1, 0, line, 1});
    log.add(501, 1, app, record::task_access, {24, 0, 0, 1, 6, 7});
    log.add(1'000, 1, worker, record::task_begin, {24, codelet});
    log.add(2'000, 1, worker, record::error, {807, 0, nothing, 24, 0, 0, nothing, said});
  });
  for (const char *const part : {"threw: x[0] is 32", "insertion #24", "catch it"})
    EXPECT_EQ(times(part, text_of("Inspector")), 1u) << part;
}

/// To lay out a text may bring a scroll bar, which takes room from the tables that it is laid out
/// for: then they stand below each other.
TEST(answers, are_laid_out_once_in_a_view_of_any_size) {
  AnswerView view;
  view.show();
  const table small{"", {"", ""}, {{"inserted", "wr.cpp:61, insertion #24"}, {"ran on", "rank 1"}}},
      other{"Its data then", {"datum", "mode"}, {{"part1", "RW"}}};
  for (int width = 200; width < 500; width += 7)
    for (int height = 60; height < 200; height += 10) {
      view.resize(width, height);
      view.setAnswer({{"It was in limit#24."}, {small, other, small}});
      QApplication::processEvents();
      ASSERT_EQ(times("It was in", view.toPlainText().toStdString()), 1u) << width << 'x' << height;
    }
}

/// What is read first comes first, and a name of twenty lines is none that is read.
TEST_F(failures, of_a_crash_show_the_task_and_its_data_before_the_record) {
  open([](event_log &log) {
    auto &rank = log.rank(1);
    rank.handle_registered({.handle = 0, .name = "x", .bytes = 8});
    const auto codelet = rank.codelet("bad", deed::place::current());
    const auto line = rank.location(deed::place::current());
    const auto frames = rank.backtrace(
        "prog+0x12 (_ZNSt6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES6_"
        "ESaIS7_EE9push_backERKS7_+0x2)");
    log.add(500, 1, app, record::task_submit, {7, codelet, 1, 0, line, 1});
    log.add(501, 1, app, record::task_access, {7, 0, 0, 1, 3, 4});
    log.add(1'000, 1, worker, record::task_begin, {7, codelet});
    log.add(2'000, 1, worker, record::fatal_signal, {6, frames});
  });
  const std::string said = text_of("Inspector");
  std::size_t last = 0;
  for (const char *const part : {"rank 1 was ended by SIGABRT", "It was in bad#7 on rank 1 w00",
                                 "What to do", "Its data then", "signo", "backtrace"}) {
    const std::size_t at = said.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << " in\n" << said;
    last = at;
  }
  EXPECT_THAT(said, HasSubstr("vector<...>::push_back("));
  EXPECT_THAT(said, Not(HasSubstr("char_traits")));
  EXPECT_THAT(view("Inspector")->shown().backtrace.front(), HasSubstr("char_traits"))
      << "an export has it whole";
}

TEST_F(failures, of_deed_say_what_to_do_before_the_record) {
  open([](event_log &log) {
    const auto text = log.rank(1).text(
        "deed[D307] `x` is borrowed twice\n  lent to  1 reader at heat.cpp:17\n  help: close its "
        "scope");
    log.add(1'000, 1, app, record::error,
            {307, nothing, 0, ~std::uint64_t{0}, 0, 0, nothing, text});
  });
  const std::string said = text_of("Inspector");
  EXPECT_THAT(said, testing::ContainsRegex("What to do: close its scope\\.(.|\n)*lent to(.|\n)*"
                                           "1 reader at heat.cpp:17(.|\n)*code"));
}

/// An earlier version did not record of which task an error is.
TEST_F(failures, lead_to_the_task_whose_body_threw) {
  open([](event_log &log) {
    const auto codelet = log.rank(1).codelet("bad", deed::place::current());
    const auto text = log.rank(1).text("no such thing");
    log.add(1'000, 1, worker, record::task_begin, {7, codelet});
    log.add(2'000, 1, worker, record::error,
            {0, nothing, 0, ~std::uint64_t{0}, 0, 0, nothing, text});
    log.add(2'000, 1, worker, record::task_end, {7, 1});
  });
  const model &m = m_window->state()->model();
  ASSERT_EQ(m.failures().size(), 1u);
  m_window->state()->select({Selection::Event, m.failures()[0]});
  EXPECT_THAT(view("Inspector")->toHtml().toStdString(),
              HasSubstr("task:" + std::to_string(m.find_task(1, 7))));
}

/// It is no error, and is seen all the same.
TEST_F(failures, do_not_hide_that_the_program_stopped_the_run) {
  open([](event_log &log) {
    log.add(500, 0, app, record::phase_push, {1, 0});
    log.add(2'000, 1, app, record::stop_run, {74, log.rank(1).text("the disk is full")});
    log.add(4'000, 0, app, record::wait_begin, {2, 0, 0});
    log.add(8'000, 0, app, record::wait_end, {2, 0});
  });
  EXPECT_EQ(m_window->state()->playhead(), 2'000);
  EXPECT_THAT(text_of("Inspector"), HasSubstr("rank 1 stops the run on purpose"));
  m_window->showPanel(QStringLiteral("Errors"));
  QApplication::processEvents();
  EXPECT_THAT(text_of("Errors"), HasSubstr("rank 1 stops the run on purpose"));
  m_window->state()->setPlayhead(0);
  m_window->state()->select({});
  m_window->state()->fitAll();
  QApplication::processEvents();
  const QImage drawn = m_window->timeline()->viewport()->grab().toImage();
  const double plot = drawn.width() - m_window->timeline()->plotLeft();
  const int x =
      m_window->timeline()->plotLeft() + static_cast<int>(m_window->state()->xOf(2'000, plot));
  int found = 0;
  for (int y = 30; y < drawn.height(); ++y) {
    const QColor here = drawn.pixelColor(x, y);
    found += here == Theme().stop;
    EXPECT_NE(here, Theme().error);
  }
  EXPECT_GE(found, 12);
}

/// A run without data, tasks or errors.
TEST_F(failures, of_nothing_leave_no_panel_empty) {
  open([](event_log &log) {
    log.add(500, 0, app, record::wait_begin, {2, 0, 0});
    log.add(900, 0, app, record::wait_end, {2, 0});
  });
  for (const QString &panel : m_window->panelNames()) {
    m_window->showPanel(panel);
    QApplication::processEvents();
    QWidget *const content = m_window->findChild<QDockWidget *>(panel)->widget();
    const QImage image = content->grab().toImage();
    // Letters. A matrix has a head and a legend, also where it has nothing else.
    const int edge = panel == QStringLiteral("Ownership") ? 26 : 0;
    int dark = 0;
    for (int y = edge; y < image.height() - edge; ++y)
      for (int x = 0; x < image.width(); ++x) dark += qGray(image.pixel(x, y)) < 150;
    EXPECT_GT(dark, 40) << panel.toStdString();
  }
}

}  // namespace
