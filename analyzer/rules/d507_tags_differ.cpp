// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

span message_tag_at(const event& call) { return argument_at(call, noun::message_tag); }

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::tag, [&](const unmatched& u, int ranks) {
    const message_end &receive = u.one, &send = *u.other;
    auto d = found_across(
        507, seen, *receive.post,
        "send and receive differ in the tag: " + std::to_string(send.tag) + " and " +
            std::to_string(receive.tag),
        {message_tag_at(*receive.post->call), "receive, on rank " + std::to_string(receive.rank) +
                                                  ": tag " + std::to_string(receive.tag)});
    d.secondary.push_back(
        {message_tag_at(*send.post->call),
         "send, on rank " + std::to_string(send.rank) + ": tag " + std::to_string(send.tag)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks");
    d.help = "one named constant for both";
    report(std::move(d));
  });
}

}  // namespace

const rule d507{.code = 507,
                .title = "send and receive differ in the tag",
                .explanation = "A message is matched by its two ranks and its tag.\n",
                .across = look};

}  // namespace deed::check
