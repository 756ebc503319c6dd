// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"

#include "flow/walks.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace deed::check {
namespace {

fact make(about what, const path& subject, const event& because) {
  fact f;
  f.what = what;
  f.subject = key(subject);
  f.subject_path = subject;
  f.because = &because;
  return f;
}

/// Element paths with indices that may change mean another object later.
bool lasts(const path& p) {
  if (!p.known()) return false;
  for (const part& step : p.parts) {
    if (step.what == part::kind::element) return false;
    for (const value_ref& index : step.indices) {
      const bool same =
          index && (index->what == value::kind::constant || index->what == value::kind::text);
      if (!same) return false;
    }
    if (step.what == part::kind::index && step.indices.empty()) return false;
  }
  return true;
}

/// An object becomes another one. Where that is an element that may be any, each of them may be.
void renew(const path& object, state& now) {
  if (lasts(object)) return now.forget_states(key(object));
  path list{object.root, {}};
  for (const part& step : object.parts) {
    path longer = list;
    longer.parts.push_back(step);
    if (!lasts(longer)) break;
    list = std::move(longer);
  }
  now.forget_parts(key(list));
}

void note(state& now, about what, const path& subject, const event& because) {
  if (lasts(subject)) now.add(make(what, subject, because));
}

bool counts_with(const value_ref& v, variable_id counter) {
  if (!v) return false;
  const auto in = [&](const value_ref& one) { return counts_with(one, counter); };
  return v->where.root == counter || std::ranges::any_of(v->arguments, in);
}

bool numbered_with(const path& element, variable_id counter) {
  return std::ranges::any_of(element.parts, [&](const part& step) {
    return std::ranges::any_of(step.indices,
                               [&](const value_ref& v) { return counts_with(v, counter); });
  });
}

/// A list or a counter becomes another one, and with it `tiles[k]`.
void renumber(variable_id changed, state& now) {
  if (changed == 0) return;
  now.remove_if([&](const fact& f) {
    if (f.what != about::moved && f.what != about::partitioned) return false;
    const path& element = f.subject_path;
    return !lasts(element) && (element.root == changed || numbered_with(element, changed));
  });
}

/// Whether an event may give a list other elements. Tokens and what reads it do not.
void renumber(const event& e, state& now) {
  if (e.kind == event_kind::use || e.kind == event_kind::access) return;
  if (e.kind != event_kind::call) {
    renumber(e.object.root, now);
    return renumber(e.other.root, now);
  }
  const bool element = e.name == "operator()" || e.name == "operator[]";
  const bool asks = element || (e.standard && e.receiver.use != effect::grow);  // `tiles.size()`
  if (e.words.empty() && !asks) renumber(e.receiver.where.root, now);
  for (const operand& o : e.arguments) {
    if (o.kind == noun::none && o.use != effect::read && o.use != effect::none)
      renumber(o.where.root, now);
  }
}

void note_element(state& now, about what, const path& element, const event& because) {
  if (is_numbered(element)) now.add(make(what, element, because));
}

/// What a session makes is used through it, too.
void note_session(const event& e, state& now) {
  if (e.receiver.kind != noun::session || !lasts(e.receiver.where) || !lasts(e.result)) return;
  fact f = make(about::of_session, e.result, e);
  f.other = key(e.receiver.where);
  f.other_path = e.receiver.where;
  now.add(std::move(f));
}

void begin_handle(const event& e, state& now) {
  now.forget(key(e.result));
  note(now, about::live, e.result, e);
  const word* registers = e.words.find(verb::registers);
  if (registers->operand == "uninitialised") note(now, about::unset, e.result, e);
  bool owned = e.receiver.kind != noun::session;
  for (const operand& o : e.arguments) {
    if (o.kind == noun::owner) owned = true;
    if (!o.storage.known() || !lasts(o.storage) || !lasts(e.result)) continue;
    fact f = make(about::in_place, e.result, e);
    f.other = key(o.storage);
    f.other_path = o.storage;
    now.add(std::move(f));
  }
  if (!owned) note(now, about::per_rank, e.result, e);
  note_session(e, now);
}

/// A task or a message uses a datum, now or later.
void use_datum(const event& e, const operand& token, state& now) {
  const std::string datum = key(token.where);
  const bool later = e.words.has(verb::submits) || e.words.has(verb::posts);
  if (later && datum.empty()) visit(e, token, now);
  if (datum.empty()) return;
  if (reads(token.access)) {
    now.remove(about::unread, datum);
    now.remove(about::reducing, datum);
  }
  if (writes(token.access)) {
    now.remove(about::unset, datum);
    if (e.words.has(verb::submits)) {
      now.remove(about::unread, datum);
      note(now, about::unread, token.where, e);
    }
  }
  if (token.access == mode::reduce) note(now, about::reducing, token.where, e);
  if (!later || !lasts(token.where)) return;
  fact f = make(about::pending, token.where, e);
  f.access = token.access;
  // The last reader and the last writer stand for all: a wait ends all of them.
  f.other = writes(token.access) ? "write" : "read";
  now.remove_if([&](const fact& old) {
    return old.what == about::pending && old.subject == f.subject && old.other == f.other;
  });
  now.add(std::move(f));
  std::vector<fact> lent;
  for (const fact* b : now.all(about::borrowed)) {
    if (b->other == datum && (writes(b->access) || writes(token.access))) lent.push_back(*b);
  }
  for (const fact& b : lent) wait_for_end(b, token.where, e, now);
}

void use_gates(const event& e, state& now) {
  std::optional<path> awaited;
  for (const operand& o : e.arguments) {
    if (!o.words.has(verb::awaits)) continue;
    note(now, about::behind, o.where, e);
    awaited = o.where;
  }
  for (const operand& o : e.arguments) {
    if (!o.words.has(verb::opens) || !lasts(o.where)) continue;
    if (!awaited) {
      note(now, about::opener, o.where, e);
      continue;
    }
    fact f = make(about::leads, *awaited, e);
    f.other = key(o.where);
    f.other_path = o.where;
    now.add(std::move(f));
  }
}

void begin_borrow(const event& e, state& now) {
  for (const operand* token : tokens(e)) {
    const std::string datum = key(token->where);
    if (datum.empty()) continue;
    now.remove_if([&](const fact& f) {
      return f.what == about::pending && f.subject == datum &&
             (writes(f.access) || writes(token->access));
    });
    if (!lasts(e.result) || !lasts(token->where)) continue;
    now.forget(key(e.result));
    fact f = make(about::borrowed, e.result, e);
    f.other = datum;
    f.other_path = token->where;
    f.access = token->access;
    now.add(std::move(f));
  }
}

void end_borrow(const path& borrow, const event& e, state& now) {
  const std::string name = key(borrow);
  const bool was = now.find(about::borrowed, name) != nullptr;
  now.remove(about::borrowed, name);
  now.remove(about::blocked, name);
  if (was) note(now, about::returned, borrow, e);
}

/// A message that opens a gate has come when all of them have.
void messages_open(state& now) {
  std::vector<fact> came;
  for (const fact* opener : now.all(about::opener)) {
    const fact* const made = now.find(about::closed_gate, opener->subject);
    const bool enough = made && opens_once(*made->because);
    if (enough && opener->because->words.has(verb::posts)) came.push_back(*opener);
  }
  for (fact& opened : came) {
    opened.what = about::open_gate;
    now.add(std::move(opened));
  }
}

void wait_for_all(state& now) {
  messages_open(now);
  now.remove_if([](const fact& f) {
    return f.what == about::pending || f.what == about::blocked || f.what == about::behind ||
           f.what == about::opener || f.what == about::leads || f.what == about::reducing;
  });
}

/// Whoever has a gate may open it: then the tasks behind it open theirs.
void give_away(const path& object, state& now) {
  std::vector<fact> links;
  for (const fact* link : now.all(about::leads)) links.push_back(*link);
  now.forget(key(object));
  for (const fact& link : links) {
    if (!now.find(about::leads, link.subject))
      note(now, about::opener, link.other_path, *link.because);
  }
}

/// The gates that a call is given, itself or in what it is given to call, and may open.
std::vector<path> gates_given(const program& all, const event& e, const state& now) {
  std::vector<path> given;
  for (const fact* made : now.all(about::closed_gate)) {
    if (may_open(all, e, made->subject)) given.push_back(made->subject_path);
  }
  return given;
}

void give_gates(const std::vector<path>& gates, const event& e, state& now) {
  for (const path& gate : gates) {
    give_away(gate, now);
    note(now, about::given_gate, gate, e);
  }
}

/// Calls that leave the elements of a container what they are, and where.
bool keeps_elements(const event& growing) {
  static const std::set<std::string_view> names{"push_back", "emplace_back", "reserve", "append",
                                                "shrink_to_fit"};
  // An assignment comes as an event of its own, too.
  return names.contains(growing.name) || growing.name == "operator=";
}

/// A call into the unknown may do anything to what it can reach.
void call_unknown(const program& all, const event& e, state& now) {
  const std::vector<path> gates = gates_given(all, e, now);
  if (e.receiver.kind == noun::none && e.receiver.use == effect::unknown &&
      e.receiver.where.known() && !e.standard) {
    now.forget(key(e.receiver.where));
  }
  if (e.standard && e.receiver.use == effect::grow) {
    if (!keeps_elements(e)) renew(e.receiver.where, now);
    now.remove(about::moved, key(e.receiver.where));  // It is filled once more.
  }
  for (const operand& o : e.arguments) {
    if (!o.where.known() || o.kind == noun::token) continue;
    if (o.kind == noun::session) {
      now.remove_if([](const fact& f) {
        return f.what == about::pending || f.what == about::blocked || f.what == about::behind;
      });
      continue;
    }
    const bool given =
        o.kind != noun::none && o.kind != noun::view && all.var(o.where.root).name.empty();
    if (given) {
      now.forget(key(o.where));
    } else if (o.moved) {
      now.rename(o.where, {});
      note(now, about::moved, o.where, e);
      note_element(now, about::moved, o.where, e);
    } else if (o.use == effect::unknown && all.var(o.where.root).kind != noun::session) {
      give_away(o.where, now);
    }
  }
  give_gates(gates, e, now);
}

void end_object(const event& e, const path& object, about how, state& now) {
  const std::string name = key(object);
  if (name.empty()) return;
  now.forget(name);
  note(now, how, object, e);
}

void modelled_call(const program& all, const event& e, state& now) {
  const auto given = tokens(e);
  give_gates(gates_given(all, e, now), e, now);
  if (e.words.has(verb::registers)) begin_handle(e, now);
  for (const operand* token : given) use_datum(e, *token, now);
  if (e.words.has(verb::submits) || e.words.has(verb::posts)) use_gates(e, now);
  if (e.words.has(verb::lends)) begin_borrow(e, now);
  if (e.words.has(verb::releases, "this")) {
    if (e.receiver.kind == noun::request)
      now.remove(about::started, key(e.receiver.where));
    else
      end_borrow(e.receiver.where, e, now);
  }
  if (e.words.has(verb::waits, "all")) wait_for_all(now);
  if (e.words.has(verb::waits, "this")) {
    now.remove(about::started, key(e.receiver.where));
    note(now, about::completed, e.receiver.where, e);
  }
  if (e.words.has(verb::opens) && e.receiver.kind == noun::gate) {
    const fact* const made = now.find(about::closed_gate, key(e.receiver.where));
    const bool enough = !made || opens_once(*made->because);
    if (enough) now.remove(about::closed_gate, key(e.receiver.where));
    now.remove(about::behind, key(e.receiver.where));
    if (enough) note(now, about::open_gate, e.receiver.where, e);
  }
  if (e.words.has(verb::consumes, "this")) {
    if (e.receiver.kind == noun::session) {
      wait_for_all(now);
      note(now, about::closed, e.receiver.where, e);
    } else {
      end_object(e, e.receiver.where, about::ended, now);
    }
  }
  for (const operand& o : e.arguments) {
    if (o.kind != noun::handle) continue;
    if (e.words.has(verb::splits)) note_element(now, about::partitioned, o.where, e);
    if (!lasts(o.where)) continue;
    if (e.words.has(verb::splits)) end_object(e, o.where, about::partitioned, now);
    if (e.words.has(verb::moves, "migrate")) note(now, about::migrated, o.where, e);
    if (e.words.has(verb::closes)) now.remove(about::reducing, key(o.where));
  }
  if (e.result_kind == noun::request) {
    now.forget(key(e.result));
    note(now, about::started, e.result, e);
    note_session(e, now);
  }
}

/// Who has the address of a handle may write its datum, under no name that is known.
void forget_unset(const path& object, state& now) {
  const std::string name = key(object);
  if (name.empty()) return;
  now.remove_if([&](const fact& f) {
    const bool part = f.subject.starts_with(name + ".") || f.subject.starts_with(name + "[");
    return f.what == about::unset && (part || f.subject == name);
  });
}

/// A pointer or a view is given another value: into a datum that is lent, or elsewhere.
void point_into(const program& all, const event& e, state& now) {
  now.remove(about::reaches, key(e.object));
  const path borrow{e.other.root, {}};
  if (!e.keeps_view || all.var(borrow.root).kind != noun::borrow) return;
  fact f = make(about::reaches, e.object, e);
  f.other = key(borrow);
  f.other_path = borrow;
  now.add(std::move(f));
}

/// What is known on one way out of a branch: `!c` that fails is `c` that holds, and an optional
/// that is none holds nothing.
void assume(value_ref condition, bool holds, state& now) {
  while (condition && condition->what == value::kind::operation && condition->text == "!") {
    condition = condition->arguments[0];
    holds = !holds;
  }
  now.assume({key(condition), holds});
  if (holds || !condition || condition->what != value::kind::operation) return;
  const bool asks = condition->text == "std operator bool" || condition->text == "std has_value";
  if (asks && condition->arguments.size() == 1 &&
      condition->arguments[0]->what == value::kind::variable)
    now.forget(key(condition->arguments[0]->where));
}

}  // namespace

bool is_numbered(const path& p) { return !lasts(p) && !key(p).empty(); }

bool opens_once(const event& made) {
  for (const operand& o : made.arguments) {
    const bool one = !o.value || (o.value->what == value::kind::constant && o.value->number == 1);
    if (!one) return false;
  }
  return true;
}

namespace {

bool opens_gate(const event& e, const std::string& gate) {
  if (e.words.has(verb::opens) && key(e.receiver.where) == gate) return true;
  return std::ranges::any_of(e.arguments, [&](const operand& o) {
    return o.words.has(verb::opens) && key(o.where) == gate;
  });
}

}  // namespace

bool may_open(const program& all, const event& call, const std::string& gate) {
  if (call.kind != event_kind::call) return false;
  const bool known = !call.words.empty();  // Then only what it calls is not looked into.
  return std::ranges::any_of(call.arguments, [&](const operand& o) {
    const function* later = o.callable.empty() ? nullptr : all.find(o.callable);
    const bool opens =
        later && std::ranges::any_of(later->blocks, [&](const block& b) {
          return std::ranges::any_of(b.events, [&](const event& e) { return opens_gate(e, gate); });
        });
    return opens || (!known && o.kind == noun::gate && key(o.where) == gate);
  });
}

std::vector<const operand*> tokens(const event& call) {
  std::vector<const operand*> found;
  for (const operand& o : call.arguments) {
    if (o.kind == noun::token) found.push_back(&o);
  }
  return found;
}

namespace {

/// Whether deed's data are to it what they are to any function: memory that it may look at.
bool outside_deed(const event& call) {
  return call.words.empty() || call.words.has(verb::blocks, "outside") ||
         call.words.has(verb::environment, "local") ||
         (call.words.has(verb::posts) && tokens(call).empty());
}

}  // namespace

void apply(const program& all, const event& e, state& now) {
  renumber(e, now);
  switch (e.kind) {
    case event_kind::call:
      if (outside_deed(e)) {
        if (e.receiver.kind == noun::request) now.remove(about::started, key(e.receiver.where));
        if (e.result_kind == noun::session) note(now, about::open, e.result, e);
        if (e.result_kind == noun::gate) {
          note(now, about::closed_gate, e.result, e);
          note_session(e, now);
        }
        if (e.receiver.kind == noun::none) call_unknown(all, e, now);
        return;
      }
      return modelled_call(all, e, now);
    case event_kind::use:
    case event_kind::bind:
      return;
    case event_kind::access:
      if (e.use == effect::address) forget_unset(e.object, now);
      return;
    case event_kind::hand_back:
      // The data that it names are those of the result now.
      if (e.gives_up && lasts(e.object) && lasts(e.other)) now.rename(e.object, e.other);
      return;
    case event_kind::leave:
      // A handle that is returned lives on, under no name of this function.
      if (e.depth == 0 && e.other.known() && lasts(e.object)) now.rename(e.object, e.other);
      return;
    case event_kind::assign:
      if (e.anew) renew(e.object, now);
      if (e.object.known() && e.object.parts.empty()) {
        now.reconsider("v" + std::to_string(e.object.root));
        point_into(all, e, now);
        begin_walk(e, now);
      }
      return;
    case event_kind::move: {
      const path target = lasts(e.other) ? e.other : path{};
      if (target.known()) now.forget(key(target));
      if (e.other.known() && !target.known()) renew(e.other, now);
      note_element(now, about::moved, e.object, e);
      if (!lasts(e.object)) return;
      now.rename(e.object, target);
      if (all.var(e.object.root).kind != noun::request && !all.var(e.object.root).name.empty()) {
        note(now, about::moved, e.object, e);
      }
      return;
    }
    case event_kind::swap: {
      if (!lasts(e.object) || !lasts(e.other)) {
        now.forget(key(e.object));
        now.forget(key(e.other));
        return;
      }
      const path between{0xffffffffu, {}};
      now.rename(e.object, between);
      now.rename(e.other, e.object);
      now.rename(between, e.other);
      return;
    }
    case event_kind::scope_end: {
      const bool borrow = now.find(about::borrowed, key(e.object)) != nullptr;
      const std::string name = key(e.object);
      if (borrow) {
        end_borrow(e.object, e, now);
      } else if (!name.empty() && !now.find(about::returned, name)) {
        now.forget(name);
      }
      return;
    }
  }
}

namespace {

/// The place of each block in an order in which what comes before a block is done before it.
std::vector<int> forward_order(const function& f) {
  std::vector<int> order(f.blocks.size(), 0);
  std::vector<char> seen(f.blocks.size());
  std::vector<std::pair<int, std::size_t>> stack{{f.entry, 0}};
  seen[static_cast<std::size_t>(f.entry)] = 1;
  int place = static_cast<int>(f.blocks.size());
  while (!stack.empty()) {
    auto& [id, next] = stack.back();
    const auto& successors = f.blocks[static_cast<std::size_t>(id)].successors;
    if (next == successors.size()) {
      order[static_cast<std::size_t>(id)] = place--;
      stack.pop_back();
      continue;
    }
    const int to = successors[next++];
    if (to < 0 || seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = 1;
    stack.emplace_back(to, 0);
  }
  return order;
}

/// Whether a block is the head of a loop: some way leads back to it.
std::vector<char> loop_heads(const function& f, const std::vector<int>& order) {
  std::vector<char> heads(f.blocks.size());
  for (std::size_t from = 0; from < f.blocks.size(); ++from) {
    if (order[from] == 0) continue;  // Nobody gets here.
    for (const int to : f.blocks[from].successors) {
      const auto t = static_cast<std::size_t>(to);
      if (to >= 0 && order[t] <= order[from] && f.blocks[t].how == split::loop &&
          f.blocks[t].successors.size() == 2)
        heads[t] = 1;
    }
  }
  return heads;
}

/// Facts carried through blocks of one function, some seconds of work: larger ones are given up.
constexpr std::size_t most_facts = 10'000'000;

/// Takes in what arrives at a block. Whether anything changed.
bool arrive(std::optional<state>& there, state arriving) {
  if (there) return there->join(arriving);
  there = std::move(arriving);
  return true;
}

}  // namespace

bool walk(const program& all, const function& f,
          const std::function<void(const event&, const state&)>& look) {
  const std::vector<int> order = forward_order(f);
  const std::vector<char> heads = loop_heads(f, order);
  std::vector<std::optional<state>> before(f.blocks.size());
  // A loop is taken to run at least once: what is true on the way around it alone is no finding.
  // So what leaves it is what came back to its head.
  std::vector<std::optional<state>> came_back(f.blocks.size());
  std::set<std::pair<int, int>> work{{order[static_cast<std::size_t>(f.entry)], f.entry}};
  before[static_cast<std::size_t>(f.entry)].emplace();
  std::size_t steps = 0, facts = 0;
  const std::size_t most = 40 * f.blocks.size() + 1000;
  const auto pass = [&](int from, state now, const auto& see) {
    const block& b = f.blocks[static_cast<std::size_t>(from)];
    for (const event& e : b.events) {
      see(e, now);
      apply(all, e, now);
    }
    return now;
  };
  const auto ignore = [](const event&, const state&) {};
  while (!work.empty() && ++steps < most && facts < most_facts) {
    const int id = work.begin()->second;
    work.erase(work.begin());
    const block& b = f.blocks[static_cast<std::size_t>(id)];
    const auto here = static_cast<std::size_t>(id);
    facts += before[here]->size();
    state after = pass(id, *before[here], ignore);
    for (std::size_t i = 0; i < b.successors.size(); ++i) {
      const int next = b.successors[i];
      if (next < 0 || (heads[here] && i == 1 && !came_back[here])) continue;
      const bool last = i + 1 == b.successors.size();
      state arriving = heads[here] && i == 1 ? pass(id, *came_back[here], ignore)
                       : last                ? std::move(after)
                                             : after;
      if (b.successors.size() == 2 && b.how == split::branch) {
        assume(b.condition, i == 0, arriving);
      }
      if (heads[here] && i == 1) end_walk(b.condition, arriving);
      const auto to = static_cast<std::size_t>(next);
      const bool back = heads[to] && order[to] <= order[here];
      bool changed = back && arrive(came_back[to], arriving);
      changed |= arrive(before[to], std::move(arriving));
      if (changed) work.emplace(order[static_cast<std::size_t>(next)], next);
    }
  }
  if (!work.empty()) return false;  // Too large to be sure of anything.
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    if (before[i]) pass(static_cast<int>(i), *before[i], look);
  }
  return true;
}

}  // namespace deed::check
