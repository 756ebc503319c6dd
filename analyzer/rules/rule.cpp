// SPDX-License-Identifier: MIT
#include "rules/rule.hpp"

#include "flow/inline.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <map>

namespace deed::check {
namespace {

using group_key = std::pair<int, span>;

/// The same mistake seen again: on another path, in another instantiation, through another caller.
class grouping {
 public:
  void add(diagnostic d) {
    if (!d.primary.at.known()) return;
    const auto [it, is_new] = seen_.try_emplace({d.code, d.primary.at}, kept_.size());
    if (is_new) {
      kept_.push_back(std::move(d));
    } else if (d.how < kept_[it->second].how) {
      kept_[it->second] = std::move(d);
    }
  }
  std::vector<diagnostic> take() {
    std::ranges::stable_sort(kept_, {}, [](const diagnostic& d) { return d.primary.at; });
    return std::move(kept_);
  }

 private:
  std::vector<diagnostic> kept_;
  std::map<group_key, std::size_t> seen_;
};

}  // namespace

std::vector<diagnostic> run_rules(const program& all) {
  grouping found;
  for (const auto& [usr, own] : all.functions) {
    if (!own->in_root) continue;
    const sink keep = [&](diagnostic d) {
      if (d.function.empty()) d.function = usr;
      found.add(std::move(d));
    };
    const auto opened = inlined(all, *own);
    walk(all, *opened, [&](const event& e, const state& before) {
      const moment m{all, *own, e, before};
      for (const rule* r : all_rules()) {
        if (r->at_event) r->at_event(m, keep);
      }
    });
    const whole_function whole{all, *own, *opened, nullptr};
    for (const rule* r : all_rules()) {
      if (r->at_function) r->at_function(whole, keep);
    }
  }
  const sink keep = [&](diagnostic d) { found.add(std::move(d)); };
  for (const rule* r : all_rules()) {
    if (r->at_program) r->at_program(all, keep);
  }
  return found.take();
}

std::string name_of(const moment& m, const path& p) {
  const std::string text = spelling(m.all, p);
  return quoted(text.empty() ? "the datum" : text);
}

severity certainty(const fact& f) { return f.certain ? severity::error : severity::warning; }

diagnostic found(int code, severity how, const moment& m, std::string headline, label primary) {
  diagnostic d;
  d.code = code;
  d.how = how;
  d.headline = std::move(headline);
  d.primary = std::move(primary);
  d.function = m.in.usr;
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

span token_at(const event& call, const std::string& datum) {
  for (const operand& o : call.arguments) {
    if (o.kind == noun::token && key(o.where) == datum) return o.at;
  }
  return call.at;
}

}  // namespace deed::check
