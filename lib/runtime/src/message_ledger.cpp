// SPDX-License-Identifier: MIT
#include "message_ledger.hpp"

#include <deed/base/error_code.hpp>

#include "inquest.hpp"
#include "report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace deed::runtime {
namespace {

using std::string;

/// One use of one rank, of which so many have no other end.
struct loose_end {
  int rank = 0;
  const message_use* use = nullptr;
  std::uint64_t count = 0;
};

/// From, to, channel, tag.
using stream_key = std::tuple<int, int, std::uint64_t, std::uint64_t>;

stream_key key_of(int rank, const message_use& use) {
  return {use.sends ? rank : use.peer, use.sends ? use.peer : rank, use.channel, use.tag};
}

/// Messages of one stream match in order: what is left are the last.
std::vector<loose_end> loose_ends(const std::vector<rank_messages>& all) {
  std::map<stream_key, std::int64_t> more_sent;
  for (const auto& [rank, uses] : all) {
    for (const message_use& each : uses) {
      const auto count = static_cast<std::int64_t>(each.count);
      more_sent[key_of(rank, each)] += each.sends ? count : -count;
    }
  }
  std::vector<loose_end> found;
  for (const auto& [rank, uses] : all) {
    for (auto each = uses.rbegin(); each != uses.rend(); ++each) {
      std::int64_t& left = more_sent[key_of(rank, *each)];
      const std::int64_t mine = each->sends ? left : -left;
      if (mine <= 0) continue;
      const std::int64_t here = std::min(mine, static_cast<std::int64_t>(each->count));
      left -= each->sends ? here : -here;
      found.push_back({rank, &*each, static_cast<std::uint64_t>(here)});
    }
  }
  return found;
}

/// How far from being the other end of `wanted`, which `rank` has; none if it cannot be meant.
std::optional<int> distance(int rank, const message_use& wanted, int other,
                            const message_use& candidate) {
  if (candidate.sends == wanted.sends || candidate.channel != wanted.channel) return std::nullopt;
  const bool here = other == wanted.peer;     // On the rank that should have it.
  const bool meant = candidate.peer == rank;  // For the rank that wants it.
  const bool same_tag = candidate.tag == wanted.tag;
  if (here && meant) return same_tag ? 0 : 1;
  if (same_tag && (here || meant)) return 2;
  return std::nullopt;
}

struct closest {
  int rank = 0;
  const message_use* use = nullptr;
};

/// The nearest other end: among those that have none, then among all.
closest closest_to(const loose_end& wanted, const std::vector<loose_end>& loose,
                   const std::vector<rank_messages>& all) {
  closest best;
  int least = 3;
  const auto look = [&](int rank, const message_use& use) {
    const auto far = distance(wanted.rank, *wanted.use, rank, use);
    if (!far || *far >= least) return;
    least = *far;
    best = {rank, &use};
  };
  for (const loose_end& each : loose) look(each.rank, *each.use);
  if (best.use != nullptr) return best;
  for (const auto& [rank, uses] : all) {
    for (const message_use& each : uses) look(rank, each);
  }
  return best;
}

string described(const message_use& use) {
  return string(use.sends ? "sends " : "receives ") + use.datum + " (" + quoted(use.type) +
         (use.sends ? ") to rank " : ") from rank ") + std::to_string(use.peer) + ", message tag " +
         std::to_string(use.tag) + ", at " + use.where;
}

string what_differs(const loose_end& lost, int holder, const message_use& near) {
  const message_use& wanted = *lost.use;
  string text = "closest " + string(near.sends ? "send: " : "receive: ") + described(near);
  if (near.tag != wanted.tag)
    return text + ": tags differ (" + std::to_string(wanted.tag) + " and " +
           std::to_string(near.tag) + ")";
  if (holder != wanted.peer || near.peer != lost.rank) return text + ": ranks differ";
  return text;
}

error_code code_of(const loose_end& lost, const std::vector<loose_end>& loose,
                   const closest& near) {
  // A near miss is one only if the candidate has no other end, either.
  const bool also_loose =
      std::ranges::any_of(loose, [&](const loose_end& each) { return each.use == near.use; });
  if (near.use != nullptr && also_loose) {
    return near.use->tag != lost.use->tag ? error_code::message_tags_differ
                                          : error_code::message_peers_differ;
  }
  return lost.use->sends ? error_code::message_never_received : error_code::receive_never_matched;
}

/// Says it, and notes of which datum it is.
void add(verdict& to, int rank, string text, const message_use& of, registrations& named) {
  to.labels.push_back(rank_label(rank));
  to.texts.push_back(std::move(text));
  named.note(of.registered);
}

void add(verdict& to, string label, string text) {
  to.labels.push_back(std::move(label));
  to.texts.push_back(std::move(text));
}

}  // namespace

void registrations::note(const string& registered) {
  constexpr std::size_t most = 4;
  if (registered.empty() || noted_.size() == most) return;
  if (std::ranges::find(noted_, registered) == noted_.end()) noted_.push_back(registered);
}

void registrations::add_to(verdict& report) const {
  for (const string& each : noted_) add(report, "registered", each);
}

void message_ledger::add(const entry& one) {
  const auto same = [&](const counted_entry& known) {
    return known.sends == one.sends && known.peer == one.peer && known.channel == one.channel &&
           known.tag == one.tag && known.where.line() == one.where.line() &&
           known.where.file_name() == one.where.file_name();
  };
  // The newest first: a loop goes on where it was.
  auto known = std::ranges::find_if(entries_.rbegin(), entries_.rend(), same);
  if (known != entries_.rend()) {
    ++known->count;
  } else {
    entries_.push_back({one, 1});
  }
}

void message_ledger::take_back(int peer, std::uint64_t tag, place where) noexcept {
  const auto known = std::ranges::find_if(entries_, [&](const counted_entry& each) {
    return !each.sends && each.peer == peer && each.tag == tag && each.count > 0 &&
           each.where.line() == where.line();
  });
  if (known != entries_.end()) --known->count;
}

std::vector<message_use> message_ledger::told() const {
  std::vector<message_use> all;
  for (const counted_entry& each : entries_) {
    if (each.count == 0) continue;
    all.push_back({each.sends, each.peer, each.channel, each.tag, string(each.type),
                   quoted(each.datum), deed::to_string(each.where),
                   quoted(each.datum) + " at " + deed::to_string(each.registered), each.count});
  }
  return all;
}

std::optional<verdict> unmatched_message(const std::vector<rank_messages>& all) {
  const std::vector<loose_end> loose = loose_ends(all);
  const auto lost =
      std::ranges::find_if(loose, [](const loose_end& each) { return each.use->sends; });
  if (lost == loose.end()) return std::nullopt;
  const message_use& use = *lost->use;
  const string peer = rank_label(use.peer);
  const closest near = closest_to(*lost, loose, all);
  verdict result{static_cast<std::uint16_t>(code_of(*lost, loose, near)),
                 "a message from " + rank_label(lost->rank) + " to " + peer + ", message tag " +
                     std::to_string(use.tag) + ", is never received",
                 {},
                 {},
                 "add the receive on " + peer + ", or correct the message tag",
                 false};
  registrations named;
  const string more =
      lost->count > 1 ? ", " + std::to_string(lost->count) + " times more than received" : "";
  add(result, lost->rank, described(use) + more, use, named);
  if (near.use != nullptr) {
    add(result, near.rank, what_differs(*lost, near.rank, *near.use), *near.use, named);
  } else {
    add(result, peer, "has nothing like it");
  }
  named.add_to(result);
  return result;
}

void name_ends(verdict& result, const std::vector<statement>& ranks, registrations& named) {
  constexpr std::size_t shown = 4;
  std::vector<rank_messages> all;
  for (const statement& each : ranks) all.push_back({each.rank, each.messages});
  if (std::ranges::all_of(all, [](const rank_messages& each) { return each.uses.empty(); })) return;
  if (result.code == static_cast<std::uint16_t>(error_code::message_never_received))
    result.deadlock = false;  // It would have been buffered.
  const std::vector<loose_end> loose = loose_ends(all);
  std::vector<loose_end> waiting;
  const auto add_waiting = [&](const statement& of, bool sends, int peer, std::uint64_t tag) {
    const auto& mine = *std::ranges::find(all, of.rank, &rank_messages::rank);
    const auto use = std::ranges::find_if(mine.uses, [&](const message_use& each) {
      return each.sends == sends && each.peer == peer && each.tag == tag;
    });
    if (use != mine.uses.end()) waiting.push_back({of.rank, &*use, 1});
  };
  for (const statement& each : ranks) {
    for (const stray& sent : each.strays) {
      if (!sent.arrived && sent.collective.empty()) add_waiting(each, true, sent.peer, sent.tag);
    }
    for (const missing& wanted : each.waits) {
      if (wanted.message && wanted.collective.empty())
        add_waiting(each, false, wanted.peer, wanted.tag);
    }
  }
  const auto is_among = [](const std::vector<loose_end>& those, const message_use* use) {
    return std::ranges::find(those, use, &loose_end::use) != those.end();
  };
  for (std::size_t i = 0; i < waiting.size() && i < shown; ++i) {
    add(result, waiting[i].rank, described(*waiting[i].use), *waiting[i].use, named);
    if (!is_among(loose, waiting[i].use)) continue;
    const closest near = closest_to(waiting[i], loose, all);
    if (near.use == nullptr)
      add(result, rank_label(waiting[i].use->peer), "has nothing like it");
    else if (!is_among(waiting, near.use))
      add(result, near.rank, what_differs(waiting[i], near.rank, *near.use), *near.use, named);
  }
}

}  // namespace deed::runtime
