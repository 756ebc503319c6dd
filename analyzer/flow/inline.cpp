// SPDX-License-Identifier: MIT
#include "flow/inline.hpp"

#include "flow/control.hpp"

#include <algorithm>
#include <utility>

namespace deed::check {
namespace {

constexpr std::size_t most_blocks = 4000;
constexpr int deepest = 8;

operand renamed(operand o, const substitution& names) {
  o.where = substituted(o.where, names);
  o.storage = substituted(o.storage, names);
  o.value = substituted(o.value, names);
  return o;
}
event renamed(event e, const substitution& names) {
  if (names.empty()) return e;
  e.receiver = renamed(std::move(e.receiver), names);
  for (operand& o : e.arguments) o = renamed(std::move(o), names);
  e.result = substituted(e.result, names);
  e.object = substituted(e.object, names);
  e.other = substituted(e.other, names);
  e.result_value = substituted(e.result_value, names);
  return e;
}

/// `std::exit(1)`, `std::abort()`: the launcher ends the other ranks, too.
bool is_failure(const event& e) {
  if (!ends_process(e)) return false;
  const value_ref status = e.arguments.empty() ? nullptr : e.arguments[0].value;
  return !(status && status->what == value::kind::constant && status->number == 0);
}

class inliner {
 public:
  inliner(const program& all, function& out) : all_(all), out_(out) {}

  /// Copies `from`; returns its entry. `after`: where control goes at its end, -1 for the root.
  int copy(const function& from, const substitution& names, int after, const event* call,
           span called_from, int depth) {
    stack_.push_back(&from);
    const bool caught_outside = std::exchange(caught_, caught_ || may_catch(from));
    const int first = static_cast<int>(out_.blocks.size());
    out_.blocks.resize(out_.blocks.size() + from.blocks.size());
    const auto renumber = [&](int id) { return id < 0 ? id : first + id; };
    if (after < 0) {
      out_.exit = renumber(from.exit);
      after = -1;
    }
    for (std::size_t i = 0; i < from.blocks.size(); ++i) {
      const block& old = from.blocks[i];
      int now = first + static_cast<int>(i);
      bool throws = false, fails = false;
      for (const event& e : old.events) {
        fails = fails || is_failure(e);
        event copied = renamed(e, names);
        copied.depth = depth;
        copied.called_from = called_from;
        throws = throws || (e.kind == event_kind::leave && e.thrown);
        if (e.kind == event_kind::leave && depth > 0 && !e.thrown) {
          copied.gives_up =
              e.object.known() && e.object.root == copied.object.root && is_own(e.object.root);
          give_back(copied, *call, now);
          continue;
        }
        const function* callee = body_for(copied);
        if (!callee) {
          at(now).events.push_back(std::move(copied));
          continue;
        }
        now = enter(*callee, copied, names, now, depth > 0 ? called_from : copied.at, depth);
      }
      block& last = at(now);
      last.condition = substituted(old.condition, names);
      last.condition_at = old.condition_at;
      last.how = old.how;
      last.unordered = old.unordered;
      for (const int next : old.successors) last.successors.push_back(renumber(next));
      const bool caught = std::ranges::any_of(
          old.successors, [&](int next) { return next >= 0 && next != from.exit; });
      if (throws && !caught) last.successors = {out_.exit};
      last.ends_job = fails || (throws && !caught && !caught_outside);
      if (static_cast<int>(i) == from.exit && after >= 0) last.successors = {after};
    }
    caught_ = caught_outside;
    stack_.pop_back();
    return renumber(from.entry);
  }

 private:
  block& at(int id) { return out_.blocks[static_cast<std::size_t>(id)]; }

  const function* body_for(const event& e) const {
    if (e.kind != event_kind::call || !e.words.empty() || e.function.empty()) return nullptr;
    const function* callee = all_.find(e.function);
    if (!callee || stack_.size() >= deepest || out_.blocks.size() > most_blocks) return nullptr;
    if (std::ranges::find(stack_, callee) != stack_.end()) return nullptr;
    return callee;
  }

  /// The call in block `now`: binds the parameters and returns the block that follows the call.
  /// A lambda names variables of the functions around it, so what those stand for stays known.
  int enter(const function& callee, const event& call, substitution names, int now,
            span called_from, int depth) {
    std::vector<event> before, behind;
    if (callee.self != 0 && call.receiver.where.known())
      names.variables[callee.self] = call.receiver.where;
    if (callee.result != 0 && call.result.known()) names.variables[callee.result] = call.result;
    for (const operand& given : call.arguments) {
      if (given.parameter < 0 || given.parameter >= static_cast<int>(callee.parameters.size())) {
        continue;
      }
      const variable_id id = callee.parameters[static_cast<std::size_t>(given.parameter)];
      const variable& parameter = all_.var(id);
      if ((parameter.reference || parameter.view) && given.where.known()) {
        names.variables[id] = given.where;
        continue;
      }
      event bound;
      bound.at = bound.name_at = given.at;
      bound.depth = depth;
      bound.called_from = called_from;
      bound.other = given.where;
      if (given.kind == noun::none || given.kind == noun::view || is_number(given.kind)) {
        bound.kind = event_kind::assign;
        bound.object = {id, {}};
        bound.result_value = given.value;
        const bool temporary = given.where.parts.empty() && all_.var(given.where.root).name.empty();
        const bool given_away = given.moved || temporary;
        if (given_away && given.where.known()) {
          before.push_back(bound);
          bound.kind = event_kind::move;
          bound.object = given.where;
          bound.other = {id, {}};
        }
      } else {
        bound.kind = event_kind::move;
        bound.object = given.where;
        bound.other = {id, {}};
        if (!given.where.known()) continue;
        event ended = bound;
        ended.kind = event_kind::scope_end;
        ended.object = {id, {}};
        behind.push_back(std::move(ended));
      }
      before.push_back(std::move(bound));
    }
    std::ranges::move(before, std::back_inserter(at(now).events));
    const int rest = static_cast<int>(out_.blocks.size());
    out_.blocks.emplace_back();
    std::ranges::move(behind, std::back_inserter(at(rest).events));
    const int entry = copy(callee, names, rest, &call, called_from, depth + 1);
    at(now).successors = {entry};
    return rest;
  }

  /// Whether an object ends with the function in which it stands.
  bool is_own(variable_id id) const {
    const variable& v = all_.var(id);
    return !v.global && !v.persistent && !v.reference && !v.view;
  }

  /// `return x;` of a callee: `x` becomes the result of the call.
  void give_back(const event& leave, const event& call, int now) {
    if (!call.result.known()) {
      if (leave.result_value) give_value(leave, call, now);
      return;
    }
    if (leave.object.known() && key(leave.object) == key(call.result)) return;
    const bool moved = leave.object.known() && all_.var(leave.object.root).kind != noun::none;
    if (!moved && !leave.object.known() && !leave.result_value) return;
    event given = leave;
    given.kind = moved ? event_kind::move : event_kind::hand_back;
    given.other = call.result;
    at(now).events.push_back(std::move(given));
  }

  /// What a call is worth that no object takes: `if (norm(x) < 1)`.
  void give_value(const event& leave, const event& call, int now) {
    event given = leave;
    given.kind = event_kind::hand_back;
    given.name_at = call.at;
    given.object = given.other = {};
    at(now).events.push_back(std::move(given));
  }

  const program& all_;
  function& out_;
  std::vector<const function*> stack_;
  bool caught_ = false;  // one of them may catch what is thrown in a call
};

/// Through reference members: `one.session.rank` is `session.rank`.
path followed(path p, const substitution& names) {
  constexpr int longest = 8;  // A member may be bound to a member.
  for (int steps = 0; steps < longest; ++steps) {
    const auto object = names.members.find(p.root);
    if (object == names.members.end()) return p;
    path member{p.root, {}};
    const path* target = nullptr;
    for (const part& step : p.parts) {
      if (step.what != part::kind::field) break;
      member.parts.push_back(step);
      const auto it = object->second.find(key(member));
      if (it == object->second.end()) continue;
      target = &it->second;
      break;
    }
    if (!target || !target->known()) return p;
    path whole = *target;
    whole.parts.insert(whole.parts.end(),
                       p.parts.begin() + static_cast<std::ptrdiff_t>(member.parts.size()),
                       p.parts.end());
    p = std::move(whole);
  }
  return p;
}

/// What each reference member is bound to; one that is bound to several stands for none.
substitution bound_in(const function& f) {
  substitution found;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::bind || key(e.object).empty()) continue;
      auto& members = found.members[e.object.root];
      const auto [it, is_new] = members.try_emplace(key(e.object), e.other);
      if (!is_new && (key(e.other).empty() || key(it->second) != key(e.other))) it->second = {};
    }
  }
  return found;
}

void follow_references(function& f) {
  const substitution members = bound_in(f);
  if (members.empty()) return;
  for (block& b : f.blocks) {
    b.condition = substituted(b.condition, members);
    for (event& e : b.events) {
      if (e.kind != event_kind::bind) e = renamed(std::move(e), members);
    }
  }
}

}  // namespace

path substituted(const path& p, const substitution& names) {
  path result = p;
  for (part& step : result.parts) {
    for (value_ref& index : step.indices) index = substituted(index, names);
  }
  const auto it = names.variables.find(p.root);
  if (it != names.variables.end()) {
    path whole = it->second;
    whole.parts.insert(whole.parts.end(), result.parts.begin(), result.parts.end());
    result = std::move(whole);
  }
  return followed(std::move(result), names);
}

value_ref substituted(const value_ref& v, const substitution& names) {
  if (!v || names.empty()) return v;
  if (v->what == value::kind::constant || v->what == value::kind::rank) return v;
  value copy = *v;
  copy.where = substituted(v->where, names);
  for (value_ref& one : copy.arguments) one = substituted(one, names);
  for (token_use& token : copy.tokens) token.datum = substituted(token.datum, names);
  return std::make_shared<const value>(std::move(copy));
}

std::unique_ptr<function> inlined(const program& all, const function& root) {
  auto out = std::make_unique<function>();
  out->usr = root.usr;
  out->name = root.name;
  out->at = root.at;
  out->parameters = root.parameters;
  out->self = root.self;
  out->result = root.result;
  out->body_of_lambda = root.body_of_lambda;
  out->in_root = root.in_root;
  out->address_taken = root.address_taken;
  out->entry = inliner(all, *out).copy(root, {}, -1, nullptr, {}, 0);
  follow_references(*out);
  return out;
}

bool is_cut(const program& all, const function& opened) {
  const auto closed = [&](const event& e) {
    return e.kind == event_kind::call && e.words.empty() && !e.function.empty() &&
           all.find(e.function) != nullptr;
  };
  return opened.blocks.size() > most_blocks ||
         std::ranges::any_of(opened.blocks,
                             [&](const block& b) { return std::ranges::any_of(b.events, closed); });
}

bool ends_process(const event& e) {
  return e.kind == event_kind::call && e.ends_process && e.name != "longjmp";
}

}  // namespace deed::check
