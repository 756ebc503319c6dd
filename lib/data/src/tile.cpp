// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/tile.hpp>

#include <limits>
#include <string>

namespace deed::data {
namespace {

/// "-1" of what is below 0 and has no sign.
std::string text_of(std::size_t index) {
  const bool below = index > std::numeric_limits<std::size_t>::max() / 2;
  return below ? "-" + std::to_string(-index) : std::to_string(index);
}

[[noreturn]] void refuse(const std::string& index, place where, const std::string& extent,
                         const std::string& help) {
  throw error(error_code::index_out_of_range, "index out of range",
              {{"index", index + ", at " + to_string(where)}, {"extent", extent}}, help);
}

std::string last_of(std::size_t extent, const std::string& last) {
  return extent == 0 ? "the tile has none; ask `t.empty()`" : last;
}

}  // namespace

void refuse_row(std::size_t row, std::size_t rows, place where) {
  refuse("row " + text_of(row), where, std::to_string(rows) + " rows",
         last_of(rows, "the first row is 0, the last `t.rows() - 1`"));
}

void refuse_column(std::size_t column, std::size_t columns, place where) {
  refuse("column " + text_of(column), where, std::to_string(columns) + " columns",
         last_of(columns, "the first column is 0, the last `t.cols() - 1`"));
}

void refuse_part(std::size_t first, std::size_t count, std::size_t extent, place where) {
  refuse(text_of(count) + " from " + text_of(first) + " on", where, std::to_string(extent),
         "a part lies in the tile");
}

}  // namespace deed::data
