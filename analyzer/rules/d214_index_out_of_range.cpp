// SPDX-License-Identifier: MIT
#include "flow/bounds.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const whole_function& seen, const sink& report) {
  for (const out_of_bounds& one : indices_out_of_bounds(seen.all, seen.opened, seen.decisions)) {
    diagnostic d;
    d.code = 214;
    d.how = severity::error;
    const std::string view = spelling(seen.all, one.view);
    d.headline = "index out of range in " + quoted(view);
    d.primary = {one.at->object_at.known() ? one.at->object_at : one.at->at, one.what};
    if (one.because.known()) d.secondary.push_back({one.because, "the loop goes this far"});
    d.help = one.below ? "indices start at 0" : "the last one is the extent minus 1";
    report(std::move(d));
  }
}

}  // namespace

const rule d214{.code = 214,
                .title = "an index is out of range",
                .explanation =
                    "Indices run from 0 to the extent minus 1: `t(t.rows(), 0)` is the row behind "
                    "the last.\n",
                .at_function = look};

}  // namespace deed::check
