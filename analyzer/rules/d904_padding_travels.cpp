// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (!m.now.words.has(verb::registers) || m.now.layout.padding == 0) return;
  const held_layout& held = m.now.layout;
  auto d = found(904, severity::performance, m, "padding travels",
                 {m.now.at, std::to_string(held.padding) + " of " + std::to_string(held.bytes) +
                                " bytes are padding"});
  d.help = "put the largest members first";
  report(std::move(d));
}

}  // namespace

const rule d904{
    .code = 904,
    .title = "padding travels",
    .explanation = "A value travels as it lies in memory, with the holes between its members.\n",
    .at_event = look};

}  // namespace deed::check
