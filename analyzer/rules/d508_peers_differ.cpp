// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

span peer_at(const event& call) { return argument_at(call, noun::peer); }

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::peer, [&](const unmatched& u, int ranks) {
    const message_end &receive = u.one, &send = *u.other;
    auto d = found_across(
        508, seen, *receive.post,
        "send and receive with tag " + std::to_string(send.tag) + " differ in the peer",
        {peer_at(*receive.post->call), "rank " + std::to_string(receive.rank) +
                                           " receives from rank " + std::to_string(receive.peer)});
    d.secondary.push_back(
        {peer_at(*send.post->call),
         "rank " + std::to_string(send.rank) + " sends to rank " + std::to_string(send.peer)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks");
    d.help = "correct one of the peers";
    report(std::move(d));
  });
}

}  // namespace

const rule d508{.code = 508,
                .title = "send and receive differ in the peer",
                .explanation = "A message is matched by its two ranks and its tag.\n",
                .across = look};

}  // namespace deed::check
