// SPDX-License-Identifier: MIT
#include "flow/inline.hpp"
#include "rules/across.hpp"
#include "rules/early_leaves.hpp"
#include "rules/lone_choices.hpp"
#include "rules/own_splits.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

void look_at_splits(const whole_function& seen, const sink& report) {
  std::set<span> told;  // A loop that a branch leaves differs for the reason of the branch.
  for_each_own_split(seen, [&](const own_split& own) {
    const auto found = on_one_way(seen, own, is_plain_step);
    const bool loop = own.at->how == split::loop;
    if (!found || (loop && told.contains(own.why.at))) return;
    told.insert(own.why.at);
    const auto is_task = [&](const event& e) { return is_shared_task(seen, e); };
    if (loop && on_one_way(seen, own, is_task)) return;  // D406
    diagnostic d;
    d.code = 404;
    d.headline = "not every rank reaches " + quoted(found->call->name + "()");
    d.primary = {found->call->name_at, "not reached by all ranks"};
    d.origin = own.why.at;
    explain(d, own.at->condition_at, own.why);
    d.help = "agree first, with `session.any(…)` or a reduction";
    report(std::move(d));
  });
}

/// Whether it is told of the function that a branch stands in that some ranks leave it there: D405.
bool is_early_leave(const program& all, const span& condition) {
  return std::ranges::any_of(all.functions, [&](const auto& one) {
    const function& f = *one.second;
    if (!f.in_root || !has_split(f, condition)) return false;
    const auto opened = inlined(all, f);
    const auto told = early_leaves(*opened, taint(all, *opened));
    return std::ranges::find(told, condition, &early_leave::condition) != told.end();
  });
}

void look(const across_ranks& seen, const sink& report) {
  report_missing_steps(
      seen,
      {.code = 404,
       .wanted = [](const std::string& step) { return step != "flush" && step != "migrate"; },
       .headline =
           [](const event& call) { return "not every rank reaches " + quoted(call.name + "()"); },
       .help = "move it out of the branch"},
      report);
  for_each_lone_choice(seen, [&](const lone_choice& x) {
    if (x.leave || is_early_leave(seen.all, x.condition)) return;  // D405
    diagnostic d;
    d.code = 404;
    d.headline = "not every rank reaches " + quoted(x.step->name + "()");
    d.primary = {x.step->name_at, "reached by " + rank_name(x.other_rank)};
    d.secondary.push_back({x.condition, rank_name(x.rank) + " alone decides it"});
    d.help = "agree first, with `session.any(…)` or a reduction";
    report(std::move(d));
  });
}

}  // namespace

const rule d404{.code = 404,
                .title = "not every rank reaches a step",
                .explanation = "Steps are calls that every rank makes, in the same order.\n",
                .at_function = look_at_splits,
                .across = look};

}  // namespace deed::check
