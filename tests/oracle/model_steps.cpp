// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>

/// @file
/// Tasks that several ranks run, tasks in two steps, copies and what ends data.

namespace oracle {

bool model::end(int datum, std::size_t index) {
  if (!usable(datum)) return refuse("ends what is not there");
  for (int r = 0; r < ranks_; ++r) {
    if (borrowed(index, r)) return refuse("ends a datum while a borrow lives");
  }
  flush(datum);
  at(datum).contributors.clear();
  at(datum).live = false;
  tags_.erase(at(datum).tag);
  at(datum).values.clear();
  return true;
}

bool model::take(const plan& program, const step& s, std::size_t index) {
  if (!usable(s.datum) || !at(s.datum).initialised ||
      program.data[static_cast<std::size_t>(s.datum)].is == form::tile)
    return refuse("takes what it cannot");
  for (int r = 0; r < ranks_; ++r) {
    if (borrowed(index, r)) return refuse("ends a datum while a borrow lives");
  }
  close(s.datum);
  const int owner = at(s.datum).owner;
  for (int r = 0; r < ranks_; ++r) {
    if (owner < 0 || owner == r)
      expected_.looks.push_back({index, r, hash_of(value(s.datum, r).view())});
  }
  return end(s.datum, index);
}

bool model::check_each(const step& s) {
  const std::set<int> ranks(s.ranks.begin(), s.ranks.end());
  if (ranks.empty() || ranks.size() != s.ranks.size() ||
      !std::ranges::all_of(ranks, [&](int r) { return has_rank(r); }))
    return refuse("no such rank");
  const bool differs = std::ranges::any_of(
      s.uses, [&](const use& u) { return at(u.datum).owner < 0 && deed::reads(u.mode); });
  for (const use& u : s.uses) {
    const int owner = at(u.datum).owner;
    if (owner < 0 || !deed::writes(u.mode)) continue;
    if (!ranks.contains(owner)) return refuse("leaves out an owner of what it writes");
    if (differs) return refuse("writes another value on each rank");
  }
  return true;
}

/// Brings what the step reads, one by one, and counts what was there.
void model::bring_read(const plan& program, const step& s, int rank) {
  for (const use& u : s.uses) {
    if (!deed::reads(u.mode) || !away(u.datum, rank)) continue;
    make_room(program, {u.datum}, rank);
    if (holds(u.datum, rank)) ++expected_.hits[rank];
    bring(u.datum, rank);
    used(u.datum, rank);
  }
}

/// All of them hold the new version, and make room for it.
void model::written_on_each(const plan& program, int datum, const std::vector<int>& ranks) {
  written(datum, at(datum).owner);
  if (at(datum).owner < 0) return;
  for (const int r : ranks) {
    if (!away(datum, r)) continue;
    make_room(program, {datum}, r);
    at(datum).holders.insert(r);
    at(datum).arrived.push_back(r);
    used(datum, r);
  }
}

bool model::run_on_each(const plan& program, const step& s, std::size_t index) {
  std::set<int> data;
  for (const use& u : s.uses) {
    if (u.mode != access_mode::reduce) data.insert(u.datum);
  }
  for (const int r : s.ranks) {
    if (!fits(program, data, r)) return refuse("a task needs more copies than there may be");
  }
  for (const int d : data) close(d);
  for (const int r : s.ranks) bring_read(program, s, r);
  // Each sees what was there before.
  std::map<int, held_value> before;
  for (const int d : data) {
    if (at(d).owner >= 0) before.emplace(d, value(d, 0));
  }
  for (const int r : s.ranks) {
    for (const auto& [d, held] : before) value(d, 0) = held;
    run_on(r, program, s, index);
  }
  for (const use& u : s.uses) {
    if (u.mode == access_mode::reduce) {
      at(u.datum).contributors.insert(s.ranks.begin(), s.ranks.end());
      continue;
    }
    if (deed::writes(u.mode)) written_on_each(program, u.datum, s.ranks);
  }
  for (const use& u : s.uses) {
    if (!keeps_ && u.mode != access_mode::reduce) flush(u.datum);
  }
  return true;
}

std::vector<int> model::prepared() const {
  std::vector<int> all;
  for (const auto& [task, _] : prepared_) all.push_back(task);
  return all;
}

bool model::prepare(const plan& program, const step& s) {
  if (s.where == placed::on_each || s.pruned || s.gated || prepared_.contains(s.task))
    return refuse("prepares what cannot be prepared");
  if (!s.ranks.empty() && static_cast<int>(s.ranks.size()) != ranks_)
    return refuse("prepares on some ranks");
  if (!check_task(program, s)) return false;
  const int where = s.ranks.empty() ? executor(program, s) : -1;
  if (keeps_ && where >= 0) {
    std::set<int> read, all;
    for (const use& u : s.uses) {
      if (deed::reads(u.mode)) read.insert(u.datum);
      if (u.mode != access_mode::reduce) all.insert(u.datum);
    }
    if (!fits(program, read, where)) return refuse("a task needs more copies than there may be");
    for (const int d : all) close(d);
    bring_read(program, s, where);
  }
  prepared_.emplace(s.task, prepared_step{s, where});
  return true;
}

bool model::submit(const plan& program, const step& s, std::size_t index) {
  const auto found = prepared_.find(s.task);
  if (found == prepared_.end()) return refuse("submits what is not prepared");
  step task = found->second.what;
  if (found->second.executor >= 0) {
    task.where = placed::on_rank;
    task.target = found->second.executor;
  }
  if (!check_task(program, task) || !run(program, task, index)) return false;
  prepared_.erase(found);
  return true;
}

/// As a task on the rank that owns what is written.
bool model::copy(const plan& program, const step& s, std::size_t index) {
  if (!usable(s.datum) || !usable(s.target) || s.datum == s.target)
    return refuse("copies what is not there");
  const datum& from = program.data[static_cast<std::size_t>(s.datum)];
  const datum& to = program.data[static_cast<std::size_t>(s.target)];
  if (from.is != to.is || extents_of(from) != extents_of(to)) return refuse("copies between types");
  if ((at(s.datum).owner < 0) != (at(s.target).owner < 0)) return refuse("mixes owned and private");
  step task = s;
  task.uses = {{s.target, access_mode::write}, {s.datum, access_mode::read}};
  if (at(s.target).owner < 0) {
    for (int r = 0; r < ranks_; ++r) task.ranks.push_back(r);
  }
  return check_task(program, task) && run(program, task, index);
}

}  // namespace oracle
