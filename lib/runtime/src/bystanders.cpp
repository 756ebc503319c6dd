// SPDX-License-Identifier: MIT
#include "bystanders.hpp"

#include <deed/base/error_code.hpp>

#include "core.hpp"
#include "inquest.hpp"
#include "report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace deed::runtime {
namespace {

/// How many tasks like `wanted` a rank inserted, at all lines: ranks may insert one task at lines
/// of their own.
std::uint64_t count_like(const rank_insertions& by, const insertion_use& wanted) {
  std::uint64_t count = 0;
  for (const insertion_use& each : by.uses) {
    if (each.executor == wanted.executor && each.codelet == wanted.codelet) count += each.count;
  }
  return count;
}

/// The line of a task like `wanted` that `by` has and `runner` lacks; `wanted`'s if both have all.
std::string line_of_more(const rank_insertions& by, const rank_insertions& runner,
                         const insertion_use& wanted) {
  const auto same = [&](const insertion_use& one, const insertion_use& two) {
    return one.executor == two.executor && one.codelet == two.codelet && one.where == two.where;
  };
  for (const insertion_use& each : by.uses) {
    if (each.executor != wanted.executor || each.codelet != wanted.codelet) continue;
    const auto there =
        std::ranges::find_if(runner.uses, [&](const auto& other) { return same(each, other); });
    if (there == runner.uses.end() || there->count < each.count) return each.where;
  }
  return wanted.where;
}

}  // namespace

std::vector<insertion_use> counted(const std::deque<submission>& all) {
  std::map<std::tuple<std::uint32_t, const known_codelet*, std::string>, std::uint64_t> counts;
  for (const submission& each : all) ++counts[{each.executor, each.codelet, to_string(each.where)}];
  std::vector<insertion_use> uses;
  for (const auto& [key, count] : counts) {
    const auto& [executor, codelet, where] = key;
    uses.push_back({executor, std::string(codelet->name), where, count});
  }
  return uses;
}

std::optional<verdict> task_that_nobody_runs(const std::vector<rank_insertions>& all) {
  for (const rank_insertions& by : all) {
    for (const insertion_use& each : by.uses) {
      const rank_insertions& runner = all.at(each.executor);
      const std::uint64_t count = count_like(by, each), there = count_like(runner, each);
      if (count <= there) continue;
      const std::string other = rank_label(runner.rank);
      return verdict{
          static_cast<std::uint16_t>(error_code::rank_must_take_part),
          other + " must take part in task " + quoted(each.codelet) + ", which it runs",
          {rank_label(by.rank), other},
          {"inserts it " + counted(count, "time") + ", at " + line_of_more(by, runner, each),
           there == 0 ? "never inserts it" : "inserts it " + counted(there, "time")},
          "insert it on " + other +
              ", too: no `if (rank == …)` around it, but `session.relevant(…)`",
          false};
    }
  }
  return std::nullopt;
}

}  // namespace deed::runtime
