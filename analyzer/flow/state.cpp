// SPDX-License-Identifier: MIT
#include "flow/state.hpp"

#include <algorithm>

namespace deed::check {
namespace {

bool is_within(const std::string& part, const std::string& whole) {
  if (whole.empty() || !part.starts_with(whole)) return false;
  return part.size() == whole.size() || part[whole.size()] == '.' || part[whole.size()] == '[';
}

path moved_over(const path& p, const path& from, const path& to) {
  path result = to;
  for (std::size_t i = from.parts.size(); i < p.parts.size(); ++i)
    result.parts.push_back(p.parts[i]);
  return result;
}

/// Of these there may be several at once. Of the others, the first one stands for all.
bool is_many(about what) {
  return what == about::blocked || what == about::behind || what == about::opener ||
         what == about::leads || what == about::borrowed;
}

constexpr std::size_t most_assumptions = 4;

}  // namespace

std::vector<const fact*> state::all(about what, const std::string& subject) const {
  std::vector<const fact*> found;
  for (auto it = facts_.lower_bound({what, subject, "", nullptr});
       it != facts_.end() && std::get<0>(it->first) == what && std::get<1>(it->first) == subject;
       ++it) {
    found.push_back(&it->second);
  }
  return found;
}

std::vector<const fact*> state::all(about what) const {
  std::vector<const fact*> found;
  for (auto it = facts_.lower_bound({what, "", "", nullptr});
       it != facts_.end() && std::get<0>(it->first) == what; ++it) {
    found.push_back(&it->second);
  }
  return found;
}

const fact* state::find(about what, const std::string& subject) const {
  const fact* best = nullptr;
  for (const fact* f : all(what, subject)) {
    if (!best || (f->certain && !best->certain)) best = f;
  }
  return best;
}

const fact* state::find_around(about what, const std::string& subject) const {
  const fact* best = nullptr;
  for (const fact* f : all(what)) {
    if (is_within(subject, f->subject) && (!best || (f->certain && !best->certain))) best = f;
  }
  return best;
}

void state::add(fact f) {
  fact_key where{f.what, f.subject, f.other, is_many(f.what) ? f.because : nullptr};
  facts_.insert_or_assign(std::move(where), std::move(f));
}

void state::remove(about what, const std::string& subject) {
  remove_if([&](const fact& f) { return f.what == what && f.subject == subject; });
}

void state::forget(const std::string& object) {
  remove_if(
      [&](const fact& f) { return is_within(f.subject, object) || is_within(f.other, object); });
}

void state::rename(const path& from, const path& to) {
  const std::string old = key(from), now = key(to);
  if (old.empty()) return;
  std::vector<fact> changed;
  for (auto it = facts_.begin(); it != facts_.end();) {
    fact f = it->second;
    const bool subject = is_within(f.subject, old), other = is_within(f.other, old);
    if (!subject && !other) {
      ++it;
      continue;
    }
    it = facts_.erase(it);
    if (now.empty()) continue;
    if (subject) {
      f.subject_path = moved_over(f.subject_path, from, to);
      f.subject = now + f.subject.substr(old.size());
    }
    if (other) {
      f.other_path = moved_over(f.other_path, from, to);
      f.other = now + f.other.substr(old.size());
    }
    changed.push_back(std::move(f));
  }
  for (fact& f : changed) add(std::move(f));
}

void state::assume(const assumption& a) {
  if (a.first.empty()) return;
  const assumption opposite{a.first, !a.second};
  remove_if([&](const fact& f) { return f.assumed.contains(opposite); });
  assumed_.erase(opposite);
  if (assumed_.size() < most_assumptions) assumed_.insert(a);
}

void state::reconsider(const std::string& variable) {
  const auto mentions = [&](const assumption& a) {
    return a.first.find(variable) != std::string::npos;
  };
  std::erase_if(assumed_, mentions);
  for (auto& [where, f] : facts_) std::erase_if(f.assumed, mentions);
}

bool state::join(const state& other) {
  bool changed = false;
  const auto only_here = [](const std::set<assumption>& mine, const std::set<assumption>& theirs) {
    std::set<assumption> result;
    std::ranges::set_difference(mine, theirs, std::inserter(result, result.end()));
    return result;
  };
  const auto mine = only_here(assumed_, other.assumed_),
             theirs = only_here(other.assumed_, assumed_);
  for (auto& [where, f] : facts_) {
    if (other.facts_.contains(where) || (!f.certain && mine.empty())) continue;
    changed = changed || f.certain;
    if (f.certain && f.assumed.empty()) f.assumed = mine;
    f.certain = false;
  }
  for (const auto& [where, f] : other.facts_) {
    const auto [it, is_new] = facts_.try_emplace(where, f);
    if (is_new) {
      if (f.certain && f.assumed.empty()) it->second.assumed = theirs;
      it->second.certain = false;
      changed = true;
      continue;
    }
    fact& here = it->second;
    if (here.certain && !f.certain) {
      here.certain = false;
      changed = true;
    }
    std::set<assumption> both;
    std::ranges::set_intersection(here.assumed, f.assumed, std::inserter(both, both.end()));
    if (both != here.assumed) {
      here.assumed = std::move(both);
      changed = true;
    }
  }
  std::set<assumption> both;
  std::ranges::set_intersection(assumed_, other.assumed_, std::inserter(both, both.end()));
  if (both != assumed_) {
    assumed_ = std::move(both);
    changed = true;
  }
  return changed;
}

}  // namespace deed::check
