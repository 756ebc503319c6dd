// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string shape_of(const message_end& m) {
  const auto& all = m.use->what.extents;
  std::string text;
  for (std::size_t i = all.size() == 4 ? 2 : 0; i < all.size(); ++i) {
    text += (text.empty() ? "" : " x ") + std::to_string(*all[i]);
  }
  return text + " elements";
}

void look(const across_ranks& seen, const sink& report) {
  for_each_unmatched(seen, mismatch::size, [&](const unmatched& u, int ranks) {
    const message_end &receive = u.one, &send = *u.other;
    auto d = found_across(
        509, seen, *receive.post,
        "send and receive with tag " + std::to_string(send.tag) + " differ in the size",
        {argument_at(*receive.post->call, noun::token), "receive: " + shape_of(receive)});
    d.secondary.push_back({argument_at(*send.post->call, noun::token), "send: " + shape_of(send)});
    d.notes.push_back("seen with " + std::to_string(ranks) + " ranks");
    d.help = "register both with the same extents";
    report(std::move(d));
  });
}

}  // namespace

const rule d509{.code = 509,
                .title = "send and receive differ in the size",
                .explanation = "What is sent is received into a datum of the same size.\n",
                .across = look};

}  // namespace deed::check
