// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  const auto peer = [](const occurrence& o) { return o.peer; };
  for_each_out_of_range(seen, peer, [&](const occurrence& o, int rank, int ranks, std::int64_t n) {
    const bool sends = o.call->words.has(verb::posts, "send");
    auto d = found_across(514, seen, o, "no such peer " + std::to_string(n),
                          {argument_at(*o.call, noun::peer), "this peer"});
    d.notes.push_back("with " + std::to_string(ranks) + " ranks, rank " + std::to_string(rank) +
                      (sends ? " sends to rank " : " receives from rank ") + std::to_string(n));
    const operand* given = argument(*o.call, noun::peer);
    const std::string text = given && given->value ? spelling(seen.all, given->value) : "peer";
    d.help = n < 0 ? quoted("(" + text + " + size) % size") + ", or a condition on the rank"
                   : quoted("(" + text + ") % size") + ", or " + quoted("if (" + text + " < size)");
    report(std::move(d));
  });
}

}  // namespace

const rule d514{
    .code = 514,
    .title = "a message to or from a rank that does not exist",
    .explanation =
        "Peers are ranks: 0 to size() - 1. A chain that is no ring ends at the last rank.\n",
    .across = look};

}  // namespace deed::check
