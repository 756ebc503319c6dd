// SPDX-License-Identifier: MIT
#include "analysis/ask/most_moved.hpp"

#include "analysis/say/units.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace deed::viewer {

std::vector<moved_datum> most_moved(const model& of, int src, int dst, std::size_t most,
                                    const run_part& part) {
  std::map<std::uint32_t, moved_datum> all;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.src != src || x.dst != dst || x.never_took_place() || !part.touches(x.begin(), x.end()))
      continue;
    moved_datum& mine = all[x.handle];
    mine.handle = x.handle;
    mine.bytes += x.bytes;
    ++mine.messages;
  }
  std::vector<moved_datum> sorted;
  for (const auto& [handle, each] : all) sorted.push_back(each);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const moved_datum& each) {
    return std::tuple(each.bytes, each.messages);
  });
  sorted.resize(std::min(sorted.size(), most));
  return sorted;
}

std::string say_most_moved(const model& of, const std::vector<moved_datum>& data) {
  std::string said;
  for (const moved_datum& each : data)
    said += (said.empty() ? "" : ", ") + of.handle_name(each.handle) + " " + say_bytes(each.bytes) +
            " in " + say_some(each.messages, "message");
  return said;
}

}  // namespace deed::viewer
