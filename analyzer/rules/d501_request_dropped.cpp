// SPDX-License-Identifier: MIT
#include "flow/mentions.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

/// Whether a function that is called here hands the request on: nothing is wrong within it.
bool in_callee(const fact& started, const event& dropped) {
  return dropped.depth == 0 && started.because->depth > 0 && started.because->called_from.known();
}

span start_of(const fact& started, const event& dropped) {
  return in_callee(started, dropped) ? started.because->called_from : started.because->at;
}

void look(const moment& m, const sink& report) {
  const bool overwritten = m.now.kind == event_kind::move && m.now.other.known();
  if (!overwritten && m.now.kind != event_kind::scope_end) return;
  const path& object = overwritten ? m.now.other : m.now.object;
  const fact* started = m.before.find(about::started, key(object));
  if (!started) started = m.before.find(about::started, key(object) + ".*");  // In an optional.
  if (!started) return;
  const std::string name = spelling(m.all, object);
  auto d = found(501, severity::warning, m,
                 (name.empty() ? "request" : "request " + quoted(name)) +
                     (overwritten ? " is overwritten" : " is dropped") +
                     (started->certain ? "" : " on some path"),
                 {overwritten ? m.now.at : start_of(*started, m.now),
                  overwritten ? "overwritten here" : "started here, never waited for"});
  if (overwritten) d.secondary.push_back({start_of(*started, m.now), "started here"});
  if (in_callee(*started, m.now)) d.secondary.push_back({started->because->at, "by this call"});
  const std::string request = spelling(m.all, started->subject_path);
  d.help = (request.empty() ? "keep it and wait" : quoted(member_spelling(request, "wait()"))) +
           ", or the plain call if nobody waits";
  report(std::move(d));
}

/// The list of the function's own that a call gives a request to; 0: none.
variable_id list_given(const program& all, const event& e) {
  if (e.kind != event_kind::call || !e.standard || e.receiver.use != effect::grow) return 0;
  if (e.arguments.size() != 1 || !e.receiver.where.parts.empty()) return 0;
  const operand& given = e.arguments.front();
  const variable& list = all.var(e.receiver.where.root);
  const bool own = !list.parameter && !list.reference && !list.global && !list.persistent;
  return own && given.moved && given.kind == noun::request ? e.receiver.where.root : 0;
}

bool makes_or_fills(const event& e, variable_id list) {
  const bool fills = e.kind == event_kind::call && e.receiver.use == effect::grow &&
                     std::ranges::none_of(e.arguments, [](const operand& o) {
                       return o.kind == noun::none && o.where.known();  // Another list.
                     });
  const path& object = fills ? e.receiver.where : e.object;
  return (fills || e.kind == event_kind::assign) && object.root == list && object.parts.empty();
}

/// Whether somebody looks at a list, be it a lambda.
bool asked(const program& all, variable_id list) {
  for (const auto& [usr, f] : all.functions) {
    for (const block& b : f->blocks) {
      for (const event& e : b.events) {
        bool looks = false;
        each_looked_at(e, [&](variable_id v) { looks = looks || v == list; });
        if (looks && !makes_or_fills(e, list)) return true;
      }
    }
  }
  return false;
}

/// Lists that are filled with requests and forgotten.
void look_at_lists(const whole_function& seen, const sink& report) {
  std::set<variable_id> told;
  for (const block& b : seen.own.blocks) {
    for (const event& e : b.events) {
      const variable_id list = list_given(seen.all, e);
      if (list == 0 || !told.insert(list).second || asked(seen.all, list)) continue;
      const std::string name = spelling(seen.all, path{list, {}});
      diagnostic d;
      d.code = 501;
      d.how = severity::warning;
      d.headline = "requests in " + quoted(name) + " are dropped";
      d.primary = {e.at, "kept here, never waited for"};
      d.help = "wait for each of them, or make the plain calls if nobody waits";
      report(std::move(d));
    }
  }
}

}  // namespace

const rule d501{.code = 501,
                .title = "a request is dropped or overwritten",
                .explanation =
                    "A dropped request is detached: the message still arrives, but nobody can wait "
                    "for it any more.\n",
                .at_event = look,
                .at_function = look_at_lists};

}  // namespace deed::check
