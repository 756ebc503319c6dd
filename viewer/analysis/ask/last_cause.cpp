// SPDX-License-Identifier: MIT
#include "analysis/ask/last_cause.hpp"

namespace deed::viewer {

cause last_cause(const model& of, const task& t) {
  cause latest;
  for (const access& a : of.accesses(t)) {
    if (!a.reads()) continue;
    const std::uint32_t writer = of.writer(a.handle, a.ver_in);
    if (writer != none && of.tasks()[writer].end != never && of.tasks()[writer].rank == t.rank &&
        of.tasks()[writer].end <= t.begin && of.tasks()[writer].end > latest.at)
      latest = {none, writer, of.tasks()[writer].end};
    for (const std::uint32_t index : of.transfers_of(a.handle)) {
      const transfer& x = of.transfers()[index];
      if (x.dst != t.rank || x.version != a.ver_in || x.done_receive == never ||
          x.done_receive > t.begin || x.done_receive <= latest.at)
        continue;
      latest = {index, writer, x.done_receive};
    }
  }
  return latest;
}

const transfer* arrival(const model& of, std::uint32_t handle, std::uint32_t version, int rank) {
  for (const std::uint32_t index : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[index];
    if (x.dst == rank && x.version == version && x.done_receive != never && x.begin() != never)
      return &x;
  }
  return nullptr;
}

std::string say_cause(const model& of, const cause& why) {
  if (why.transfer != none) {
    const transfer& x = of.transfers()[why.transfer];
    return of.handle_name(x.handle) + " v" + std::to_string(x.version) + " from rank " +
           std::to_string(x.src);
  }
  if (why.task == none) return {};
  return of.task_name(why.task) + " on rank " + std::to_string(of.tasks()[why.task].rank);
}

}  // namespace deed::viewer
