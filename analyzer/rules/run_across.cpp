// SPDX-License-Identifier: MIT
#include "rules/run_across.hpp"

#include "flow/inline.hpp"
#include "rules/across.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace deed::check {
namespace {

/// Whether nothing can be said of what comes after: a rank has left, or its data have other
/// numbers.
bool ends_comparison(const disagreement& d) {
  return d.what == disagreement::kind::registration || d.what == disagreement::kind::left_early;
}

/// The calls that ranks disagree about. None where nothing can be said of what comes after them.
std::set<const event*> disputed(const across_ranks& found) {
  std::set<const event*> calls;
  for (const auto& [ranks, list] : found.steps) {
    for (const disagreement& d : list) {
      if (ends_comparison(d)) return {};
      calls.insert(d.here->call);
      if (d.what == disagreement::kind::other_step) calls.insert(d.there->call);
    }
  }
  return calls;
}

/// What ranks disagree about behind the calls that are told of in `found`: whoever permits these
/// has not permitted the next ones.
void look_behind(across_ranks found, std::set<std::pair<int, span>> told, const sink& keep) {
  constexpr int most = 8;
  std::set<const event*> left_out;
  std::vector<span> places;
  for (int round = 0; round < most; ++round) {
    const auto calls = disputed(found);
    if (calls.empty()) return;
    for (const event* call : calls) {
      if (left_out.insert(call).second) places.push_back(call->at);
    }
    found.messages.clear();
    found.tasks.clear();
    for (auto& [ranks, list] : found.steps)
      list = compare_steps(found.runs.by_ranks.at(ranks), left_out);
    for (const rule* r : all_rules()) {
      if (!r->across) continue;
      r->across(found, [&](diagnostic d) {
        if (!told.emplace(d.code, d.primary.at).second) return;
        d.behind = places;
        keep(std::move(d));
      });
    }
  }
}

/// A function that is run: the whole of a program, or a part that others come before, whose
/// messages may go to and come from elsewhere.
struct subject {
  const program& all;
  const function& own;
  const function& opened;
  const control& decisions;
  bool part = false;
};

void compare(const subject& of, const rank_runs& runs, const sink& keep) {
  across_ranks found{of.all, of.own, runs, {}, {}, {}};
  for (const auto& [ranks, each] : runs.by_ranks) {
    if (ranks < 2) continue;
    if (!of.part) found.messages[ranks] = match_messages(each);
    found.steps[ranks] = compare_steps(each);
    // After registrations that differ, the names of data mean different things.
    const bool same_data = std::ranges::none_of(found.steps[ranks], [](const disagreement& d) {
      return d.what == disagreement::kind::registration;
    });
    if (same_data) found.tasks[ranks] = compare_tasks(each);
  }
  std::set<std::pair<int, span>> told;
  for (const rule* r : all_rules()) {
    if (!r->across) continue;
    r->across(found, [&](diagnostic d) {
      told.emplace(d.code, d.primary.at);
      keep(std::move(d));
    });
  }
  look_behind(std::move(found), std::move(told), keep);
}

/// Open conditions go one way and the other; what is found only once may be wrong about the path.
void compare_both_ways(const subject& of, const rank_runs& runs, const sink& keep) {
  std::vector<diagnostic> first, second;
  compare(of, runs, [&](diagnostic d) { first.push_back(std::move(d)); });
  if (runs.guessed()) {
    const auto others = run_on_ranks(of.all, of.opened, of.decisions, false);
    compare(of, others, [&](diagnostic d) { second.push_back(std::move(d)); });
    const auto in = [](const std::vector<diagnostic>& list, const diagnostic& d) {
      return std::ranges::any_of(list, [&](const diagnostic& o) {
        return o.code == d.code && o.primary.at == d.primary.at;
      });
    };
    for (diagnostic& d : first) {
      if (!in(second, d)) d.how = std::max(d.how, severity::warning);
    }
    for (diagnostic& d : second) {
      if (in(first, d)) continue;
      d.how = std::max(d.how, severity::warning);
      first.push_back(std::move(d));
    }
  }
  for (diagnostic& d : first) keep(std::move(d));
}

/// The first place where some rank could not be followed further, or behind which ranks are not
/// compared any more.
stop first_stop(const rank_runs& runs) {
  for (const auto& [ranks, each] : runs.by_ranks) {
    for (const rank_run& one : each) {
      if (!one.complete && one.gave_up.at.known()) return one.gave_up;
    }
  }
  for (const auto& [ranks, each] : runs.by_ranks) {
    for (const disagreement& d : compare_steps(each)) {
      if (ends_comparison(d))
        return {d.here->call->at, "not the same on every rank, compared to here", d.here->block};
    }
  }
  return {};
}

/// What stands behind a block, in the function and in what it calls.
std::set<line_of_file> lines_behind(const function& opened, int block) {
  std::set<line_of_file> lines;
  for (const int next : opened.blocks[static_cast<std::size_t>(block)].successors) {
    for (const int id : reached(opened, next)) {
      const auto& b = opened.blocks[static_cast<std::size_t>(id)];
      if (b.condition_at.known()) lines.emplace(b.condition_at.file, b.condition_at.line);
      for (const event& e : b.events) lines.emplace(e.at.file, e.at.line);
    }
  }
  return lines;
}

/// Whether a condition may choose who comes behind it, or ask how many there are.
bool may_choose(const function& f, const value_ref& condition) {
  return !condition || is_made_of(f, condition, [](value::kind what) {
    return what != value::kind::constant && what != value::kind::uniform &&
           what != value::kind::rank_local && what != value::kind::variable &&
           what != value::kind::operation && what != value::kind::text;
  });
}

/// The functions that all ranks call, whatever their number, if they come that far.
std::set<const function*> called_by_all(const subject& of, const stop& where) {
  std::set<const function*> found;
  const control decisions(of.own);
  for (std::size_t i = 0; i < of.own.blocks.size(); ++i) {
    const auto by = decisions.deciders(static_cast<int>(i));
    const bool chosen = std::ranges::any_of(by, [&](int id) {
      const auto& b = of.own.blocks[static_cast<std::size_t>(id)];
      return b.condition_at != where.at && may_choose(of.own, b.condition);
    });
    if (chosen) continue;
    for (const event& e : of.own.blocks[i].events) {
      if (e.kind == event_kind::call && e.words.empty()) found.insert(of.all.find(e.function));
    }
  }
  found.erase(nullptr);
  return found;
}

/// Whether each rank that could not be followed to its end came to a function, or it is the one in
/// which they stopped.
bool is_followed(const function& f, const stop& where, const rank_runs& runs) {
  std::set<span> calls;
  for (const block& b : f.blocks) {
    if (b.condition_at == where.at) return true;
    for (const event& e : b.events) calls.insert(e.at);
  }
  return calls.contains(where.at) || std::ranges::all_of(runs.by_ranks, [&](const auto& entry) {
           return std::ranges::all_of(entry.second, [&](const rank_run& one) {
             return one.complete || std::ranges::any_of(one.calls, [&](const occurrence& o) {
                      return calls.contains(o.call->at);
                    });
           });
         });
}

/// Runs a function, and then those that it calls where ranks could not be followed.
class follower {
 public:
  follower(left_out& what, const sink& keep) : what_(what), keep_(keep) {}

  void look(const subject& of) {
    if (!done_.insert(&of.own).second) return;
    const auto runs = run_on_ranks(of.all, of.opened, of.decisions, true);
    ++what_.followed;
    const bool ended = std::ranges::all_of(runs.by_ranks, [](const auto& entry) {
      return std::ranges::all_of(entry.second, &rank_run::complete);
    });
    if (!ended) ++what_.ranks;
    compare_both_ways(of, runs, [&](diagnostic d) {
      if (d.function.empty()) d.function = of.own.usr;
      keep_(std::move(d));
    });
    const stop where = first_stop(runs);
    if (!where.at.known()) return;
    what_.where.push_back({&of.own, where, lines_behind(of.opened, where.block)});
    if (!ended) look_at_callees(of, where, runs);
  }

 private:
  void look_at_callees(const subject& of, const stop& where, const rank_runs& runs) {
    for (const function* f : called_by_all(of, where)) {
      if (!f->in_root || !is_closed(of.all, *f) || is_followed(*f, where, runs)) continue;
      const auto opened = inlined(of.all, *f);
      const control decisions(*opened);
      look({of.all, *f, *opened, decisions, true});
    }
  }

  left_out& what_;
  const sink& keep_;
  std::set<const function*> done_;
};

}  // namespace

void look_across(const whole_function& whole, left_out& what, const sink& keep) {
  follower(what, keep).look({whole.all, whole.own, whole.opened, whole.decisions});
}

}  // namespace deed::check
