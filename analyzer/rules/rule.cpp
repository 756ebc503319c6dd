// SPDX-License-Identifier: MIT
#include "rules/rule.hpp"

#include "flow/inline.hpp"
#include "flow/typestate.hpp"
#include "rules/run_across.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace deed::check {
namespace {

/// One diagnostic for each mistake and place, the surest: it is seen again on another path, in
/// another instantiation, through another caller.
class places {
 public:
  void add(diagnostic d) {
    if (!d.primary.at.known()) return;
    const auto [it, is_new] = seen_.try_emplace({d.code, cause_of(d), d.primary.at}, kept_.size());
    if (is_new) {
      kept_.push_back(std::move(d));
      return;
    }
    diagnostic& there = kept_[it->second];
    if (rank_of(d) < rank_of(there)) there = std::move(d);
  }
  std::vector<diagnostic> take() {
    std::ranges::stable_sort(kept_, {}, [](const diagnostic& d) { return d.primary.at; });
    return std::move(kept_);
  }

 private:
  static std::tuple<std::size_t, severity, int> rank_of(const diagnostic& d) {
    return {d.behind.size(), d.how, d.depth};
  }

  std::vector<diagnostic> kept_;
  std::map<std::tuple<int, span, span>, std::size_t> seen_;
};

/// Functions that another one calls: what they do is seen there, with the right arguments.
std::set<std::string> called(const program& all) {
  std::set<std::string> found;
  for (const auto& [usr, f] : all.functions) {
    for (const block& b : f->blocks) {
      for (const event& e : b.events) {
        if (e.kind == event_kind::call && e.function != usr) found.insert(e.function);
      }
    }
  }
  return found;
}

/// Token n feeds parameter n, values counted along; nothing where the counts do not fit.
std::vector<std::pair<const operand*, const parameter_effects*>> fed_by(const event& call,
                                                                        const body_effects& does) {
  std::vector<const operand*> given;
  for (const operand& o : call.arguments) {
    if (o.kind == noun::token || o.kind == noun::value || o.words.has(verb::copies))
      given.push_back(&o);
  }
  std::vector<std::pair<const operand*, const parameter_effects*>> fed;
  if (given.size() != does.parameters.size()) return fed;
  for (std::size_t i = 0; i < given.size(); ++i) fed.emplace_back(given[i], &does.parameters[i]);
  return fed;
}

/// The insertions of each codelet, by its number.
std::map<int, std::vector<const event*>> insertions_in(const program& all) {
  std::map<int, std::vector<const event*>> found;
  for (const auto& [usr, f] : all.functions) {
    for (const block& b : f->blocks) {
      for (const event& e : b.events) {
        if (e.kind != event_kind::call || !e.words.has(verb::submits)) continue;
        std::set<int> named;
        for (const operand& o : e.arguments) {
          if (o.codelet >= 0 && named.insert(o.codelet).second) found[o.codelet].push_back(&e);
        }
      }
    }
  }
  return found;
}

void look_at_codelets(const program& all, const sink& keep) {
  auto insertions = insertions_in(all);
  for (std::size_t n = 0; n < all.codelets.size(); ++n) {
    const codelet& one = all.codelets[n];
    for (const std::string& usr : one.bodies) {
      const function* own = all.find(usr);
      if (!own || !own->in_root) continue;
      const auto body = inlined(all, *own);
      const body_effects does = effects_of(all, *own, *body);
      const codelet_view view{all, one, *body, does};
      for (const rule* r : all_rules()) {
        if (r->at_codelet) r->at_codelet(view, keep);
      }
      for (const event* e : insertions[static_cast<int>(n)]) {
        const insertion made{view, *e, fed_by(*e, does)};
        for (const rule* r : all_rules()) {
          if (r->at_insertion) r->at_insertion(made, keep);
        }
      }
    }
  }
}

}  // namespace

std::vector<diagnostic> run_rules(const program& all) {
  left_out what;
  return run_rules(all, what);
}

std::vector<diagnostic> run_rules(const program& all, left_out& what) {
  places found;
  const auto has_caller = called(all);
  for (const auto& [usr, own] : all.functions) {
    if (!own->in_root) continue;
    const sink keep = [&](diagnostic d) {
      if (d.function.empty()) d.function = usr;
      found.add(std::move(d));
    };
    const auto opened = inlined(all, *own);
    if (is_cut(all, *opened)) {
      ++what.calls;
      what.where.push_back(
          {own.get(), {own->at, "too large, or its calls too deep: not all are opened"}});
    }
    const bool settled = walk(all, *opened, [&](const event& e, const state& before) {
      const moment m{all, *own, e, before};
      for (const rule* r : all_rules()) {
        if (r->at_event) r->at_event(m, keep);
      }
    });
    if (!settled) {
      ++what.facts;
      what.where.push_back(
          {own.get(), {own->at, "too many facts: nothing is said of states and loans"}});
    }
    const control decisions(*opened);
    const taint ranks(all, *opened);
    const whole_function whole{all, *own, *opened, decisions, ranks};
    for (const rule* r : all_rules()) {
      if (r->at_function) r->at_function(whole, keep);
    }
    if (is_closed(all, *own) && !has_caller.contains(usr)) look_across(whole, what, keep);
  }
  const sink keep = [&](diagnostic d) { found.add(std::move(d)); };
  look_at_codelets(all, keep);
  for (const rule* r : all_rules()) {
    if (r->at_program) r->at_program(all, keep);
  }
  return found.take();
}

std::string name_of(const moment& m, const path& p) {
  const std::string text = spelling(m.all, p);
  return text.empty() ? "the datum" : quoted(text);
}

severity certainty(const fact& f) { return f.certain ? severity::error : severity::warning; }

diagnostic found(int code, severity how, const moment& m, std::string headline, label primary) {
  diagnostic d;
  d.code = code;
  d.how = how;
  d.headline = std::move(headline);
  d.primary = std::move(primary);
  d.function = m.in.usr;
  d.depth = m.now.depth;
  if (m.now.depth > 0 && m.now.called_from.known()) {
    d.secondary.push_back({m.now.called_from, "called from here"});
  }
  return d;
}

std::string task_name(const event& insertion) {
  for (const operand& o : insertion.arguments) {
    if (o.kind == noun::codelet && !o.name.empty()) return "task " + quoted(o.name);
  }
  return insertion.words.has(verb::posts) ? "this message" : "this task";
}

bool keeps_a_piece(const event& registration) {
  for (const operand& o : registration.arguments) {
    if (o.storage.known()) return o.partial;
  }
  return true;
}

span token_at(const event& call, const std::string& datum) {
  for (const operand& o : call.arguments) {
    if (o.kind == noun::token && key(o.where) == datum) return o.at;
  }
  return call.at;
}

span token_at(const event& call, const path& datum) {
  const auto given = tokens(call);
  const auto same = std::ranges::find_if(given, [&](const operand* o) {
    return o->where.root == datum.root && key(o->where) == key(datum);
  });
  return same == given.end() ? call.at : (*same)->at;
}

const event* registration_of(const program& all, variable_id memory) {
  for (const auto& [usr, f] : all.functions) {
    for (const block& b : f->blocks) {
      for (const event& e : b.events) {
        for (const operand& o : e.arguments) {
          if (e.words.has(verb::registers) && o.storage.root == memory) return &e;
        }
      }
    }
  }
  return nullptr;
}

}  // namespace deed::check
