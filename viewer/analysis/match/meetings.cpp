// SPDX-License-Identifier: MIT
#include "analysis/match/meetings.hpp"

#include <deed/base/words.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/hang.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace deed::viewer {
namespace {

struct stay {
  time_range time;
  std::uint32_t event = none;
};
/// Of the ranks that come to meetings of one kind, what each stays there, in order.
using stays_of_ranks = std::map<int, std::vector<stay>>;
using stays_to_be = std::vector<std::vector<meeting_stay>>;

/// Calls that none leaves before all have come are in one order, whatever their kind; of the others
/// each kind with each root is. Of each group apart.
trace::collective_call sequence_of(const trace::collective_call& call) {
  if (!joins_all(call.kind)) return call;
  return {trace::collective_kind::all_gather, 0, call.group};
}

struct found_stays {
  stays_of_ranks barriers;
  stays_of_ranks
      ends;  // Of the session: who stands there has not come to a barrier of the program.
  std::map<std::uint64_t, stays_of_ranks> calls;  // By the word of their sequence.
};

bool is_of_end(const run& r, std::uint32_t begin) {
  const auto kind = static_cast<trace::meeting_kind>(r.get(r.events()[begin], field::id));
  return kind == trace::meeting_kind::end || kind == trace::meeting_kind::close;
}

/// By wait: at the end of the session, to which the error of a deadlock has led its program.
std::vector<bool> find_leaving(const model& of) {
  const run& r = of.events();
  std::map<int, std::int64_t> told;  // By rank, the last.
  for (const std::uint32_t each : of.failures())
    if (tells_of_deadlock(of, each)) told[r.rank_of(r.events()[each])] = r.events().time(each);
  std::vector<bool> leaves(of.waits().size());
  for (std::size_t i = 0; i < leaves.size() && !told.empty(); ++i) {
    const wait_span& each = of.waits()[i];
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::barrier) continue;
    const auto since = told.find(r.lanes()[each.lane].rank);
    leaves[i] = since != told.end() && since->second <= each.begin && is_of_end(r, each.event);
  }
  return leaves;
}

/// By wait: it lasts for ever. In a deadlock every program stands in its last one so: it is the
/// error that ends it, which not every rank records before it is killed.
std::vector<bool> find_lasting(const model& of, const std::vector<bool>& leaving) {
  std::vector<bool> lasts;
  for (std::size_t i = 0; i < of.waits().size(); ++i)
    lasts.push_back(!of.waits()[i].ended && !leaving[i]);
  const auto tells = [&](std::uint32_t each) { return tells_of_deadlock(of, each); };
  if (std::ranges::none_of(of.failures(), tells)) return lasts;
  std::map<std::uint32_t, std::size_t> last;  // By lane.
  for (std::size_t i = 0; i < of.waits().size(); ++i)
    if (!leaving[i]) last[of.waits()[i].lane] = i;
  for (const auto& [lane, wait] : last) lasts[wait] = true;
  return lasts;
}

found_stays find_stays(const model& of, const std::vector<bool>& lasting,
                       const std::vector<bool>& leaving) {
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  found_stays found;
  for (std::size_t i = 0; i < of.waits().size(); ++i) {
    const wait_span& each = of.waits()[i];
    const int rank = of.events().lanes()[each.lane].rank;
    if (rank < 0 || rank >= of.ranks() || leaving[i]) continue;
    const stay mine{{each.begin, lasting[i] ? for_ever : each.end}, each.event};
    const auto what = static_cast<trace::wait_kind>(each.what);
    if (what == trace::wait_kind::barrier)
      (is_of_end(of.events(), each.event) ? found.ends : found.barriers)[rank].push_back(mine);
    if (what != trace::wait_kind::collective) continue;
    const event begin = of.events().events()[each.event];
    if (has_number(of.events(), begin)) continue;  // `numbered_calls` has it.
    const auto call = trace::collective_call::of(of.events().get(begin, field::id));
    found.calls[sequence_of(call).word()][rank].push_back(mine);
  }
  const auto sort = [](stays_of_ranks& of_ranks) {
    for (auto& [rank, each] : of_ranks)
      std::ranges::sort(each, {}, [](const stay& s) { return s.time.from; });
  };
  sort(found.barriers);
  sort(found.ends);
  for (auto& [call, each] : found.calls) sort(each);
  return found;
}

/// To what all ranks come, even if some never came.
void add_missing(const model& of, stays_of_ranks& to) {
  for (int rank = 0; rank < of.ranks(); ++rank) to.try_emplace(rank);
}

/// The ranks come to the same calls in the same order, and none leaves before all have come. Stays
/// that have no moment in common are not of one call: of some of them, a part was not recorded.
void match_joint(const stays_of_ranks& stays, stays_to_be& into) {
  struct of_rank {
    int rank;
    std::span<const stay> left;
  };
  std::vector<of_rank> all;
  for (const auto& [rank, each] : stays) all.push_back({rank, each});
  const auto came = [](const of_rank& each) { return each.left.front().time.from; };
  const auto has_ended = [](const of_rank& each) { return each.left.empty(); };
  while (!all.empty() && std::ranges::none_of(all, has_ended)) {
    const of_rank& last = *std::ranges::max_element(all, {}, came);
    const std::int64_t since = came(last);
    const int awaited = last.rank;
    bool skipped = false;  // Who had left before the last came was at another meeting.
    for (of_rank& each : all)
      if (each.left.front().time.to < since) {
        each.left = each.left.subspan(1);
        skipped = true;
      }
    if (skipped) continue;
    for (of_rank& each : all) {
      const stay& mine = each.left.front();
      into[static_cast<std::size_t>(each.rank)].push_back({mine.time, awaited, since, mine.event});
      each.left = each.left.subspan(1);
    }
  }
}

/// Of a recording that has no members of groups: whether those who call with the number of one are
/// its members, as far as that can be seen. Two groups may have one number. Nobody of one leaves
/// before all have come, to any of the calls. `from_start`: all are recorded from the first on, and
/// some may not have come to the last.
bool are_one_group(const stays_of_ranks& stays, bool from_start) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const auto& [rank, each] : stays) {
    fewest = std::min(fewest, each.size());
    most = std::max(most, each.size());
  }
  if (stays.size() < 2 || most - fewest > (from_start ? 1 : 0)) return false;
  for (std::size_t i = 0; i < fewest; ++i) {
    std::int64_t came = never, left = std::numeric_limits<std::int64_t>::max();
    for (const auto& [rank, each] : stays) {
      came = std::max(came, each[i].time.from);
      left = std::min(left, each[i].time.to);
    }
    if (left < came) return false;
  }
  return true;
}

/// Calls of one kind with one root, of all ranks.
class rooted_calls {
 public:
  /// `from_start`: all are recorded from the first on.
  rooted_calls(const stays_of_ranks& stays, const trace::collective_call& call, int ranks,
               bool from_start)
      : stays_(stays),
        call_(call),
        root_(static_cast<int>(call.root)),
        ranks_(ranks),
        from_start_(from_start) {}

  /// Each rank came to as many, where all was recorded, or some did not come to the last; else
  /// nothing is known.
  void match(const model& of, stays_to_be& into) const {
    if (stays_.size() != static_cast<std::size_t>(ranks_) || root_ >= ranks_) return;
    std::size_t count = stays_.at(root_).size(), most = count;
    for (const auto& [rank, each] : stays_) {
      count = std::min(count, each.size());
      most = std::max(most, each.size());
    }
    if (count != most && !knows_who_lacks(of)) return;
    for (std::size_t i = 0; i < count; ++i)
      for (const auto& [rank, each] : stays_)
        if (const int awaited = awaited_by(rank, i);
            awaited != rank && came(awaited, i) <= each[i].time.to)
          into[static_cast<std::size_t>(rank)].push_back(
              {each[i].time, awaited, came(awaited, i), each[i].event});
  }

  /// Ranks that stand in their last call for some that have not come to it.
  void find_unfinished(const model& of, std::vector<unfinished_meeting>& into) const {
    if (root_ >= ranks_ || !knows_who_lacks(of)) return;
    for (const auto& [rank, mine] : stays_) {
      if (mine.empty() || mine.back().time.to <= of.events().end()) continue;
      std::vector<int> missing;
      for (const int each : needed_by(rank))
        if (const auto theirs = stays_.find(each);
            theirs == stays_.end() || theirs->second.size() < mine.size())
          missing.push_back(each);
      std::ranges::sort(missing);
      if (!missing.empty())
        into.push_back({rank, mine.back().time.from, mine.back().event, std::move(missing)});
    }
  }

 private:
  [[nodiscard]] std::int64_t came(int rank, std::size_t i) const {
    return stays_.at(rank)[i].time.from;
  }
  /// Of those for which a rank stands in a call, the last to come after it; itself: none did.
  [[nodiscard]] int awaited_by(int rank, std::size_t i) const {
    int last = rank;
    for (const int each : needed_by(rank))
      if (came(each, i) > came(last, i)) last = each;
    return last;
  }
  /// All were recorded, as far as that can be seen: nobody went on without one that it needed.
  [[nodiscard]] bool knows_who_lacks(const model& of) const {
    const auto went_on = [&](const stay& each) { return each.time.to <= of.events().end(); };
    return from_start_ && std::ranges::all_of(stays_, [&](const auto& mine) {
             const std::ptrdiff_t ended = std::ranges::count_if(mine.second, went_on);
             return std::ranges::all_of(needed_by(mine.first), [&](int each) {
               const auto theirs = stays_.find(each);
               return theirs != stays_.end() && std::ssize(theirs->second) >= ended;
             });
           });
  }
  /// The others that have to come before a rank goes on.
  [[nodiscard]] std::vector<int> needed_by(int rank) const {
    std::vector<int> found;
    for_each_needed(call_, static_cast<std::size_t>(ranks_), static_cast<std::size_t>(rank),
                    [&](std::size_t each) { found.push_back(static_cast<int>(each)); });
    return found;
  }

  const stays_of_ranks& stays_;
  const trace::collective_call call_;
  const int root_, ranks_;
  const bool from_start_;
};

/// Ranks that have come for ever: a rank that is recorded comes to fewer of them.
void find_unfinished(const model& of, const stays_of_ranks& stays,
                     std::vector<unfinished_meeting>& into) {
  std::size_t most = 0;
  for (const auto& [rank, each] : stays) most = std::max(most, each.size());
  std::vector<int> missing;
  for (const rank_info& each : of.events().ranks())
    if (const auto mine = stays.find(each.rank);
        each.present && mine != stays.end() && mine->second.size() < most)
      missing.push_back(each.rank);
  if (missing.empty()) return;
  for (const auto& [rank, each] : stays) {
    if (each.size() != most) continue;
    const auto& [time, event] = each.back();
    if (time.to > of.events().end()) into.push_back({rank, time.from, event, missing});
  }
}

/// A call in which a rank stands, as its group numbers it.
struct call_of_rank {
  int rank = -1;
  std::uint32_t number = 0;
  std::vector<int> members;  // None: of all ranks, or not known.
  bool of_all = true;
};

call_of_rank as_called(const numbered_call& call, std::size_t member) {
  const bool of_all = call.what.group == 0;
  return {call.rank(member), call.number, of_all ? std::vector<int>() : call.group->members,
          of_all};
}

/// Each group counts its calls, as all ranks together do: the number alone does not say which.
bool tells_of(const told_call& told, const call_of_rank& call) {
  if (told.waits != call.rank || told.number != call.number) return false;
  if (call.of_all) return told.group.empty();
  return call.members.empty() || told.group == ranks_text(call.members);
}

/// For whom a rank said that it stands in a call, each once: of several, in that one.
std::vector<int> told_missing(const model& of, const hang& told, const call_of_rank& call) {
  std::vector<int> all, of_it;
  for (const told_call& each : told.calls) {
    if (each.waits != call.rank || each.awaited < 0 || each.awaited >= of.ranks()) continue;
    if (!call.members.empty() && !std::ranges::count(call.members, each.awaited)) continue;
    all.push_back(each.awaited);
    if (tells_of(each, call)) of_it.push_back(each.awaited);
  }
  std::vector<int>& missing = of_it.empty() ? all : of_it;
  std::ranges::sort(missing);
  const auto twice = std::ranges::unique(missing);
  missing.erase(twice.begin(), twice.end());
  return std::move(missing);
}

/// Of a call that members do not make alike: those for whom one said that it waits there; where
/// nobody told that, those who make another.
std::vector<int> missing_in_other_calls(const model& of, const numbered_call& call,
                                        std::size_t member, const hang* told) {
  const run& r = of.events();
  if (told != nullptr && !told->calls.empty())
    return told_missing(of, *told, as_called(call, member));
  const auto word = [&](const call_part& part) { return r.get(r.events()[part.event], field::id); };
  std::vector<int> missing;
  for (std::size_t each = 0; each < call.parts.size(); ++each)
    if (call.parts[each].event != none && word(call.parts[each]) != word(call.parts[member]))
      missing.push_back(call.rank(each));
  std::ranges::sort(missing);
  return missing;
}

call_of_rank call_of_wait(const model& of, const wait_span& wait, int rank) {
  const run& r = of.events();
  const event begin = r.events()[wait.event];
  const std::uint32_t group = trace::collective_call::of(r.get(begin, field::id)).group;
  const recorded_group* const known = group == 0 ? nullptr : of.group_of(rank, group);
  const auto number = static_cast<std::uint32_t>(r.get(begin, field::number, trace::nothing));
  return {rank, number, known == nullptr ? std::vector<int>() : known->members, group == 0};
}

/// Of a call of a group to which one rank alone comes, nothing else tells for whom it stands there:
/// what the ranks said when they proved a deadlock. Nor does where members make different calls.
void add_told(const model& of, const numbered_calls& calls_of, const std::vector<bool>& lasting,
              const hang* told, std::vector<unfinished_meeting>& into) {
  struct part_of_call {
    std::uint32_t call = none;
    std::size_t member = 0;
  };
  std::map<std::uint32_t, part_of_call> differ;  // By wait.
  for (std::uint32_t i = 0; i < calls_of.all().size(); ++i)
    for (std::size_t member = 0; member < calls_of.all()[i].parts.size(); ++member)
      if (const call_part& each = calls_of.all()[i].parts[member];
          !calls_of.all()[i].alike && each.wait != none && each.event != none)
        differ[each.wait] = {i, member};
  const run& r = of.events();
  for (std::uint32_t i = 0; i < of.waits().size(); ++i) {
    const wait_span& each = of.waits()[i];
    const int rank = r.lanes()[each.lane].rank;
    const auto call = differ.find(i);
    const bool calls = static_cast<trace::wait_kind>(each.what) == trace::wait_kind::collective;
    if (!lasting[i] || (call == differ.end() && (told == nullptr || !calls))) continue;
    if (std::ranges::find(into, rank, &unfinished_meeting::rank) != into.end()) continue;
    std::vector<int> missing = call != differ.end()
                                   ? missing_in_other_calls(of, calls_of.all()[call->second.call],
                                                            call->second.member, told)
                                   : told_missing(of, *told, call_of_wait(of, each, rank));
    if (!missing.empty())
      into.push_back({rank, each.begin, each.event, std::move(missing),
                      call == differ.end() ? none : call->second.call});
  }
}

}  // namespace

/// How members came to a call.
struct meetings::arrivals {
  /// The last of some, and the one before it: the last for who is the last itself.
  class latest {
   public:
    struct one {
      std::int64_t when = never;
      std::size_t member = 0;
    };
    void add(std::int64_t when, std::size_t member) {
      if (when > last_.when)
        before_ = std::exchange(last_, {when, member});
      else if (when > before_.when)
        before_ = {when, member};
    }
    [[nodiscard]] const one& other_than(std::size_t member) const {
      return last_.member == member ? before_ : last_;
    }

   private:
    one last_, before_;
  };

  latest gave;    ///< When what each gives was there.
  latest called;  ///< Or, where that is not recorded, when it called.
  /// Called before its recording begins, if it did: since when that is known. Later than all where
  /// it never is.
  latest unseen;
  std::vector<std::size_t> only_called, never_called;

  void add(const model& of, const numbered_calls& calls, const numbered_call& call,
           std::size_t member) {
    const call_part& part = call.parts[member];
    if (part.began != never) gave.add(part.began, member);
    if (part.began != never || part.called != never) {
      called.add(part.began != never ? part.began : part.called, member);
      if (part.began == never) only_called.push_back(member);
      return;
    }
    if (calls.never_called(of, call, member)) {
      never_called.push_back(member);
      return;
    }
    const rank_info& rank = of.events().ranks()[static_cast<std::size_t>(call.rank(member))];
    const bool is_known = rank.present && !rank.has_gaps && rank.from != 0;
    unseen.add(is_known ? rank.from : std::numeric_limits<std::int64_t>::max(), member);
  }
  /// For ever no one comes but with what it gives.
  [[nodiscard]] std::vector<int> missing_for(const numbered_call& call, std::size_t member,
                                             bool for_ever) const {
    std::vector<int> missing;
    for (const std::size_t each : never_called) missing.push_back(call.rank(each));
    for (const std::size_t each : only_called)
      if (for_ever && each != member) missing.push_back(call.rank(each));
    std::ranges::sort(missing);
    return missing;
  }
};

/// A program that stands in a call that has a number: for the last that has to come before it goes
/// on; where some never came, for one that is alone in that.
void meetings::stand_in(const model& of, const std::vector<bool>& lasting, std::uint32_t number,
                        std::size_t member, const arrivals& came) {
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  const numbered_call& call = calls_.all()[number];
  const call_part& mine = call.parts[member];
  const wait_span& wait = of.waits()[mine.wait];
  const bool lasts = lasting[mine.wait];
  const std::int64_t unseen = came.unseen.other_than(member).when;
  if (unseen != never && (lasts || unseen > wait.begin)) return;
  known_.insert(wait.event);
  if (!lasts && came.never_called.size() > 1) return;
  const int me = call.rank(member);
  const std::int64_t end = lasts ? for_ever : mine.until != never ? mine.until : wait.end;
  meeting_stay stay{.time = {wait.begin, end},
                    .awaited = me,
                    .since = mine.began != never ? mine.began : wait.begin,
                    .event = wait.event,
                    .call = number,
                    .member = static_cast<std::uint32_t>(member)};
  const arrivals::latest::one last = (lasts ? came.gave : came.called).other_than(member);
  if (last.when > stay.since) {
    stay.awaited = call.rank(last.member);
    stay.since = last.when;
  }
  std::vector<int> missing = came.missing_for(call, member, lasts);
  if (!missing.empty() && lasts) {
    unfinished_.push_back({me, wait.begin, wait.event, std::move(missing), number});
    return;
  }
  // It may have ended before that: then the program waited for a task behind it.
  const bool borrows = static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::handle;
  if (borrows && missing.empty() && (stay.awaited == me || stay.since <= wait.begin)) return;
  if (!missing.empty()) {
    stay.awaited = missing.front();
    stay.since = end;
  }
  stay.since = std::min(stay.since, end);  // Clocks may disagree.
  if (joins_all(call.what.kind) || stay.awaited != me)
    stays_[static_cast<std::size_t>(me)].push_back(stay);
}

/// Who came to a call that nobody leaves before all have come is found once for all.
void meetings::stand_in(const model& of, const std::vector<bool>& lasting, std::uint32_t number) {
  const numbered_call& call = calls_.all()[number];
  if (!call.alike) return;
  const std::size_t size = call.parts.size();
  const bool joint = joins_all(call.what.kind);
  arrivals came;
  for (std::size_t each = 0; joint && each < size; ++each) came.add(of, calls_, call, each);
  for (std::size_t member = 0; member < size; ++member) {
    if (call.parts[member].wait == none) continue;
    if (!joint) {
      came = {};
      for_each_needed(call.what, size, member,
                      [&](std::size_t each) { came.add(of, calls_, call, each); });
    }
    stand_in(of, lasting, number, member, came);
  }
}

namespace {

/// By rank: the `wait()` in which its program stands for ever.
std::map<int, const wait_span*> lasting_waits_for_all(const model& of,
                                                      const std::vector<bool>& lasting) {
  std::map<int, const wait_span*> found;
  for (std::size_t i = 0; i < of.waits().size(); ++i)
    if (const wait_span& each = of.waits()[i];
        lasting[i] && static_cast<trace::wait_kind>(each.what) == trace::wait_kind::all)
      found[of.events().lanes()[each.lane].rank] = &each;
  return found;
}

/// Since when each rank has nothing else to wait for in a wait for all, as far as it was recorded.
std::vector<std::int64_t> at_rest_since(const model& of) {
  std::vector<std::int64_t> since(static_cast<std::size_t>(of.ranks()), never);
  const auto take = [&](int rank, std::int64_t when) {
    const auto at = static_cast<std::size_t>(rank);
    if (at < since.size()) since[at] = std::max(since[at], when);
  };
  for (const task& each : of.tasks()) take(each.rank, each.end);
  for (const transfer& each : of.transfers()) {
    take(each.src, each.done_send);
    take(each.dst, each.done_receive);
  }
  return since;
}

}  // namespace

/// For whom a member stands in a call that it has made, and that is never complete; empty: for
/// nobody, as far as that is known. `joint`: how all came to it, where none leaves before.
std::vector<int> meetings::missing_for_ever(const model& of, const numbered_call& call,
                                            std::size_t member, const arrivals& joint,
                                            const hang* told) const {
  if (!call.alike) {
    const bool waits_there = told == nullptr || told->calls.empty() ||
                             std::ranges::any_of(told->calls, [&](const told_call& each) {
                               return tells_of(each, as_called(call, member));
                             });
    return waits_there ? missing_in_other_calls(of, call, member, told) : std::vector<int>();
  }
  arrivals mine;
  const bool joins = joins_all(call.what.kind);
  if (!joins)
    for_each_needed(call.what, call.parts.size(), member,
                    [&](std::size_t each) { mine.add(of, calls_, call, each); });
  const arrivals& came = joins ? joint : mine;
  if (came.unseen.other_than(member).when != never) return {};
  return came.missing_for(call, member, true);
}

/// No request waits for a call on per-rank data: a program in a `wait()` that never ends stands in
/// the first that it made and that is never complete, when nothing else on its rank goes on.
void meetings::stand_in_waits_for_all(const model& of, const std::vector<bool>& lasting,
                                      const hang* told) {
  const std::map<int, const wait_span*> waits = lasting_waits_for_all(of, lasting);
  if (waits.empty()) return;
  std::map<int, std::pair<std::int64_t, unfinished_meeting>> first;  // By rank; when it called.
  for (std::uint32_t number = 0; number < calls_.all().size(); ++number) {
    const numbered_call& call = calls_.all()[number];
    arrivals joint;
    for (std::size_t each = 0; joins_all(call.what.kind) && each < call.parts.size(); ++each)
      joint.add(of, calls_, call, each);
    for (std::size_t member = 0; member < call.parts.size(); ++member) {
      const call_part& mine = call.parts[member];
      const int rank = call.rank(member);
      const auto wait = waits.find(rank);
      if (wait == waits.end() || mine.event == none || mine.wait != none) continue;
      const auto known = first.find(rank);
      if (known != first.end() && known->second.first <= mine.called) continue;
      std::vector<int> missing = missing_for_ever(of, call, member, joint, told);
      if (missing.empty()) continue;
      first[rank] = {mine.called, {rank, 0, wait->second->event, std::move(missing), number}};
    }
  }
  if (first.empty()) return;
  const std::vector<std::int64_t> at_rest = at_rest_since(of);
  for (auto& [rank, mine] : first) {
    mine.second.since = std::max(waits.at(rank)->begin, at_rest[static_cast<std::size_t>(rank)]);
    unfinished_.push_back(std::move(mine.second));
  }
}

meetings::meetings(const model& of) : calls_(of) {
  if (of.ranks() < 2) return;
  stays_.resize(static_cast<std::size_t>(of.ranks()));
  const std::vector<bool> leaving = find_leaving(of);
  const std::vector<bool> lasting = find_lasting(of, leaving);
  for (std::uint32_t i = 0; i < calls_.all().size(); ++i) stand_in(of, lasting, i);
  found_stays found = find_stays(of, lasting, leaving);
  for (stays_of_ranks* const each : {&found.barriers, &found.ends}) {
    add_missing(of, *each);
    match_joint(*each, stays_);
    find_unfinished(of, *each, unfinished_);
  }
  const bool from_start = of.events().is_recorded_from_start();
  for (auto& [word, stays] : found.calls) {
    const auto call = trace::collective_call::of(word);
    if (call.group != 0) {  // Who its root is, and who passes on, is not known of those.
      if (!joins_all(call.kind) || !are_one_group(stays, from_start)) continue;
      match_joint(stays, stays_);
      find_unfinished(of, stays, unfinished_);
      continue;
    }
    if (!joins_all(call.kind)) {
      if (from_start) add_missing(of, stays);
      const rooted_calls calls(stays, call, of.ranks(), from_start);
      calls.match(of, stays_);
      calls.find_unfinished(of, unfinished_);
      continue;
    }
    add_missing(of, stays);
    match_joint(stays, stays_);
    find_unfinished(of, stays, unfinished_);
  }
  for (auto& each : stays_) {
    std::ranges::stable_sort(each, {}, [](const meeting_stay& s) { return s.time.from; });
    for (std::size_t i = 1; i < each.size(); ++i) {  // Where the end of one is lost.
      each[i - 1].time.to = std::min(each[i - 1].time.to, each[i].time.from);
      each[i - 1].since = std::min(each[i - 1].since, each[i - 1].time.to);
    }
  }
  const std::optional<hang> told = told_hang(of);
  const hang* const said = told ? &*told : nullptr;
  add_told(of, calls_, lasting, said, unfinished_);
  stand_in_waits_for_all(of, lasting, said);
  std::ranges::stable_sort(unfinished_, {}, &unfinished_meeting::rank);
  for (const auto& each : stays_)
    for (const meeting_stay& stay : each) known_.insert(stay.event);
  for (const unfinished_meeting& each : unfinished_) known_.insert(each.event);
}

std::span<const meeting_stay> meetings::of_rank(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  return at < stays_.size() ? std::span(stays_[at]) : std::span<const meeting_stay>();
}

/// What a rank stayed at the same meeting; null: it did not stand there, or for another one.
const meeting_stay* meetings::same_of(int rank, const meeting_stay& stay) const {
  const auto mine = of_rank(rank);
  const auto came = [](const meeting_stay& each) { return each.time.from; };
  const auto behind = std::ranges::upper_bound(mine, stay.since, {}, came);
  if (behind == mine.begin()) return nullptr;
  const meeting_stay& last = *std::prev(behind);
  return last.since == stay.since && last.awaited == stay.awaited ? &last : nullptr;
}

bool meetings::has_called(std::uint32_t call, int rank, std::int64_t moment) const {
  const numbered_call& made = calls_.all()[call];
  for (std::size_t member = 0; member < made.parts.size(); ++member)
    if (made.rank(member) == rank)
      return made.parts[member].called != never && made.parts[member].called <= moment;
  return false;
}

namespace {

std::vector<int> missing_at(const numbered_call& call, const meeting_stay& stay,
                            std::int64_t moment) {
  std::vector<int> missing;
  for_each_needed(call.what, call.parts.size(), stay.member, [&](std::size_t each) {
    const call_part& part = call.parts[each];
    const std::int64_t came = part.began != never ? part.began : part.called;
    if (came == never ? call.rank(each) == stay.awaited : came > moment)
      missing.push_back(call.rank(each));
  });
  std::ranges::sort(missing);
  return missing;
}

}  // namespace

std::vector<int> meetings::missing_at(const meeting_stay& stay, std::int64_t moment) const {
  if (stay.call != none) return viewer::missing_at(calls_.all()[stay.call], stay, moment);
  const bool joint = same_of(stay.awaited, stay) != nullptr;  // Who comes last stands there, too.
  if (!joint) return {stay.awaited};
  std::vector<int> missing;
  for (int rank = 0; rank < static_cast<int>(stays_.size()); ++rank)
    if (const meeting_stay* const same = same_of(rank, stay);
        same != nullptr && same->time.from > moment)
      missing.push_back(rank);
  return missing;
}

}  // namespace deed::viewer
