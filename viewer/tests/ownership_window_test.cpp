// SPDX-License-Identifier: MIT
// The panel of ownership: its measures, the order of its rows, and its tiles.
#include "analysis/ask/data_heat.hpp"
#include "analysis/generate/event_log.hpp"
#include "pixels.hpp"
#include "window_fixture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>
#include <algorithm>

namespace {

using namespace deed::viewer;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string tip_at(QWidget *canvas, const QPoint &at) {
  QHelpEvent help(QEvent::ToolTip, at, canvas->mapToGlobal(at));
  QApplication::sendEvent(canvas, &help);
  return QToolTip::text().toStdString();
}

class ownership : public window {
 protected:
  void SetUp() override {
    window::SetUp();
    ASSERT_TRUE(m_window->showPanel(QStringLiteral("Ownership")));
    QApplication::processEvents();
    m_matrix = m_window->findChild<OwnershipMatrix *>();
    m_tiles = m_window->findChild<TileGrid *>();
  }
  const model &things() const { return m_window->state()->model(); }
  QImage drawn(QAbstractScrollArea *canvas) {
    QApplication::processEvents();
    return canvas->viewport()->grab().toImage();
  }
  OwnershipMatrix *m_matrix = nullptr;
  TileGrid *m_tiles = nullptr;
};

TEST_F(ownership, begins_with_the_rows_of_which_most_moved) {
  for (std::size_t what = 0; what < names_of_heat.size(); ++what) {
    SCOPED_TRACE(names_of_heat[what]);
    ASSERT_EQ(
        m_window->runCommand(QStringLiteral("ownership ") + QLatin1String(names_of_heat[what])),
        QString());
    drawn(m_matrix);
    const run_heat all = heat_of_data(things(), static_cast<heat>(what));
    if (all.most_of_rank == 0) continue;  // There are no rows.
    const auto first =
        static_cast<std::uint32_t>(std::ranges::max_element(all.data) - all.data.begin());
    EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}), StartsWith(things().handle_name(first)));
  }
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ownership as registered")), QString());
  drawn(m_matrix);
  EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}), StartsWith(things().handle_name(0)));
}

/// To paint is to draw, of a long run, too.
TEST_F(ownership, is_measured_before_it_is_painted) {
  const auto asks_for = [this](const char *what) {
    return m_window->runCommand(QStringLiteral("ownership ") + QLatin1String(what));
  };
  const auto first_of = [this](heat what) {
    const run_heat all = heat_of_data(things(), what);
    return things().handle_name(
        static_cast<std::uint32_t>(std::ranges::max_element(all.data) - all.data.begin()));
  };
  drawn(m_matrix);
  ASSERT_EQ(asks_for("no valid copy"), QString());
  EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}),
              AllOf(StartsWith(first_of(heat::no_copy)), HasSubstr("(no valid copy)")));
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Events")));
  QApplication::processEvents();
  ASSERT_EQ(asks_for("redundant bytes"), QString());
  EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}),
              AllOf(StartsWith(first_of(heat::no_copy)), HasSubstr("(no valid copy)")))
      << "nobody sees it";
  ASSERT_TRUE(m_window->showPanel(QStringLiteral("Ownership")));
  QApplication::processEvents();
  EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}),
              AllOf(StartsWith(first_of(heat::redundant_bytes)), HasSubstr("(redundant bytes)")));
}

TEST_F(ownership, colours_a_copy_by_what_came_there) {
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ownership bytes in")), QString());
  const QImage picture = drawn(m_matrix);
  EXPECT_GT(count_pixels(picture, picture.rect(), Theme().owner), 50) << "the most";
  EXPECT_GT(count_pixels(picture, picture.rect(), Theme().panel), 1'000) << "nothing";
  EXPECT_EQ(count_pixels(picture, picture.rect(), Theme().stale), 0) << "no copies";
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ownership copies")), QString());
  const QImage copies = drawn(m_matrix);
  EXPECT_NE(picture, copies);
  EXPECT_EQ(m_window->runCommand(QStringLiteral("ownership weight")),
            QStringLiteral("`ownership weight` cannot be done: write one of copies, owner changes, "
                           "transfers, bytes in, redundant bytes, no valid copy, most first, as "
                           "registered, tiles"));
}

/// As other panels are.
TEST_F(ownership, measures_the_range_that_is_selected) {
  m_window->runCommand(QStringLiteral("ownership transfers"));
  const QImage whole = drawn(m_matrix);
  m_window->runCommand(QStringLiteral("mark 100us:300us"));
  m_window->runCommand(QStringLiteral("ownership transfers"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return drawn(m_matrix) != whole; }));
  EXPECT_THAT(tip_at(m_matrix->viewport(), {100, 30}), HasSubstr("of 100.0 us to 300.0 us"));
}

TEST_F(ownership, says_of_what_there_is_none) {
  const auto said = [this](const char *what) {
    m_window->runCommand(QStringLiteral("ownership ") + QLatin1String(what));
    return m_matrix->accessibleDescription().toStdString();
  };
  for (const char *const what : {"copies", "bytes in", "no valid copy"}) EXPECT_EQ(said(what), "");
  EXPECT_THAT(m_tiles->accessibleDescription().toStdString(),
              StartsWith("Each datum had a valid copy on some rank all the time in this run"));
  m_window->runCommand(QStringLiteral("mark 0:1ns"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return said("bytes in").starts_with("No bytes came"); }));
  EXPECT_THAT(m_tiles->accessibleDescription().toStdString(), StartsWith("No bytes came"));
  EXPECT_THAT(said("redundant bytes"), HasSubstr("from 0 ns to 1 ns"));
  EXPECT_THAT(said("owner changes"), StartsWith("No datum changed its owner"));
}

TEST_F(ownership, lays_a_matrix_out_as_its_tiles) {
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ownership tiles")), QString());
  m_window->state()->setPlayhead(0);
  const QImage picture = drawn(m_tiles);
  const auto place = [&](const char *name) {
    return m_tiles->tileRect(*things().find_handle(name));
  };
  EXPECT_EQ(place("A[2,1]").top(), place("A[2,0]").top());
  EXPECT_EQ(place("A[2,1]").left(), place("A[3,1]").left());
  EXPECT_LT(place("A[2,1]").top(), place("A[3,1]").top());
  EXPECT_LT(place("A[2,0]").left(), place("A[2,1]").left());
  for (const datum &each : things().data()) {
    const std::uint32_t handle = *things().find_handle(each.name);
    const std::uint32_t owner = state_at(things(), handle, 0).owner;
    ASSERT_NE(owner, none);
    const QRect at = m_tiles->tileRect(handle);
    EXPECT_EQ(picture.pixelColor(at.topLeft() + QPoint(1, 1)), Theme().codelet(owner)) << each.name;
  }
  QTest::mouseClick(m_tiles->viewport(), Qt::LeftButton, {}, place("A[3,1]").center());
  EXPECT_EQ(m_window->state()->selectedHandle(), *things().find_handle("A[3,1]"));
  EXPECT_THAT(tip_at(m_tiles->viewport(), place("A[3,1]").center()), HasSubstr("owner"));
  m_tiles->setFocus();
  QTest::keyClick(m_tiles, Qt::Key_Left);
  EXPECT_EQ(m_window->state()->selectedHandle(), *things().find_handle("A[3,0]"));
  QTest::keyClick(m_tiles, Qt::Key_Down);
  EXPECT_EQ(m_window->state()->selectedHandle(), *things().find_handle("A[4,0]"));
}

TEST_F(ownership, colours_tiles_by_what_is_chosen) {
  m_window->runCommand(QStringLiteral("ownership tiles"));
  ASSERT_EQ(m_window->runCommand(QStringLiteral("ownership bytes in")), QString());
  const QImage picture = drawn(m_tiles);
  const run_heat all = heat_of_data(things(), heat::bytes_in);
  const auto most =
      static_cast<std::uint32_t>(std::ranges::max_element(all.data) - all.data.begin());
  const QRect at = m_tiles->tileRect(most);
  EXPECT_EQ(picture.pixelColor(at.topLeft() + QPoint(1, 1)), Theme().owner);
  EXPECT_THAT(tip_at(m_tiles->viewport(), at.center()),
              HasSubstr(say_heat(heat::bytes_in, all.most) + " (bytes in)"));
}

TEST_F(ownership, is_chosen_by_a_right_click_too) {
  const auto named = [](const QWidget *on) {
    QStringList names;
    for (const QAction *each : on->actions()) names += each->data().toString();
    return names;
  };
  EXPECT_TRUE(named(m_matrix).contains(QStringLiteral("redundant bytes")));
  EXPECT_EQ(named(m_matrix), named(m_tiles));
  m_window->runCommand(QStringLiteral("ownership tiles"));
  EXPECT_TRUE(m_tiles->isVisible());
  EXPECT_FALSE(m_matrix->isVisible());
  m_window->runCommand(QStringLiteral("ownership most first"));
  EXPECT_TRUE(m_matrix->isVisible());
}

/// As low as the tiles of a large matrix beside it, a name would be cut.
TEST(tiles_with_names, have_the_height_of_their_letters) {
  const scratch_folder folder;
  constexpr std::uint32_t side = 40;
  {
    event_log log(folder.path() + "/run.deed", 1, 1, 7);
    for (std::uint32_t h = 0; h < side * side; ++h)
      log.rank(0).handle_registered({.handle = h,
                                     .name = "A",
                                     .bytes = 8,
                                     .i = static_cast<int>(h / side),
                                     .j = static_cast<int>(h % side)});
    log.rank(0).handle_registered({.handle = side * side, .name = "token", .bytes = 8});
    log.close();
  }
  MainWindow window(QString::fromStdString(folder.path() + "/run.deed"));
  window.resize(1280, 720);
  window.show();
  window.runCommand(QStringLiteral("ownership tiles"));
  QApplication::processEvents();
  auto *const tiles = window.findChild<TileGrid *>();
  EXPECT_LT(tiles->tileRect(0).height(), 10);
  EXPECT_GE(tiles->tileRect(side * side).height(), tiles->fontMetrics().ascent());
}

/// Two matrices of one name, a line, one datum alone.
TEST(tile_blocks, are_what_was_registered_together) {
  const scratch_folder folder;
  {
    event_log log(folder.path() + "/run.deed", 1, 1, 7);
    std::uint32_t next = 0;
    const auto add = [&](const char *name, int i, int j) {
      log.rank(0).handle_registered({.handle = next++, .name = name, .bytes = 8, .i = i, .j = j});
    };
    add("token", -1, -1);
    for (const int copy : {0, 1})
      for (const int i : {0, 1})
        for (const int j : {0, 1, 5}) add("A", i, copy == 0 ? j : 5 - j);
    for (const int i : {0, 1, 2}) add("v", i, -1);
    log.close();
  }
  const run events(folder.path() + "/run.deed");
  const model things(events);
  const std::vector<TileBlock> blocks = tileBlocks(things);
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].name, QStringLiteral("A"));
  EXPECT_EQ(blocks[0].shape, TileBlock::Grid);
  EXPECT_EQ(blocks[0].rows, (std::vector{0, 1}));
  EXPECT_EQ(blocks[0].columns, (std::vector{0, 1, 5})) << "nothing between them";
  EXPECT_EQ(blocks[0].tiles.back().column, 2);
  EXPECT_EQ(blocks[1].name, QStringLiteral("A (2)"));
  EXPECT_EQ(blocks[2].name, QStringLiteral("v"));
  EXPECT_EQ(blocks[2].shape, TileBlock::Line);
  EXPECT_EQ(blocks[2].tiles.size(), 3u);
  EXPECT_EQ(blocks[3].shape, TileBlock::Names);
  EXPECT_EQ(things.handle_name(blocks[3].tiles.front().handle), "token");
}

}  // namespace
