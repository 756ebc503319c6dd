// SPDX-License-Identifier: MIT
#include "flow/messages.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace deed::check {
namespace {

using route = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, to, tag

bool is_send(const message_end& m) { return m.post->call->words.has(verb::posts, "send"); }

route route_of(const message_end& m) {
  return is_send(m) ? route{m.rank, m.peer, m.tag} : route{m.peer, m.rank, m.tag};
}

/// All ends, or nothing where a number is missing.
std::optional<std::vector<message_end>> all_ends(const std::vector<rank_run>& ranks) {
  std::vector<message_end> ends;
  const auto count = static_cast<std::int64_t>(ranks.size());
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    const rank_run& run = ranks[static_cast<std::size_t>(rank)];
    if (!run.complete) return std::nullopt;
    for (std::size_t i = 0; i < run.calls.size(); ++i) {
      const occurrence& o = run.calls[i];
      // Within a group, messages match only each other.
      if (!o.call->words.has(verb::posts) || o.of_members) continue;
      if (o.taken_back) return std::nullopt;
      if (!o.peer || !o.message_tag || *o.peer < 0 || *o.peer >= count) return std::nullopt;
      ends.push_back({&o, rank, *o.peer, *o.message_tag, i, o.uses.empty() ? nullptr : &o.uses[0]});
    }
  }
  return ends;
}

/// How two left-over ends differ, if in one field only.
std::optional<mismatch> one_difference(const message_end& send, const message_end& receive) {
  if (send.peer == receive.rank && receive.peer == send.rank) return mismatch::tag;
  if (send.tag != receive.tag) return std::nullopt;
  if (send.peer == receive.rank || receive.peer == send.rank) return mismatch::peer;
  return std::nullopt;
}

void explain_left(std::vector<message_end> sends, std::vector<message_end> receives,
                  matching& into) {
  for (const mismatch wanted : {mismatch::tag, mismatch::peer}) {
    for (auto send = sends.begin(); send != sends.end();) {
      const auto receive = std::ranges::find_if(
          receives, [&](const message_end& r) { return one_difference(*send, r) == wanted; });
      if (receive == receives.end()) {
        ++send;
        continue;
      }
      into.left.push_back({wanted, *receive, *send});
      receives.erase(receive);
      send = sends.erase(send);
    }
  }
  for (const message_end& send : sends) into.left.push_back({mismatch::never_received, send, {}});
  for (const message_end& receive : receives)
    into.left.push_back({mismatch::never_sent, receive, {}});
}

/// The elements of a datum, one number per direction; of a matrix, those of a tile.
std::optional<std::vector<std::int64_t>> shape_of(const datum_use& use) {
  const auto& all = use.what.extents;
  std::vector<std::int64_t> shape;
  for (std::size_t i = all.size() == 4 ? 2 : 0; i < all.size(); ++i) {
    if (!all[i]) return std::nullopt;
    shape.push_back(*all[i]);
  }
  if (shape.empty()) return std::nullopt;
  return shape;
}

}  // namespace

matching match_messages(const std::vector<rank_run>& ranks) {
  matching result;
  const auto ends = all_ends(ranks);
  if (!ends) return result;
  result.known = true;
  std::map<route, std::deque<message_end>> waiting;
  std::vector<message_end> receives;
  for (const message_end& end : *ends) {
    if (is_send(end))
      waiting[route_of(end)].push_back(end);
    else
      receives.push_back(end);
  }
  std::vector<message_end> left_receives, left_sends;
  for (const message_end& receive : receives) {
    auto& there = waiting[route_of(receive)];
    if (there.empty()) {
      left_receives.push_back(receive);
      continue;
    }
    const message_end send = there.front();
    there.pop_front();
    const bool typed = send.use && receive.use && !send.use->token->type.empty();
    if (typed && send.use->token->type != receive.use->token->type) {
      result.left.push_back({mismatch::type, receive, send});
    } else if (send.use && receive.use) {
      const auto sent = shape_of(*send.use), awaited = shape_of(*receive.use);
      if (sent && awaited && *sent != *awaited)
        result.left.push_back({mismatch::size, receive, send});
    }
    result.pairs.emplace_back(send, receive);
  }
  for (const auto& [where, sends] : waiting) {
    left_sends.insert(left_sends.end(), sends.begin(), sends.end());
  }
  explain_left(std::move(left_sends), std::move(left_receives), result);
  return result;
}

namespace {

/// Whether a send waits for the value that a receive of the same rank brings.
bool passes_on(const message_end& send, const message_end& receive) {
  return send.rank == receive.rank && receive.position < send.position && send.use && receive.use &&
         !send.use->what.name.empty() && send.use->what.name == receive.use->what.name;
}

/// Whether a call returns only when a message, posted before it on the same rank, is complete.
bool waits_for(const occurrence& o, const message_end& posted) {
  if (posted.post >= &o) return false;  // Both lie in the calls of one rank, in their order.
  const model& words = o.call->words;
  if (words.has(verb::waits, "this"))
    return !o.request.empty() && posted.post->request == o.request;
  const bool all = words.has(verb::waits, "all");
  if (!all && !(words.has(verb::waits, "datum") && posted.use)) return false;
  if (key(o.call->receiver.where) != key(posted.post->call->receiver.where)) return false;
  const bool writes_it = !all && writes(posted.use->access);
  return all || std::ranges::any_of(o.uses, [&](const datum_use& use) {
           const bool conflict = writes_it || use.access == mode::none || writes(use.access);
           return conflict && !use.what.name.empty() && use.what.name == posted.use->what.name;
         });
}

/// Only those that wait for one that waits.
void keep_circles(std::vector<waiting>& stuck) {
  for (bool changed = true; changed;) {
    changed =
        std::erase_if(stuck, [&](const waiting& w) {
          return std::ranges::none_of(stuck, [&](const waiting& o) { return o.rank == w.peer; });
        }) > 0;
  }
}

}  // namespace

std::vector<waiting> circle_of_values(const matching& messages) {
  const auto& pairs = messages.pairs;
  std::vector<char> sent(pairs.size());
  // The first message that a send waits for; -1 if there is none.
  const auto behind = [&](std::size_t i) -> std::ptrdiff_t {
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      if (!sent[j] && passes_on(pairs[i].first, pairs[j].second))
        return static_cast<std::ptrdiff_t>(j);
    }
    return -1;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (sent[i] || behind(i) >= 0) continue;
      sent[i] = 1;
      moved = true;
    }
  }
  std::vector<waiting> stuck;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (sent[i]) continue;
    const auto& [send, receive] = pairs[static_cast<std::size_t>(behind(i))];
    stuck.push_back({pairs[i].first.rank, pairs[i].first.post, send.rank, receive.post});
  }
  keep_circles(stuck);
  return stuck;
}

std::vector<waiting> circle_of_waits(const std::vector<rank_run>& ranks, const matching& messages,
                                     bool buffered) {
  std::vector<std::size_t> position(ranks.size());
  const auto posted = [&](const message_end& end) {
    return position[static_cast<std::size_t>(end.rank)] > end.position;
  };
  const auto begun = [&](const message_end& end) {
    return position[static_cast<std::size_t>(end.rank)] >= end.position;
  };
  // What a call waits for, if that has not happened.
  const auto blocked_by = [&](int rank, const occurrence& o) -> std::optional<waiting> {
    const bool at_once = o.call->words.has(verb::posts) && o.call->words.has(verb::blocks);
    if (!at_once && !o.call->words.has(verb::waits)) return std::nullopt;
    for (const auto& [send, receive] : messages.pairs) {
      if (at_once) {
        if (receive.post == &o && !posted(send)) return waiting{rank, &o, send.rank, nullptr};
        if (!buffered && send.post == &o && !begun(receive))
          return waiting{rank, &o, receive.rank, nullptr};
        continue;
      }
      if (receive.rank == rank && waits_for(o, receive) && !posted(send))
        return waiting{rank, &o, send.rank, receive.post};
      if (!buffered && send.rank == rank && waits_for(o, send) && !posted(receive))
        return waiting{rank, &o, receive.rank, send.post};
    }
    return std::nullopt;
  };
  std::vector<waiting> stuck;
  for (bool moved = true; moved;) {
    moved = false;
    stuck.clear();
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      while (position[r] < ranks[r].calls.size()) {
        const occurrence& o = ranks[r].calls[position[r]];
        if (const auto one = blocked_by(static_cast<int>(r), o)) {
          stuck.push_back(*one);
          break;
        }
        ++position[r];
        moved = true;
      }
    }
  }
  keep_circles(stuck);
  return stuck;
}

}  // namespace deed::check
