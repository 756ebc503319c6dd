// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/early_leaves.hpp"
#include "rules/lone_choices.hpp"
#include "rules/own_splits.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const whole_function& seen, const sink& report) {
  for (const early_leave& x : early_leaves(seen.opened, seen.ranks)) {
    diagnostic d;
    d.code = 405;
    d.headline = "some ranks leave before " + quoted(x.step->name + "()");
    d.primary = {x.leave->at, "leaves here"};
    explain(d, x.condition, x.why);
    d.secondary.push_back({x.step->name_at, "not reached then"});
    d.help = x.step->receiver.kind == noun::session
                 ? "agree first: `if (session.any(failed)) return;`"
                 : "let all ranks agree first on whether they leave";
    report(std::move(d));
  }
}

void look_across(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::left_early, [&](const disagreement& x) {
    auto d = found_across(405, seen, *x.here,
                          "some ranks leave before " + quoted(x.here->call->name + "()"),
                          {x.left->at, rank_name(x.other_rank) + " leaves here"});
    d.secondary.push_back({x.here->call->name_at, rank_name(x.rank) + " reaches this"});
    d.help = "let every rank reach it, and leave afterwards";
    report(std::move(d));
  });
  for_each_lone_choice(seen, [&](const lone_choice& x) {
    if (!x.leave) return;  // D404
    diagnostic d;
    d.code = 405;
    d.headline = "some ranks leave before " + quoted(x.step->name + "()");
    d.primary = {x.leave->at, "leaves here"};
    d.secondary.push_back({x.condition, rank_name(x.rank) + " alone decides it"});
    d.secondary.push_back({x.step->name_at, rank_name(x.other_rank) + " reaches this"});
    d.help = "agree first: `if (session.any(failed)) return;`";
    report(std::move(d));
  });
}

}  // namespace

const rule d405{.code = 405,
                .title = "some ranks leave before a step",
                .explanation =
                    "A rank that returns early does not make the calls that the others wait for. "
                    "What only one rank can\n"
                    "know (a file, a clock, the environment) is agreed on first.\n",
                .at_function = look,
                .across = look_across};

}  // namespace deed::check
