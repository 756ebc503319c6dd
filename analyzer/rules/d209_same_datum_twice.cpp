// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  const auto given = tokens(m.now);
  for (std::size_t second = 1; second < given.size(); ++second) {
    const std::string datum = key(given[second]->where);
    for (std::size_t first = 0; first < second && !datum.empty(); ++first) {
      if (key(given[first]->where) != datum) continue;
      if (!writes(given[first]->access) && !writes(given[second]->access)) continue;
      const bool both = writes(given[first]->access) && writes(given[second]->access);
      const std::string name = name_of(m, given[second]->where);
      auto d = found(209, severity::error, m,
                     name + (both ? " is written twice by " : " is both read and written by ") +
                         task_name(m.now),
                     {given[second]->at, "second use"});
      d.secondary.push_back({given[first]->at, "first use"});
      d.help = "pass " + name + " once, for reading and writing";
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d209{
    .code = 209,
    .title = "one datum twice in a task, with a write",
    .explanation =
        "A task that writes a datum has it alone. Two parameters for the same datum would be\n"
        "two views of memory that one of them changes.\n",
    .at_event = look};

}  // namespace deed::check
