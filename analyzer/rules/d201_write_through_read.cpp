// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->access == mode::read && parameter->write)) continue;
    const std::string datum = quoted(spelling(seen.codelet.all, token->where));
    diagnostic d;
    d.code = 201;
    d.how = severity::error;
    d.headline = "write through a read access of " + datum;
    d.primary = {parameter->write->at, "written here"};
    d.secondary.push_back({token->at, "declared for reading here"});
    d.help = "`deed::read_write` and a parameter without `const`";
    report(std::move(d));
  }
}

}  // namespace

const rule d201{.code = 201,
                .title = "a write through a read access",
                .explanation =
                    "Who declares `read` may run beside other readers. A write would be seen by "
                    "some of them.\n",
                .at_insertion = look};

}  // namespace deed::check
