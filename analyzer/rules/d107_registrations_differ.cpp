// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string tag_of(int rank, const occurrence& o) {
  return rank_name(rank) + " gives tag " + std::to_string(*o.tag);
}

void look_at_tags(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::tag, [&](const disagreement& x) {
    auto d = found_across(107, seen, *x.here, "ranks disagree on registration " + x.here->made.name,
                          {argument_at(*x.here->call, noun::tag), tag_of(x.rank, *x.here)});
    const std::string other = tag_of(x.other_rank, *x.there);
    if (x.there->call == x.here->call) {
      d.notes.push_back(other);
    } else {
      d.secondary.push_back({argument_at(*x.there->call, noun::tag), other});
    }
    d.help = "give one tag on every rank, or none: the library numbers registrations";
    report(std::move(d));
  });
}

void look(const across_ranks& seen, const sink& report) {
  look_at_tags(seen, report);
  for_each_lasting(seen.steps, disagreement::kind::registration, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(
        107, seen, *x.here, "ranks disagree on registration " + x.here->made.name,
        {x.here->call->at, rank_name(x.rank) + " registers " + x.here->made.name + " here"});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back(rank_name(x.other_rank) + " does not, and numbers what follows differently");
    d.help = "register on every rank, only the owner builds the value";
    report(std::move(d));
  });
}

}  // namespace

const rule d107{.code = 107,
                .title = "ranks disagree on a registration",
                .explanation =
                    "Registrations are numbered on every rank. One more on one rank shifts all "
                    "that follow, and "
                    "another tag on one rank names another datum.\n",
                .across = look};

}  // namespace deed::check
