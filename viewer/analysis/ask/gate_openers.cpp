// SPDX-License-Identifier: MIT
#include "analysis/ask/gate_openers.hpp"

#include <deed/trace/events.hpp>

#include <map>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// Explicit messages by their rank and the moment at which they left: each end has names of its own
/// for the datum and its version.
std::map<std::pair<int, std::int64_t>, std::vector<std::uint32_t>> messages_by_start(
    const model& of) {
  std::map<std::pair<int, std::int64_t>, std::vector<std::uint32_t>> found;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i]; x.is_message() && x.start != never)
      found[{x.src, x.start}].push_back(i);
  return found;
}

}  // namespace

std::unordered_map<std::uint32_t, gate_opener> gate_openers(const model& of) {
  const run& r = of.events();
  std::unordered_map<std::uint32_t, gate_opener> found;
  const auto messages = messages_by_start(of);
  if (messages.empty()) return found;
  std::vector<gate_opener> opened(r.lanes().size());  // By the lane, which did nothing else since.
  for (const event& e : r.events()) {
    gate_opener& mine = opened[e.lane];
    if (e.what == record::gate_open) {
      mine = {};
      if (static_cast<trace::gate_cause>(r.get(e, field::by_kind)) == trace::gate_cause::task)
        mine = {of.find_task(r.rank_of(e), r.get(e, field::by)), e.time};
      if (mine.task != none && of.tasks()[mine.task].end == never) mine = {};
      continue;
    }
    if (mine.task == none) continue;
    if (e.what == record::xfer_start && r.get(e, field::dir) == 0) {
      const auto left = messages.find({r.rank_of(e), e.time});
      if (left == messages.end()) continue;
      for (const std::uint32_t index : left->second) found.emplace(index, mine);
    } else if (e.what != record::xfer_done) {
      mine = {};
    }
  }
  return found;
}

}  // namespace deed::viewer
