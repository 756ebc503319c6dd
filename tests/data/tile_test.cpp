// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/tile.hpp>
#include <deed/data/tile_block.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using deed::tile;

static_assert(std::is_trivially_copyable_v<tile<double>>, "a view is passed in registers");
static_assert(std::convertible_to<tile<double>, tile<const double>>, "what may be written is read");
static_assert(!std::convertible_to<tile<const double>, tile<double>>, "a reader does not write");
static_assert(!std::convertible_to<tile<float>, tile<const double>>);
static_assert(std::forward_iterator<tile<double>::iterator>);
static_assert(std::ranges::forward_range<tile<const double>>);
static_assert(!std::copy_constructible<deed::data::tile_block<double>>, "memory has one owner");

TEST(tile, shows_rows_columns_and_elements_of_strided_memory) {
  std::vector<int> memory(20);
  std::iota(memory.begin(), memory.end(), 0);
  const tile<int> view(memory.data() + 1, 4, 3, 5);
  EXPECT_EQ(view.rows(), 4u);
  EXPECT_EQ(view.cols(), 3u);
  EXPECT_EQ(view.size(), 12u);
  EXPECT_FALSE(view.contiguous());
  EXPECT_EQ(view(2, 1), 12);
  EXPECT_EQ(view.row(3).front(), 16);
  view(0, 0) = -1;
  EXPECT_EQ(memory[1], -1);

  const tile<int> inner = view.part(1, 1, 2, 2);
  EXPECT_EQ(inner(1, 1), view(2, 2));
  EXPECT_EQ(inner.row_stride(), 5u);
}

TEST(tile, is_a_range_of_rows) {
  std::vector<int> memory(20, 1);
  const tile<int> view(memory.data(), 4, 3, 5);
  for (const std::span<int> row : view) {
    for (int& x : row) x += 1;
  }
  EXPECT_EQ(std::accumulate(memory.begin(), memory.end(), 0), 20 + 12);
  int sum = 0;
  for (const std::span<const int> row : tile<const int>(view)) {
    sum += std::accumulate(row.begin(), row.end(), 0);
  }
  EXPECT_EQ(sum, 24);
}

TEST(tile, may_be_empty) {
  const tile<const double> none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.contiguous());
  EXPECT_EQ(none.begin(), none.end());
}

TEST(tile_block, takes_aligned_zeros_at_the_first_write) {
  deed::data::tile_block<float> block(3, 5);
  EXPECT_FALSE(block.has_memory());
  const tile<float> view = block.write_view();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data()) % 64, 0u);
  for (const std::span<float> row : view) {
    for (const float x : row) EXPECT_EQ(x, 0);
  }
  block.fill(2.5f);
  EXPECT_EQ(block.read_view()(2, 4), 2.5f);
  const auto moved = std::move(block);
  EXPECT_EQ(moved.read_view().data(), view.data());
}

TEST(tile_block, wraps_memory_of_the_user_and_leaves_it_to_him) {
  std::vector<double> matrix(12, 1);
  deed::data::tile_block<double> block{tile<double>(matrix.data(), 3, 2, 4)};
  EXPECT_TRUE(block.wraps());
  block.fill(7);
  EXPECT_EQ(matrix[8], 7);
  EXPECT_EQ(matrix[10], 1);
}

TEST(tile_block, refuses_extents_that_no_memory_holds) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  try {
    deed::data::tile_block<double>(most, 2);
    FAIL() << "2^65 bytes were accepted";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::impossible_extent);
  }
  EXPECT_THROW(deed::data::tile_block<double>(std::size_t{1} << 40, std::size_t{1} << 40),
               deed::error);
  EXPECT_TRUE(deed::data::tile_block<double>(0, 5).write_view().empty());
}

}  // namespace
