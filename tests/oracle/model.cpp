// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <utility>

namespace oracle {

std::uint64_t declared_bytes(const plan& program, int datum) {
  const auto& d = program.data[static_cast<std::size_t>(datum)];
  const auto shape = extents_of(d);
  switch (d.is) {
    case form::number:
      return sizeof(number);
    case form::list:
      return sizeof(list);
    case form::record:
      return sizeof(record);
    case form::tile:
      break;
  }
  return sizeof(double) * shape.rows * shape.cols;
}

bool model::refuse(const char* reason) {
  expected_.refused = reason;
  return false;
}

bool model::usable(int datum) const {
  return datum >= 0 && static_cast<std::size_t>(datum) < entries_.size() && at(datum).live;
}

held_value& model::value(int datum, int rank) {
  entry& e = at(datum);
  return e.values[e.owner < 0 ? static_cast<std::size_t>(rank) : 0];
}

bool model::holds(int datum, int rank) const {
  const entry& e = at(datum);
  return e.live && e.initialised && (e.owner < 0 || e.holders.contains(rank));
}

bool model::borrowed(std::size_t index, int rank) const {
  return index < free_from_[static_cast<std::size_t>(rank)];
}

namespace {

/// Data, groups and borrows that outlive an iteration are made once.
bool may_repeat(const step& s) {
  switch (s.what) {
    case verb::add:
    case verb::end:
    case verb::prepare:
    case verb::submit:
    case verb::take:
    case verb::group:
    case verb::observe:
    case verb::partition:
    case verb::unite:
    case verb::await:
      return false;
    default:
      return s.held == 0;
  }
}

}  // namespace

bool model::perform(const plan& program, const step& s, std::size_t index) {
  if (s.what == verb::repeat) {
    if (repeats_from_ || s.rank < 1) return refuse("a repetition in another, or of nothing");
    repeats_from_ = index;
    return true;
  }
  if (s.what == verb::again) return repeat(program, index);
  if (repeats_from_ && !may_repeat(s)) return refuse("repeats what is done once");
  return perform_one(program, s, index);
}

/// All iterations but the first, which stands in the plan. What they see and write belongs to the
/// step that ends them.
bool model::repeat(const plan& program, std::size_t index) {
  if (!repeats_from_) return refuse("ends a repetition that did not begin");
  const std::size_t first = *std::exchange(repeats_from_, std::nullopt);
  for (int i = 1; i < program.steps[first].rank; ++i) {
    for (std::size_t at = first + 1; at < index; ++at) {
      if (!perform_one(program, program.steps[at], index)) return false;
    }
  }
  return true;
}

bool model::perform_one(const plan& program, const step& s, std::size_t index) {
  switch (s.what) {
    case verb::add:
      return add(program, s);
    case verb::end:
      return end(s.datum, index);
    case verb::task:
      return check_task(program, s) && run(program, s, index);
    case verb::prepare:
      return prepare(program, s);
    case verb::submit:
      return submit(program, s, index);
    case verb::copy:
      return copy(program, s, index);
    case verb::take:
      return take(program, s, index);
    case verb::group:
      return make_group(s);
    case verb::gather_list:
      return gather_list(program, s, index);
    case verb::scatter_list:
      return scatter_list(program, s, index);
    case verb::partition:
      return partition(program, s, index);
    case verb::unite:
      return unite(program, s, index);
    case verb::prefer:
      if (!usable(s.datum) || !has_rank(s.rank)) return refuse("prefers what is not there");
      at(s.datum).preferred = s.rank;
      return true;
    case verb::expect:
      if (!usable(s.datum)) return refuse("expects readers of what is not there");
      at(s.datum).expects_many = s.rank >= 4;
      return true;
    case verb::message:
      return message(program, s);
    case verb::collective:
      return collective(program, s);
    case verb::fetch:
      return fetch(program, s);
    case verb::migrate:
      return migrate(program, s);
    case verb::flush:
      if (s.rank >= 0 && !usable(s.datum)) return refuse("flushes what is not there");
      for (int d = 0; d < static_cast<int>(entries_.size()); ++d) {
        if (s.rank < 0 || d == s.datum) flush(d);
      }
      return true;
    case verb::cache:
      keeps_ = s.rank != 0;
      if (keeps_) return true;
      for (int d = 0; d < static_cast<int>(entries_.size()); ++d) flush(d);
      return true;
    case verb::read:
    case verb::write:
      return borrow(program, s, index);
    case verb::observe:
      return has_rank(s.rank) || refuse("looks where nobody is");
    case verb::await:
      if (!usable(s.datum) || !has_rank(s.rank)) return refuse("waits for what is not there");
      if (borrowed(index, s.rank)) return refuse("waits while a borrow lives");
      return true;
    case verb::wait:
    case verb::barrier:
      for (int r = 0; r < ranks_; ++r) {
        if (borrowed(index, r)) return refuse("waits while a borrow lives");
      }
      for (int d = 0; s.what == verb::wait && d < static_cast<int>(entries_.size()); ++d) close(d);
      return true;
    case verb::repeat:
    case verb::again:
      break;
  }
  return refuse("an unknown step");
}

bool model::add(const plan& program, const step& s) {
  if (s.datum != static_cast<int>(entries_.size())) return refuse("registers in another order");
  const datum& d = program.data[static_cast<std::size_t>(s.datum)];
  if (d.owner >= ranks_) return refuse("no such owner");
  entry fresh = registered(program, s.datum);
  if (!tags_.insert(fresh.tag).second) return refuse("a tag twice");
  entries_.push_back(std::move(fresh));
  return true;
}

model::entry model::registered(const plan& program, int which) const {
  const datum& d = program.data[static_cast<std::size_t>(which)];
  entry fresh;
  fresh.live = true;
  fresh.initialised = d.given;
  fresh.owner = d.owner;
  // Left out, the tag is the number of the registration.
  fresh.tag = d.tag.value_or(static_cast<std::uint64_t>(which));
  if (d.given && d.owner >= 0) fresh.holders.insert(d.owner);
  const int copies = d.owner < 0 ? ranks_ : 1;
  for (int c = 0; c < copies; ++c) {
    fresh.values.emplace_back(d);
    if (d.given)
      assign(fresh.values.back().view(), first_seed(which, d.owner < 0 ? c : d.owner), d.large);
  }
  return fresh;
}

bool model::check_task(const plan& program, const step& s) {
  if (s.uses.empty() && s.where != placed::on_rank && s.where != placed::on_each)
    return refuse("nothing says where a task runs");
  int private_uses = 0;
  for (const use& u : s.uses) {
    if (!usable(u.datum)) return refuse("a task uses what is not there");
    if (u.mode == access_mode::write && open(u.datum)) return refuse("writes what is open");
    if (u.mode == access_mode::reduce) {
      const auto& d = program.data[static_cast<std::size_t>(u.datum)];
      if (d.is != form::number || !d.given || at(u.datum).owner < 0 || s.typed)
        return refuse("contributes to what has no reduction");
    }
    if (deed::reads(u.mode) && !at(u.datum).initialised)
      return refuse("a task reads what nothing wrote");
    private_uses += at(u.datum).owner < 0;
    if (at(u.datum).owner < 0 && !at(u.datum).initialised &&
        static_cast<int>(s.ranks.size()) != ranks_) {
      return refuse(
          "writes some of the private values");  // What one rank writes is written there alone.
    }
    for (const use& other : s.uses) {
      const bool both_read = u.mode == access_mode::read && other.mode == access_mode::read;
      if (&other != &u && other.datum == u.datum && !both_read) {
        return refuse("a task writes a datum that it names twice");
      }
    }
  }
  if (s.listed && (s.uses.empty() || !fits_lists(program, s))) return refuse("no lists");
  if (s.where == placed::on_each) return check_each(s);
  const bool all_private = private_uses > 0;
  if (all_private && private_uses != static_cast<int>(s.uses.size()))
    return refuse("mixes owned and private");
  if (all_private != !s.ranks.empty()) return refuse("only private tasks name who inserts them");
  if (!std::ranges::all_of(s.ranks, [&](int r) { return has_rank(r); }))
    return refuse("no such rank");
  if (all_private && (s.where != placed::by_rule || s.pruned))
    return refuse("a private task is placed");
  if (s.pruned && s.where != placed::by_rule) return refuse("a pruned task is placed by hand");
  if (s.where == placed::on_rank && !has_rank(s.target)) return refuse("no such rank");
  if (s.where == placed::with_owner && (!usable(s.target) || at(s.target).owner < 0)) {
    return refuse("no such owner");
  }
  return true;
}

/// Three lists of one type, in the order of the uses: read, written, changed.
bool model::fits_lists(const plan& program, const step& s) {
  const auto rank_of = [](access_mode mode) {
    return mode == access_mode::read ? 0 : mode == access_mode::write ? 1 : 2;
  };
  const form is = program.data[static_cast<std::size_t>(s.uses.front().datum)].is;
  for (const use& u : s.uses) {
    const bool mode = u.mode == access_mode::read || u.mode == access_mode::write ||
                      u.mode == access_mode::read_write;
    if (!mode || program.data[static_cast<std::size_t>(u.datum)].is != is)
      return refuse("lists of what fits into none");
  }
  const auto order = [&](const use& u) { return rank_of(u.mode); };
  const bool plain = s.what == verb::task && !s.gated && !s.typed &&
                     (s.where == placed::by_rule || s.where == placed::on_rank);
  if (!plain || !std::ranges::is_sorted(s.uses, {}, order)) return refuse("lists out of order");
  return true;
}

int model::executor(const plan& program, const step& s) const {
  if (s.where == placed::on_rank) return s.target;
  if (s.where == placed::with_owner) return at(s.target).owner;
  std::set<int> writers;
  for (const use& u : s.uses) {
    if (writes(u.mode)) writers.insert(at(u.datum).owner);
  }
  if (writers.size() == 1) return *writers.begin();
  // The policy: the owner of most bytes to read, each datum once; the lowest rank of those.
  std::map<int, std::uint64_t> bytes;
  std::set<int> counted;
  for (const use& u : s.uses) {
    std::uint64_t& sum = bytes[at(u.datum).owner];
    if (!reads(u.mode) || !counted.insert(u.datum).second) continue;
    sum += declared_bytes(program, u.datum);
  }
  int best = bytes.begin()->first;
  for (const auto& [owner, sum] : bytes) {
    if (sum > bytes[best]) best = owner;
  }
  return best;
}

bool model::run(const plan& program, const step& s, std::size_t index) {
  if (s.where == placed::on_each) return run_on_each(program, s, index);
  if (!s.ranks.empty()) {
    for (const int r : s.ranks) run_on(r, program, s, index);
    for (const use& u : s.uses) {
      if (writes(u.mode)) at(u.datum).initialised = true;
    }
    return true;
  }
  const int where = executor(program, s);
  std::set<int> data;
  for (const use& u : s.uses) {
    if (u.mode != access_mode::reduce) data.insert(u.datum);
  }
  if (!fits(program, data, where)) return refuse("a task needs more copies than there may be");
  for (const int d : data) close(d);
  make_room(program, data, where);
  std::set<int> here;  // Copies that the task found.
  for (const use& u : s.uses) {
    if (holds(u.datum, where)) here.insert(u.datum);
  }
  std::set<int> brought;
  for (const use& u : s.uses) {
    if (!reads(u.mode)) continue;
    const bool is_here = here.contains(u.datum) || brought.contains(u.datum);
    if (is_here && away(u.datum, where)) ++expected_.hits[where];
    brought.insert(u.datum);
    bring(u.datum, where);
  }
  run_on(where, program, s, index);
  for (const use& u : s.uses) {
    if (!writes(u.mode)) continue;
    written(u.datum, where);
    if (away(u.datum, where)) transfer(u.datum, where, at(u.datum).owner);
  }
  for (const use& u : s.uses) {
    if (u.mode == access_mode::reduce) {
      at(u.datum).contributors.insert(where);
      continue;
    }
    used(u.datum, where);
    if (!keeps_ && (writes(u.mode) || !here.contains(u.datum))) dropped(u.datum, where);
  }
  return true;
}

/// What was contributed comes to the owner along a tree.
void model::close(int datum) {
  if (!at(datum).live || !open(datum)) return;
  entry& e = at(datum);
  std::vector<int> tree{e.owner};
  for (const int r : e.contributors) {
    if (r != e.owner) tree.push_back(r);
  }
  const std::size_t arity = tree.size() <= 5 ? tree.size() : 4;  // Numbers are small.
  for (std::size_t i = 1; i < tree.size(); ++i) transfer(datum, tree[i], tree[(i - 1) / arity]);
  number& sum = *std::get<number*>(value(datum, e.owner).view());
  sum += std::exchange(e.contributed, 0);
  e.contributors.clear();
  written(datum, e.owner);
}

bool model::away(int datum, int rank) const {
  return at(datum).owner >= 0 && at(datum).owner != rank;
}

bool model::fits(const plan& program, const std::set<int>& data, int rank) {
  std::uint64_t sum = 0;
  for (const int d : data) sum += away(d, rank) ? declared_bytes(program, d) : 0;
  return budget_ == 0 || sum <= budget_;
}

/// The copies used longest ago go, until `data` have room beside the others.
void model::make_room(const plan& program, const std::set<int>& data, int rank) {
  if (budget_ == 0) return;
  const auto& kept = kept_[static_cast<std::size_t>(rank)];
  const auto wanted = [&] {
    std::set<int> all(kept.begin(), kept.end());
    for (const int d : data) {
      if (away(d, rank)) all.insert(d);
    }
    std::uint64_t sum = 0;
    for (const int d : all) sum += declared_bytes(program, d);
    return sum;
  };
  while (wanted() > budget_) {
    const auto oldest = std::ranges::find_if(kept, [&](int d) { return !data.contains(d); });
    dropped(*oldest, rank);
  }
}

void model::used(int datum, int rank) {
  if (!away(datum, rank)) return;
  auto& kept = kept_[static_cast<std::size_t>(rank)];
  std::erase(kept, datum);
  kept.push_back(datum);
}

void model::dropped(int datum, int rank) {
  std::erase(kept_[static_cast<std::size_t>(rank)], datum);
  if (!away(datum, rank)) return;
  at(datum).holders.erase(rank);
  std::erase(at(datum).arrived, rank);
}

bool model::fetch(const plan& program, const step& s) {
  if (!usable(s.datum) || !at(s.datum).initialised || at(s.datum).owner < 0 || s.rank >= ranks_)
    return refuse("fetches what it cannot");
  if (budget_ != 0 && declared_bytes(program, s.datum) > budget_)
    return refuse("fetches more than there may be");
  close(s.datum);
  for (int r = 0; r < ranks_; ++r) {
    if ((s.rank >= 0 && s.rank != r) || !away(s.datum, r)) continue;
    make_room(program, {s.datum}, r);
    bring(s.datum, r);
    used(s.datum, r);
  }
  return true;
}

bool model::migrate(const plan& program, const step& s) {
  if (!usable(s.datum) || at(s.datum).owner < 0 || !has_rank(s.rank))
    return refuse("migrates what it cannot");
  close(s.datum);
  entry& e = at(s.datum);
  const int old = e.owner;
  if (old == s.rank) return true;
  if (e.initialised && e.holders.insert(s.rank).second) transfer(s.datum, old, s.rank);
  std::erase(kept_[static_cast<std::size_t>(s.rank)], s.datum);
  std::erase(e.arrived, s.rank);
  e.owner = s.rank;
  if (!e.initialised) return true;
  if (keeps_ && fits(program, {s.datum}, old)) {
    make_room(program, {s.datum}, old);
    used(s.datum, old);
    e.arrived.push_back(old);
  } else {
    dropped(s.datum, old);
  }
  return true;
}

/// Only the owner has it from now on.
void model::flush(int datum) {
  for (int r = 0; r < ranks_; ++r) {
    if ((at(datum).live || partitions_.contains(datum)) && away(datum, r)) dropped(datum, r);
  }
}

void model::run_on(int rank, const plan& program, const step& s, std::size_t index) {
  if (s.what == verb::partition || s.what == verb::unite) {
    ++expected_.beside[rank];
    return;
  }
  if (s.what == verb::copy || s.what == verb::scatter_list) {
    ++expected_.beside[rank];
    if (s.what == verb::copy) value(s.target, rank) = value(s.datum, rank);
    return;
  }
  std::vector<operand> operands;
  for (const use& u : s.uses) {
    const bool adds = u.mode == access_mode::reduce;
    operands.push_back({adds ? seen(&at(u.datum).contributed) : value(u.datum, rank).view(), u.mode,
                        program.data[static_cast<std::size_t>(u.datum)].large});
  }
  expected_.runs.push_back({index, s.task, rank, kernel(s.task, operands)});
}

bool model::message(const plan& program, const step& s) {
  if (!has_rank(s.rank) || !has_rank(s.receiver) || !usable(s.datum) || !usable(s.target) ||
      s.datum == s.target) {
    return refuse("a message between what is not there");
  }
  const datum& from = program.data[static_cast<std::size_t>(s.datum)];
  const datum& to = program.data[static_cast<std::size_t>(s.target)];
  if (from.is != to.is || extents_of(from) != extents_of(to))
    return refuse("a message changes type");
  if (!holds(s.datum, s.rank)) return refuse("a message sends what is not there");
  if (open(s.datum) || open(s.target)) return refuse("a message meets an open reduction");
  const std::vector<int> all = members(s);
  if (std::ranges::find(all, s.rank) == all.end() ||
      std::ranges::find(all, s.receiver) == all.end())
    return refuse("a message of a group leaves it");
  if (away(s.target, s.receiver)) return refuse("a message arrives away from the owner");
  if (to.owner < 0 && !at(s.target).initialised)
    return refuse("a message writes one of the private values");
  auto& sum = expected_.sent[{s.rank, s.receiver}];
  ++sum.transfers;
  sum.bytes += value(s.datum, s.rank).wire_bytes();
  value(s.target, s.receiver) = value(s.datum, s.rank);
  written(s.target, s.receiver);
  return true;
}

bool model::borrow(const plan& program, const step& s, std::size_t index) {
  if (!usable(s.datum) || !has_rank(s.rank)) return refuse("borrows what is not there");
  if (borrowed(index, s.rank)) return refuse("borrows while a borrow lives");
  if (open(s.datum)) return refuse("borrows what is open");
  const datum& d = program.data[static_cast<std::size_t>(s.datum)];
  if (s.what == verb::read) {
    if (!holds(s.datum, s.rank)) return refuse("borrows what is elsewhere");
    expected_.looks.push_back({index, s.rank, hash_of(value(s.datum, s.rank).view())});
    free_from_[static_cast<std::size_t>(s.rank)] = index + 1 + static_cast<std::size_t>(s.held);
    return true;
  }
  if (away(s.datum, s.rank)) return refuse("borrows to write away from the owner");
  if (d.owner < 0 && !at(s.datum).initialised) return refuse("writes one of the private values");
  assign(value(s.datum, s.rank).view(), borrow_seed(index), d.large);
  written(s.datum, s.rank);
  return true;
}

void model::transfer(int datum, int from, int to) {
  auto& sum = expected_.sent[{from, to}];
  ++sum.transfers;
  sum.bytes += value(datum, from).wire_bytes();
}

void model::bring(int datum, int to) {
  entry& e = at(datum);
  if (e.owner < 0 || !e.holders.insert(to).second) return;
  transfer(datum, next_source(datum), to);
  e.arrived.push_back(to);
}

/// The owner serves three, or two if many are expected; then each that has it serves one after the
/// other, in rounds.
int model::next_source(int datum) const {
  const entry& e = at(datum);
  if (std::ranges::find(e.arrived, e.preferred) != e.arrived.end()) return e.preferred;
  std::size_t place = e.arrived.size() + 1;
  if (place < (e.expects_many ? 3u : 4u)) return e.owner;
  if (place == 4 && !e.expects_many) return e.arrived.front();
  std::size_t round = 2;
  while (2 * round <= place) round *= 2;
  place -= round;
  return place == 0 ? e.owner : e.arrived[place - 1];
}

/// The new version is with its owner and with who wrote it.
void model::written(int datum, int by) {
  entry& e = at(datum);
  e.initialised = true;
  if (e.owner < 0) return;
  e.preferred = -1;
  for (int r = 0; r < ranks_; ++r) {
    if (r != by) std::erase(kept_[static_cast<std::size_t>(r)], datum);
  }
  e.holders = {e.owner, by};
  e.arrived.clear();
  if (by != e.owner) e.arrived.push_back(by);
}

void model::finish() {
  for (int d = 0; d < static_cast<int>(entries_.size()); ++d) close(d);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const int d = static_cast<int>(i);
    for (int r = 0; r < ranks_; ++r) {
      if (holds(d, r)) expected_.last.push_back({d, r, hash_of(value(d, r).view())});
    }
  }
}

expectation predict(const plan& program) {
  model world(program.how);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (!world.perform(program, program.steps[i], i)) return std::move(world.expected_);
  }
  if (world.repeats_from_) {
    world.refuse("a repetition without end");
    return std::move(world.expected_);
  }
  if (std::ranges::any_of(world.free_from_,
                          [&](std::size_t end) { return end > program.steps.size(); })) {
    world.refuse("ends while a borrow lives");
    return std::move(world.expected_);
  }
  world.finish();
  return std::move(world.expected_);
}

}  // namespace oracle
