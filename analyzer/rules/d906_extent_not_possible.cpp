// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (!m.now.words.has(verb::registers)) return;
  for (const operand& o : m.now.arguments) {
    if (!o.of_options || o.kind != noun::none || o.name == "size" || !o.value) continue;
    if (o.value->what != value::kind::constant || o.value->number > 0) continue;
    auto d = found(906, severity::error, m, "extent is not possible",
                   {o.at, quoted(o.name) + " is " + std::to_string(o.value->number)});
    d.help = "a positive extent";
    report(std::move(d));
  }
}

}  // namespace

const rule d906{.code = 906,
                .title = "an extent is not possible",
                .explanation = "A matrix and its tiles have at least one row and one column.\n",
                .at_event = look};

}  // namespace deed::check
