// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

/// Whether what an optional is made of has no value: no argument, or `std::nullopt`.
bool holds_nothing(const program& all, const value_ref& v) {
  if (!v) return false;
  if (v->what == value::kind::uniform) return v->text.empty();
  if (v->what == value::kind::variable) return all.var(v->where.root).name == "nullopt";
  if (v->what != value::kind::operation || (v->text != "make" && v->text != "copy")) return false;
  return std::ranges::all_of(v->arguments,
                             [&](const value_ref& one) { return holds_nothing(all, one); });
}

/// Where an object is made, it is its own source.
bool is_made(const event& e) {
  return e.kind == event_kind::assign && key(e.other) == key(e.object);
}

bool is_made_empty(const program& all, const event& e, variable_id id) {
  return e.object.root == id && e.object.parts.empty() && is_made(e) &&
         holds_nothing(all, e.result_value);
}

/// Whether an event may give the optional a value, as far as is known.
bool may_set(const program& all, const event& e, variable_id id) {
  const auto changed = [&](const operand& o) {
    return o.where.root == id && o.use != effect::none && o.use != effect::read;
  };
  switch (e.kind) {
    case event_kind::use:
    case event_kind::scope_end:
    case event_kind::leave:
      return false;
    case event_kind::access:
      return e.object.root == id && e.use != effect::read && e.use != effect::none;
    case event_kind::call:
      return e.result.root == id || changed(e.receiver) ||
             std::ranges::any_of(e.arguments, changed);
    default:
      return (e.object.root == id || e.other.root == id) && !is_made_empty(all, e, id);
  }
}

/// Reads of optional handles that nothing before them can have set: empty on every rank.
class too_early {
 public:
  explicit too_early(const whole_function& seen) : seen_(seen) {}

  void look(const sink& report) {
    for (std::size_t id = 0; id < seen_.opened.blocks.size(); ++id) {
      for (const event& e : seen_.opened.blocks[id].events) {
        const bool read = e.kind == event_kind::use && is_optional(e.object.root);
        const event* const made = read ? made_empty(e, static_cast<int>(id)) : nullptr;
        if (made && !asked_before(static_cast<int>(id), e.object.root)) say(e, *made, report);
      }
    }
  }

 private:
  bool is_optional(variable_id id) const {
    const variable& v = seen_.all.var(id);
    return v.optional == noun::handle && !v.parameter && !v.reference && !v.global && !v.persistent;
  }

  bool asked_before(int block, variable_id id) const {
    return std::ranges::any_of(seen_.decisions.deciders(block), [&](int one) {
      return asks(seen_.opened.blocks[static_cast<std::size_t>(one)].condition, id);
    });
  }

  /// Where it was made empty, if nothing on any way from there to the read may have set it.
  const event* made_empty(const event& read, int block) {
    const variable_id id = read.object.root;
    const event* made = nullptr;
    std::vector<char> done(seen_.opened.blocks.size());
    std::vector<int> work;
    /// Whether some event in the part of the block may have set it; goes on to those before.
    const auto set_in = [&](int at, const event* until) {
      const auto& events = seen_.opened.blocks[static_cast<std::size_t>(at)].events;
      auto n = events.size();
      while (until && n > 0 && &events[n - 1] != until) --n;
      while (n-- > 0) {
        if (is_made_empty(seen_.all, events[n], id)) {
          made = &events[n];
          return false;
        }
        if (may_set(seen_.all, events[n], id)) return true;
      }
      const auto& before = comes_before(at);
      work.insert(work.end(), before.begin(), before.end());
      return false;
    };
    if (set_in(block, &read)) return nullptr;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (std::exchange(done[static_cast<std::size_t>(at)], 1)) continue;
      if (set_in(at, nullptr)) return nullptr;
    }
    return made;
  }

  const std::vector<int>& comes_before(int block) {
    if (before_.empty()) {
      before_.resize(seen_.opened.blocks.size());
      for (std::size_t from = 0; from < seen_.opened.blocks.size(); ++from) {
        for (const int to : seen_.opened.blocks[from].successors) {
          if (to >= 0) before_[static_cast<std::size_t>(to)].push_back(static_cast<int>(from));
        }
      }
    }
    return before_[static_cast<std::size_t>(block)];
  }

  void say(const event& read, const event& made, const sink& report) const {
    diagnostic d;
    d.code = 414;
    d.how = severity::error;
    d.headline =
        "handle in " + quoted(seen_.all.var(read.object.root).name) + " is absent on every rank";
    d.primary = {read.object_at, "read here, before it is set"};
    d.secondary.push_back({made.at, "made here, without a handle"});
    d.help = "register it before";
    report(std::move(d));
  }

  const whole_function& seen_;
  std::vector<std::vector<int>> before_;  // what comes before each block
};

void look(const whole_function& seen, const sink& report) {
  too_early(seen).look(report);
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
    const bool value = e.kind == event_kind::move ||
                       (is_made(e) ? !holds_nothing(seen.all, e.result_value) : e.other.known());
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
    .explanation =
        "A `std::optional` handle that only some ranks set is empty on the others, and one "
        "that is read too early\nis empty on all.\n",
    .at_function = look};

}  // namespace deed::check
