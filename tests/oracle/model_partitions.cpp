// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <numeric>

/// @file
/// Data that are cut into parts and put together again.

namespace oracle {

bool model::check_partition(const plan& program, const step& s) {
  if (!usable(s.datum) || s.uses.empty()) return refuse("cuts what is not there");
  const datum& whole = program.data[static_cast<std::size_t>(s.datum)];
  if (whole.is != form::list && whole.is != form::tile) return refuse("cuts what has no parts");
  if (whole.is == form::tile && s.uses.size() > extents_of(whole).rows)
    return refuse("cuts more parts than there are rows");
  const bool is_private = at(s.datum).owner < 0;
  if (s.ranks.size() != (is_private ? 0 : s.uses.size())) return refuse("parts without an owner");
  for (std::size_t i = 0; i < s.uses.size(); ++i) {
    const int part = s.uses[i].datum, owner = is_private ? -1 : s.ranks[i];
    if (part != static_cast<int>(entries_.size() + i)) return refuse("registers in another order");
    if (!is_private && !has_rank(owner)) return refuse("no such owner");
    if (program.data[static_cast<std::size_t>(part)] != part_of(whole, i, s.uses.size(), owner))
      return refuse("parts of another whole");
    if (tags_.contains(static_cast<std::uint64_t>(part))) return refuse("a tag twice");
    if (budget_ != 0 && owner != at(s.datum).owner && declared_bytes(program, part) > budget_)
      return refuse("a task needs more copies than there may be");
  }
  return true;
}

/// A task of the library on the rank that owns the whole, or on every rank.
void model::run_beside(const plan& program, const step& s, std::vector<use> uses,
                       std::size_t index) {
  step task{.what = s.what, .where = placed::with_owner, .target = s.datum};
  task.uses = std::move(uses);
  if (at(s.datum).owner < 0) {
    task.where = placed::by_rule;
    task.ranks.resize(static_cast<std::size_t>(ranks_));
    std::iota(task.ranks.begin(), task.ranks.end(), 0);
  }
  static_cast<void>(run(program, task, index));
}

bool model::partition(const plan& program, const step& s, std::size_t index) {
  if (!check_partition(program, s)) return false;
  for (const use& part : s.uses) {
    entries_.push_back(registered(program, part.datum));
    tags_.insert(at(part.datum).tag);
  }
  for (std::size_t i = 0; at(s.datum).initialised && i < s.uses.size(); ++i) {
    const int part = s.uses[i].datum;
    for (std::size_t copy = 0; copy < at(part).values.size(); ++copy)
      at(part).values[copy].cut_from(at(s.datum).values[copy], i, s.uses.size());
    run_beside(program, s, {{part, access_mode::write}, {s.datum, access_mode::read}}, index);
  }
  at(s.datum).live = false;
  partitions_[s.datum] = s.uses;
  for (use& part : partitions_[s.datum]) part.mode = access_mode::read;
  return true;
}

bool model::unite(const plan& program, const step& s, std::size_t index) {
  const auto found = partitions_.find(s.datum);
  if (found == partitions_.end() ||
      !std::ranges::equal(found->second, s.uses, {}, &use::datum, &use::datum))
    return refuse("unites what is not cut");
  for (int r = 0; r < ranks_; ++r) {
    if (borrowed(index, r)) return refuse("ends a datum while a borrow lives");
  }
  const int owner = at(s.datum).owner;
  std::size_t written = 0;
  for (const use& part : s.uses) {
    if (!usable(part.datum)) return refuse("unites parts that are not there");
    written += at(part.datum).initialised ? 1U : 0U;
    if (budget_ != 0 && at(part.datum).owner != owner &&
        declared_bytes(program, part.datum) > budget_)
      return refuse("a task needs more copies than there may be");
  }
  if (written != 0 && written != s.uses.size()) return refuse("unites what nothing wrote");
  partitions_.erase(found);
  at(s.datum).live = true;
  if (written != 0) {
    access_mode mode = access_mode::write;
    for (const use& part : s.uses) {
      run_beside(program, s, {{s.datum, mode}, {part.datum, access_mode::read}}, index);
      mode = access_mode::read_write;
    }
    for (std::size_t copy = 0; copy < at(s.datum).values.size(); ++copy) {
      std::vector<held_value*> parts;
      for (const use& part : s.uses) parts.push_back(&at(part.datum).values[copy]);
      at(s.datum).values[copy].unite(parts);
    }
  }
  for (const use& part : s.uses) static_cast<void>(end(part.datum, index));
  return true;
}

}  // namespace oracle
