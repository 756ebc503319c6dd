// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::never_received, [&](const unmatched& u, int ranks) {
    auto d =
        found_across(505, seen, *u.one.post, "message " + described(u.one) + ", is never received",
                     {u.one.post->call->at, "sent here, on rank " + std::to_string(u.one.rank)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks; rank " +
                      std::to_string(u.one.peer) + " posts no receive for it");
    d.help = "add the receive on rank " + std::to_string(u.one.peer) + ", or remove the send";
    report(std::move(d));
  });
}

}  // namespace

const rule d505{
    .code = 505,
    .title = "a message is never received",
    .explanation = "Every send has a receive with the same peer and tag on the other rank.\n",
    .across = look};

}  // namespace deed::check
