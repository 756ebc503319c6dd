// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// Whether a number of elements goes past one row: it asks how many rows there are.
bool counts_rows(const value_ref& v, variable_id view) {
  if (!v) return false;
  if (v->what == value::kind::call && v->text == "extent 0" && v->where.root == view) return true;
  for (const value_ref& one : v->arguments) {
    if (counts_rows(one, view)) return true;
  }
  return false;
}

void look(const whole_function& seen, const sink& report) {
  for (const block& b : seen.opened.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::access || e.name != "arithmetic") continue;
      if (!counts_rows(e.result_value, e.object.root)) continue;
      const std::string name = seen.all.var(e.object.root).name;
      diagnostic d;
      d.code = 907;
      d.how = severity::warning;
      d.headline = "strided view " + quoted(name) + " is used as contiguous";
      d.primary = {e.at, "runs over the end of a row"};
      d.notes.push_back("the rows of a tile lie `row_stride()` elements apart");
      d.help = "row by row, " + quoted(name + ".row(i)");
      report(std::move(d));
    }
  }
}

}  // namespace

const rule d907{.code = 907,
                .title = "a strided view is used as contiguous",
                .explanation =
                    "The rows of a tile may lie apart: behind the end of a row is memory of "
                    "another tile.\n",
                .at_function = look};

}  // namespace deed::check
