// SPDX-License-Identifier: MIT
#include "flow/state.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace deed::check {
namespace {

bool is_within(const std::string& part, const std::string& whole) {
  if (whole.empty() || part.size() < whole.size()) return false;
  const bool ends =
      part.size() == whole.size() || part[whole.size()] == '.' || part[whole.size()] == '[';
  return ends && part.starts_with(whole);
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

/// The order of the facts of a state. Two that none comes before are about the same thing.
bool before(const fact& a, const fact& b) {
  const auto place = [](const fact& f) {
    return std::tuple(f.what, std::string_view(f.subject), std::string_view(f.other),
                      is_many(f.what) ? f.because : nullptr);
  };
  return place(a) < place(b);
}

using conditions = std::set<assumption>;

conditions difference(const conditions& mine, const conditions& theirs) {
  conditions result;
  std::ranges::set_difference(mine, theirs, std::inserter(result, result.end()));
  return result;
}

conditions common(const conditions& a, const conditions& b) {
  conditions result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}

/// A fact that does not hold on all the paths that meet: `only` is what is assumed on its own.
std::shared_ptr<const fact> on_one_path(const fact& f, const conditions& only) {
  fact changed = f;
  if (changed.assumed.empty()) changed.assumed = only;
  changed.certain = false;
  return std::make_shared<const fact>(std::move(changed));
}

constexpr std::size_t most_assumptions = 4;

}  // namespace

state::entries::const_iterator state::first_of(about what, std::string_view subject) const {
  return std::ranges::lower_bound(facts_, std::pair(what, subject), {}, [](const entry& one) {
    return std::pair(one->what, std::string_view(one->subject));
  });
}

std::vector<const fact*> state::all(about what, const std::string& subject) const {
  std::vector<const fact*> found;
  for (auto it = first_of(what, subject);
       it != facts_.end() && (*it)->what == what && (*it)->subject == subject; ++it) {
    found.push_back(it->get());
  }
  return found;
}

std::vector<const fact*> state::all(about what) const {
  std::vector<const fact*> found;
  for (auto it = first_of(what, {}); it != facts_.end() && (*it)->what == what; ++it)
    found.push_back(it->get());
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
  const auto it = std::ranges::lower_bound(facts_, f, before, &entry::operator*);
  auto made = std::make_shared<const fact>(std::move(f));
  const auto at = facts_.begin() + (it - facts_.begin());
  if (at != facts_.end() && !before(*made, **at))
    *at = std::move(made);
  else
    facts_.insert(at, std::move(made));
}

void state::remove(about what, const std::string& subject) {
  remove_if([&](const fact& f) { return f.what == what && f.subject == subject; });
}

void state::forget(const std::string& object) {
  remove_if(
      [&](const fact& f) { return is_within(f.subject, object) || is_within(f.other, object); });
}

void state::forget_states(const std::string& object) {
  remove_if([&](const fact& f) { return f.subject == object; });
  forget_parts(object);
}

void state::forget_parts(const std::string& object) {
  const auto is_part = [&](const std::string& one) {
    return one.size() > object.size() && is_within(one, object);
  };
  remove_if([&](const fact& f) {
    return is_part(f.subject) || (is_part(f.other) && f.what != about::in_place);
  });
}

void state::rename(const path& from, const path& to) {
  const std::string old = key(from), now = key(to);
  if (old.empty()) return;
  std::vector<fact> changed;
  std::erase_if(facts_, [&](const entry& one) {
    const bool subject = is_within(one->subject, old), other = is_within(one->other, old);
    if (!subject && !other) return false;
    if (now.empty()) return true;
    fact f = *one;
    if (subject) {
      f.subject_path = moved_over(f.subject_path, from, to);
      f.subject = now + f.subject.substr(old.size());
    }
    if (other) {
      f.other_path = moved_over(f.other_path, from, to);
      f.other = now + f.other.substr(old.size());
    }
    changed.push_back(std::move(f));
    return true;
  });
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
  for (entry& one : facts_) {
    if (std::ranges::none_of(one->assumed, mentions)) continue;
    fact f = *one;
    std::erase_if(f.assumed, mentions);
    one = std::make_shared<const fact>(std::move(f));
  }
}

bool state::join(const state& other) {
  const conditions mine = difference(assumed_, other.assumed_),
                   theirs = difference(other.assumed_, assumed_);
  bool changed = false;
  entries joined;
  joined.reserve(std::max(facts_.size(), other.facts_.size()));
  auto here = facts_.begin();
  auto there = other.facts_.begin();
  while (here != facts_.end() || there != other.facts_.end()) {
    const bool same = here != facts_.end() && there != other.facts_.end() && *here == *there;
    if (same) {
      joined.push_back(std::move(*here++));
      ++there;
    } else if (there == other.facts_.end() || (here != facts_.end() && before(**here, **there))) {
      changed = changed || (*here)->certain;
      joined.push_back((*here)->certain ? on_one_path(**here, mine) : std::move(*here));
      ++here;
    } else if (here == facts_.end() || before(**there, **here)) {
      changed = true;
      joined.push_back((*there)->certain ? on_one_path(**there, theirs) : *there);
      ++there;
    } else {
      const bool certain = (*here)->certain && (*there)->certain;
      conditions both = common((*here)->assumed, (*there)->assumed);
      if (certain != (*here)->certain || both != (*here)->assumed) {
        fact f = **here;
        f.certain = certain;
        f.assumed = std::move(both);
        *here = std::make_shared<const fact>(std::move(f));
        changed = true;
      }
      joined.push_back(std::move(*here++));
      ++there;
    }
  }
  facts_ = std::move(joined);
  conditions both = common(assumed_, other.assumed_);
  if (both != assumed_) {
    assumed_ = std::move(both);
    changed = true;
  }
  return changed;
}

}  // namespace deed::check
