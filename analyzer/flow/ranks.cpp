// SPDX-License-Identifier: MIT
#include "flow/ranks.hpp"

#include "flow/evaluate.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace deed::check {
namespace {

constexpr std::size_t most_calls = 4000;
constexpr std::size_t most_steps = 60000;

/// Whether it names all ranks by a constant, for which it needs no session.
bool names_all_ranks(const function& f) {
  const auto all = [](const operand& o) { return o.kind == noun::session && o.name == "whole"; };
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      if (std::ranges::any_of(e.arguments, all)) return true;
    }
  }
  return false;
}

/// Runs one rank. Data are followed by name, so that a moved handle is still the same datum.
class runner_of_one : public numbers {
 public:
  runner_of_one(const program& all, const function& f, const control& decisions,
                const control& unthrown, int rank, int ranks, bool open_ways, bool given)
      : numbers(all, rank, ranks),
        all_(all),
        f_(f),
        decisions_(decisions),
        unthrown_(unthrown),
        open_ways_(open_ways),
        given_(given),
        without_session_(names_all_ranks(f)) {}

  rank_run run() {
    for (const variable_id id : f_.parameters) {
      if (all_.var(id).kind == noun::arguments) begin_arguments({id, {}});
    }
    int id = f_.entry;
    for (std::size_t steps = 0; id >= 0 && steps < most_steps; ++steps) {
      const block& b = f_.blocks[static_cast<std::size_t>(id)];
      block_ = id;
      for (const event& e : b.events) {
        happen(e, id);
        if (e.words.has(verb::environment, "ends_all")) return std::move(result_);
        if (e.kind == event_kind::leave) {
          if (e.thrown || decisions_.meets_at(id) != f_.exit || !only_way(id)) result_.left = &e;
          result_.complete = !e.thrown && is_whole();
          if (e.thrown && is_whole()) result_.thrown = &e;
          return std::move(result_);
        }
        if (result_.calls.size() > most_calls) {
          give_up(e.at, "more calls than are followed, up to here");
          return std::move(result_);
        }
      }
      if (id == f_.exit) {
        result_.complete = is_whole();
        return std::move(result_);
      }
      id = next_of(id, b);
      if (id >= 0 && steps + 1 == most_steps)
        give_up(place_of(b), "more steps than are followed, up to here");
    }
    return std::move(result_);
  }

 protected:
  outcome owner_of(const path& where) override {
    const datum d = datum_of(where);
    if (d.per_rank) return {rank(), false};
    return {d.owner, d.owner.has_value()};
  }

  /// What a borrow reads of a datum with an owner is the same version wherever it is read.
  outcome content(const path& borrow) override {
    const auto lent = borrows_.find(resolved(borrow));
    return {std::nullopt, lent != borrows_.end() && lent->second};
  }

  outcome guard(const value& v) override {
    bool here = false;
    for (const token_use& token : v.tokens) {
      const datum d = datum_of(token.datum);
      if (!d.per_rank && !d.owner) return {};
      here = here || d.per_rank || d.owner == rank();
    }
    for (const value_ref& runner : v.arguments) {
      const outcome where = evaluate(runner);
      if (!where.number) return {};
      here = here || *where.number == rank();
    }
    if (v.tokens.empty()) return {};
    if (v.text == "participant" && !here) {
      std::vector<datum_use> skipped;
      for (const token_use& token : v.tokens) {
        skipped.push_back({nullptr, token.access, datum_of(token.datum), {}});
      }
      result_.skipped.push_back(std::move(skipped));
    }
    return {here, false};
  }

 private:
  /// Whether no other call may have sent, received or taken a step. A function without words and
  /// body may, where messages need no session that it would have to be given.
  bool is_whole() const { return !open_ended_ && !(without_session_ && foreign_); }

  /// All ranks are given the same. Without any, the numbers are known that the program has then.
  void begin_arguments(const path& arguments) {
    set(arguments, {std::nullopt, true, true});
    if (!given_) set(length_of(arguments), {0, true});
  }

  void give_up(const span& at, const char* why) {
    if (!result_.gave_up.at.known()) result_.gave_up = {at, why, block_};
  }

  static span place_of(const block& b) {
    return b.condition_at.known() || b.events.empty() ? b.condition_at : b.events.back().at;
  }

  bool only_way(int id) const { return decisions_.direct_deciders(id).empty(); }

  datum datum_of(const path& where) {
    const std::string name = resolved(where);
    if (name.empty()) return {};
    // The longest known prefix: `now(3, 4)` is a part of what was registered as `now`.
    for (std::size_t end = name.size(); end > 0; --end) {
      if (end < name.size() && name[end] != '.' && name[end] != '[') continue;
      const auto it = data_.find(name.substr(0, end));
      if (it == data_.end()) continue;
      datum d = it->second;
      if (end < name.size()) {
        d.name += name.substr(end);
        d.owner.reset();
      }
      return d;
    }
    datum d;
    d.name = name;
    return d;
  }

  outcome evaluate_at(const path& where) {
    value v;
    v.what = value::kind::variable;
    v.where = where;
    return evaluate(std::make_shared<const value>(std::move(v)));
  }

  static bool is_part(const std::string& name, const std::string& of) {
    return name.starts_with(of) &&
           (name.size() == of.size() || name[of.size()] == '.' || name[of.size()] == '[');
  }

  /// It is not known any more which data an object holds.
  void forget_data(const path& object) {
    const std::string name = resolved(object);
    if (!name.empty())
      std::erase_if(data_, [&](const auto& one) { return is_part(one.first, name); });
  }

  /// A rule says where each datum of a list goes.
  void forget_owners(const event& e) {
    for (const operand& o : e.arguments) {
      const std::string list = resolved(o.where);
      for (auto& [name, d] : data_) {
        if (!list.empty() && is_part(name, list)) d.owner.reset();
      }
    }
  }

  /// The data that a container of handles has.
  std::vector<std::string> names_within(const path& container) {
    std::vector<std::string> names;
    const std::string whole = resolved(container) + "[";
    for (auto it = data_.lower_bound(whole); it != data_.end() && it->first.starts_with(whole);
         ++it)
      names.push_back(it->second.name);
    return names;
  }

  void rename(const path& from, const path& to) {
    const std::string old = resolved(from), now = resolved(to);
    if (old.empty()) return forget_data(to);
    std::map<std::string, datum> changed;
    for (const auto& [name, d] : data_) {
      if (is_part(name, old) && !now.empty()) changed[now + name.substr(old.size())] = d;
    }
    forget_data(from);
    forget_data(to);
    for (auto& [name, d] : changed) data_[name] = std::move(d);
    if (const auto it = requests_.find(old); it != requests_.end()) {
      if (!now.empty()) requests_[now] = it->second;
    }
  }

  void happen(const event& e, int id) {
    switch (e.kind) {
      case event_kind::assign:
        return assign(e);
      case event_kind::hand_back:
        return hand_back(e, id);
      case event_kind::move:
        set(e.other, evaluate_at(e.object));
        take_over(e.object, e.other);
        numbers::forget(e.object);
        return rename(e.object, e.other);
      case event_kind::swap: {
        exchange(e.object, e.other);
        const path between{0xffffffffu, {}};
        rename(e.object, between);
        rename(e.other, e.object);
        return rename(between, e.other);
      }
      case event_kind::call:
        return call(e, id);
      default:
        return;
    }
  }

  void hand_back(const event& e, int id) {
    if (!e.other.known()) return;
    handed_back_ = key(e.other);
    if (e.object.known()) {
      set(e.other, evaluate_at(e.object));
      take_over(e.object, e.other);
      rename(e.object, e.other);
    } else {
      give(e.other, e.result_value);
    }
    if (on_own_way(id)) may_differ(e.other);
  }

  void assign(const event& e) {
    if (iterate(e.object, e.result_value)) return;
    // The function that is called was looked into already.
    const std::string object = std::exchange(handed_back_, {});
    const bool is_call = e.result_value && e.result_value->what == value::kind::call;
    const bool handed_back = is_call && !object.empty() && object == key(e.object);
    if (handed_back && (evaluate_at(e.object).uniform || !evaluate(e.result_value).whole)) return;
    give(e.object, e.result_value);
    if (!e.result_value && e.other.known()) take_over(e.other, e.object);
  }

  /// `blocks.emplace(3, std::move(block))` of a map: where the handle is then.
  path put_by_key(const event& e) {
    const bool by_key =
        e.name == "emplace" || e.name == "try_emplace" || e.name == "insert_or_assign";
    if (!by_key || e.arguments.size() != 2 || e.arguments[1].kind != noun::handle) return {};
    path element = e.receiver.where;
    if (!e.arguments[0].value || !element.known()) return {};
    element.parts.push_back({part::kind::index, "operator[]", {e.arguments[0].value}});
    return resolved(element).empty() ? path{} : element;
  }

  bool on_own_way(int id) const {
    return std::ranges::any_of(decisions_.deciders(id),
                               [&](int by) { return result_.own_ways.contains(by); });
  }

  /// Whether a container has as many elements behind it on all ranks, if it had before.
  bool grows_alike(const event& e, int id) {
    return !on_own_way(id) && std::ranges::all_of(e.arguments, [&](const operand& o) {
      return o.kind != noun::none || evaluate(o.value).uniform ||
             (!o.value && evaluate_at(o.where).uniform);
    });
  }

  /// By how many elements is not known. What is given is copied, or taken.
  void grow_unknown(const event& e, int id) {
    const bool alike = evaluate_at(e.receiver.where).uniform && grows_alike(e, id);
    numbers::forget(e.receiver.where);
    for (const operand& o : e.arguments) {
      if (o.moved && o.kind == noun::none) numbers::forget(o.where);
    }
    if (alike) grow_alike(e.receiver.where);
  }

  bool of_container(const event& e, int id) {
    if (const path element = put_by_key(e); element.known()) {
      // What is there already stays, but for `insert_or_assign`.
      if (e.name == "insert_or_assign" || !data_.contains(resolved(element)))
        rename(e.arguments[1].where, element);
      grow_unknown(e, id);
      return true;
    }
    if (e.receiver.use != effect::grow) {
      if (e.name == "operator++" && e.standard) advance(e.receiver.where);
      return e.name == "operator++";
    }
    const bool of_nothing = e.name == "emplace_back" && e.arguments.empty();
    const bool by_one = of_nothing || ((e.name == "push_back" || e.name == "emplace_back") &&
                                       e.arguments.size() == 1);
    const path element = grow(e.receiver.where, by_one);
    if (!element.known()) {
      grow_unknown(e, id);
      if (e.name == "clear") set(length_of(e.receiver.where), {0, true});
      if (by_one || e.name == "pop_back") return true;
      forget_data(e.receiver.where);  // Elements have gone, or stand elsewhere.
      for (const operand& o : e.arguments) forget_data(o.where);
      return true;
    }
    if (of_nothing) {
      begin_element(element);
      return true;
    }
    const operand& given = e.arguments[0];
    const bool one = given.kind == noun::handle || given.kind == noun::request;
    if (!one) set(element, evaluate(given.value));
    // Of an object, handles may be the members.
    if (one || (given.kind == noun::none && given.moved)) rename(given.where, element);
    return true;
  }

  void call(const event& e, int id) {
    if (e.standard && e.words.empty() && of_container(e, id)) return;
    if (e.words.empty() && !e.standard) {
      foreign_ = true;
      if (without_session_) give_up(e.at, "may send or receive, its body is not known");
    }
    forget_written(e);
    if (e.words.has(verb::releases, "this")) take_back(resolved(e.receiver.where));
    if (calls_what_matters(e)) {
      open_ended_ = true;
      give_up(e.at, "may call what other ranks take part in");
    }
    if (!matters_across_ranks(e)) return;
    // It may be all ranks under another name.
    if (with_other_communicator(e)) {
      open_ended_ = true;
      return give_up(e.at, "with a communicator of some of the ranks");
    }
    occurrence o;
    o.call = &e;
    o.block = id;
    o.of_members = takes(e, noun::within);
    bool owned = e.receiver.kind != noun::session;
    for (const operand& given : e.arguments) {
      switch (given.kind) {
        case noun::token:
          o.uses.push_back(
              {&given, given.access, datum_of(given.where), names_within(given.where)});
          o.lengths.push_back(given.value ? evaluate(given.value).number : std::nullopt);
          break;
        case noun::handle:
          o.uses.push_back({&given, mode::none, datum_of(given.where), {}});
          break;
        case noun::owner:
          owned = true;
          o.owner = evaluate(given.value).number;
          break;
        case noun::tag:
          o.tag = evaluate(given.value).number;
          break;
        case noun::message_tag:
          o.message_tag = evaluate(given.value).number;
          break;
        case noun::peer:
          if (!o.of_members) o.peer = evaluate(given.value).number;
          break;
        default:
          if (given.of_options) o.extents.push_back(evaluate(given.value).number);
          break;
      }
      if (given.words.has(verb::places)) {
        o.has_place = true;
        if (given.name == "each") o.on_each = true;
        if (given.kind == noun::rank || given.value) o.place = evaluate(given.value).number;
        if (!given.value && given.where.known()) o.place = datum_of(given.where).owner;
      }
    }
    if (e.receiver.kind == noun::handle)
      o.uses.push_back({&e.receiver, mode::none, datum_of(e.receiver.where), {}});
    if (e.words.has(verb::registers)) begin_datum(e, o, !owned);
    note_agreed(o);
    if (e.words.has(verb::lends)) note_borrow(e, o);
    if (e.words.has(verb::moves, "migrate") && o.owner) {
      for (const datum_use& use : o.uses) {
        for (auto& [name, d] : data_) {
          if (d.name == use.what.name) d.owner = o.owner;
        }
      }
    }
    if (e.words.has(verb::moves, "migrate") && !o.owner) forget_owners(e);
    note_request(e, o);
    result_.calls.push_back(std::move(o));
  }

  /// The extents that a message has to fit: those of tiles, and of memory registered in place.
  std::vector<std::optional<std::int64_t>> fixed_extents(const event& e, const occurrence& o) {
    for (const operand& given : e.arguments) {
      if (given.resizes) return {};
      if (!given.storage.known() || given.partial) continue;
      return {evaluate_at(length_of(given.storage)).number};
    }
    return o.extents;
  }

  void begin_datum(const event& e, occurrence& o, bool per_rank) {
    datum d;
    d.name = "#" + std::to_string(++registrations_);
    d.owner = o.owner;
    d.per_rank = per_rank;
    d.registration = &e;
    d.extents = fixed_extents(e, o);
    o.made = d;
    if (const std::string name = resolved(e.result); !name.empty()) data_[name] = std::move(d);
  }

  /// Which data per rank have one value on all of them: what a collective has left, until they are
  /// written once more.
  void note_agreed(const occurrence& o) {
    const bool same = agrees(*o.call) && !o.of_members && !on_own_way(o.block);
    for (const datum_use& use : o.uses) {
      if (!writes(use.access)) continue;
      if (use.what.name.empty())
        agreed_.clear();
      else if (same)
        agreed_.insert(use.what.name);
      else
        agreed_.erase(use.what.name);
    }
  }

  /// All ranks see the same, if all of them borrow it.
  void note_borrow(const event& e, const occurrence& o) {
    const auto is_same = [&](const datum_use& use) {
      return (use.what.owner && !use.what.per_rank) || agreed_.contains(use.what.name);
    };
    const bool shared = std::ranges::all_of(o.uses, is_same) && !on_own_way(o.block);
    if (const std::string name = resolved(e.result); !name.empty()) borrows_[name] = shared;
  }

  void note_request(const event& e, occurrence& o) {
    if (e.result_kind == noun::request) {
      o.request = "request " + std::to_string(++requests_made_);
      if (const std::string name = resolved(e.result); !name.empty()) requests_[name] = o.request;
    } else if (e.words.has(verb::waits, "this")) {
      const auto it = requests_.find(resolved(e.receiver.where));
      if (it != requests_.end()) o.request = it->second;
    }
  }

  void take_back(const std::string& request) {
    const auto it = requests_.find(request);
    for (occurrence& o : result_.calls) {
      if (it != requests_.end() && o.request == it->second) o.taken_back = true;
    }
  }

  /// Whether work goes on where this rank's list does not see it: in a callback, behind a
  /// `std::function`.
  bool calls_what_matters(const event& e) const {
    if (e.standard && e.name == "operator()") return true;
    for (const operand& o : e.arguments) {
      const function* later = o.words.has(verb::calls) ? all_.find(o.callable) : nullptr;
      if (later && std::ranges::any_of(later->blocks, [](const block& b) {
            return std::ranges::any_of(b.events, matters_across_ranks);
          }))
        return true;
    }
    return false;
  }

  int other_way(const block& b, std::size_t way) const {
    return b.successors[way] >= 0 ? b.successors[way] : b.successors[1 - way];
  }

  int next_of(int id, const block& b) {
    if (b.successors.empty()) return -1;
    if (b.successors.size() == 1) return b.successors[0];
    const outcome condition = evaluate(b.condition);
    if (!condition.uniform) result_.own_ways.insert(id);
    if (condition.number && b.how != split::other && b.successors.size() == 2) {
      return other_way(b, *condition.number != 0 ? 0 : 1);
    }
    if (const std::optional<int> way = case_of(b); way && *way >= 0) return *way;
    if (const int end = skip(id, condition.uniform); end >= 0) return end;
    if (!condition.uniform || b.how == split::other || b.successors.size() != 2) {
      if (b.how == split::branch && b.successors.size() == 2 && is_whole()) result_.open = id;
      give_up(b.condition_at, "not known on every rank, followed to here");
      return -1;
    }
    result_.guessed = true;
    if (b.how == split::loop) return other_way(b, visits_[id]++ % 2 == 0 ? 0 : 1);
    const std::string name = key(b.condition);
    const auto [it, is_new] =
        guesses_.try_emplace(name.empty() ? std::to_string(id) : name, open_ways_);
    return other_way(b, it->second ? 0 : 1);
  }

  /// A borrow, which is of one rank alone.
  static bool only_looks(const event& e) {
    return e.words.has(verb::lends) && !e.words.has(verb::step) && !e.words.has(verb::posts) &&
           !e.words.has(verb::submits);
  }

  /// Where a rank may borrow to write, it is not known any more that all have the same.
  void forget_agreed(const event& borrow) {
    for (const operand* token : tokens(borrow)) {
      if (writes(token->access)) agreed_.clear();
    }
  }

  /// What it waits for is seen where it was posted; here it may be of a group.
  static bool waits_for_request(const event& e) {
    return e.words.has(verb::waits, "this") && e.receiver.kind == noun::request;
  }

  /// Over a branch in which nothing happens that other ranks could notice. It may throw: where that
  /// ends the job for all ranks, there is nothing to compare. What is borrowed there is looked at
  /// where all ranks go the same way; where each goes its own, it may be a way of the owner alone.
  int skip(int id, bool same_way) {
    const int end = unthrown_.meets_at(id);
    if (end < 0) return -1;
    const auto between = unthrown_.region(id);
    for (const int one : between) {
      const block& b = f_.blocks[static_cast<std::size_t>(one)];
      for (const event& e : b.events) {
        const bool seen = e.kind == event_kind::call && matters_across_ranks(e) &&
                          !takes(e, noun::within) &&
                          (same_way || !(only_looks(e) || waits_for_request(e)));
        const bool leaves = e.kind == event_kind::leave && !(e.thrown && b.ends_job);
        if (seen || leaves) return -1;
      }
    }
    for (const int one : between) {
      for (const event& e : f_.blocks[static_cast<std::size_t>(one)].events) {
        if (e.kind == event_kind::call) forget_written(e);
        if (e.words.has(verb::lends)) forget_agreed(e);
        if (e.kind == event_kind::assign || e.kind == event_kind::swap) numbers::forget(e.object);
        if (e.kind == event_kind::swap || e.kind == event_kind::hand_back) numbers::forget(e.other);
      }
    }
    return end;
  }

  const program& all_;
  const function& f_;
  const control& decisions_;
  const control& unthrown_;  // the same, where nobody throws
  const bool open_ways_, given_, without_session_;
  rank_run result_;
  std::map<std::string, datum> data_;
  std::map<std::string, std::string> requests_;
  std::map<std::string, bool> borrows_;  // whether all ranks see the same in it
  std::set<std::string> agreed_;         // data per rank that are the same on all
  std::string handed_back_;              // what the last call has returned an object to
  std::map<int, int> visits_;
  std::map<std::string, bool> guesses_;
  int block_ = -1;  // where it is
  int registrations_ = 0, requests_made_ = 0;
  bool open_ended_ = false, foreign_ = false;
};

}  // namespace

namespace {

/// Where all ranks end by the same throw, none of them has more to do.
void end_together(std::vector<rank_run>& ranks) {
  const event* thrown = ranks.front().thrown;
  if (!thrown) return;
  if (!std::ranges::all_of(ranks, [&](const rank_run& r) { return r.thrown == thrown; })) return;
  for (rank_run& one : ranks) one.complete = true;
}

/// `given`: with arguments that are not known, and not without any.
rank_runs run_each(const program& all, const function& opened, const control& decisions,
                   bool open_ways, bool given) {
  rank_runs result;
  result.decisions = &decisions;
  result.opened = &opened;
  const control unthrown(opened, throw_ends::job);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      result.by_ranks[ranks].push_back(
          runner_of_one(all, opened, decisions, unthrown, rank, ranks, open_ways, given).run());
    }
    end_together(result.by_ranks[ranks]);
  }
  return result;
}

bool takes_arguments(const program& all, const function& f) {
  return std::ranges::any_of(f.parameters,
                             [&](variable_id id) { return all.var(id).kind == noun::arguments; });
}

bool does_nothing(const rank_runs& runs) {
  return std::ranges::all_of(runs.by_ranks, [](const auto& entry) {
    return std::ranges::all_of(entry.second, [](const rank_run& r) { return r.calls.empty(); });
  });
}

}  // namespace

bool rank_runs::guessed() const {
  for (const auto& [ranks, runs] : by_ranks) {
    if (std::ranges::any_of(runs, &rank_run::guessed)) return true;
  }
  return false;
}

bool matters_across_ranks(const event& e) {
  for (const verb v :
       {verb::registers, verb::submits, verb::posts, verb::moves, verb::splits, verb::joins,
        verb::closes, verb::waits, verb::step, verb::lends, verb::opens}) {
    if (e.words.has(v)) return true;
  }
  return false;
}

bool is_closed(const program& all, const function& f) {
  if (f.self != 0) return false;
  int sessions = 0;
  bool command_line = f.name == "main";
  for (const variable_id id : f.parameters) {
    const noun kind = all.var(id).kind;
    if (kind == noun::session)
      ++sessions;
    else if (kind != noun::arguments && !command_line)
      return false;
  }
  return sessions == 1 || (sessions == 0 && !f.body_of_lambda);
}

rank_runs run_on_ranks(const program& all, const function& opened, const control& decisions,
                       bool open_ways) {
  rank_runs result = run_each(all, opened, decisions, open_ways, false);
  // A program that wants arguments does nothing without them.
  if (takes_arguments(all, opened) && does_nothing(result))
    result = run_each(all, opened, decisions, open_ways, true);
  return result;
}

std::optional<int> runner(const occurrence& task) {
  if (task.on_each) return std::nullopt;
  if (task.has_place) {
    return task.place ? std::optional<int>(static_cast<int>(*task.place)) : std::nullopt;
  }
  std::optional<int> found;
  for (const datum_use& use : task.uses) {
    if (!writes(use.access) || use.access == mode::scratch) continue;
    if (!use.what.owner) return std::nullopt;
    if (found && *found != *use.what.owner) return std::nullopt;
    found = static_cast<int>(*use.what.owner);
  }
  return found;
}

std::optional<std::vector<int>> participants(const occurrence& task) {
  std::set<int> ranks;
  for (const datum_use& use : task.uses) {
    if (use.access == mode::scratch) continue;
    if (use.what.per_rank || !use.what.owner) return std::nullopt;
    ranks.insert(static_cast<int>(*use.what.owner));
  }
  if (const auto one = runner(task)) ranks.insert(*one);
  return std::vector<int>(ranks.begin(), ranks.end());
}

}  // namespace deed::check
