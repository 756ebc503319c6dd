// SPDX-License-Identifier: MIT
#include "analysis/ask/sizes.hpp"

#include <deed/trace/events.hpp>

namespace deed::viewer {

std::vector<std::uint64_t> sizes_of_data(const model& of) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(of.data().size());
  for (const datum& each : of.data())
    sizes.push_back(each.held == trace::no_size ? each.bytes : each.held);
  std::vector<std::int64_t> when(sizes.size(), never);
  for (const transfer& x : of.transfers()) {
    if (x.handle >= sizes.size() || x.end() == never || x.end() <= when[x.handle]) continue;
    when[x.handle] = x.end();
    sizes[x.handle] = x.bytes;
  }
  return sizes;
}

std::uint64_t bytes_moved(const transfer& x, const std::vector<std::uint64_t>& sizes) {
  if (x.never_took_place()) return 0;
  return x.end() == never && x.handle < sizes.size() ? sizes[x.handle] : x.bytes;
}

}  // namespace deed::viewer
