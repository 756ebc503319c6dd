// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace deed::viewer {
namespace {

std::vector<cell> row(const std::string& name, std::vector<std::int64_t>& times) {
  std::int64_t total = 0;
  for (const auto each : times) total += each;
  const std::size_t last = times.size() - 1;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const std::string min = say_time(*least), max = say_time(*most);
  // To sort all for two of them would take most of the time of the answer.
  const auto in_order = [&](std::size_t n) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(times.begin(), at, times.end());
    return say_time(*at);
  };
  const std::string median = in_order(last / 2), p99 = in_order(last * 99 / 100);
  return {name, say_count(times.size()), min, median, p99, max, say_time(total)};
}

}  // namespace

answer stats(const model& of, const run_part& part) {
  std::map<std::string, std::vector<std::int64_t>> by_codelet;  // Some have the same name.
  std::vector<std::vector<std::int64_t>*> of_codelet;
  for (const auto& each : of.codelets()) of_codelet.push_back(&by_codelet[each.name]);
  of_codelet.push_back(&by_codelet["not recorded"]);
  std::map<int, std::vector<std::int64_t>> by_rank;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.end == never || !part.has_task(of, i)) continue;
    of_codelet[std::min<std::size_t>(t.codelet, of.codelets().size())]->push_back(t.end - t.begin);
    by_rank[t.rank].push_back(t.end - t.begin);
  }
  const std::vector<std::string> columns{"", "tasks", "min", "median", "p99", "max", "total"};
  answer said;
  table codelets{"per codelet", columns, {}};
  for (auto& [name, times] : by_codelet)
    if (!times.empty()) codelets.rows.push_back(row(name, times));
  table ranks{"per rank", columns, {}};
  for (auto& [rank, times] : by_rank)
    ranks.rows.push_back(row("rank " + std::to_string(rank), times));
  said.tables = {std::move(codelets), std::move(ranks)};
  for (table& each : copies_of_devices(of, part)) said.tables.push_back(std::move(each));
  return said;
}

answer comm_matrix(const model& of, const run_part& part) {
  struct traffic {
    std::uint64_t bytes = 0, messages = 0, redundant = 0, waiting = 0;
    std::int64_t latency = 0;
    std::uint64_t measured = 0;
  };
  std::map<std::pair<int, int>, traffic> cells;
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    if (!part.has_transfer(of, i)) continue;
    const transfer& x = of.transfers()[i];
    traffic& c = cells[{x.src, x.dst}];
    c.bytes += x.end() == never && x.handle < sizes.size() ? sizes[x.handle] : x.bytes;
    ++c.messages;
    if (!x.has_left()) ++c.waiting, ++waiting;
    if (x.in_vain()) c.redundant += x.bytes;
    if (x.begin() == never || x.done_receive == never) continue;
    c.latency += std::max<std::int64_t>(0, x.done_receive - x.on_the_wire());
    ++c.measured;
  }
  answer said;
  if (waiting != 0)
    said.sentences.push_back(say_some(waiting, "message") +
                             " of these were asked for and have not left; how large they would be "
                             "is known only of data that travelled before");
  table rows{"from rank to rank",
             {"src", "dst", "messages", "bytes", "mean size", "mean time", "redundant", "not left"},
             {}};
  for (const auto& [pair, c] : cells)
    rows.rows.push_back(
        {std::to_string(pair.first), std::to_string(pair.second), say_count(c.messages),
         say_bytes(c.bytes), say_bytes(c.bytes / c.messages),
         c.measured == 0 ? "-" : say_time(c.latency / static_cast<std::int64_t>(c.measured)),
         say_bytes(c.redundant), say_count(c.waiting)});
  said.tables.push_back(std::move(rows));
  for (const slow_link& each : slow_links(of, part))
    said.sentences.push_back(
        "between rank " + std::to_string(each.low) + " and rank " + std::to_string(each.high) +
        " the fastest message there and the fastest back take " + say_time(each.took) +
        "; between most ranks they take " + say_time(each.usual));
  return said;
}

}  // namespace deed::viewer
