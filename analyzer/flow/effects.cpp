// SPDX-License-Identifier: MIT
#include "flow/effects.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace deed::check {
namespace {

bool is_lock(const event& e) {
  static constexpr std::array<std::string_view, 5> names{"lock_guard", "unique_lock", "scoped_lock",
                                                         "shared_lock", "lock"};
  return e.standard && std::ranges::find(names, e.name) != names.end();
}

bool writes_memory(effect use) {
  return use == effect::write || use == effect::read_write || use == effect::grow;
}
bool reads_memory(effect use) { return use == effect::read || use == effect::read_write; }

class collector {
 public:
  collector(const program& all, const function& own, const function& opened)
      : all_(all), own_(own), f_(opened) {
    for (const variable_id id : own.parameters) {
      parameter_effects p;
      p.id = id;
      p.used = all.var(id).used && !all.var(id).name.empty();
      result_.parameters.push_back(p);
    }
  }

  body_effects run() {
    note_holders();
    for (const block& b : f_.blocks) {
      for (const event& e : b.events) look(e);
    }
    for (parameter_effects& p : result_.parameters) {
      if (p.used && only_handed_on(p.id)) p.used = false;
    }
    for (parameter_effects& p : result_.parameters) p.read_first = first_read(p.id);
    result_.always_throws = always_throws();
    return std::move(result_);
  }

 private:
  parameter_effects* parameter(const path& p) {
    for (parameter_effects& one : result_.parameters) {
      if (p.known() && one.id == p.root) return &one;
    }
    return nullptr;
  }

  /// The parameter that an object is, or holds a view of.
  parameter_effects* source(const path& p) {
    if (parameter_effects* const own = parameter(p)) return own;
    const auto held = holders_.find(p.root);
    return held == holders_.end() ? nullptr : parameter({held->second, {}});
  }

  /// Where an object gets a view, or one that holds some: `use(object, what it is given)`.
  template <class Use>
  void each_kept(const event& e, const Use& use) const {
    if (e.kind == event_kind::assign && e.keeps_view) use(e.object, e.other);
    const bool of_view =
        holders_.contains(e.object.root) || all_.var(e.object.root).kind == noun::view;
    if (e.kind == event_kind::move && of_view) use(e.other, e.object);
    if (e.kind != event_kind::call || !e.keeps_view) return;
    for (const operand& o : e.arguments) {
      if (o.view) use(e.receiver.where, o.where);
    }
  }

  /// Local objects that hold a view of a parameter, unless they are given more than one value.
  void note_holders() {
    std::map<variable_id, int> values;
    for (const block& b : f_.blocks) {
      for (const event& e : b.events) {
        const path& into = e.kind == event_kind::move ? e.other : e.object;
        const bool given = e.kind == event_kind::assign || e.kind == event_kind::move;
        if (given && into.known() && into.parts.empty()) ++values[into.root];
      }
    }
    bool more = true;
    const auto note = [&](const path& into, const path& from) {
      const variable& target = all_.var(into.root);
      if (!into.known() || target.global || target.persistent || target.parameter) return;
      const parameter_effects* const of = values[into.root] > 1 ? nullptr : source(from);
      if (of) more |= holders_.try_emplace(into.root, of->id).second;
    };
    while (std::exchange(more, false)) {
      for (const block& b : f_.blocks) {
        for (const event& e : b.events) each_kept(e, note);
      }
    }
  }

  /// Whether the body gives the parameter to functions that are known, and they do nothing with it.
  bool only_handed_on(variable_id id) const {
    const auto mentions = [&](const event& e) {
      const auto on = [&](const operand& o) { return o.where.root == id; };
      return e.object.root == id || e.other.root == id || on(e.receiver) ||
             std::ranges::any_of(e.arguments, on);
    };
    const auto in = [&](const function& f) {
      return std::ranges::any_of(
          f.blocks, [&](const block& b) { return std::ranges::any_of(b.events, mentions); });
    };
    return in(own_) && !in(f_);
  }

  void touch(const path& object, effect use, const event& e) {
    parameter_effects* p = parameter(object);
    if (!p) return;
    if (use == effect::unknown || use == effect::address) p->unknown = true;
    if (reads_memory(use) && !p->read) p->read = &e;
    if (writes_memory(use) && !p->write) p->write = &e;
    if (use == effect::write && !p->assignment) p->assignment = &e;
  }

  /// Whether a body waits for the threads that it starts. A `jthread` is joined where it ends.
  bool joins(const event& started) const {
    const auto is_join = [](const event& e) { return e.standard && e.name == "join"; };
    return started.name == "jthread" || std::ranges::any_of(f_.blocks, [&](const block& b) {
             return std::ranges::any_of(b.events, is_join);
           });
  }

  /// A thread may go on when the task has ended.
  void start_thread(const event& e) {
    for (const operand& o : e.arguments) {
      parameter_effects* const p = o.view ? source(o.where) : nullptr;
      if (!p || p->escape || joins(e)) continue;
      p->escape = &e;
      p->kept_in = {};
    }
  }

  /// `into` becomes what `from` is, or reaches it.
  void keep(const event& e, const path& into, const path& from) {
    parameter_effects* const p = source(from);
    if (!p || !into.known()) return;
    const variable& target = all_.var(into.root);
    const bool datum = parameter(into) != nullptr && into.root != p->id &&
                       (target.reference || !into.parts.empty());
    if (target.global || target.persistent || datum) {
      if (p->escape && p->kept_in.known()) return;
      p->kept_in = into;  // Also of a thread: that says more than where it starts.
      p->escape = &e;
    } else {
      p->unknown = true;  // It goes on under another name.
    }
  }

  void look(const event& e) {
    if (e.kind == event_kind::access) {
      touch(e.object, e.use, e);
      const variable& v = all_.var(e.object.root);
      if (e.name == "static" || v.persistent) {
        if (!v.guarded && e.name == "static") result_.remembering.push_back(&e);
      } else if (v.global && !v.constant && v.kind == noun::none) {
        if (writes_memory(e.use) && !v.guarded)
          result_.global_writes.push_back(&e);
        else if (reads_memory(e.use))
          result_.global_reads.push_back(&e);
      }
      return;
    }
    each_kept(e, [&](const path& into, const path& from) { keep(e, into, from); });
    if (e.kind == event_kind::assign && all_.var(e.object.root).view) {
      if (parameter_effects* const p = parameter(e.other)) p->unknown = true;
    }
    if (e.kind != event_kind::call) return;
    if (is_lock(e)) result_.locks = true;
    if (e.starts_thread && e.keeps_view) start_thread(e);
    if (e.words.has(verb::blocks)) result_.blocking.push_back(&e);
    if (e.ends_process) result_.ending.push_back(&e);
    if (e.keeps_state) result_.remembering.push_back(&e);
    touch(e.receiver.where, e.receiver.use, e);
    const variable& of = all_.var(e.receiver.where.root);
    const bool shared = of.global && !of.constant && !of.guarded && of.kind == noun::none;
    if (shared && e.receiver.use == effect::grow) result_.global_writes.push_back(&e);
    for (const operand& o : e.arguments) touch(o.where, o.use, e);
  }

  /// Whether an event may write the parameter, or do what is not seen.
  bool may_write(const event& e, variable_id id) const {
    const auto on = [&](const path& p, effect use) {
      return p.root == id && (writes_memory(use) || use == effect::unknown);
    };
    if (e.kind == event_kind::access) return on(e.object, e.use);
    // Under the name of a pointer it goes on unseen.
    if (e.kind == event_kind::assign) return e.other.root == id && e.keeps_view;
    if (e.kind != event_kind::call) return false;
    if (on(e.receiver.where, e.receiver.use)) return true;
    return std::ranges::any_of(e.arguments, [&](const operand& o) { return on(o.where, o.use); });
  }

  /// The `throw` of a block that leaves the body: its own, or that of a function which it calls.
  const event* thrown_out_of(const block& b) const {
    const auto thrown = std::ranges::find_if(
        b.events, [](const event& e) { return e.kind == event_kind::leave && e.thrown; });
    if (thrown == b.events.end() || thrown->depth > 1) return nullptr;
    const bool caught =
        std::ranges::any_of(b.successors, [&](int next) { return next >= 0 && next != f_.exit; });
    return caught || (thrown->depth == 1 && may_catch(own_)) ? nullptr : &*thrown;
  }

  /// The first exception that leaves the body, if every way through it ends in one.
  const event* always_throws() const {
    std::vector<char> seen(f_.blocks.size());
    std::vector<int> work{f_.entry};
    const event* first = nullptr;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (at < 0 || std::exchange(seen[static_cast<std::size_t>(at)], 1)) continue;
      if (at == f_.exit) return nullptr;
      const block& b = f_.blocks[static_cast<std::size_t>(at)];
      if (const event* const thrown = thrown_out_of(b)) {
        if (!first || thrown->at < first->at) first = thrown;
        continue;
      }
      work.insert(work.end(), b.successors.begin(), b.successors.end());
    }
    return first;
  }

  /// A read that every path reaches with nothing written before.
  const event* first_read(variable_id id) const {
    std::vector<char> written(f_.blocks.size()), seen(f_.blocks.size());
    std::vector<int> work{f_.entry};
    seen[static_cast<std::size_t>(f_.entry)] = 1;
    while (!work.empty()) {
      const auto at = static_cast<std::size_t>(work.back());
      work.pop_back();
      bool after = written[at] != 0;
      for (const event& e : f_.blocks[at].events) after = after || may_write(e, id);
      for (const int next : f_.blocks[at].successors) {
        if (next < 0) continue;
        const auto to = static_cast<std::size_t>(next);
        const bool more = after && !written[to];
        if (seen[to] && !more) continue;
        seen[to] = 1;
        if (after) written[to] = 1;
        work.push_back(next);
      }
    }
    const event* best = nullptr;
    for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
      if (!seen[i] || written[i]) continue;
      for (const event& e : f_.blocks[i].events) {
        const bool read =
            e.kind == event_kind::access && e.object.root == id && reads_memory(e.use);
        if (read && (!best || e.at < best->at)) best = &e;
        if (read || may_write(e, id)) break;
      }
    }
    return best;
  }

  const program& all_;
  const function& own_;
  const function& f_;
  body_effects result_;
  std::map<variable_id, variable_id> holders_;  // of views of which parameter
};

}  // namespace

body_effects effects_of(const program& all, const function& own, const function& opened) {
  return collector(all, own, opened).run();
}

}  // namespace deed::check
