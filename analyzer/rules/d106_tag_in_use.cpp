// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

/// Whether the handle of a registration ends before its function does: its tag is free then.
bool ends_early(const across_ranks& seen, const event& registration) {
  const std::string handle = key(registration.result);
  if (handle.empty() || seen.all.var(registration.result.root).name.empty()) return false;
  const auto ends = [&](const event& e) {
    if (e.kind == event_kind::scope_end) return e.ends_block && key(e.object) == handle;
    return e.kind == event_kind::call && e.words.has(verb::consumes, "this") &&
           key(e.receiver.where) == handle;
  };
  return std::ranges::any_of(seen.runs.opened->blocks,
                             [&](const block& b) { return std::ranges::any_of(b.events, ends); });
}

void look(const across_ranks& seen, const sink& report) {
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks != 2) continue;
    std::map<std::int64_t, const occurrence*> used;
    for (const occurrence& o : runs[0].calls) {
      if (!o.call->words.has(verb::registers) || !o.tag) continue;
      const auto [it, is_new] = used.try_emplace(*o.tag, &o);
      if (is_new || ends_early(seen, *it->second->call)) continue;
      const occurrence& first = *it->second;
      auto d = found_across(106, seen, o, "tag " + std::to_string(*o.tag) + " is already in use",
                            {argument_at(*o.call, noun::tag), "second registration"});
      if (first.call == o.call) {
        d.notes.push_back("two rounds of the loop give " + std::to_string(*o.tag));
      } else {
        d.secondary.push_back({argument_at(*first.call, noun::tag), "first registration"});
      }
      d.help = "leave the tag out, the library numbers registrations";
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d106{
    .code = 106,
    .title = "a tag is already in use",
    .explanation =
        "A tag names one datum on every rank. Left out, it is the number of the registration.\n",
    .across = look};

}  // namespace deed::check
