// SPDX-License-Identifier: MIT
#include "flow/sequence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace deed::check {
namespace {

using kind = disagreement::kind;

std::string step_of(const occurrence& o) { return o.call->words.find(verb::step)->operand; }

using calls = std::set<const event*>;

std::vector<const occurrence*> steps(const rank_run& run, const calls& left_out) {
  std::vector<const occurrence*> found;
  for (const occurrence& o : run.calls) {
    if (o.call->words.has(verb::step) && !o.of_members && !left_out.contains(o.call))
      found.push_back(&o);
  }
  return found;
}

std::size_t times(const std::vector<const occurrence*>& all, const event* call) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const occurrence* o) { return o->call == call; }));
}

/// A rank may name fewer: a root that has its own part already.
bool same_data(const occurrence& a, const occurrence& b) {
  if (a.uses.size() != b.uses.size()) return true;
  for (std::size_t i = 0; i < a.uses.size(); ++i) {
    const std::string &x = a.uses[i].what.name, &y = b.uses[i].what.name;
    if (!x.empty() && !y.empty() && x != y) return false;
  }
  return true;
}

bool differ(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b && *a != *b;
}

/// How two steps at the same place of the sequence differ. Nothing if they agree.
std::optional<kind> difference(const occurrence& a, const occurrence& b) {
  if (step_of(a) != step_of(b)) return kind::other_step;
  if (a.call->words.has(verb::registers)) {
    if (a.made.per_rank != b.made.per_rank) return kind::registration;
    if (differ(a.owner, b.owner)) return kind::owner;
    if (differ(a.tag, b.tag)) return kind::tag;
    if (a.call->result_type != b.call->result_type) return kind::type;
    // Each rank has its own of what is per rank, of any size.
    for (std::size_t i = 0; !a.made.per_rank && i < std::min(a.extents.size(), b.extents.size());
         ++i) {
      if (differ(a.extents[i], b.extents[i])) return kind::extent;
    }
    return std::nullopt;
  }
  // Each of several groups has a root and data of its own.
  if (takes(*a.call, noun::among) || takes(*b.call, noun::among)) return std::nullopt;
  if (!same_data(a, b)) return kind::other_step;
  if (differ(a.peer, b.peer)) return kind::root;
  for (std::size_t i = 0; i < std::min(a.lengths.size(), b.lengths.size()); ++i) {
    if (differ(a.lengths[i], b.lengths[i])) return kind::length;
  }
  if (differ(a.owner, b.owner)) return kind::owner;
  return std::nullopt;
}

/// Whether the other rank takes steps that stand behind `step`.
bool goes_on_behind(const occurrence& step, const rank_run& with, const rank_run& without) {
  std::map<const event*, std::ptrdiff_t> left;
  for (const occurrence* o : steps(without, {})) ++left[o->call];
  bool behind = false;
  for (const occurrence* o : steps(with, {})) {
    if (--left[o->call] >= 0 && behind) return true;
    behind = behind || o == &step;
  }
  return false;
}

/// The step that one rank has and the other does not have so often.
disagreement missing(const rank_run& with, const rank_run& without, const occurrence& step) {
  disagreement d;
  d.here = &step;
  // Where both end with the same return, neither of them leaves early.
  if (without.left != with.left && !goes_on_behind(step, with, without)) d.left = without.left;
  if (step.call->words.has(verb::registers))
    d.what = kind::registration;
  else
    d.what = d.left ? kind::left_early : kind::missing_step;
  return d;
}

std::size_t registrations(const std::vector<const occurrence*>& all) {
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [](const occurrence* o) { return o->call->words.has(verb::registers); }));
}

bool any(const occurrence*) { return true; }

/// The first step that one rank takes once more than another.
const occurrence* more_often(const std::vector<const occurrence*>& here,
                             const std::vector<const occurrence*>& there,
                             bool (*wanted)(const occurrence*) = any) {
  std::map<const event*, std::ptrdiff_t> left;
  for (const occurrence* o : there) ++left[o->call];
  const auto one = std::ranges::find_if(
      here, [&](const occurrence* o) { return wanted(o) && --left[o->call] < 0; });
  return one == here.end() ? nullptr : *one;
}

/// Of two lists that agree as far as both go, what the longer one has more. Where the shorter one
/// has steps of its own, in another arm, only the end of the longer one is known to be more.
const occurrence& first_more(const std::vector<const occurrence*>& longer,
                             const std::vector<const occurrence*>& shorter) {
  return more_often(shorter, longer) ? *longer[shorter.size()] : *more_often(longer, shorter);
}

/// Of registrations: what comes after it is registered under other numbers.
const occurrence* registered_more_often(const std::vector<const occurrence*>& here,
                                        const std::vector<const occurrence*>& there) {
  if (registrations(here) <= registrations(there)) return nullptr;
  return more_often(here, there,
                    [](const occurrence* o) { return o->call->words.has(verb::registers); });
}

std::vector<const occurrence*> up_to(const std::vector<const occurrence*>& all, std::size_t last) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(last) + 1};
}

std::optional<disagreement> first_difference(const rank_run& one, const rank_run& other, int rank,
                                             int other_rank, const calls& left_out) {
  const auto a = steps(one, left_out), b = steps(other, left_out);
  const auto finish = [&](disagreement d, bool swapped) {
    d.rank = swapped ? other_rank : rank;
    d.other_rank = swapped ? rank : other_rank;
    return d;
  };
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto what = difference(*a[i], *b[i]);
    if (!what) continue;
    const bool whole = one.complete && other.complete;
    if (a[i]->call->words.has(verb::registers) || b[i]->call->words.has(verb::registers)) {
      const auto here = whole ? a : up_to(a, i), there = whole ? b : up_to(b, i);
      if (const auto* more = registered_more_often(here, there))
        return finish(missing(one, other, *more), false);
      if (const auto* more = registered_more_often(there, here))
        return finish(missing(other, one, *more), true);
    }
    const bool placed = *what != kind::other_step && *what != kind::registration;
    const bool a_missing = other.complete && times(b, a[i]->call) < times(a, a[i]->call);
    const bool b_missing = one.complete && times(a, b[i]->call) < times(b, b[i]->call);
    if (!placed && a_missing && !b_missing) return finish(missing(one, other, *a[i]), false);
    if (!placed && b_missing && !a_missing) return finish(missing(other, one, *b[i]), true);
    if (!placed && whole) {
      // Two that are spelled alike were taken for one, and the first of them is missing.
      const auto *more = more_often(a, b), *less = more_often(b, a);
      if (more && !less) return finish(missing(one, other, *more), false);
      if (less && !more) return finish(missing(other, one, *less), true);
    }
    disagreement d;
    d.what = *what;
    d.here = a[i];
    d.there = b[i];
    return finish(d, false);
  }
  if (a.size() > b.size() && other.complete)
    return finish(missing(one, other, first_more(a, b)), false);
  if (b.size() > a.size() && one.complete)
    return finish(missing(other, one, first_more(b, a)), true);
  return std::nullopt;
}

}  // namespace

std::vector<disagreement> compare_steps(const std::vector<rank_run>& ranks,
                                        const std::set<const event*>& left_out) {
  std::vector<disagreement> found;
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    if (auto d = first_difference(ranks[0], ranks[r], 0, static_cast<int>(r), left_out)) {
      d->ranks = static_cast<int>(ranks.size());
      found.push_back(*d);
    }
  }
  return found;
}

}  // namespace deed::check
