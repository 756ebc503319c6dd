// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>
#include <string>

namespace deed::check {
namespace {

/// Whether a number asks for an extent of a view: "0" rows, "1" columns, "all".
bool asks(const value_ref& v, variable_id view, const std::string& extent) {
  if (!v) return false;
  if (v->what == value::kind::call && v->text == "extent " + extent && v->where.root == view)
    return true;
  return std::ranges::any_of(v->arguments,
                             [&](const value_ref& one) { return asks(one, view, extent); });
}

/// Whether a number of elements goes past one row.
bool counts_rows(const value_ref& v, variable_id view) {
  return asks(v, view, "0") || asks(v, view, "all");
}

/// Whether it is the number of all elements.
bool counts_all(const value_ref& v, variable_id view) {
  return asks(v, view, "all") || (asks(v, view, "0") && asks(v, view, "1"));
}

/// `for (k = 0; k < t.size(); ++k) p[k]`, where `p` points into `t`.
bool loops_over_all(const whole_function& seen, const event& e, int block) {
  if (e.object.parts.empty()) return false;
  const part& step = e.object.parts.front();
  if (step.name != "operator[]" || step.indices.size() != 1 || !step.indices.front()) return false;
  const value& index = *step.indices.front();
  if (index.what != value::kind::variable) return false;
  return std::ranges::any_of(seen.decisions.deciders(block), [&](int id) {
    const deed::check::block& b = seen.opened.blocks[static_cast<std::size_t>(id)];
    if (b.how != split::loop || !b.condition || b.condition->arguments.size() != 2) return false;
    const value_ref& counter = b.condition->arguments.front();
    return counter && counter->what == value::kind::variable &&
           key(counter->where) == key(index.where) &&
           counts_rows(b.condition->arguments.back(), e.object.root);
  });
}

/// The view whose rows an event goes through as if they were one; 0: none.
variable_id passes_rows(const whole_function& seen, const event& e, int block) {
  if (e.kind == event_kind::access) {
    const bool sum = e.name == "arithmetic" && counts_rows(e.result_value, e.object.root);
    return sum || loops_over_all(seen, e, block) ? e.object.root : 0;
  }
  // `std::fill_n(t.data(), t.size(), 0)`
  if (e.kind != event_kind::call || !e.standard || e.arguments.size() < 2) return 0;
  const variable_id view = e.arguments[0].where.root;
  return view != 0 && counts_all(e.arguments[1].value, view) ? view : 0;
}

/// Whether somebody asks if the rows of a view follow each other.
bool asks_contiguous(const function& f, variable_id view) {
  return std::ranges::any_of(f.blocks, [&](const block& b) {
    return std::ranges::any_of(b.events, [&](const event& e) {
      return e.kind == event_kind::call && e.receiver.where.root == view &&
             e.words.has(verb::extent, "contiguous");
    });
  });
}

void look(const whole_function& seen, const sink& report) {
  for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
    for (const event& e : seen.opened.blocks[i].events) {
      const variable_id view = passes_rows(seen, e, static_cast<int>(i));
      if (view == 0 || asks_contiguous(seen.opened, view)) continue;
      const std::string name = seen.all.var(view).name;
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
