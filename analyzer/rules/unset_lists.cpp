// SPDX-License-Identifier: MIT
#include "rules/unset_lists.hpp"

#include "flow/typestate.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace deed::check {
namespace {

/// Where an event stands: blocks have numbers, and events of a block another.
struct position {
  int block = -1;
  std::size_t number = 0;

  friend bool operator==(const position&, const position&) = default;
};

struct list {
  const event* registration = nullptr;  // of its first element
  std::vector<position> filled, written;
  std::vector<position> grown;  // by an object with handles
  std::vector<position> tasks;  // that write an element
  std::vector<std::pair<position, const event*>> read;
  bool begun = false;     // here, and empty
  bool by_place = false;  // each element has a name: `{…}` of an array
};

bool is_named(const path& element) { return !is_numbered(element) && !key(element).empty(); }

class lists {
 public:
  explicit lists(const whole_function& seen) : seen_(seen) {
    each_event([&](const event& e, position) { note_names(e); });
    each_event([&](const event& e, position at) { note(e, at); });
    for (auto& [name, one] : lists_) {
      std::ranges::sort(one.read, {}, [](const auto& each) { return each.second->at; });
      // What a loop goes over may be made of any of them: `std::span(cells)`.
      if (!is_begun(name) && !has_value(name))
        anywhere_.insert(anywhere_.end(), one.tasks.begin(), one.tasks.end());
      one.written.insert(one.written.end(), one.tasks.begin(), one.tasks.end());
    }
  }

  void report(const std::function<void(const unset_read&)>& look) const {
    for (const auto& [name, one] : lists_) {
      const std::string container = container_of(name);
      if (!is_begun(name) || !one.registration || ambiguous_.contains(container)) continue;
      const std::vector<position> written = writes_of(name, one);
      for (const auto& [at, call] : one.read) {
        const operand* const token = reader_of(name, *call);
        if (one.by_place && is_named(token->where)) continue;  // States tell of it.
        if (comes_before(one.filled, at) && !comes_before(written, at) &&
            !comes_before(anywhere_, at)) {
          look({call, token, one.registration});
          break;
        }
      }
    }
  }

 private:
  template <class Look>
  void each_event(const Look& look) const {
    const auto& blocks = seen_.opened.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t n = 0; n < blocks[i].events.size(); ++n)
        look(blocks[i].events[n], position{static_cast<int>(i), n});
    }
  }

  /// What goes over which container, and which handles have no value.
  void note_names(const event& e) {
    const value* const from = e.kind == event_kind::assign ? e.result_value.get() : nullptr;
    if (from && asks_for_length(*from) && from->text.ends_with("begin")) {
      const path& container = from->arguments[0]->where;
      const auto [it, is_new] = walks_.try_emplace(key(e.object), container);
      if (!is_new && key(it->second) != key(container))
        ambiguous_.insert({key(it->second), key(container)});
    }
    if (e.kind == event_kind::move && e.other.stable() && !e.other.parts.empty()) {
      // A member of an object stands for it then.
      const auto unset = unset_.find(key(e.object));
      if (unset != unset_.end()) unset_[key(e.other)] = unset->second;
    }
    const word* registers = e.words.find(verb::registers);
    if (registers && registers->operand == "uninitialised")
      unset_[key(e.result)] = &e;
    else if (registers)
      valued_.insert(key(e.result));
  }

  /// A handle of a datum that is registered with a value, and of no other: no element of a list.
  bool has_value(const std::string& handle) const {
    return valued_.contains(handle) && !unset_.contains(handle) && !changed_.contains(handle);
  }

  /// The list that a path is an element of, by number, by key or by an iterator. The handles that
  /// its elements have as one of their members, `cells[0].now`, are a list, too: "cells[].now".
  std::string list_of(const path& p) const {
    if (!p.known()) return {};
    if (const auto it = walks_.find(key(path{p.root, {}})); it != walks_.end())
      return key(it->second) + member_of(p, 0);
    path container{p.root, {}};
    for (std::size_t i = 0; i < p.parts.size(); ++i) {
      if (p.parts[i].what != part::kind::field) return key(container) + member_of(p, i);
      container.parts.push_back(p.parts[i]);
    }
    return {};
  }

  /// Which member of an element, which itself stands in a path from one of its parts on.
  static std::string member_of(const path& p, std::size_t from) {
    std::string member;
    for (std::size_t i = from; i < p.parts.size(); ++i) {
      const part& step = p.parts[i];
      const bool of_element = step.name == "*" || step.name == "second" || step.name == "first";
      if (step.what == part::kind::field && !of_element)
        member += "." + step.name;
      else if (!member.empty())
        return {};
    }
    return member.empty() ? member : "[]" + member;
  }

  static std::string container_of(const std::string& list) {
    return list.substr(0, list.find("[]"));
  }

  bool is_begun(const std::string& list) const {
    const auto whole = lists_.find(container_of(list));
    return whole != lists_.end() && whole->second.begun;
  }

  /// Something is done to an object that is not followed: to a list, to what holds one, or to an
  /// element. From there on, nothing is known.
  void change(const path& object, position at) {
    if (const std::string of = list_of(object); !of.empty()) lists_[of].written.push_back(at);
    if (const std::string name = key(object); !name.empty()) changed_[name].push_back(at);
  }

  /// Where something may write elements of a list: also as members of whole elements, or by taking
  /// in elements of which nothing is known.
  std::vector<position> writes_of(const std::string& name, const list& one) const {
    std::vector<position> found = changes_of(container_of(name));
    found.insert(found.end(), one.written.begin(), one.written.end());
    const list& whole = lists_.at(container_of(name));
    if (&whole == &one) return found;
    found.insert(found.end(), whole.written.begin(), whole.written.end());
    std::ranges::copy_if(whole.grown, std::back_inserter(found), [&](const position& at) {
      return std::ranges::find(one.filled, at) == one.filled.end();
    });
    return found;
  }

  /// Where a list, or an object that it is a part of, is changed.
  std::vector<position> changes_of(const std::string& list) const {
    std::vector<position> found;
    for (const auto& [object, places] : changed_) {
      const bool part =
          list.starts_with(object) && (list.size() == object.size() || list[object.size()] == '.');
      if (part) found.insert(found.end(), places.begin(), places.end());
    }
    return found;
  }

  void put(const std::string& into, const path& handle, position at) {
    list& one = lists_[into];
    const auto unset = unset_.find(key(handle));
    if (unset == unset_.end()) return one.written.push_back(at);
    if (!one.registration) one.registration = unset->second;
    one.filled.push_back(at);
  }

  /// An object is put into a list, with the handles that are its members.
  void put_object(const std::string& into, const path& object, position at) {
    lists_[into].grown.push_back(at);
    const std::string whole = key(object) + ".";
    for (auto it = unset_.lower_bound(whole); it != unset_.end() && it->first.starts_with(whole);
         ++it) {
      list& one = lists_[into + "[]" + it->first.substr(whole.size() - 1)];
      if (!one.registration) one.registration = it->second;
      one.filled.push_back(at);
    }
  }

  void note(const event& e, position at) {
    switch (e.kind) {
      case event_kind::assign:
        return note_assigned(e, at);
      case event_kind::move:
        if (const std::string into = list_of(e.other); !into.empty()) {
          lists_[into].by_place |= is_named(e.other);
          return put(into, e.object, at);
        }
        change(e.object, at);
        return change(e.other, at);
      case event_kind::swap:
      case event_kind::hand_back:
        change(e.object, at);
        return change(e.other, at);
      case event_kind::access:
        if (e.use == effect::address || e.use == effect::unknown) change(e.object, at);
        return;
      case event_kind::call:
        return note_call(e, at);
      default:
        return;
    }
  }

  /// A list begins empty, or with what stands in braces.
  void note_assigned(const event& e, position at) {
    const std::string name = key(e.object);
    if (name.empty() || !e.result_value) return;
    const value& v = *e.result_value;
    const bool empty =
        v.what == value::kind::uniform ||
        (v.what == value::kind::operation &&
         (v.text == "list" || v.text == "members" || (v.text == "make" && v.arguments.empty())));
    if (key(e.other) != name) change(e.other, at);  // Another name of it, or a view.
    list& one = lists_[name];
    if (!empty || std::exchange(one.begun, true)) one.written.push_back(at);
  }

  void note_call(const event& e, position at) {
    static const std::set<std::string> putting{"push_back", "emplace_back", "push_front",
                                               "emplace",   "try_emplace",  "insert"};
    static const std::set<std::string> asking{
        "size", "empty",    "at",        "front",      "back",       "operator[]", "reserve",
        "get",  "contains", "operator*", "operator->", "operator==", "operator++"};
    const bool of_loop = (e.name == "begin" || e.name == "end") && e.result.known() &&
                         seen_.all.var(e.result.root).name.starts_with("__");
    if (e.standard && putting.contains(e.name)) {
      for (const operand& o : e.arguments) {
        if (o.kind == noun::handle) return put(key(e.receiver.where), o.where, at);
        if (o.kind == noun::none && o.moved && o.where.stable())
          return put_object(key(e.receiver.where), o.where, at);
      }
    }
    if (e.standard && (of_loop || asking.contains(e.name))) return;
    if (e.receiver.kind == noun::none && e.receiver.where.known()) change(e.receiver.where, at);
    // What is not opened, and is not given the list, may still know it.
    if (!e.standard && e.words.empty() && (e.name == "operator()" || seen_.all.find(e.function)))
      anywhere_.push_back(at);
    for (const operand& o : e.arguments) {
      if (!o.callable.empty()) anywhere_.push_back(at);  // What it is given to call may write.
      if (o.kind == noun::token)
        note_token(o, e, at);
      else if (o.kind == noun::handle || (o.use != effect::read && o.use != effect::none))
        change(o.where, at);
    }
  }

  void note_token(const operand& token, const event& e, position at) {
    const std::string element = list_of(token.where);
    const std::string name = element.empty() ? key(token.where) : element;
    if (writes(token.access) && !name.empty()) lists_[name].tasks.push_back(at);
    if (writes(token.access) && element.empty() && !is_own(token.where)) anywhere_.push_back(at);
    if (reads(token.access) && !element.empty()) lists_[element].read.emplace_back(at, &e);
  }

  /// A handle that is no element of a list, by any name.
  bool is_own(const path& handle) const {
    const variable& v = seen_.all.var(handle.root);
    return handle.stable() && !v.reference && !v.view &&
           std::ranges::none_of(handle.parts, [](const part& p) { return p.name == "*"; });
  }

  const operand* reader_of(const std::string& list, const event& call) const {
    const auto given = tokens(call);
    return *std::ranges::find_if(
        given, [&](const operand* o) { return reads(o->access) && list_of(o->where) == list; });
  }

  /// Whether one of these events can come before the first time that a place is met.
  bool comes_before(const std::vector<position>& events, position place) const {
    const std::set<int> before = reached(seen_.opened, seen_.opened.entry, place.block);
    return std::ranges::any_of(events, [&](const position& one) {
      if (one.block == place.block) return one.number < place.number;
      return before.contains(one.block) && reached(seen_.opened, one.block).contains(place.block);
    });
  }

  const whole_function& seen_;
  std::map<std::string, path> walks_;                     // iterators, over which container
  std::map<std::string, const event*> unset_;             // handles, where they were registered
  std::set<std::string> valued_;                          // handles of data with a value
  std::map<std::string, list> lists_;                     // by the key of the container
  std::map<std::string, std::vector<position>> changed_;  // objects, in a way not followed
  std::set<std::string> ambiguous_;                       // walked over by an iterator of several
  std::vector<position> anywhere_;                        // where any element may be written
};

}  // namespace

void for_each_unset_read(const whole_function& seen,
                         const std::function<void(const unset_read&)>& look) {
  lists(seen).report(look);
}

}  // namespace deed::check
