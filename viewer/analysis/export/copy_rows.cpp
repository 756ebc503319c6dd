// SPDX-License-Identifier: MIT
#include "analysis/export/copy_rows.hpp"

#include "analysis/export/nested.hpp"

#include <algorithm>

namespace deed::viewer {
namespace {

/// Those of one lane, and of one way.
std::vector<device_copy> copies_of(const model& of, const run_part& part, std::uint32_t lane,
                                   bool to_device) {
  std::vector<device_copy> found;
  for (device_copy each : of.device_copies_of(lane)) {
    each.end = std::max(each.begin, each.end);
    if ((each.to.second != 0) == to_device && part.has_span(of, each.event, each.begin, each.end))
      found.push_back(each);
  }
  return found;
}

void add_rows(const std::vector<device_copy>& copies, const copy_row& empty,
              std::vector<copy_row>& to) {
  std::vector<nested_span> listed;
  for (std::uint32_t i = 0; i < copies.size(); ++i)
    listed.push_back({copies[i].begin, copies[i].end, i});
  std::uint32_t rows = 0;
  const std::vector<std::uint32_t> row = rows_of(listed, rows);
  const std::size_t first = to.size();
  to.resize(first + rows, empty);
  for (std::size_t i = 0; i < copies.size(); ++i) to[first + row[i]].copies.push_back(copies[i]);
}

}  // namespace

std::vector<copy_row> copy_rows(const model& of, const run_part& part) {
  std::vector<copy_row> found;
  for (std::uint32_t lane = 0; lane < of.events().lanes().size(); ++lane)
    for (const bool to_device : {true, false}) {
      const auto& where = of.events().lanes()[lane];
      const char* const way = to_device ? "copies to " : "copies from ";
      add_rows(copies_of(of, part, lane, to_device), {lane, where.rank, way + where.name, {}},
               found);
    }
  return found;
}

}  // namespace deed::viewer
