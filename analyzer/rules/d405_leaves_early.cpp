// SPDX-License-Identifier: MIT
#include "flow/control.hpp"
#include "flow/inline.hpp"
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/lone_choices.hpp"
#include "rules/own_splits.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// The first step, and the return, throw or `exit(0)`, that can be reached from a block.
struct outlook {
  const event *step = nullptr, *leave = nullptr;
};
outlook ahead(const function& f, int from) {
  outlook found;
  const auto note = [](const event*& first, const event& e) {
    if (!first || e.at < first->at) first = &e;
  };
  for (const int id : reached(f, from)) {
    const block& b = f.blocks[static_cast<std::size_t>(id)];
    for (const event& e : b.events) {
      const bool step = e.kind == event_kind::call && e.words.has(verb::step) &&
                        !e.words.has(verb::consumes) && !is_of_some_ranks(e);
      if (step) note(found.step, e);
      const bool leaves = e.kind == event_kind::leave || (ends_process(e) && !b.ends_job);
      if (leaves && e.depth == 0) note(found.leave, e);
    }
  }
  return found;
}

void look(const whole_function& seen, const sink& report) {
  const taint& ranks = seen.ranks;
  for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
    const block& b = seen.opened.blocks[i];
    if (b.how != split::branch || b.successors.size() != 2) continue;
    const auto why = ranks.of(b.condition);
    // What depends on the rank alone is run on all ranks, and compared there.
    if (!why || why->why == rank_dependence::kind::rank) continue;
    for (const std::size_t way : {0U, 1U}) {
      const outlook leaves = ahead(seen.opened, b.successors[way]);
      const outlook stays = ahead(seen.opened, b.successors[1 - way]);
      if (leaves.step || !leaves.leave || !stays.step) continue;
      diagnostic d;
      d.code = 405;
      d.headline = "some ranks leave before " + quoted(stays.step->name + "()");
      d.primary = {leaves.leave->at, "leaves here"};
      explain(d, b.condition_at, *why);
      d.secondary.push_back({stays.step->name_at, "not reached then"});
      d.help = stays.step->receiver.kind == noun::session
                   ? "agree first: `if (session.any(failed)) return;`"
                   : "let all ranks agree first on whether they leave";
      report(std::move(d));
      break;
    }
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
