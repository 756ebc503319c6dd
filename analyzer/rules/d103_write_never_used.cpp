// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::scope_end || !m.now.ends_block || !m.now.object.stable()) return;
  const std::string handle = key(m.now.object);
  if (m.all.var(m.now.object.root).kind != noun::handle || !m.now.object.parts.empty()) return;
  const fact* write = m.before.find(about::unread, handle);
  if (!write || !write->certain || !m.before.find(about::live, handle)) return;
  if (!m.before.all(about::in_place, handle).empty()) return;  // Its end brings the value home.
  const std::string name = name_of(m, m.now.object);
  auto d = found(103, severity::warning, m, "last write to " + name + " is never used",
                 {m.now.at, name + " is dropped here"});
  d.secondary.push_back({token_at(*write->because, handle),
                         "written by " + task_name(*write->because) + ", read by none"});
  d.origin = write->because->at;
  d.help = "borrow or send it first, or delete the task";
  report(std::move(d));
}

}  // namespace

const rule d103{.code = 103,
                .title = "the last write to a datum is never used",
                .explanation =
                    "The datum ends with its handle, and nothing has looked at what the task "
                    "wrote.\n",
                .at_event = look};

}  // namespace deed::check
