// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

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
                 {overwritten ? m.now.at : started->because->at,
                  overwritten ? "overwritten here" : "started here, never waited for"});
  if (overwritten) d.secondary.push_back({started->because->at, "started here"});
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
