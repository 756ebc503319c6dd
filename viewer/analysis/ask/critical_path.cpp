// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>

namespace deed::viewer {
namespace {

/// What made a task ready last: a transfer to its rank, or a task before it.
struct cause {
  std::uint32_t transfer = none;
  std::uint32_t task = none;
  std::int64_t at = never;
};

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

}  // namespace

std::vector<path_step> critical_path(const model& of) {
  std::uint32_t current = none;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin != never && t.end != never && (current == none || t.end > of.tasks()[current].end))
      current = i;
  }
  std::vector<path_step> path;
  const auto add = [&](const char* kind, std::uint32_t t, std::uint32_t x, std::int64_t begin,
                       std::int64_t end) {
    if (end > begin) path.push_back({kind, t, x, begin, end});
  };
  std::int64_t limit = current == none ? 0 : of.tasks()[current].end;
  while (current != none && path.size() < 3 * of.tasks().size() + 3) {
    const task& t = of.tasks()[current];
    add("compute", current, none, t.begin, std::min(limit, t.end));
    const cause why = last_cause(of, t);
    if (why.at == never) {
      const std::int64_t submitted = t.submit == never ? 0 : std::min(t.submit, t.begin);
      add("queueing", current, none, submitted, t.begin);
      add("submission", current, none, 0, submitted);
      break;
    }
    add("queueing", current, none, why.at, t.begin);
    limit = why.at;
    if (why.transfer != none) {
      const transfer& x = of.transfers()[why.transfer];
      const std::int64_t left = why.task != none && of.tasks()[why.task].end != never
                                    ? std::min(of.tasks()[why.task].end, why.at)
                                    : std::min(x.begin(), why.at);
      add("network", current, why.transfer, left, why.at);
      limit = left;
    }
    if (why.task == none || of.tasks()[why.task].end == never ||
        of.tasks()[why.task].begin >= t.begin) {
      add("submission", current, none, 0, limit);
      break;
    }
    current = why.task;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

answer say_critical_path(const model& of) {
  const auto path = critical_path(of);
  answer said;
  std::map<std::string, std::int64_t> kinds, codelets;
  std::int64_t total = 0;
  for (const path_step& each : path) {
    kinds[each.kind] += each.end - each.begin;
    total += each.end - each.begin;
    if (each.kind != "compute") continue;
    const task& t = of.tasks()[each.task];
    codelets[t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "task"] +=
        each.end - each.begin;
  }
  said.sentences.push_back("the longest chain of causes has " + say_some(path.size(), "step") +
                           " and takes " + say_time(total) + " of " + say_time(of.events().end()));
  table by_kind{"by kind", {"kind", "time"}, {}};
  for (const auto& [kind, time] : kinds) by_kind.rows.push_back({kind, say_time(time)});
  table by_codelet{"compute by codelet", {"codelet", "time"}, {}};
  for (const auto& [name, time] : codelets) by_codelet.rows.push_back({name, say_time(time)});
  table steps{"steps", {"from", "to", "kind", "what"}, {}};
  for (const path_step& each : path) {
    std::string what =
        of.task_name(each.task) + " on rank " + std::to_string(of.tasks()[each.task].rank);
    if (each.transfer != none) {
      const transfer& x = of.transfers()[each.transfer];
      what = of.handle_name(x.handle) + " v" + std::to_string(x.version) + " from rank " +
             std::to_string(x.src) + " to rank " + std::to_string(x.dst);
    }
    steps.rows.push_back({say_time(each.begin), say_time(each.end), each.kind, what});
  }
  said.tables = {std::move(by_kind), std::move(by_codelet), std::move(steps)};
  return said;
}

}  // namespace deed::viewer
