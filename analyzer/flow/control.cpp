// SPDX-License-Identifier: MIT
#include "flow/control.hpp"

#include <algorithm>
#include <utility>

namespace deed::check {
namespace {

std::size_t at(int id) { return static_cast<std::size_t>(id); }

}  // namespace

const std::vector<int>& control::successors(int block) const {
  static const std::vector<int> none;
  const auto& b = f_.blocks[at(block)];
  return b.ends_job && throw_ends_ == throw_ends::job ? none : b.successors;
}

/// The blocks that lead to the exit, each behind one that it leads to: the reversed graph in
/// reverse post-order.
std::vector<int> control::from_the_end() const {
  std::vector<std::vector<int>> before(f_.blocks.size());
  for (std::size_t id = 0; id < f_.blocks.size(); ++id) {
    for (const int next : successors(static_cast<int>(id))) {
      if (next >= 0) before[at(next)].push_back(static_cast<int>(id));
    }
  }
  std::vector<int> order;
  std::vector<char> seen(f_.blocks.size());
  // A stack of its own: functions of many thousand blocks exist.
  std::vector<std::pair<int, std::size_t>> stack{{f_.exit, 0}};
  seen[at(f_.exit)] = 1;
  while (!stack.empty()) {
    auto& [id, next] = stack.back();
    if (next == before[at(id)].size()) {
      order.push_back(id);
      stack.pop_back();
      continue;
    }
    const int from = before[at(id)][next++];
    if (std::exchange(seen[at(from)], 1)) continue;
    stack.emplace_back(from, 0);
  }
  std::ranges::reverse(order);
  return order;
}

// Cooper, Harvey, Kennedy: A simple, fast dominance algorithm (2001), on the reversed graph.
control::control(const function& f, throw_ends what)
    : f_(f), throw_ends_(what), joins_(f.blocks.size(), -1), direct_(f.blocks.size()) {
  std::vector<int> order = from_the_end();
  std::vector<int> rank(f.blocks.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) rank[at(order[i])] = static_cast<int>(i);
  joins_[at(f.exit)] = f.exit;
  const auto meet = [&](int a, int b) {
    while (a != b) {
      while (rank[at(a)] > rank[at(b)]) a = joins_[at(a)];
      while (rank[at(b)] > rank[at(a)]) b = joins_[at(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int id : order) {
      if (id == f.exit) continue;
      int join = -1;
      for (const int next : successors(id)) {
        if (next < 0 || joins_[at(next)] < 0) continue;
        join = join < 0 ? next : meet(join, next);
      }
      if (join >= 0 && joins_[at(id)] != join) {
        joins_[at(id)] = join;
        changed = true;
      }
    }
  }
  // What never comes to the exit, as within a loop without end, is decided as well.
  for (std::size_t id = 0; id < f.blocks.size(); ++id) {
    if (rank[id] < 0) order.push_back(static_cast<int>(id));
  }
  for (const int id : order) {
    if (successors(id).size() < 2) continue;
    for (const int next : successors(id)) {
      std::size_t steps = 0;
      for (int b = next; b >= 0 && b != joins_[at(id)] && ++steps < f.blocks.size();
           b = joins_[at(b)]) {
        auto& deciders = direct_[at(b)];
        if (deciders.empty() || deciders.back() != id) deciders.push_back(id);
        if (b == f.exit) break;
      }
    }
  }
}

std::vector<int> control::deciders(int block) const {
  std::vector<int> found;
  std::vector<char> seen(f_.blocks.size());
  const auto add = [&](int of) {
    for (const int d : direct_[at(of)]) {
      if (!std::exchange(seen[at(d)], 1)) found.push_back(d);
    }
  };
  add(block);
  for (std::size_t i = 0; i < found.size(); ++i) add(found[i]);
  return found;
}

std::vector<int> control::region(int block) const {
  const int end = meets_at(block);
  std::vector<int> found;
  std::vector<char> seen(f_.blocks.size());
  const auto visit = [&](int from) {
    for (const int id : successors(from)) {
      if (id >= 0 && id != end && !std::exchange(seen[at(id)], 1)) found.push_back(id);
    }
  };
  visit(block);
  for (std::size_t i = 0; i < found.size(); ++i) visit(found[i]);
  return found;
}

std::set<int> reached(const function& f, int from, int end, throw_ends what) {
  std::set<int> seen;
  std::vector<int> work{from};
  while (!work.empty()) {
    const int id = work.back();
    work.pop_back();
    if (id < 0 || id == end || seen.contains(id)) continue;
    const block& b = f.blocks[at(id)];
    if (b.ends_job && what == throw_ends::job) continue;
    seen.insert(id);
    work.insert(work.end(), b.successors.begin(), b.successors.end());
  }
  return seen;
}

bool may_catch(const function& f) {
  const std::set<int> met = reached(f, f.entry);
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    // What stands behind a `throw` is not reached either, and goes one way.
    if (!met.contains(static_cast<int>(i)) && f.blocks[i].how == split::other) return true;
  }
  return false;
}

}  // namespace deed::check
