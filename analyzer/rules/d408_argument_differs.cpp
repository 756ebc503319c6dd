// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const whole_function& seen, const sink& report) {
  const taint& ranks = seen.ranks;
  for (const block& b : seen.opened.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::call || !e.words.has(verb::submits)) continue;
      bool on_each = false;
      for (const operand& o : e.arguments)
        on_each = on_each || (o.words.has(verb::places) && o.name == "each");
      if (!on_each) continue;
      for (const operand& o : e.arguments) {
        if (!o.words.has(verb::copies)) continue;
        const auto why = ranks.of(o.value);
        if (!why) continue;
        diagnostic d;
        d.code = 408;
        d.headline = "argument of " + task_name(e) + " differs between ranks";
        d.primary = {o.at, "this value"};
        if (why->at != o.value->at) d.secondary.push_back({why->at, "comes from here"});
        if (why->why == rank_dependence::kind::local)
          d.notes.push_back("it comes from " + quoted(why->text) +
                            ", which each rank asks for itself");
        d.help = "compute it in the codelet, or make it a datum";
        report(std::move(d));
      }
    }
  }
}

}  // namespace

const rule d408{
    .code = 408,
    .title = "an argument differs between ranks",
    .explanation = "A task that several ranks run gets the same values on all of them.\n",
    .at_function = look};

}  // namespace deed::check
