// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

span token_at_call(const event& call) { return argument_at(call, noun::token); }

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::type, [&](const unmatched& u, int ranks) {
    const message_end &receive = u.one, &send = *u.other;
    auto d = found_across(
        510, seen, *receive.post,
        "send and receive with tag " + std::to_string(send.tag) + " differ in the type",
        {token_at_call(*receive.post->call), "receive: " + quoted(receive.use->token->type)});
    d.secondary.push_back(
        {token_at_call(*send.post->call), "send: " + quoted(send.use->token->type)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks");
    d.help = "one alias for both types";
    report(std::move(d));
  });
}

}  // namespace

const rule d510{.code = 510,
                .title = "send and receive differ in the type",
                .explanation = "What is sent is received as the same type.\n",
                .across = look};

}  // namespace deed::check
