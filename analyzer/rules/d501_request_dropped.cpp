// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

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

}  // namespace

const rule d501{.code = 501,
                .title = "a request is dropped or overwritten",
                .explanation =
                    "A dropped request is detached: the message still arrives, but nobody can wait "
                    "for it any more.\n",
                .at_event = look};

}  // namespace deed::check
