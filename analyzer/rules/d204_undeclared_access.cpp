// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

bool declares(const event& call, const path& handle) {
  for (const operand& o : call.arguments) {
    if (o.kind == noun::token && (key(o.where) == key(handle) || key(o.where).empty())) return true;
  }
  return false;
}

void look(const insertion& seen, const sink& report) {
  const body_effects& does = seen.codelet.does;
  for (const auto* list : {&does.global_reads, &does.global_writes}) {
    for (const event* e : *list) {
      const event* home = registration_of(seen.codelet.all, e->object.root);
      if (!home || declares(seen.call, home->result)) continue;
      const std::string handle = quoted(spelling(seen.codelet.all, home->result));
      diagnostic d;
      d.code = 204;
      d.how = severity::error;
      d.headline = "undeclared access to " + handle;
      d.primary = {e->object_at, std::string(list == &does.global_reads ? "read" : "written") +
                                     " here, in " + task_name(seen.call)};
      d.secondary.push_back({home->at, handle + " is registered here"});
      d.secondary.push_back({seen.call.at, "the task does not declare it"});
      d.help = std::string("add ") +
               quoted(std::string(list == &does.global_reads ? "deed::read(" : "deed::write(") +
                      spelling(seen.codelet.all, home->result) + ")");
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d204{.code = 204,
                .title = "an undeclared access",
                .explanation =
                    "What a task touches is in its declaration. The rest may be written by another "
                    "task at the same time.\n",
                .at_insertion = look};

}  // namespace deed::check
