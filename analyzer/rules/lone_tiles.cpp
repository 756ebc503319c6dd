// SPDX-License-Identifier: MIT
#include "rules/lone_tiles.hpp"

#include "flow/typestate.hpp"
#include "rules/own_splits.hpp"

#include <algorithm>

namespace deed::check {
namespace {

/// Whether a condition is made of the rank and constants, and of nothing else.
bool is_of_rank(const value_ref& v) {
  if (!v || v->what == value::kind::constant || v->what == value::kind::ranks) return bool(v);
  if (v->what == value::kind::rank) return true;
  return v->what == value::kind::operation && std::ranges::all_of(v->arguments, is_of_rank);
}

/// A tile that variables tell, of a matrix that this function makes.
bool is_any_tile(const whole_function& seen, const operand& token) {
  if (token.access == mode::scratch || token.where.parts.size() != 1) return false;
  const part& step = token.where.parts.front();
  const bool counted = std::ranges::any_of(step.indices, [](const value_ref& index) {
    return index && index->what != value::kind::constant;
  });
  return counted &&
         !std::ranges::any_of(
             step.indices,
             [&](const value_ref& index) { return seen.ranks.of(index).has_value(); }) &&
         seen.ranks.is_owned({token.where.root, {}});
}

const operand* any_tile_of(const whole_function& seen, const event& task) {
  if (task.kind != event_kind::call || !task.words.has(verb::submits)) return nullptr;
  const auto given = tokens(task);
  const auto tile =
      std::ranges::find_if(given, [&](const operand* o) { return is_any_tile(seen, *o); });
  return tile == given.end() ? nullptr : *tile;
}

/// Whether the task is met for many tiles, and nothing but the split keeps ranks from it.
bool is_in_loop(const whole_function& seen, int block, int condition) {
  bool loop = false;
  for (const int id : seen.decisions.deciders(block)) {
    const auto& by = seen.opened.blocks[static_cast<std::size_t>(id)];
    if (id != condition && seen.ranks.of(by.condition)) return false;
    loop = loop || by.how == split::loop;
  }
  return loop;
}

bool has_tiles(const whole_function& seen) {
  return std::ranges::any_of(seen.opened.blocks, [&](const block& b) {
    return std::ranges::any_of(b.events,
                               [&](const event& e) { return any_tile_of(seen, e) != nullptr; });
  });
}

}  // namespace

void look_at_lone_tiles(const whole_function& seen, const sink& report) {
  if (!has_tiles(seen)) return;
  const control decisions(seen.opened, throw_ends::job);
  for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
    const block& b = seen.opened.blocks[i];
    const int id = static_cast<int>(i), end = decisions.meets_at(id);
    if (b.how != split::branch || b.successors.size() != 2 || end < 0) continue;
    const auto why = seen.ranks.of(b.condition);
    if (!why || !is_of_rank(b.condition)) continue;
    const auto found = on_one_way(seen, {&b, id, end, *why},
                                  [&](const event& e) { return any_tile_of(seen, e) != nullptr; });
    if (!found || !is_in_loop(seen, found->block, id)) continue;
    const event& task = *found->call;
    const operand& tile = *any_tile_of(seen, task);
    diagnostic d;
    d.code = 401;
    d.how = severity::warning;
    d.headline = "not every rank that takes part inserts " + task_name(task);
    d.primary = {tile.at, "owners of other tiles do not come here"};
    d.secondary.push_back({b.condition_at, "the rank alone decides"});
    d.help = "remove the condition: of each tile the owner runs the task";
    report(std::move(d));
  }
}

}  // namespace deed::check
