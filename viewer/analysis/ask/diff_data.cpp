// SPDX-License-Identifier: MIT
#include "analysis/ask/diff_data.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// What happened to each datum, in order: what is compared, and how it is said.
struct step {
  std::uint64_t key = 0;
  std::string said;
  friend bool operator==(const step& x, const step& y) { return x.said == y.said; }
};
using story = std::vector<step>;

/// All ranks tell of a change; the one that tells most is believed.
story owners_of(const model& of, std::uint32_t handle) {
  const run& r = of.events();
  const std::uint32_t home = of.data()[handle].home;
  const story at_first{{0, home == none ? "every rank" : "rank " + std::to_string(home)}};
  std::map<int, story> by_rank;
  for (const std::uint32_t index : of.events_of(handle)) {
    const event& e = r.events()[index];
    if (e.what != record::owner) continue;
    const auto version = r.get32(e, field::version), to = r.get32(e, field::to);
    story& mine = by_rank.try_emplace(r.rank_of(e), at_first).first->second;
    const std::string said = "rank " + std::to_string(to);
    if (mine.back().said != said) mine.push_back({version, said});
  }
  const auto longest = std::max_element(
      by_rank.begin(), by_rank.end(),
      [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
  return longest == by_rank.end() ? at_first : longest->second;
}

/// The tasks whose turn is free, in the order in which they ended.
story turns_of(const model& of, const std::vector<access>& used) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> ended;
  for (const access& each : used)
    if (of.tasks()[each.task].end != never)
      ended.emplace_back(of.tasks()[each.task].end, each.task);
  std::sort(ended.begin(), ended.end());
  story found;
  for (const auto& [time, task] : ended) found.push_back({found.size() + 1, of.task_on_rank(task)});
  return found;
}

std::vector<std::vector<access>> free_turns(const model& of) {
  constexpr std::uint8_t reduces = 3, commutes = 5;
  std::vector<std::vector<access>> found(of.data().size());
  for (const access& each : of.all_accesses())
    if ((each.mode == reduces || each.mode == commutes) && each.handle < found.size())
      found[each.handle].push_back(each);
  return found;
}

/// Adds a row for the first step that differs. A story that ends earlier stays at its last step, if
/// it `stays`.
void compare(table& into, const std::string& name, const char* unit, bool stays, const story& a,
             const story& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return;
  const std::uint64_t key = in_a != a.end() ? in_a->key : in_b->key;
  const auto said = [&](const story& of, auto at) {
    if (at != of.end()) return at->said;
    return stays && !of.empty() ? of.back().said : std::string("-");
  };
  into.rows.push_back({name, unit + std::to_string(key), said(a, in_a), said(b, in_b)});
}

/// Calls `look` with the data of `part` that both runs have.
template <typename Look>
void each_of_both(const model& a, const model& b, const part_of_both& part, Look look) {
  for (std::uint32_t h = 0; h < a.data().size(); ++h) {
    if (!a.data()[h].known) continue;
    const auto there = b.find_handle(a.handle_name(h));
    if (there && b.data()[*there].known && (part.a.has_datum(a, h) || part.b.has_datum(b, *there)))
      look(h, *there);
  }
}

}  // namespace

table owners_that_differ(const model& a, const model& b, const part_of_both& part) {
  table found{
      "owners that differ, at the first difference", {"handle", "version", "first", "second"}, {}};
  each_of_both(a, b, part, [&](std::uint32_t in_a, std::uint32_t in_b) {
    compare(found, a.handle_name(in_a), "v", true, owners_of(a, in_a), owners_of(b, in_b));
  });
  return found;
}

table results_in_other_order(const model& a, const model& b, const part_of_both& part) {
  table found{"results that came in another order, at the first difference",
              {"handle", "turn", "first", "second"},
              {}};
  const auto of_a = free_turns(a), of_b = free_turns(b);
  each_of_both(a, b, part, [&](std::uint32_t in_a, std::uint32_t in_b) {
    compare(found, a.handle_name(in_a), "", false, turns_of(a, of_a[in_a]),
            turns_of(b, of_b[in_b]));
  });
  return found;
}

}  // namespace deed::viewer
