// SPDX-License-Identifier: MIT
#include "flow/sequence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace deed::check {
namespace {

using kind = disagreement::kind;

/// The n-th insertion of a codelet with the same data: the same task on every rank.
using task_key = std::pair<std::string, int>;

struct numbered {
  task_key id;
  const occurrence* task;
};

/// What is done to what, wherever it is written.
std::string identity(const occurrence& o) {
  std::string text;
  for (const operand& given : o.call->arguments) {
    if (given.kind == noun::codelet) text = std::to_string(given.codelet);
  }
  for (const datum_use& use : o.uses) {
    text += " " + std::to_string(static_cast<int>(use.access)) + use.what.name;
  }
  return text;
}

bool is_shared(const occurrence& o) {
  for (const datum_use& use : o.uses) {
    if (use.access == mode::scratch) continue;
    if (use.what.name.empty() || use.what.per_rank) return false;
  }
  return !o.uses.empty();
}

std::vector<numbered> tasks(const rank_run& run) {
  std::vector<numbered> found;
  std::map<std::string, int> seen;
  for (const occurrence& o : run.calls) {
    if (!o.call->words.has(verb::submits) || !is_shared(o)) continue;
    std::string id = identity(o);
    const int n = seen[id]++;
    found.push_back({{std::move(id), n}, &o});
  }
  return found;
}

bool conflict(const occurrence& a, const occurrence& b) {
  for (const datum_use& x : a.uses) {
    for (const datum_use& y : b.uses) {
      if (x.what.name == y.what.name && (writes(x.access) || writes(y.access))) return true;
    }
  }
  return false;
}

class comparison {
 public:
  explicit comparison(const std::vector<rank_run>& ranks) : ranks_(ranks) {
    for (const rank_run& run : ranks) {
      lists_.push_back(tasks(run));
      auto& index = positions_.emplace_back();
      for (std::size_t i = 0; i < lists_.back().size(); ++i) index[lists_.back()[i].id] = i;
      auto& skipped = skipped_.emplace_back();
      for (const auto& tokens : run.skipped) {
        for (const datum_use& use : tokens) {
          if (writes(use.access)) skipped.insert(use.what.name);
        }
      }
    }
  }

  std::vector<disagreement> run() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (const numbered& one : lists_[r]) look_at(one, static_cast<int>(r));
    }
    for (std::size_t p = 0; p < ranks_.size(); ++p) {
      for (std::size_t q = p + 1; q < ranks_.size(); ++q) order(p, q);
    }
    return std::move(found_);
  }

 private:
  void add(kind what, int rank, int other, const occurrence& here, const occurrence* there,
           const datum_use* about) {
    disagreement d;
    d.what = what;
    d.ranks = static_cast<int>(ranks_.size());
    d.rank = rank;
    d.other_rank = other;
    d.here = &here;
    d.there = there;
    d.about = about;
    found_.push_back(d);
  }

  const occurrence* find(int rank, const task_key& id) const {
    const auto& index = positions_[static_cast<std::size_t>(rank)];
    const auto it = index.find(id);
    return it == index.end() ? nullptr : lists_[static_cast<std::size_t>(rank)][it->second].task;
  }

  void look_at(const numbered& one, int rank) {
    for (int other = 0; other < static_cast<int>(ranks_.size()); ++other) {
      if (other == rank) continue;
      const occurrence* theirs = find(other, one.id);
      if (!theirs) {
        if (ranks_[static_cast<std::size_t>(other)].complete) absent(one, rank, other);
        continue;
      }
      const auto &mine = one.task->place, &there = theirs->place;
      if (rank < other && mine && there && *mine != *there) {
        add(kind::placement, rank, other, *one.task, theirs, nullptr);
      }
    }
  }

  bool knows_of_skip(int rank, const std::string& name) const {
    return skipped_[static_cast<std::size_t>(rank)].contains(name);
  }

  /// `other` does not insert the task. Has it anything to do with it?
  void absent(const numbered& one, int rank, int other) {
    const auto taking_part = participants(*one.task);
    if (!taking_part) return;
    for (const int p : *taking_part) {
      if (p >= static_cast<int>(ranks_.size())) return;
    }
    if (std::ranges::find(*taking_part, other) != taking_part->end()) {
      const datum_use* theirs = nullptr;
      for (const datum_use& use : one.task->uses) {
        if (use.what.owner == other) theirs = &use;
      }
      return add(kind::missing_task, rank, other, *one.task, nullptr, theirs);
    }
    for (const datum_use& use : one.task->uses) {
      if (writes(use.access) && !knows_of_skip(other, use.what.name))
        later_reader(one, rank, other, use);
    }
  }

  /// The use of a datum in a task that `rank` runs, if it looks at the value.
  const datum_use* reads_there(const task_key& id, int rank, const std::string& name) const {
    const occurrence* theirs = find(rank, id);
    if (!theirs || runner(*theirs) != rank) return nullptr;
    for (const datum_use& use : theirs->uses) {
      if (use.what.name == name && reads(use.access)) return &use;
    }
    return nullptr;
  }

  /// Where in the list of `rank` the tasks stand that `other` runs and that look at a datum.
  const std::vector<std::size_t>& readers(int rank, int other, const std::string& name) {
    const auto [it, is_new] = readers_.try_emplace({rank, other, name});
    if (!is_new) return it->second;
    const auto& mine = lists_[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (reads_there(mine[i].id, other, name)) it->second.push_back(i);
    }
    return it->second;
  }

  /// `other` has a copy of what is written here without its knowledge, and looks at it again.
  void later_reader(const numbered& write, int rank, int other, const datum_use& written) {
    const auto& mine = lists_[static_cast<std::size_t>(rank)];
    const std::size_t here = positions_[static_cast<std::size_t>(rank)].at(write.id);
    const auto& looking = readers(rank, other, written.what.name);
    const auto later = std::ranges::upper_bound(looking, here);
    if (later == looking.end() || looking.front() >= here) return;
    add(kind::stale_reader, rank, other, *write.task, find(other, mine[*later].id), &written);
  }

  void order(std::size_t p, std::size_t q) {
    std::vector<const numbered*> a, b;
    for (const numbered& one : lists_[p]) {
      if (positions_[q].contains(one.id)) a.push_back(&one);
    }
    for (const numbered& one : lists_[q]) {
      if (positions_[p].contains(one.id)) b.push_back(&one);
    }
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i]->id == b[i]->id) continue;
      add(kind::order, static_cast<int>(p), static_cast<int>(q), *a[i]->task, b[i]->task, nullptr);
      found_.back().conflict = conflict(*a[i]->task, *b[i]->task);
      return;
    }
  }

  const std::vector<rank_run>& ranks_;
  std::vector<std::vector<numbered>> lists_;
  std::vector<std::map<task_key, std::size_t>> positions_;
  std::vector<std::set<std::string>> skipped_;  // by rank, what `relevant` recorded as written
  std::map<std::tuple<int, int, std::string>, std::vector<std::size_t>> readers_;
  std::vector<disagreement> found_;
};

}  // namespace

std::vector<disagreement> compare_tasks(const std::vector<rank_run>& ranks) {
  return comparison(ranks).run();
}

}  // namespace deed::check
