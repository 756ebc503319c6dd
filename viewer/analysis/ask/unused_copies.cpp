// SPDX-License-Identifier: MIT
#include "analysis/ask/unused_copies.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <set>

namespace deed::viewer {
namespace {

using trace::transfer_reason;

bool began_for(const model& of, const transfer& x) {
  const std::uint32_t task = of.find_task(x.dst, x.for_task);
  return task != none && of.tasks()[task].begin != never;
}

bool is_for_tasks(const transfer& x) {
  return x.src != x.dst && !x.never_took_place() &&
         (x.is(transfer_reason::task) || x.is(transfer_reason::prefetch));
}

/// It came for tasks, and the one that it came for, if any, did not begin.
bool may_be_unused(const model& of, const transfer& x) {
  return is_for_tasks(x) && x.done_receive != never && !began_for(of, x);
}

bool sent_on(const model& of, const transfer& x) {
  return std::ranges::any_of(of.transfers_of(x.handle), [&](std::uint32_t index) {
    const transfer& next = of.transfers()[index];
    return next.src == x.dst && next.version == x.version && next.start >= x.done_receive;
  });
}

bool borrowed(const model& of, const transfer& x) {
  const run& r = of.events();
  return std::ranges::any_of(of.events_of(x.handle), [&](std::uint32_t index) {
    const event& e = r.events()[index];
    return e.what == record::borrow && e.time >= x.done_receive && r.rank_of(e) == x.dst;
  });
}

}  // namespace

std::vector<int> ranks_of_unknown_use(const model& of) {
  std::set<int> got_copies;
  for (const transfer& x : of.transfers())
    if (is_for_tasks(x)) got_copies.insert(x.dst);
  std::vector<int> found;
  const bool accesses = !of.all_accesses().empty();
  for (const rank_info& each : of.events().ranks())
    if (got_copies.contains(each.rank) &&
        (!accesses || !each.present || each.is_left_open() || each.lost))
      found.push_back(each.rank);
  return found;
}

std::vector<std::uint32_t> unused_copies(const model& of) {
  std::vector<std::uint32_t> found;
  const std::vector<int> unknown = ranks_of_unknown_use(of);
  std::set<std::uint32_t> of_handles;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (!may_be_unused(of, x) || std::ranges::binary_search(unknown, x.dst)) continue;
    found.push_back(i);
    of_handles.insert(x.handle);
  }
  if (found.empty()) return found;
  std::vector<const access*> reads;
  for (const access& each : of.all_accesses())
    if (each.reads() && of_handles.contains(each.handle)) reads.push_back(&each);
  const auto handle_of = [](const access* each) { return each->handle; };
  std::ranges::stable_sort(reads, {}, handle_of);
  std::erase_if(found, [&](std::uint32_t i) {
    const transfer& x = of.transfers()[i];
    const auto by_tasks = std::ranges::equal_range(reads, x.handle, {}, handle_of);
    return std::ranges::any_of(by_tasks,
                               [&](const access* each) {
                                 const task& reader = of.tasks()[each->task];
                                 return each->ver_in == x.version && reader.rank == x.dst &&
                                        reader.begin >= x.done_receive;
                               }) ||
           sent_on(of, x) || borrowed(of, x);
  });
  return found;
}

}  // namespace deed::viewer
