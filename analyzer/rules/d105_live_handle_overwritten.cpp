// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::move || !m.now.other.known()) return;
  if (m.all.var(m.now.other.root).kind != noun::handle) return;
  const fact* old = m.before.find(about::live, key(m.now.other));
  if (!old || !old->certain) return;
  const std::string name = name_of(m, m.now.other);
  auto d = found(105, severity::warning, m, "live handle " + name + " is overwritten",
                 {m.now.at, "overwritten here, the old datum is gone"});
  const fact* task = m.before.find(about::unread, key(m.now.other));
  d.secondary.push_back({(task ? task : old)->because->at,
                         task ? "last task on the old datum" : "the old datum is registered here"});
  d.help = "keep them in a `std::vector<deed::handle<" + m.all.var(m.now.other.root).type + ">>`";
  report(std::move(d));
}

}  // namespace

const rule d105{.code = 105,
                .title = "a live handle is overwritten",
                .explanation =
                    "The assignment drops the datum that the handle named. Its tasks still run, "
                    "and nothing can read\n"
                    "what they wrote.\n",
                .at_event = look};

}  // namespace deed::check
