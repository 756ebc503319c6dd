// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::use) return;
  const fact* split = m.before.find_around(about::partitioned, key(m.now.object));
  if (!split || (!split->certain && is_numbered(split->subject_path))) return;
  auto d = found(116, certainty(*split), m,
                 name_of(m, m.now.object) + " is used while it is partitioned",
                 {m.now.at, "the whole is used here"});
  d.origin = split->because->at;
  d.secondary.push_back({split->because->at, "partitioned here"});
  d.help = "write the parts, or `session.unite(…)` first";
  report(std::move(d));
}

}  // namespace

const rule d116{
    .code = 116,
    .title = "a handle is used while it is partitioned",
    .explanation = "The parts have the data now. The whole is back after `session.unite`.\n",
    .at_event = look};

}  // namespace deed::check
