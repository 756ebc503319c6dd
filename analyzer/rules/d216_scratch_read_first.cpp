// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->access == mode::scratch && parameter->read_first)) continue;
    diagnostic d;
    d.code = 216;
    d.how = severity::error;
    d.headline = "scratch is read before it is written";
    d.primary = {parameter->read_first->object_at, "read here"};
    d.secondary.push_back({token->at, "scratch is asked for here"});
    d.help = "fill it in the codelet, or register a datum";
    report(std::move(d));
  }
}

}  // namespace

const rule d216{.code = 216,
                .title = "scratch is read before it is written",
                .explanation = "Scratch does not live from task to task.\n",
                .at_insertion = look};

}  // namespace deed::check
