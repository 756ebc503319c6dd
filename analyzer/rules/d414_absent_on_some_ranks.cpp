// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <map>

namespace deed::check {
namespace {

/// The rank-dependent conditions without which `block` does not run.
std::vector<span> rank_conditions(const whole_function& seen, int block) {
  std::vector<span> found;
  for (const int id : seen.decisions.deciders(block)) {
    const auto& b = seen.opened.blocks[static_cast<std::size_t>(id)];
    if (seen.ranks.of(b.condition)) found.push_back(b.condition_at);
  }
  return found;
}

bool asks(const value_ref& v, variable_id id) {
  if (!v) return false;
  if (v->where.root == id) return true;
  for (const value_ref& one : v->arguments) {
    if (asks(one, id)) return true;
  }
  return false;
}

void look(const whole_function& seen, const sink& report) {
  std::map<variable_id, std::pair<bool, const event*>> set;  // always set, or where it is set
  std::map<variable_id, span> condition;
  const auto each = [&](const auto& see) {
    for (std::size_t id = 0; id < seen.opened.blocks.size(); ++id) {
      for (const event& e : seen.opened.blocks[id].events) see(e, static_cast<int>(id));
    }
  };
  each([&](const event& e, int block) {
    const path& target = e.kind == event_kind::move ? e.other : e.object;
    if ((e.kind != event_kind::move && e.kind != event_kind::assign) || !target.known()) return;
    // Made without an argument, an object is its own source.
    const bool value =
        e.kind == event_kind::move || (e.other.known() && key(e.other) != key(target));
    if (seen.all.var(target.root).optional != noun::handle || !value) return;
    const auto conditions = rank_conditions(seen, block);
    auto& known = set[target.root];
    known.first = known.first || conditions.empty();
    if (!conditions.empty()) condition[target.root] = conditions.front();
    known.second = &e;
  });
  each([&](const event& e, int block) {
    if (e.kind != event_kind::use) return;
    const auto it = set.find(e.object.root);
    if (it == set.end() || it->second.first) return;
    for (const int id : seen.decisions.deciders(block)) {
      const auto& b = seen.opened.blocks[static_cast<std::size_t>(id)];
      if (b.condition_at == condition[e.object.root] || asks(b.condition, e.object.root)) return;
    }
    diagnostic d;
    d.code = 414;
    d.how = severity::error;
    const std::string name = quoted(seen.all.var(e.object.root).name);
    d.headline = "handle in " + name + " is absent on some ranks";
    d.primary = {e.object_at, "read here, on every rank"};
    d.secondary.push_back({condition[e.object.root], "set only where this holds"});
    d.help = "register it on every rank, only the owner builds the value";
    report(std::move(d));
  });
}

}  // namespace

const rule d414{
    .code = 414,
    .title = "a handle is absent on some ranks",
    .explanation = "A `std::optional` handle that only some ranks set is empty on the others.\n",
    .at_function = look};

}  // namespace deed::check
