// SPDX-License-Identifier: MIT
#include "analysis/generate/generate.hpp"
#include "gui/compare_window.hpp"
#include "gui/looks.hpp"
#include "gui/main_window.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QFontDatabase>
#include <QProcess>
#include <cstdlib>
#include <filesystem>
#include <memory>

/// @file
/// Pictures of generated runs, compared with those in `golden/`. `golden_test --rebaseline` draws
/// anew those that differ: look at them before you commit them.
///
/// Canvases are drawn in a font without ink and must not differ by a pixel; of whole windows, which
/// hold letters, 0.05 % of the pixels may differ by more than 16 of 255. The fonts come along, so
/// that only Qt can differ: under another one than 6.4 canvases have the tolerance of windows.

namespace {

using namespace deed::viewer;

bool g_rebaseline = false;  // NOLINT: what the command line said.

struct difference {
  int pixels = 0;   ///< That differ at all.
  int visibly = 0;  ///< By more than 16 in a colour.
  QImage map;       ///< Red where they do.
};

difference differ(const QImage &actual, const QImage &expected) {
  difference found;
  found.map = actual.convertToFormat(QImage::Format_RGB32);
  for (int y = 0; y < actual.height(); ++y)
    for (int x = 0; x < actual.width(); ++x) {
      const QRgb a = actual.pixel(x, y), b = expected.pixel(x, y);
      const int most = std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                                 std::abs(qBlue(a) - qBlue(b))});
      found.pixels += most > 0 ? 1 : 0;
      found.visibly += most > 16 ? 1 : 0;
      found.map.setPixel(
          x, y, most > 0 ? qRgb(255, 0, 0) : qRgb(qGray(a) / 2, qGray(a) / 2, qGray(a) / 2));
    }
  return found;
}

enum class kind { canvas, window };

void expect_golden(const QString &name, const QImage &drawn, kind what) {
  const QImage actual = drawn.convertToFormat(QImage::Format_RGB32);
  const QString file = QStringLiteral(GOLDEN "/%1.png").arg(name);
  const QImage expected = QImage(file).convertToFormat(QImage::Format_RGB32);
  const bool same_size = actual.size() == expected.size();
  const difference found = same_size ? differ(actual, expected) : difference{};
  const bool exact = what == kind::canvas && QByteArrayView(qVersion()).startsWith("6.4.");
  const bool golden =
      same_size &&
      (exact ? found.pixels == 0 : found.visibly <= actual.width() * actual.height() / 2000);
  if (g_rebaseline) {
    if (!golden) {
      ASSERT_TRUE(actual.save(file, "PNG", 0)) << qPrintable(file);
      if (what == kind::window)  // A third of the size, and within the tolerance.
        QProcess::execute(QStringLiteral("pngquant"),
                          {QStringLiteral("--force"), QStringLiteral("--nofs"),
                           QStringLiteral("--speed=1"), QStringLiteral("--ext=.png"), file});
      std::printf("new: %s\n", qPrintable(file));
    }
    return;
  }
  if (golden) return;
  std::filesystem::create_directories(DIFFERENT);
  const QString left = QStringLiteral(DIFFERENT "/%1.").arg(name);
  actual.save(left + QStringLiteral("actual.png"));
  expected.save(left + QStringLiteral("expected.png"));
  found.map.save(left + QStringLiteral("difference.png"));
  ADD_FAILURE() << qPrintable(name) << ": "
                << (same_size ? std::to_string(found.pixels) + " pixels differ, " +
                                    std::to_string(found.visibly) + " visibly"
                              : std::string("another size, or no picture"))
                << "; see " << qPrintable(left) << "*.png";
}

/// Two runs: one with transfers sent again and a deadlock, and a long one where pixels stand for
/// many events.
class golden : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    s_folder = new scratch_folder;
    s_back = std::filesystem::current_path();
    std::filesystem::current_path(s_folder->path());  // The window says where the run lies.
    generator_options options;
    options.path = "faults.deed";
    options.tiles = 6;
    options.inject = {{"dup_flush", 2}, {"deadlock", 1}};
    generate(options);
    options.path = "long.deed";
    options.events = 40'000;
    options.inject = {{"dup_flush", 3}};
    generate(options);
  }
  static void TearDownTestSuite() {
    std::filesystem::current_path(s_back);
    delete s_folder;
  }
  void TearDown() override {
    QApplication::setFont(font("Deed Testing"));
    for (const char *const kept : {"faults.deed/notes.json", "long.deed/notes.json"})
      std::filesystem::remove(kept);
  }

  static QFont font(const char *family) {
    QFont chosen = QApplication::font();
    chosen.setFamily(QLatin1String(family));
    return chosen;
  }

  static scratch_folder *s_folder;
  static std::filesystem::path s_back;
};

scratch_folder *golden::s_folder = nullptr;
std::filesystem::path golden::s_back;

class canvas : public golden {
 protected:
  void SetUp() override {
    QApplication::setFont(font("Deed Blank"));
    open("faults.deed");
  }
  void open(const char *path) {
    m_opened = OpenedRun::open(QLatin1String(path));
    m_state = std::make_unique<ViewState>(*m_opened.things);
  }
  void select_handle(const char *name) {
    m_state->select({Selection::Handle, m_opened.things->find_handle(name).value()});
  }
  std::unique_ptr<Timeline> timeline() { return std::make_unique<Timeline>(m_state.get()); }
  template <class Canvas>
  void expect(const char *name, Canvas &drawn, QSize size, const char *theme) {
    drawn.setTheme(Theme::named(QLatin1String(theme)));
    QApplication::setPalette(Theme::named(QLatin1String(theme)).palette());
    drawn.resize(size);
    drawn.show();
    QApplication::processEvents();
    expect_golden(QLatin1String(name), drawn.grab().toImage(), kind::canvas);
  }

  OpenedRun m_opened;
  std::unique_ptr<ViewState> m_state;
};

TEST_F(canvas, timeline_of_the_whole_run) { expect("timeline", *timeline(), {900, 360}, "light"); }

TEST_F(canvas, timeline_with_arrows_of_a_handle) {
  select_handle("A[2,0]");
  m_state->setView(m_state->end() / 8, m_state->end() / 3);
  m_state->setPlayhead(m_state->end() / 2);
  expect("timeline_handle", *timeline(), {900, 360}, "dark");
}

TEST_F(canvas, timeline_with_a_pinned_lane_marks_and_a_range) {
  const auto drawn = timeline();
  drawn->setPinned({QStringLiteral("rank 2 w00")});
  drawn->setMarks({{m_state->end() / 4, "here"}});
  drawn->setRange(m_state->end() / 2, m_state->end() * 3 / 4);
  drawn->toggleRank(1);
  expect("timeline_pinned", *drawn, {900, 360}, "contrast");
}

TEST_F(canvas, timeline_of_many_events) {
  open("long.deed");
  expect("timeline_long", *timeline(), {900, 360}, "light");
}

TEST_F(canvas, timeline_with_the_critical_path) {
  open("long.deed");
  m_state->setView(m_state->endOfRun() / 4, m_state->endOfRun() / 4 + 600'000);
  const auto drawn = timeline();
  drawn->setPath(critical_path(*m_opened.things));
  expect("timeline_path", *drawn, {900, 360}, "light");
}

TEST_F(canvas, timeline_with_phases_and_values) {
  record_phases("phases.deed");
  open("phases.deed");
  m_state->select({Selection::Event, m_opened.things->phases()[1].event});
  expect("timeline_phases", *timeline(), {900, 360}, "light");
  m_state->setView(20'000, 60'000);
  m_state->select({Selection::Event, m_opened.things->values()[0].events[0]});
  expect("timeline_phases_contrast", *timeline(), {900, 360}, "contrast");
}

TEST_F(canvas, overview) {
  open("long.deed");
  const auto lanes = make_lanes(*m_opened.things);
  m_state->setView(m_state->end() / 4, m_state->end() / 2);
  Overview drawn(m_state.get(), &lanes);
  expect("overview", drawn, {900, 46}, "light");
}

TEST_F(canvas, ownership) {
  select_handle("A[3,1]");
  m_state->setPlayhead(m_state->end() / 2);
  OwnershipMatrix drawn(m_state.get());
  expect("ownership", drawn, {900, 270}, "light");
  expect("ownership_dark", drawn, {420, 270}, "dark");
}

TEST_F(canvas, history) {
  select_handle("A[2,0]");
  HandleHistory drawn(m_state.get());
  expect("history", drawn, {900, 270}, "light");
}

TEST_F(canvas, communication) {
  CommMatrix drawn(m_state.get());
  drawn.look();
  expect("communication", drawn, {900, 270}, "dark");
}

TEST_F(canvas, where_time_went) {
  TimeShares drawn(m_state.get());
  drawn.setRange(time_range{0, m_opened.events->end() / 2});
  expect("where_time_went", drawn, {900, 270}, "light");
}

TEST_F(canvas, waits) {
  WaitGraph drawn;
  drawn.setWaits(wait_graph(*m_opened.things, m_opened.events->end()));
  expect("waits", drawn, {420, 270}, "light");
}

TEST_F(canvas, legend) {
  Legend drawn(m_state.get());
  expect("legend", drawn, {600, 60}, "light");
}

TEST_F(golden, windows) {
  struct picture {
    const char *name, *run, *theme;
    QStringList commands;
  };
  const auto line = [](const char *text) { return QLatin1String(text); };
  const picture pictures[]{
      {"window_error", "faults.deed", "light", {}},
      {"window_first", "long.deed", "dark", {}},
      {"window_waits", "faults.deed", "light", {line("panel Waits")}},
      {"window_twice",
       "faults.deed",
       "contrast",
       {line("select transfer:redundant"), line("panel Sent twice")}},
      {"window_ownership",
       "faults.deed",
       "dark",
       {line("select handle:A[4,2]"), line("at 900us"), line("panel Ownership")}},
      {"window_events",
       "faults.deed",
       "light",
       {line("search handle:A[2,0]"), line("panel Events")}},
  };
  for (const picture &each : pictures) {
    MainWindow drawn(QLatin1String(each.run));
    drawn.resize(1280, 720);
    drawn.show();
    drawn.runCommand(QStringLiteral("theme ") + QLatin1String(each.theme));
    for (const QString &command : each.commands) {
      QApplication::processEvents();
      EXPECT_EQ(drawn.runCommand(command), QString());
    }
    QApplication::processEvents();
    QApplication::processEvents();
    expect_golden(QLatin1String(each.name), drawn.grab().toImage(), kind::window);
  }
}

TEST_F(golden, two_runs) {
  QApplication::setPalette(Theme().palette());  // As the program does; each test is a process.
  CompareWindow drawn(QStringLiteral("faults.deed"), QStringLiteral("long.deed"));
  drawn.setTheme(Theme());
  drawn.resize(1280, 720);
  drawn.show();
  QApplication::processEvents();
  drawn.differences()->selectRow(0);
  QApplication::processEvents();
  expect_golden(QStringLiteral("window_compare"), drawn.grab().toImage(), kind::window);
}

TEST(difference_of_pictures, counts_each_pixel_and_what_is_seen) {
  QImage one(10, 10, QImage::Format_RGB32);
  one.fill(qRgb(100, 100, 100));
  QImage other = one;
  other.setPixel(1, 1, qRgb(110, 100, 100));
  other.setPixel(2, 2, qRgb(100, 100, 120));
  const difference found = differ(one, other);
  EXPECT_EQ(found.pixels, 2);
  EXPECT_EQ(found.visibly, 1);
}

}  // namespace

int main(int argc, char **argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_FONT_DPI", "96");
  testing::InitGoogleMock(&argc, argv);
  silenceOffscreen();
  QApplication app(argc, argv);
  g_rebaseline = app.arguments().contains(QStringLiteral("--rebaseline"));
  useFixedLooks(true);
  for (const char *const file : {FONTS "/deed_blank.ttf", FONTS "/deed_blank_bold.ttf"})
    QFontDatabase::addApplicationFont(QLatin1String(file));
  return RUN_ALL_TESTS();
}
