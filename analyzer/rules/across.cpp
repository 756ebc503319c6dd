// SPDX-License-Identifier: MIT
#include "rules/across.hpp"

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

/// What a value is made of, through variables of the function, too.
class search {
 public:
  search(const function& f, bool (*wanted)(value::kind)) : f_(f), wanted_(wanted) {}

  bool finds(const value_ref& v) {
    if (!v) return false;
    if (wanted_(v->what)) return true;
    if (std::ranges::any_of(v->arguments, [&](const value_ref& one) { return finds(one); }))
      return true;
    // What a variable is made of is looked at once, however often it is set.
    return v->what == value::kind::variable && seen_.insert(v->where.root).second &&
           set_from_it(v->where.root);
  }

 private:
  bool set_from_it(variable_id variable) {
    for (const block& b : f_.blocks) {
      for (const event& e : b.events) {
        if (e.kind == event_kind::assign && e.object.root == variable && finds(e.result_value))
          return true;
      }
    }
    return false;
  }

  const function& f_;
  bool (*const wanted_)(value::kind);
  std::set<variable_id> seen_;
};

bool is_guard(value::kind what) {
  return what == value::kind::guard || what == value::kind::owner_of;
}

bool is_rank_or_guard(value::kind what) { return what == value::kind::rank || is_guard(what); }

/// Blocks behind which some rank may go another way than others.
std::set<int> own_ways(const rank_runs& runs) {
  std::set<int> found;
  for (const auto& [ranks, each] : runs.by_ranks) {
    for (const rank_run& one : each) found.insert(one.own_ways.begin(), one.own_ways.end());
  }
  return found;
}

}  // namespace

bool is_made_of(const function& f, const value_ref& v, bool (*wanted)(value::kind)) {
  return search(f, wanted).finds(v);
}

std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

decision decided_by(const across_ranks& seen, const occurrence& o) {
  decision nearest;
  const function& f = *seen.runs.opened;
  const auto own = own_ways(seen.runs);
  for (const int id : seen.runs.decisions->deciders(o.block)) {
    const block& b = f.blocks[static_cast<std::size_t>(id)];
    if (!b.condition_at.known()) continue;
    const bool rank = is_made_of(f, b.condition, is_rank_or_guard);
    if (!rank && (nearest.at.known() || !own.contains(id))) continue;
    nearest.at = b.condition_at;
    nearest.condition = b.condition;
    nearest.loop = b.how == split::loop;
    nearest.guard = nearest.guard || is_made_of(f, b.condition, is_guard);
    if (rank) break;
  }
  return nearest;
}

void for_each_lasting(const std::map<int, std::vector<disagreement>>& all,
                      disagreement::kind wanted,
                      const std::function<void(const disagreement&)>& look) {
  std::set<const event*> done;
  for (const auto& [ranks, list] : all) {
    for (const disagreement& d : list) {
      if (d.what != wanted || !done.insert(d.here->call).second) continue;
      // A witness for few ranks only would be about the few ranks, not about the program.
      bool lasting = true;
      for (const auto& [more, others] : all) {
        if (more < 3) continue;
        lasting = lasting && std::ranges::any_of(others, [&](const disagreement& o) {
                    return o.what == wanted && o.here->call == d.here->call;
                  });
      }
      if (lasting) look(d);
    }
  }
}

void for_each_out_of_range(
    const across_ranks& seen,
    const std::function<std::optional<std::int64_t>(const occurrence&)>& number,
    const std::function<void(const occurrence&, int, int, std::int64_t)>& look) {
  std::map<const event*, std::set<int>> shown;
  std::map<const event*, std::tuple<const occurrence*, int, int, std::int64_t>> witness;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      for (const occurrence& o : runs[static_cast<std::size_t>(rank)].calls) {
        const auto n = number(o);
        if (!n || (*n >= 0 && *n < ranks)) continue;
        shown[o.call].insert(ranks);
        witness.try_emplace(o.call, &o, rank, ranks, *n);
      }
    }
  }
  for (const auto& [call, counts] : shown) {
    if (counts.size() < 3) continue;
    const auto& [o, rank, ranks, n] = witness.at(call);
    look(*o, rank, ranks, n);
  }
}

void for_each_unmatched(const across_ranks& seen, mismatch wanted,
                        const std::function<void(const unmatched&, int)>& look) {
  std::map<const event*, std::pair<const unmatched*, int>> first;
  std::map<const event*, std::size_t> shown;
  // Two ranks may match where more do not; what three and four show, all show.
  const bool from_three = std::ranges::all_of(
      seen.messages, [](const auto& entry) { return entry.first < 3 || entry.second.known; });
  std::size_t counts = 0;
  for (const auto& [ranks, messages] : seen.messages) {
    if (!messages.known) continue;
    const bool counted = !from_three || ranks >= 3;
    if (counted) ++counts;
    std::set<const event*> here;
    for (const unmatched& u : messages.left) {
      if (u.what != wanted) continue;
      first.try_emplace(u.one.post->call, &u, ranks);
      if (here.insert(u.one.post->call).second && counted) ++shown[u.one.post->call];
    }
  }
  for (const auto& [call, one] : first) {
    if (shown[call] == counts) look(*one.first, one.second);
  }
}

bool is_other_round(const across_ranks& seen, const disagreement& x) {
  return x.there && x.here->call == x.there->call && decided_by(seen, *x.here).guard;
}

void report_missing_steps(const across_ranks& seen, const missing_step& how, const sink& report) {
  const auto tell = [&](const disagreement& x) {
    if (!how.wanted(x.here->call->words.find(verb::step)->operand)) return;
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(how.code, seen, *x.here, how.headline(*x.here->call),
                          {x.here->call->name_at, "reached by " + rank_name(x.rank)});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back("not reached by " + rank_name(x.other_rank));
    d.help = how.help;
    report(std::move(d));
  };
  for_each_lasting(seen.steps, disagreement::kind::missing_step, tell);
  for_each_lasting(seen.steps, disagreement::kind::other_step, [&](const disagreement& x) {
    if (is_other_round(seen, x)) tell(x);
  });
}

std::string described(const message_end& m) {
  const bool sends = m.post->call->words.has(verb::posts, "send");
  const std::string mine = std::to_string(m.rank), other = std::to_string(m.peer);
  return "from rank " + (sends ? mine : other) + " to rank " + (sends ? other : mine) + ", tag " +
         std::to_string(m.tag);
}

diagnostic found_across(int code, const across_ranks& seen, const occurrence& o,
                        std::string headline, label primary) {
  diagnostic d;
  d.code = code;
  d.headline = std::move(headline);
  d.primary = std::move(primary);
  d.function = seen.own.usr;
  if (o.call->depth > 0 && o.call->called_from.known()) {
    d.secondary.push_back({o.call->called_from, "called from here"});
  }
  return d;
}

const operand* argument(const event& call, noun kind) {
  for (const operand& o : call.arguments) {
    if (o.kind == kind) return &o;
  }
  return nullptr;
}

span argument_at(const event& call, noun kind) {
  const operand* o = argument(call, kind);
  return o ? o->at : call.at;
}

std::string name_of(const across_ranks& seen, const path& p) {
  const std::string text = spelling(seen.all, p);
  return text.empty() ? "the datum" : quoted(text);
}

std::string where(const across_ranks& seen, const span& at) {
  const std::string& file = seen.all.files.name(at.file);
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line);
}

}  // namespace deed::check
