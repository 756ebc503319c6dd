// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::never_sent, [&](const unmatched& u, int ranks) {
    auto d = found_across(
        506, seen, *u.one.post, "receive of a message " + described(u.one) + ", is never matched",
        {u.one.post->call->at, "posted here, on rank " + std::to_string(u.one.rank)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks; rank " +
                      std::to_string(u.one.peer) + " sends no such message");
    d.help = "add the send on rank " + std::to_string(u.one.peer) + ", or remove the receive";
    report(std::move(d));
  });
}

}  // namespace

const rule d506{
    .code = 506,
    .title = "a receive is never matched",
    .explanation = "Every receive has a send with the same peer and tag on the other rank.\n",
    .across = look};

}  // namespace deed::check
