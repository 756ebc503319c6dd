// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (!m.now.words.has(verb::registers) || m.now.layout.address.empty()) return;
  const held_layout& held = m.now.layout;
  auto d = found(903, severity::error, m, "pointer would travel",
                 {held.address_at.known() ? held.address_at : m.now.at,
                  "member " + quoted(held.address) + " holds an address"});
  if (held.address_at.known()) d.secondary.push_back({m.now.at, "registered here"});
  d.help = "an index, or `serialize()`";
  report(std::move(d));
}

}  // namespace

const rule d903{.code = 903,
                .title = "a pointer would travel",
                .explanation = "An address means nothing on another rank.\n",
                .at_event = look};

}  // namespace deed::check
