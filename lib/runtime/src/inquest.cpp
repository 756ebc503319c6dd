// SPDX-License-Identifier: MIT
#include "inquest.hpp"

#include <deed/base/error_code.hpp>
#include <deed/base/words.hpp>

#include "collective.hpp"
#include "report.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace deed::runtime {
namespace {

using std::string;

string described(const missing& wanted) {
  if (!wanted.gate.empty()) return wanted.waits + " waits behind gate " + wanted.gate;
  if (!wanted.collective.empty()) {
    return wanted.collective + (wanted.called.empty() ? "" : ", at " + wanted.called) +
           ", collective call #" + std::to_string(wanted.tag) +
           (wanted.group.number == 0 ? " of the run" : " of the group") + ", waits for rank " +
           std::to_string(wanted.peer);
  }
  if (wanted.message) {
    return wanted.waits + " waits for a message from rank " + std::to_string(wanted.peer) +
           ", message tag " + std::to_string(wanted.tag);
  }
  return wanted.waits + " waits for " + wanted.datum + " version " +
         std::to_string(wanted.version) + ", tag " + std::to_string(wanted.tag) + ", from rank " +
         std::to_string(wanted.peer);
}

/// Of one that this rank has sent.
string described(const stray& left) {
  string what = left.send;
  if (what.empty())
    what = left.collective.empty() ? "its message" : "its part of " + left.collective;
  return what + " to rank " + std::to_string(left.peer) + ", message tag " +
         std::to_string(left.tag) + ", " + counted(left.bytes, "byte") + ", waits for the receive";
}

/// Says why nothing comes, or nothing if it does not know.
struct cause {
  error_code code;
  string happened, label, text, help;
  std::uint64_t tag = verdict::no_datum;
  string registered{};
};

const testimony* find(const std::vector<testimony>& known, int rank, std::uint64_t tag) {
  const auto at = std::ranges::find_if(
      known, [&](const testimony& each) { return each.rank == rank && each.tag == tag; });
  return at == known.end() ? nullptr : &*at;
}

std::optional<cause> of_datum(const missing& wanted, int waiting,
                              const std::vector<testimony>& known) {
  const testimony* const told = find(known, wanted.peer, wanted.tag);
  if (told == nullptr) return std::nullopt;
  const bool due = std::ranges::any_of(told->due, [&](const due_transfer& each) {
    return each.to == waiting && each.number == wanted.transfer;
  });
  if (due) return std::nullopt;  // It waits itself, and what for is the cause.
  const string peer = rank_label(wanted.peer);
  if (!told->known) {
    return cause{error_code::registrations_differ, peer + " never registered " + wanted.datum, peer,
                 "knows no datum with tag " + std::to_string(wanted.tag),
                 "register it on every rank: only the owner builds the value"};
  }
  if (wanted.peer != wanted.owner && waiting != wanted.owner) {
    return cause{error_code::guard_forgets,
                 "a guard forgets " + peer + ", which passes " + wanted.datum + " on", peer,
                 "has no send for it, since it never inserted the task that reads it",
                 string(ask_the_ledger)};
  }
  const string now = wanted.datum + " is at version " + std::to_string(told->version) +
                     " there, last written at " + told->last_write;
  if (told->version < wanted.version) {
    return cause{
        error_code::rank_must_take_part,
        peer + " did not take part in a task that writes " + wanted.datum, peer,
        now + "; it never inserted the task that makes version " + std::to_string(wanted.version),
        "insert that task on " + peer +
            ", too: every rank that takes part in a task must insert it"};
  }
  return cause{
      error_code::rank_must_take_part,
      peer + " did not take part in the task that reads " + wanted.datum, peer,
      now + "; it has no send for it, since it never inserted the task that reads it",
      "insert that task on " + peer + ", too: every rank that takes part in a task must insert it"};
}

/// "`gather`" of "`gather` to rank 0".
std::string_view call_of(std::string_view text) { return text.substr(0, text.find('`', 1) + 1); }

/// Who has made fewer calls with a group than the one in which a rank stands.
std::vector<int> not_come_to(const missing& wanted, const std::vector<statement>& ranks) {
  std::vector<int> found;
  for (const statement& each : ranks) {
    const std::vector<int>& members = wanted.group.members;
    if (!members.empty() && std::ranges::find(members, each.rank) == members.end()) continue;
    const auto made = std::ranges::find(each.calls, wanted.group, &calls_made::with);
    if (made == each.calls.end() || made->count <= wanted.tag) found.push_back(each.rank);
  }
  std::ranges::sort(found);
  return found;
}

/// "rank 1", "ranks 1, 3".
string label_of(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return rank_label(ranks.front());
  return "ranks " + ranks_text(ranks);
}

/// Who has made calls with a group, of its members.
std::vector<calls_of_rank> calls_with(const group_name& group,
                                      const std::vector<statement>& ranks) {
  std::vector<calls_of_rank> found;
  for (const statement& each : ranks) {
    const std::vector<int>& members = group.members;
    if (!members.empty() && std::ranges::find(members, each.rank) == members.end()) continue;
    const auto made = std::ranges::find(each.calls, group, &calls_made::with);
    if (made != each.calls.end()) found.push_back({each.rank, &*made});
  }
  return found;
}

/// "`gather` to rank 2, at x.cpp:7"; "`gather` of `int` to rank 2, …" where types matter.
string described(const known_call& call, const group_name& group, bool with_type) {
  collective_channel known = collective_channel::of(call.is);
  const auto root = static_cast<std::size_t>(known.root);
  if (root < group.members.size()) known.root = group.members[root];
  string text = known.text();
  if (with_type) text.insert(call_of(text).size(), " of " + quoted(call.of));
  return text + ", at " + call.where;
}

/// The code of two calls that differ in their kind, their root, or their type.
std::pair<error_code, string> difference_of(const known_call& one, const known_call& two) {
  if (collective_channel::of(one.is).kind != collective_channel::of(two.is).kind)
    return {error_code::collectives_differ, "ranks call different collectives"};
  if (one.is != two.is) return {error_code::roots_differ, "ranks disagree on the root"};
  return {error_code::message_types_differ, "ranks disagree on the type of a collective"};
}

string help_for(error_code code, const string& all) {
  if (code == error_code::roots_differ) return "name one root on " + all;
  if (code == error_code::message_types_differ) return "use one alias on " + all;
  return "make the same call on " + all;
}

string who_calls(const group_name& group) {
  return group.number == 0 ? "every rank" : "every member of the group";
}

/// Calls of a group of which one is not the same on all members.
std::optional<cause> of_order(const group_name& group, const std::vector<statement>& ranks) {
  const auto found = first_other_call(calls_with(group, ranks));
  if (!found) return std::nullopt;
  const known_call& usual = *found->usual.made->call(found->number);
  const known_call& other = *found->other.made->call(found->number);
  const string all = who_calls(group);
  auto [code, happened] = difference_of(usual, other);
  const bool types = usual.is == other.is && usual.type != other.type;
  string text = "calls " + described(other, group, types) + ", as collective call #" +
                std::to_string(found->number) + ", where rank " +
                std::to_string(found->usual.rank) + " calls " + described(usual, group, types);
  string help = help_for(code, all);
  if (!found->first) {
    text += "; calls before it differ, too, and are not known any more";
    help = "call `barrier()` more often while you look for the place";
  } else if (found->lacks) {
    text += *found->lacks == usual.where ? "; it may have left that out"
                                         : "; it may have left out the call at " + *found->lacks;
    help = "make the call at " + *found->lacks + " on " + all;
  } else if (found->adds) {
    text += "; it alone seems to make the call at " + *found->adds;
    help = "make the call at " + *found->adds + " on " + all + ", or on none";
  }
  if (!found->first || found->lacks || found->adds) {
    code = error_code::collectives_differ;
    happened = "ranks call different collectives";
  }
  return cause{code, happened, rank_label(found->other.rank), text, help};
}

/// "; it may have left out the one at x.cpp:7", "; its last one is #4, at x.cpp:9"; of several
/// ranks, nothing.
string what_it_made(const std::vector<int>& absent, int waits,
                    const std::vector<calls_of_rank>& all) {
  const auto here = std::ranges::find(all, waits, &calls_of_rank::rank);
  const auto there = std::ranges::find(all, absent.front(), &calls_of_rank::rank);
  if (absent.size() > 1 || here == all.end() || there == all.end()) return "";
  if (const auto line = left_out(*here->made, *there->made))
    return "; it may have left out the one at " + *line;
  const calls_made& made = *there->made;
  if (made.known.empty()) return "";
  return "; its last one is #" + std::to_string(made.count - 1) + ", at " + made.known.back().where;
}

bool says_something(int rank, const std::vector<statement>& ranks) {
  return std::ranges::find(ranks, rank, &statement::rank) != ranks.end();
}

/// What is no cause, as was seen before: all members of a group stand in one call, and each asks.
struct no_causes {
  std::vector<group_name> groups;     // Their members make the same calls.
  std::vector<const missing*> calls;  // All members have come to them.

  [[nodiscard]] bool has(const missing& wanted) const {
    return std::ranges::any_of(calls, [&](const missing* each) {
      return each->tag == wanted.tag && each->collective == wanted.collective &&
             each->group == wanted.group;
    });
  }
};

/// Ranks that stand in different calls, or in none. Where all have made this call, one of them
/// waits for what it has to give, which is the cause.
std::optional<cause> of_collective(const missing& wanted, const statement& me,
                                   const std::vector<statement>& ranks, no_causes& seen) {
  if (seen.has(wanted) && says_something(wanted.peer, ranks)) return std::nullopt;
  if (std::ranges::find(seen.groups, wanted.group) == seen.groups.end()) {
    if (auto found = of_order(wanted.group, ranks)) return found;
    seen.groups.push_back(wanted.group);
  }
  const string all = who_calls(wanted.group);
  const auto differ = [&](int rank, const string& theirs) {
    const bool calls = call_of(theirs) != call_of(wanted.collective);
    return cause{calls ? error_code::collectives_differ : error_code::roots_differ,
                 calls ? "ranks call different collectives" : "ranks disagree on the root",
                 rank_label(rank),
                 "calls " + theirs + " where rank " + std::to_string(me.rank) + " calls " +
                     wanted.collective,
                 (calls ? "make the same call on " : "name one root on ") + all};
  };
  for (const statement& other : ranks) {
    for (const missing& each : other.waits) {
      if (!each.collective.empty() && each.tag == wanted.tag && each.group == wanted.group &&
          each.collective != wanted.collective)
        return differ(other.rank, each.collective);
    }
    for (const stray& each : other.strays) {
      const int caller = each.arrived ? each.peer : other.rank;
      if (!each.collective.empty() && each.tag == wanted.tag && each.group == wanted.group &&
          each.collective != wanted.collective)
        return differ(caller, each.collective);
    }
  }
  std::vector<int> absent = not_come_to(wanted, ranks);
  if (absent.empty()) {
    if (says_something(wanted.peer, ranks)) {
      seen.calls.push_back(&wanted);
      return std::nullopt;
    }
    absent.push_back(wanted.peer);  // It says nothing.
  }
  return cause{error_code::step_not_reached, "not every rank reaches " + wanted.collective,
               label_of(absent),
               string(absent.size() == 1 ? "has" : "have") + " not made this call" +
                   what_it_made(absent, me.rank, calls_with(wanted.group, ranks)),
               "make it on " + all + ": look for a condition that depends on the rank"};
}

/// "stands in barrier() at x.cpp:7, to which rank 0 has not come". At the end of the session nobody
/// need be told that others are not.
string where_it_stands(const statement& me, const std::vector<statement>& ranks) {
  const std::vector<int> absent = not_come_to_round(me, ranks);
  const string place = "stands in " + me.where;
  if (absent.empty() || me.where.starts_with("the ")) return place;
  return place + ", to which " + label_of(absent) + (absent.size() == 1 ? " has" : " have") +
         " not come";
}

/// Whether rank `from` waits for messages, as do those that must send them, up to rank `to`.
bool waits_for_messages_of(int from, int to, const std::vector<statement>& ranks) {
  std::unordered_map<int, const statement*> left;  // Those that have not been looked at.
  for (const statement& each : ranks) left.emplace(each.rank, &each);
  std::vector<int> next{from};  // A chain may be as long as there are ranks: no recursion.
  while (!next.empty()) {
    const int rank = next.back();
    next.pop_back();
    if (rank == to) return true;
    const auto here = left.extract(rank);
    if (here.empty()) continue;
    for (const missing& each : here.mapped()->waits) {
      if (each.message && each.collective.empty() && each.gate.empty()) next.push_back(each.peer);
    }
  }
  return false;
}

/// Whether the first waits for a message of the second.
bool waits_for_a_message(int rank, int sender, const std::vector<statement>& ranks) {
  const auto here = std::ranges::find(ranks, rank, &statement::rank);
  return here != ranks.end() && std::ranges::any_of(here->waits, [&](const missing& each) {
           return each.message && each.collective.empty() && each.peer == sender;
         });
}

/// Whether the other end of a message is inserted on `rank`, and waits for something itself.
bool is_due(int rank, bool sends, int peer, std::uint64_t tag,
            const std::vector<statement>& ranks) {
  const auto there = std::ranges::find(ranks, rank, &statement::rank);
  return there != ranks.end() && std::ranges::any_of(there->due, [&](const due_message& each) {
           return each.sends == sends && (each.peer == peer || each.peer < 0) && each.tag == tag;
         });
}

/// "sent `a`", "sent a message" if its sender has forgotten what; and where, or nothing.
struct told_send {
  string what = "sent a message", where;
  string registered;
};
told_send told_of(const std::vector<sent_stray>& sent, const stray& each, int receiver) {
  const told_message* const told = find(sent, key_of(each, receiver));
  if (told == nullptr) return {};
  return {"sent " + told->datum, ", at " + told->where, told->registered};
}

/// "stands in `broadcast` from rank 0, at x.cpp:7, to which rank 0 has not come": what keeps the
/// sender of a message, until its receiver comes there. Empty: nothing of the kind.
string kept_by_a_call(const statement& sender, int receiver, const std::vector<statement>& ranks) {
  const auto lacks = [&](const std::vector<int>& absent) {
    return std::ranges::find(absent, receiver) != absent.end();
  };
  for (const missing& each : sender.waits) {
    if (each.collective.empty() || !lacks(not_come_to(each, ranks))) continue;
    return "stands in " + each.collective + (each.called.empty() ? "" : ", at " + each.called) +
           ", to which " + rank_label(receiver) + " has not come";
  }
  const bool may_send = !sender.where.starts_with("the ");  // Behind the end nobody sends.
  return may_send && lacks(not_come_to_round(sender, ranks)) ? where_it_stands(sender, ranks) : "";
}

std::optional<cause> of_message(const missing& wanted, const statement& me,
                                const std::vector<statement>& ranks,
                                const std::vector<sent_stray>& sent) {
  const bool circular =
      wanted.peer != me.rank && waits_for_messages_of(wanted.peer, me.rank, ranks);
  if (!circular && is_due(wanted.peer, true, me.rank, wanted.tag, ranks)) return std::nullopt;
  for (const stray& each : me.strays) {
    if (!each.arrived || each.peer != wanted.peer || !each.collective.empty()) continue;
    const told_send told = told_of(sent, each, me.rank);
    return cause{.code = error_code::message_tags_differ,
                 .happened =
                     "a message and the receive that waits for it differ in the message "
                     "tag",
                 .label = rank_label(wanted.peer),
                 .text = told.what + " to rank " + std::to_string(me.rank) + " with message tag " +
                         std::to_string(each.tag) + ", " + counted(each.bytes, "byte") + told.where,
                 .help = "use one named constant for both",
                 .registered = told.registered};
  }
  for (const statement& other : ranks) {
    for (const stray& each : other.strays) {
      const bool same = each.arrived && each.tag == wanted.tag && other.rank != me.rank &&
                        each.peer == wanted.peer && each.collective.empty();
      if (!same) continue;
      const told_send told = told_of(sent, each, other.rank);
      return cause{.code = error_code::message_peers_differ,
                   .happened = "a message went to another rank than the one that waits for it",
                   .label = rank_label(wanted.peer),
                   .text = told.what + " with message tag " + std::to_string(each.tag) +
                           " to rank " + std::to_string(other.rank) + told.where,
                   .help = "send it to rank " + std::to_string(me.rank) + ", or receive it there",
                   .registered = told.registered};
    }
  }
  if (circular) {
    // Who of more than two should have gone first, none of them knows.
    const bool of_two = waits_for_a_message(wanted.peer, me.rank, ranks);
    return cause{error_code::circular_wait, "every rank waits for another",
                 of_two ? rank_label(wanted.peer) : "",
                 of_two ? "receives before it sends, too"
                        : "each rank of the circle receives before it sends",
                 "send before waiting: the send needs no answer to begin"};
  }
  const auto sender = std::ranges::find(ranks, wanted.peer, &statement::rank);
  const string kept = sender == ranks.end() ? "" : kept_by_a_call(*sender, me.rank, ranks);
  return cause{error_code::receive_never_matched, "a receive waits for a message that nobody sends",
               rank_label(wanted.peer),
               "has no such message under way" + (kept.empty() ? "" : ", and " + kept),
               kept.empty() ? "add the send on rank " + std::to_string(wanted.peer) +
                                  ", or remove the receive"
                            : "send it before that call, or receive it behind that call"};
}

/// A send that nobody has matched, where nobody waits to receive.
std::optional<cause> of_waiting_send(const std::vector<statement>& ranks) {
  const auto waiting = [&](const statement& of) {
    return std::ranges::find_if(of.strays, [&](const stray& each) {
      return !each.arrived && each.collective.empty() &&
             !is_due(each.peer, false, of.rank, each.tag, ranks);
    });
  };
  for (const statement& each : ranks) {
    const auto mine = waiting(each);
    if (mine == each.strays.end()) continue;
    const auto other = std::ranges::find(ranks, mine->peer, &statement::rank);
    const bool sends_too = other != ranks.end() && waiting(*other) != other->strays.end();
    if (sends_too) {
      return cause{error_code::needs_buffering,
                   "works only while messages are buffered",
                   rank_label(mine->peer),
                   "sends first, too, and stands in " + other->where,
                   "start both, then wait for both",
                   verdict::no_datum,
                   mine->registered};
    }
    return cause{error_code::message_never_received,
                 "a message from rank " + std::to_string(each.rank) + " is never received",
                 rank_label(mine->peer),
                 "has no receive for it",
                 "add the receive on rank " + std::to_string(mine->peer) + ", or remove the send",
                 verdict::no_datum,
                 mine->registered};
  }
  return std::nullopt;
}

/// Whether a rank waits for a message or a gate: it may have inserted less than it will.
bool is_held_up(int rank, const std::vector<statement>& ranks) {
  const auto here = std::ranges::find(ranks, rank, &statement::rank);
  return here != ranks.end() && std::ranges::any_of(here->waits, [](const missing& each) {
           return (each.message && each.collective.empty()) || !each.gate.empty();
         });
}

/// A task that a rank never inserted; of the ranks that are held up, or of the others.
std::optional<cause> of_data(const std::vector<statement>& ranks,
                             const std::vector<testimony>& known, bool held_up) {
  for (const statement& each : ranks) {
    for (const missing& wanted : each.waits) {
      if (wanted.message || !wanted.gate.empty()) continue;
      if (is_held_up(wanted.peer, ranks) != held_up) continue;
      auto found = of_datum(wanted, each.rank, known);
      if (!found) continue;
      found->tag = wanted.tag;
      found->registered = wanted.registered;
      return found;
    }
  }
  return std::nullopt;
}

std::optional<cause> likely_cause(const std::vector<statement>& ranks,
                                  const std::vector<testimony>& known,
                                  const std::vector<sent_stray>& sent) {
  if (auto found = of_data(ranks, known, false)) return found;
  no_causes seen;
  for (const statement& each : ranks) {
    for (const missing& wanted : each.waits) {
      if (!wanted.message) continue;
      if (!wanted.collective.empty()) {
        if (auto found = of_collective(wanted, each, ranks, seen)) return found;
        continue;
      }
      if (auto found = of_message(wanted, each, ranks, sent)) {
        if (found->registered.empty()) found->registered = wanted.registered;
        return found;
      }
    }
  }
  for (const statement& each : ranks) {
    for (const missing& wanted : each.waits) {
      if (wanted.gate.empty()) continue;
      return cause{error_code::gate_never_opens, "a gate never opens", rank_label(each.rank),
                   "nothing that can still happen opens gate " + wanted.gate,
                   "open it before the wait, or name it with `deed::opens(…)` on what opens it"};
    }
  }
  if (auto found = of_data(ranks, known, true)) return found;
  if (auto found = of_waiting_send(ranks)) return found;
  const bool alike = std::ranges::all_of(
      ranks, [&](const statement& each) { return each.where == ranks.front().where; });
  if (alike) return std::nullopt;
  return cause{error_code::step_not_reached, "not every rank reaches the same call", "", "",
               "make the same calls on every rank: look for a condition that depends on the rank"};
}

}  // namespace

const told_message* find(const std::vector<sent_stray>& sent, const stray_key& which) {
  const auto at = std::ranges::find(sent, which, &sent_stray::which);
  return at == sent.end() || !at->told.there ? nullptr : &at->told;
}

std::optional<verdict> calls_out_of_order(const std::vector<statement>& ranks) {
  std::vector<group_name> groups;
  for (const statement& each : ranks)
    for (const calls_made& made : each.calls)
      if (!made.known.empty() && std::ranges::find(groups, made.with) == groups.end())
        groups.push_back(made.with);
  for (const group_name& group : groups) {
    if (const auto found = of_order(group, ranks)) {
      return verdict{static_cast<std::uint16_t>(found->code),
                     found->happened,
                     {found->label},
                     {found->text},
                     found->help,
                     false};
    }
  }
  return std::nullopt;
}

std::vector<int> not_come_to_round(const statement& me, const std::vector<statement>& ranks) {
  std::vector<int> found;
  if (!me.in_round) return found;
  for (const statement& each : ranks)
    if (each.rounds < me.rounds) found.push_back(each.rank);
  std::ranges::sort(found);
  return found;
}

verdict judge(const std::vector<statement>& ranks, const std::vector<testimony>& known,
              const std::vector<sent_stray>& sent) {
  constexpr std::size_t shown = 20;
  verdict result{static_cast<std::uint16_t>(error_code::circular_wait),
                 "every rank waits for another",
                 {},
                 {},
                 "let one of them go first"};
  const auto add = [&](string label, string text) {
    result.labels.push_back(std::move(label));
    result.texts.push_back(std::move(text));
  };
  const auto why = likely_cause(ranks, known, sent);
  registrations named;  // Takes a few: that of the cause comes first.
  if (why) named.note(why->registered);
  std::size_t lines = 0, idle = 0;
  for (const statement& each : ranks) {
    if (each.waits.empty()) ++idle;
    for (const missing& wanted : each.waits) {
      if (lines++ >= shown) continue;
      add(rank_label(each.rank), described(wanted));
      named.note(wanted.registered);
    }
    for (const stray& left : each.strays) {
      if (left.arrived || lines++ >= shown) continue;
      add(rank_label(each.rank), described(left));
      named.note(left.registered);
    }
  }
  if (lines > shown) add("", "and " + std::to_string(lines - shown) + " more");
  for (const statement& each : ranks) {
    if (lines + result.labels.size() < 2 * shown && (each.waits.empty() || idle == ranks.size())) {
      add(rank_label(each.rank), where_it_stands(each, ranks));
    }
  }
  if (why) {
    result.code = static_cast<std::uint16_t>(why->code);
    result.happened = why->happened;
    result.help = why->help;
    result.tag = why->tag;
    if (!why->text.empty()) add(why->label, why->text + "   <-- likely cause");
  }
  if (result.code / 100 == 5) name_ends(result, ranks, named);
  named.add_to(result);
  return result;
}

}  // namespace deed::runtime
