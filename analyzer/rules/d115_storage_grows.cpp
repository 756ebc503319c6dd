// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || m.now.receiver.use != effect::grow) return;
  const path& object = m.now.receiver.where;
  if (!object.known()) return;
  for (const fact* kept : m.before.all(about::in_place)) {
    if (kept->other != key(object) || !m.before.find(about::live, kept->subject)) continue;
    const std::string handle = name_of(m, kept->subject_path);
    auto d = found(115, certainty(*kept), m,
                   "cannot grow " + name_of(m, object) + " while " + handle + " borrows it",
                   {m.now.at, "may move the elements"});
    d.secondary.push_back({kept->because->at, handle + " is registered here"});
    d.help = "grow before registering, or move the container in";
    return report(std::move(d));
  }
}

}  // namespace

const rule d115{
    .code = 115,
    .title = "memory moves while a handle borrows it",
    .explanation =
        "Growing a container may move its elements. The handle would keep the old address.\n",
    .at_event = look};

}  // namespace deed::check
