// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// Whether `used` is the memory `kept`, or an element or a member of it.
bool is_within(path used, const path& kept) {
  if (used.root != kept.root || used.parts.size() < kept.parts.size()) return false;
  used.parts.resize(kept.parts.size());
  return key(used) == key(kept);
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::access || m.now.use == effect::unknown) return;
  const bool writing = m.now.use == effect::write || m.now.use == effect::read_write;
  for (const fact* kept : m.before.all(about::in_place)) {
    // The program may use the rest of what a piece is of.
    if (!is_within(m.now.object, kept->other_path) || keeps_a_piece(*kept->because)) continue;
    for (const fact* task : m.before.all(about::pending, kept->subject)) {
      if (!writing && !writes(task->access)) continue;
      if (m.before.find(about::borrowed, kept->subject)) continue;
      const std::string handle = name_of(m, kept->subject_path);
      auto d = found(305, certainty(*task), m,
                     "memory of " + handle + " is used while " +
                         (writes(task->access) ? "a task may write it" : "a task may read it"),
                     {m.now.object_at, writing ? "written here" : "read here"});
      d.origin = task->because->at;
      d.secondary.push_back({token_at(*task->because, task->subject),
                             task_name(*task->because) + " may still " +
                                 (writes(task->access) ? "write it" : "read it")});
      d.secondary.push_back({kept->because->at, handle + " is registered here"});
      d.help = std::string("wait, or borrow: `auto view = session.borrow(deed::") +
               (writing ? "write" : "read") + "(" + spelling(m.all, kept->subject_path) + "));`";
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d305{.code = 305,
                .title = "memory is used while a task may write it",
                .explanation =
                    "Memory registered in place belongs to its tasks until they are done. A borrow "
                    "waits for them and\n"
                    "gives the right to look.\n",
                .at_event = look};

}  // namespace deed::check
