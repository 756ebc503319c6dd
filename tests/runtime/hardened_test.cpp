// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using testing::HasSubstr;

std::string refusal(deed::error_code code, const std::function<void()>& what) {
  try {
    what();
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), code);
    return refused.what();
  }
  return "nothing was refused";
}

std::string here(int line) { return "hardened_test.cpp:" + std::to_string(line); }

class a_tile : public testing::Test {
 protected:
  static std::string refused(const std::function<void()>& what) {
    return refusal(deed::error_code::index_out_of_range, what);
  }
  std::vector<double> memory_ = std::vector<double>(20, 1.0);
  deed::tile<double> view_{memory_.data(), 4, 3, 5};
};

TEST_F(a_tile, refuses_a_row_or_column_that_it_has_not) {
  EXPECT_EQ(refused([&] { view_(4, 0) = 0; }),
            "deed[D214] index out of range\n"
            "  index   row 4, at " +
                here(__LINE__ - 3) +
                "\n"
                "  extent  4 rows\n"
                "  help: the first row is 0, the last `t.rows() - 1`");
  EXPECT_THAT(refused([&] { view_(3, 3) = 0; }), HasSubstr("index   column 3, at"));
  EXPECT_THAT(refused([&] { view_(0, std::size_t{0} - 1) = 0; }), HasSubstr("column -1, at"));
  EXPECT_THAT(refused([&] { std::ignore = view_.row(4); }),
              HasSubstr("row 4, at " + here(__LINE__ - 1)));
  const deed::tile<const double> none;
  EXPECT_THAT(refused([&] { std::ignore = none(0, 0); }), HasSubstr("ask `t.empty()`"));
  EXPECT_EQ(view_(3, 2), 1.0);
}

TEST_F(a_tile, refuses_a_part_that_leaves_it) {
  EXPECT_EQ(view_.part(1, 1, 3, 2).size(), 6u);
  EXPECT_TRUE(view_.part(4, 3, 0, 0).empty());
  EXPECT_THAT(refused([&] { std::ignore = view_.part(2, 0, 3, 1); }),
              HasSubstr("index   3 from 2 on, at " + here(__LINE__ - 1)));
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(refused([&] { std::ignore = view_.part(0, 1, 1, most); }), HasSubstr("D214"));
}

constexpr int last_line = __LINE__ + 1;
constexpr deed::codelet last{"last", [](deed::tile<double> t) { t(t.rows(), 0) = 0; }};

TEST_F(a_tile, of_a_task_names_the_task) {
  deed::session_options options;
  options.exceptions = deed::on_exception::propagate;
  test::on_virtual_ranks(
      1,
      [](deed::session& session) {
        deed::tiled_matrix<double> m{session,
                                     {.rows = 4, .cols = 4, .tile_rows = 2, .tile_cols = 2}};
        // deed-check: allow(D214) reason: it is refused
        session.insert_task(last, deed::write(m(0, 0)));
        try {
          session.wait();
          FAIL() << "it was allowed";
        } catch (const deed::task_error& refused) {
          EXPECT_THAT(refused.what(), HasSubstr("deed[D214] index out of range"));
          EXPECT_THAT(refused.what(), HasSubstr("row 2, at " + here(last_line)));
          EXPECT_THAT(refused.what(), HasSubstr("`last`"));
        }
      },
      1, options);
}

TEST(a_borrow, is_not_used_after_it_ended) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, std::vector<double>(3, 2.0), {.name = "x"});
    const int begun = __LINE__ + 1;
    auto view = session.borrow(deed::read(x));
    EXPECT_EQ((*view)[0], 2.0);
    EXPECT_EQ(view->size(), 3u);
    view.release();
    const auto refused = [](const std::function<void()>& what) {
      return refusal(deed::error_code::view_outlives_borrow, what);
    };
    EXPECT_EQ(
        refused([&] { std::ignore = view->size(); }),  // deed-check: allow(D308) reason: so it is
        "deed[D308] view used after its borrow ended\n"
        "  borrowed  " +
            here(begun) +
            "\n"
            "  help: use it before `release()`, or by the name that it was moved to");
    auto first = session.borrow(deed::write(x));
    auto second = std::move(first);
    EXPECT_EQ((*second)[0], 2.0);
    EXPECT_THAT(refused([&] { std::ignore = (*first)[0]; }), HasSubstr("deed[D308]"));
  });
}

constexpr deed::codelet sums{"sums", [](double& sum, std::span<double> room) {
                               sum = 0;
                               for (const double x : room) sum += x;
                             }};

TEST(room_for_one_task, begins_as_what_is_no_number) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto sum = session.register_data(deed::owner{0}, 0.0);
    // deed-check: allow(D216) reason: it is looked at
    session.insert_task(sums, deed::write(sum), deed::scratch<double>(4));
    EXPECT_TRUE(std::isnan(*session.borrow(deed::read(sum))));
  });
}

}  // namespace
