// SPDX-License-Identifier: MIT
// Which pairs of indices name a tile, against a look at all of them.
#include "affine_tiles.hpp"

#include "tile_history.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using deed::lower_triangle;
using deed::tile_box;
using deed::runtime::affine;
using deed::runtime::pair_box;
using deed::runtime::tile_form;
using deed::runtime::tile_region;

using pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

pairs all_of(const tile_region& region) {
  pairs all;
  for (std::int64_t i = region.first_row; i < region.last_row; ++i) {
    for (std::int64_t j = region.first_col; j < region.last_col; ++j) {
      if (!region.below || j < i) all.emplace_back(i, j);
    }
  }
  return all;
}

template <class Space>
pairs walked(const Space& space) {
  pairs all;
  for (auto [i, j] : space)
    all.emplace_back(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
  return all;
}

class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most + 1));
  }
  affine form() { return {upto(6) - 3, static_cast<affine::variable>(upto(2))}; }
  tile_region region() {
    const std::int64_t i = upto(9), j = upto(9);
    return {i, i + upto(12), j, j + upto(12), upto(1) == 1};
  }

 private:
  std::mt19937_64 random_;
};

TEST(tile_space, goes_through_the_pairs_of_its_region_row_by_row) {
  for (std::size_t first = 0; first < 5; ++first) {
    for (std::size_t last = 0; last < 9; ++last) {
      const lower_triangle below(first, last);
      EXPECT_EQ(walked(below), all_of(below.region()));
      const tile_box box(first, last, 2, last);
      EXPECT_EQ(walked(box), all_of(box.region()));
    }
  }
}

TEST(tile_region, is_empty_if_it_has_no_pairs) {
  dice random(7);
  for (int n = 0; n < 2000; ++n) {
    const tile_region region = random.region();
    EXPECT_EQ(region.empty(), all_of(region).empty());
  }
}

TEST(affine_tiles, are_named_by_the_pairs_that_a_look_at_all_finds) {
  dice random(1);
  for (int n = 0; n < 5000; ++n) {
    const tile_region region = random.region();
    const tile_form form{random.form(), random.form()};
    const std::int64_t r = random.upto(15), c = random.upto(15);
    pairs expected;
    for (const auto& [i, j] : all_of(region)) {
      if (form.row.at(i, j) == r && form.col.at(i, j) == c) expected.emplace_back(i, j);
    }
    const pair_box box = pairs_that_name(form, r, c, region);
    pairs found;
    for_each_row(region, box, {deed::runtime::no_period, deed::runtime::no_period},
                 [&](std::int64_t i, std::int64_t first, std::int64_t last) {
                   for (std::int64_t j = first; j < last; ++j) found.emplace_back(i, j);
                 });
    ASSERT_EQ(found, expected) << n;
    ASSERT_EQ(box.empty(), expected.empty()) << n;
  }
}

/// Owners in a grid of `rows` by `cols` ranks, or in blocks of rows.
TEST(affine_tiles, have_all_owners_for_the_first_time_where_these_have_not_come_again) {
  dice random(2);
  for (int n = 0; n < 5000; ++n) {
    const tile_region region = random.region();
    const tile_form form{random.form(), random.form()};
    const tile_form written{random.form(), random.form()};
    const int rows = static_cast<int>(random.upto(3)) + 1,
              cols = static_cast<int>(random.upto(3)) + 1;
    const deed::owner_rule cyclic = deed::block_cyclic{rows, cols};
    const deed::owner_rule blocks = deed::block{rows};
    const deed::owner_rule& owners = random.upto(3) == 0 ? blocks : cyclic;
    const auto period = period_along(written, owners.period());
    const auto owner = [&](std::int64_t i, std::int64_t j) {
      return owners(static_cast<std::size_t>(written.row.at(i, j) + 12),
                    static_cast<std::size_t>(written.col.at(i, j) + 12), 100, 100);
    };
    const pair_box box = pairs_that_name(form, random.upto(15), random.upto(15), region);
    std::vector<int> all, seldom;
    const auto gather = [&](std::vector<int>& into) {
      return [&](std::int64_t i, std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
          if (std::ranges::find(into, owner(i, j)) == into.end()) into.push_back(owner(i, j));
        }
      };
    };
    for_each_row(region, box, {deed::runtime::no_period, deed::runtime::no_period}, gather(all));
    for_each_row(region, box, period, gather(seldom));
    ASSERT_EQ(seldom, all) << n;
  }
}

TEST(affine_tiles, are_outside_first_where_a_look_at_all_finds_them) {
  dice random(3);
  int outside = 0;
  for (int n = 0; n < 5000; ++n) {
    const tile_region region = random.region();
    const tile_form form{random.form(), random.form()};
    const std::int64_t rows = random.upto(20) + 1, cols = random.upto(20) + 1;
    const pairs all = all_of(region);
    const auto wrong = std::ranges::find_if(all, [&](const auto& pair) {
      const std::int64_t r = form.row.at(pair.first, pair.second);
      const std::int64_t c = form.col.at(pair.first, pair.second);
      return r < 0 || r >= rows || c < 0 || c >= cols;
    });
    const auto found = first_outside(form, region, rows, cols);
    ASSERT_EQ(found.has_value(), wrong != all.end()) << n;
    if (!found) continue;
    ++outside;
    ASSERT_EQ(*found, *wrong) << n;
  }
  EXPECT_GT(outside, 1000);
}

TEST(affine_tiles, meet_where_a_look_at_all_finds_the_same) {
  dice random(4);
  int met = 0;
  for (int n = 0; n < 5000; ++n) {
    const tile_region region = random.region();
    const tile_form one{random.form(), random.form()}, two{random.form(), random.form()};
    const bool expected = std::ranges::any_of(all_of(region), [&](const auto& pair) {
      const auto [i, j] = pair;
      return one.row.at(i, j) == two.row.at(i, j) && one.col.at(i, j) == two.col.at(i, j);
    });
    ASSERT_EQ(meet(one, two, region), expected) << n;
    met += expected ? 1 : 0;
  }
  EXPECT_GT(met, 100);
}

TEST(known_tiles, are_found_in_their_rows) {
  dice random(5);
  deed::runtime::known_tiles known(3, 200);
  std::set<std::int64_t> in_row;
  for (int n = 0; n < 60; ++n) {
    const std::int64_t c = random.upto(199);
    in_row.insert(c);
    known.add(1, static_cast<std::size_t>(c));
  }
  for (int n = 0; n < 500; ++n) {
    const std::int64_t first = random.upto(199), last = first + random.upto(200 - first);
    std::vector<std::int64_t> found;
    known.for_each_in_row(1, first, last, [&](std::int64_t r, std::int64_t c) {
      EXPECT_EQ(r, 1);
      EXPECT_TRUE(known.contains(r, c));
      found.push_back(c);
    });
    EXPECT_EQ(found, std::vector(in_row.lower_bound(first), in_row.lower_bound(last)));
    EXPECT_FALSE(known.contains(0, first) || known.contains(2, first));
  }
}

}  // namespace
