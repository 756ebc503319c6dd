// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <initializer_list>

/// @file
/// What collectives do, by the values and by the messages that carry them.

namespace oracle {

void model::count(int from, int to, std::uint64_t bytes) {
  auto& sum = expected_.sent[{from, to}];
  ++sum.transfers;
  sum.bytes += bytes;
}

bool model::make_group(const step& s) {
  const std::set<int> once(s.ranks.begin(), s.ranks.end());
  if (s.ranks.empty() || once.size() != s.ranks.size() ||
      !std::ranges::all_of(s.ranks, [&](int r) { return has_rank(r); }))
    return refuse("no such group");
  if (!groups_.emplace(s.datum, s.ranks).second) return refuse("a group twice");
  return true;
}

/// Who takes part, in order. Nobody: there is no such group.
std::vector<int> model::members(const step& s) const {
  if (s.group >= 0) {
    const auto found = groups_.find(s.group);
    return found == groups_.end() ? std::vector<int>{} : found->second;
  }
  std::vector<int> all(static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r) all[static_cast<std::size_t>(r)] = r;
  return all;
}

namespace {

/// The elements of a number or a list.
list elements_of(const seen& value) {
  if (const auto* const one = std::get_if<number*>(&value)) return {**one};
  return *std::get<list*>(value);
}

/// The part of a list for place `i` of `n`: as even as it goes, the first ones longer.
list piece(const list& whole, std::size_t i, std::size_t n) {
  const std::size_t each = whole.size() / n, more = whole.size() % n;
  const auto from = whole.begin() + static_cast<std::ptrdiff_t>(i * each + std::min(i, more));
  return {from, from + static_cast<std::ptrdiff_t>(each + (i < more ? 1 : 0))};
}

/// Whether one datum with an owner, at the root, is given or taken.
bool gives_at_root(together kind) { return kind == together::scatter; }
bool takes_at_root(together kind) { return kind == together::gather || kind == together::reduce; }

}  // namespace

bool model::check_collective(const plan& program, const step& s) {
  const auto is = [&](int d, std::initializer_list<form> forms) {
    return std::ranges::find(forms, program.data[static_cast<std::size_t>(d)].is) != forms.end();
  };
  const std::vector<int> all = members(s);
  if (all.empty()) return refuse("no such group");
  const auto takes_part = [&](int rank) { return std::ranges::find(all, rank) != all.end(); };
  if (!usable(s.datum) || !at(s.datum).initialised) return refuse("gives what is not there");
  if ((at(s.datum).owner < 0) == gives_at_root(s.kind)) return refuse("gives of another kind");
  const bool rooted =
      s.kind == together::broadcast || gives_at_root(s.kind) || s.kind == together::gather;
  if (s.among && (s.group < 0 || !rooted)) return refuse("has no root outside of its group");
  if (s.kind == together::broadcast)
    return (has_rank(s.rank) && (s.among || takes_part(s.rank))) || refuse("no such root");
  if (!usable(s.target) || s.target == s.datum) return refuse("takes into what is not there");
  if ((at(s.target).owner >= 0) != takes_at_root(s.kind)) return refuse("takes into another kind");
  if (open(s.datum) || open(s.target)) return refuse("a collective meets an open reduction");
  const bool adds = s.kind == together::all_reduce || s.kind == together::reduce;
  const bool cuts = gives_at_root(s.kind) || s.kind == together::all_to_all;
  if (!is(s.target, {adds ? form::number : form::list}) || (adds && !is(s.datum, {form::number})) ||
      (cuts && !is(s.datum, {form::list})) || !is(s.datum, {form::number, form::list}))
    return refuse("parts that make no such whole");
  const int root = gives_at_root(s.kind) ? at(s.datum).owner : at(s.target).owner;
  if (root >= 0 && !s.among && !takes_part(root)) return refuse("a root outside of the group");
  if (root < 0 || gives_at_root(s.kind)) {
    if (!at(s.target).initialised && all.size() != static_cast<std::size_t>(ranks_))
      return refuse("writes some of the private values");
  }
  return true;
}

bool model::collective(const plan& program, const step& s) {
  if (!check_collective(program, s)) return false;
  const std::vector<int> all = members(s);
  switch (s.kind) {
    case together::broadcast:
      broadcast(s, all);
      break;
    case together::scatter:
      scatter_parts(s, all);
      break;
    case together::all_to_all:
      exchange(s, all);
      break;
    case together::reduce:
    case together::all_reduce:
      fold(s, all);
      break;
    case together::gather:
    case together::all_gather:
      gather_parts(s, all);
      break;
  }
  if (s.kind != together::broadcast && !takes_at_root(s.kind)) at(s.target).initialised = true;
  return true;
}

/// Down a binomial tree: a place without its lowest bit is the parent.
void model::broadcast(const step& s, const std::vector<int>& all) {
  std::vector<int> ranks = all;
  if (std::ranges::find(ranks, s.rank) == ranks.end()) ranks.push_back(s.rank);
  const int n = static_cast<int>(ranks.size());
  const int root = static_cast<int>(std::ranges::find(ranks, s.rank) - ranks.begin());
  const auto at_place = [&](int place) {
    return ranks[static_cast<std::size_t>((place + root) % n)];
  };
  for (int place = 1; place < n; ++place)
    count(at_place(place & (place - 1)), at_place(place), value(s.datum, s.rank).wire_bytes());
  for (const int r : ranks) {
    if (r != s.rank) value(s.datum, r) = value(s.datum, s.rank);
  }
}

void model::scatter_parts(const step& s, const std::vector<int>& all) {
  const int root = at(s.datum).owner;
  const list whole = elements_of(value(s.datum, root).view());
  for (std::size_t i = 0; i < all.size(); ++i) {
    list part = piece(whole, i, all.size());
    if (all[i] != root) count(root, all[i], part.size() * sizeof(number));
    *std::get<list*>(value(s.target, all[i]).view()) = std::move(part);
  }
}

void model::exchange(const step& s, const std::vector<int>& all) {
  for (std::size_t to = 0; to < all.size(); ++to) {
    list taken;
    for (std::size_t from = 0; from < all.size(); ++from) {
      const list part = piece(elements_of(value(s.datum, all[from]).view()), to, all.size());
      if (from != to) count(all[from], all[to], part.size() * sizeof(number));
      taken.insert(taken.end(), part.begin(), part.end());
    }
    *std::get<list*>(value(s.target, all[to]).view()) = std::move(taken);
  }
}

/// Up a tree from the first member; from there to the root, or down again.
void model::fold(const step& s, const std::vector<int>& all) {
  number sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += *std::get<number*>(value(s.datum, all[i]).view());
    if (i == 0) continue;
    count(all[i], all[i & (i - 1)], sizeof(number));
    if (s.kind == together::all_reduce) count(all[i & (i - 1)], all[i], sizeof(number));
  }
  if (s.kind == together::reduce) {
    const int root = at(s.target).owner;
    if (root != all.front()) count(all.front(), root, sizeof(number));
    *std::get<number*>(value(s.target, root).view()) = sum;
    return written(s.target, root);
  }
  for (const int r : all) *std::get<number*>(value(s.target, r).view()) = sum;
}

void model::gather_parts(const step& s, const std::vector<int>& all) {
  list whole;
  for (const int r : all) {
    const list part = elements_of(value(s.datum, r).view());
    whole.insert(whole.end(), part.begin(), part.end());
  }
  if (s.kind == together::gather) {
    const int root = at(s.target).owner;
    for (const int r : all) {
      if (r != root) count(r, root, value(s.datum, r).wire_bytes());
    }
    *std::get<list*>(value(s.target, root).view()) = whole;
    return written(s.target, root);
  }
  // Those of the next 1, 2, 4, … members, of which each is preceded by its length.
  const std::size_t n = all.size();
  for (std::size_t known = 1; known < n; known *= 2) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t bytes = 0;
      for (std::size_t more = 0; more < std::min(known, n - known); ++more)
        bytes += 8 + value(s.datum, all[(i + more) % n]).wire_bytes();
      count(all[i], all[(i + n - known) % n], bytes);
    }
  }
  for (const int r : all) *std::get<list*>(value(s.target, r).view()) = whole;
}

bool model::gather_list(const plan& program, const step& s, std::size_t index) {
  if (!has_rank(s.rank) || s.uses.empty()) return refuse("a list of nothing");
  std::set<int> once;
  for (const use& u : s.uses) {
    if (!usable(u.datum) || at(u.datum).owner < 0 || !at(u.datum).initialised)
      return refuse("gathers what it cannot");
    once.insert(u.datum);
    const form is = program.data[static_cast<std::size_t>(u.datum)].is;
    if (is == form::tile || is != program.data[static_cast<std::size_t>(s.uses[0].datum)].is)
      return refuse("gathers what is of different types");
  }
  if (!fits(program, once, s.rank)) return refuse("needs more copies than there may be");
  for (int r = 0; r < ranks_; ++r) {
    if (borrowed(index, r)) return refuse("waits while a borrow lives");
  }
  std::uint64_t hash = 0;
  for (const use& u : s.uses) {
    if (!fetch(program, {.what = verb::fetch, .datum = u.datum, .rank = s.rank})) return false;
    hash = deed::mix(hash, hash_of(value(u.datum, s.rank).view()));
  }
  expected_.looks.push_back({index, s.rank, hash});
  ++expected_.beside[s.rank];
  return true;
}

bool model::scatter_list(const plan& program, const step& s, std::size_t index) {
  if (!has_rank(s.rank) || s.uses.empty()) return refuse("a list of nothing");
  for (const use& u : s.uses) {
    if (!usable(u.datum) || at(u.datum).owner < 0 || open(u.datum))
      return refuse("scatters what it cannot");
    const form is = program.data[static_cast<std::size_t>(u.datum)].is;
    if (is == form::tile || is != program.data[static_cast<std::size_t>(s.uses[0].datum)].is)
      return refuse("scatters what is of different types");
    if (!fits(program, {u.datum}, s.rank)) return refuse("needs more copies than there may be");
  }
  for (std::size_t i = 0; i < s.uses.size(); ++i) {
    const use& u = s.uses[i];
    step one{.what = verb::scatter_list, .where = placed::on_rank, .target = s.rank};
    one.uses = {u};
    assign(value(u.datum, s.rank).view(), list_seed(index, i),
           program.data[static_cast<std::size_t>(u.datum)].large);
    if (!run(program, one, index)) return false;
  }
  return true;
}

}  // namespace oracle
