// SPDX-License-Identifier: MIT
#include "flow/taint.hpp"

#include "flow/control.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace deed::check {

namespace {

/// What a broadcast or its like makes equal on all ranks: from where on, is not followed.
std::set<std::string> agreed_in(const function& f) {
  std::set<std::string> names;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      const bool given = e.kind == event_kind::assign && e.result_value;
      if (given && e.result_value->what == value::kind::uniform) names.insert(key(e.object));
    }
  }
  return names;
}

/// Whether a collective leaves the same on all ranks in what it writes.
bool agrees(const event& e) {
  const word* step = e.words.find(verb::step);
  return step && (step->operand == "all_gather" || step->operand == "all_reduce" ||
                  step->operand == "broadcast");
}

}  // namespace

taint::taint(const program& all, const function& f) : all_(all) {
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::call) continue;
      if (e.words.has(verb::lends)) {
        for (const operand* token : tokens(e)) borrows_[key(e.result)] = token->where;
      }
      for (const operand* token : tokens(e)) {
        if (agrees(e) && writes(token->access)) agreed_.insert(key(token->where));
      }
      if (!e.words.has(verb::registers)) continue;
      bool owned = e.receiver.kind != noun::session;
      for (const operand& o : e.arguments) owned = owned || o.kind == noun::owner;
      registered_[key(e.result)] = owned;
    }
  }
  spread(f);
}

bool taint::is_owned(const path& datum) const {
  const auto it = registered_.find(key(datum));
  return it != registered_.end() && it->second;
}

std::optional<rank_dependence> taint::of(const value_ref& v) const {
  if (!v) return std::nullopt;
  switch (v->what) {
    case value::kind::rank:
      return rank_dependence{rank_dependence::kind::rank, v->at, "rank()"};
    case value::kind::rank_local:
      return rank_dependence{rank_dependence::kind::local, v->at, v->text};
    case value::kind::guard:
      return rank_dependence{rank_dependence::kind::rank, v->at, v->text};
    case value::kind::content: {
      const auto lent = borrows_.find(key(v->where));
      if (lent == borrows_.end()) return std::nullopt;
      const auto known = registered_.find(key(lent->second));
      if (known == registered_.end() || known->second || agreed_.contains(known->first))
        return std::nullopt;
      return rank_dependence{rank_dependence::kind::per_rank_datum, v->at,
                             spelling(all_, lent->second), differing_.contains(known->first)};
    }
    case value::kind::variable: {
      const auto it = variables_.find(key(v->where));
      if (it == variables_.end()) return std::nullopt;
      return it->second;
    }
    case value::kind::operation:
    case value::kind::call:
      for (const value_ref& one : v->arguments) {
        if (auto found = of(one)) return found;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Why each block depends on the rank, if it does: the nearest branch that decides it and does.
std::vector<std::optional<rank_dependence>> taint::decided(
    const function& f, const std::vector<std::vector<int>>& decides) const {
  std::vector<std::optional<rank_dependence>> why(f.blocks.size()), own(f.blocks.size());
  std::vector<int> work;
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    if (f.blocks[i].how == split::branch) own[i] = of(f.blocks[i].condition);
    if (own[i]) work.push_back(static_cast<int>(i));
  }
  const std::size_t first = work.size();
  for (std::size_t n = 0; n < work.size(); ++n) {
    const auto by = static_cast<std::size_t>(work[n]);
    for (const int to : decides[by]) {
      auto& there = why[static_cast<std::size_t>(to)];
      if (there) continue;
      there = n < first ? own[by] : why[by];
      work.push_back(to);
    }
  }
  return why;
}

/// Whether what a call writes differs between ranks then: by its values, by what it reads, or since
/// it comes from elsewhere.
bool taint::makes_differ(const event& e) const {
  if (e.words.has(verb::posts, "receive")) return true;
  const bool step = e.words.has(verb::step) && !e.words.has(verb::registers);
  if (step && !e.words.has(verb::submits)) return !agrees(e);
  return std::ranges::any_of(e.arguments, [&](const operand& o) {
    const bool in_place = e.words.has(verb::registers) && o.storage.known();
    return in_place || of(o.value) ||
           (o.kind == noun::token && reads(o.access) && differing_.contains(key(o.where)));
  });
}

bool taint::spread_to_data(const event& e) {
  const std::size_t before = differing_.size();
  if (e.kind == event_kind::assign) {
    const auto lent = borrows_.find(key(path{e.object.root, {}}));
    if (lent != borrows_.end() && !e.object.parts.empty() && of(e.result_value))
      differing_.insert(key(lent->second));
  } else if (e.kind == event_kind::call && !e.words.empty() && makes_differ(e)) {
    if (e.words.has(verb::registers)) differing_.insert(key(e.result));
    for (const operand* token : tokens(e)) {
      if (writes(token->access)) differing_.insert(key(token->where));
    }
  }
  return differing_.size() != before;
}

void taint::spread(const function& f) {
  const std::set<std::string> agreed = agreed_in(f);
  const control decisions(f, throw_ends::job);
  std::vector<std::vector<int>> decides(f.blocks.size());
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    for (const int d : decisions.direct_deciders(static_cast<int>(i)))
      decides[static_cast<std::size_t>(d)].push_back(static_cast<int>(i));
  }
  for (bool changed = true; changed;) {
    changed = false;
    const auto by = decided(f, decides);
    for (std::size_t i = 0; i < f.blocks.size(); ++i) {
      for (const event& e : f.blocks[i].events) {
        changed |= spread_to_data(e);
        if (e.kind != event_kind::assign || variables_.contains(key(e.object))) continue;
        auto why = of(e.result_value);
        if (!why) why = by[i];
        if (!why || key(e.object).empty() || agreed.contains(key(e.object))) continue;
        variables_[key(e.object)] = *why;
        changed = true;
      }
    }
  }
}

}  // namespace deed::check
