// SPDX-License-Identifier: MIT
#include <deed/ownership/ledger.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/replay/ledger_replay.hpp"
#include "analysis/say/units.hpp"
#include "analysis/store/grouped.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace deed::viewer {
namespace {

using found_list = std::vector<finding>;

std::string version_name(const model& of, std::uint32_t handle, std::uint32_t version) {
  return of.handle_name(handle) + " v" + std::to_string(version);
}

std::uint64_t version_key(std::uint32_t handle, std::uint32_t version) {
  return std::uint64_t{handle} << 32 | version;
}

/// Records of these kinds, by the datum they name, in time order.
grouped events_of_data(const run& r, std::initializer_list<record> kinds) {
  grouped found;
  for (std::uint32_t i = 0; i < r.events().size(); ++i) {
    if (std::ranges::find(kinds, r.events().what(i)) == kinds.end()) continue;
    found.add(r.get32(r.events()[i], field::handle), i);
  }
  found.sort();
  return found;
}

/// The ledger decides again as it decided in the run, and the records say what the ranks did.
void as_the_ledger_decides(const model& /*of*/, ledger_replay& replay, found_list& found) {
  for (finding& each : replay.compare()) found.push_back(std::move(each));
}

/// Every change of owner starts from the one owner there is.
///
/// Each rank may record all changes, some or none, and be ahead of others when it does: what one
/// rank says has to come next in what all said so far, or be the next change of it.
void one_owner(const model& of, ledger_replay& /*replay*/, found_list& found) {
  const run& r = of.events();
  constexpr std::uint64_t registration = 0, snapshot = 5;
  using change = std::pair<std::uint32_t, std::uint32_t>;  // From, to.
  const auto records = events_of_data(r, {record::owner});
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    const datum& about = of.data()[h];
    if (!about.known || about.home == ~std::uint32_t{0}) continue;
    std::vector<change> changes;
    std::map<int, std::size_t> seen;  // By rank: how many of them it has said or passed over.
    for (const std::uint32_t index : records.of(h)) {
      const event e = r.events()[index];
      const std::uint64_t cause = r.get(e, field::cause);
      if (cause == snapshot || cause == registration) continue;
      const change said{r.get32(e, field::from), r.get32(e, field::to)};
      std::size_t& mine = seen[r.rank_of(e)];
      const auto known =
          std::find(changes.begin() + static_cast<std::ptrdiff_t>(mine), changes.end(), said);
      mine = static_cast<std::size_t>(known - changes.begin()) + 1;
      if (known != changes.end()) continue;
      const std::uint32_t owner = changes.empty() ? about.home : changes.back().second;
      if (said.first == owner) {
        changes.push_back(said);
        continue;
      }
      mine = changes.size();
      found.push_back({"one_owner",
                       of.handle_name(h) + " has two owners at " + say_time(e.time) + ": rank " +
                           std::to_string(r.rank_of(e)) + " gives it from rank " +
                           std::to_string(said.first) + " to rank " + std::to_string(said.second) +
                           ", but rank " + std::to_string(owner) + " owns it",
                       h, r.get32(e, field::version), r.rank_of(e), e.time});
    }
  }
}

/// Where ranks left out tasks by guards of their own: what one rank sees of a datum, in the order
/// in which it submitted, never becomes older. How versions are counted is its own affair.
void versions_never_fall(const model& of, found_list& found) {
  std::map<std::pair<int, std::uint32_t>, std::uint32_t> newest;  // By rank and datum.
  std::vector<std::uint32_t> order(of.tasks().size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t task) {
    return std::pair(of.tasks()[task].rank, of.tasks()[task].number);
  });
  for (const std::uint32_t index : order) {
    const task& t = of.tasks()[index];
    for (const access& a : of.accesses(t)) {
      std::uint32_t& seen = newest[{t.rank, a.handle}];
      if (a.reads() && a.ver_in < seen) {
        found.push_back({"read_sees_prescribed_version",
                         of.task_name(index) + " on rank " + std::to_string(t.rank) + " read " +
                             version_name(of, a.handle, a.ver_in) + " at " + say_time(t.begin) +
                             "; an earlier task there saw v" + std::to_string(seen),
                         a.handle, a.ver_in, t.rank, t.begin});
      }
      seen = std::max({seen, a.reads() ? a.ver_in : 0, a.writes() ? a.ver_out : 0});
    }
  }
}

/// Every read sees the version that the sequence of submissions prescribes: for runs without the
/// numbers of the ledger's changes, where the order of the tasks has to do.
void reads_prescribed(const model& of, ledger_replay& replay, found_list& found) {
  if (replay.guarded()) return versions_never_fall(of, found);
  if (replay.possible()) return;  // See `as_the_ledger_decides`.
  ownership::ledger ledger(std::max(1, of.ranks()));
  std::vector<ownership::slot> slots(of.data().size());
  std::vector<std::uint32_t> ahead(of.data().size());  // Versions that writes outside tasks made.
  for (std::uint32_t h = 0; h < of.data().size(); ++h)
    slots[h] = ledger.add(of.data()[h].known ? of.data()[h].home : 0, true);

  std::vector<std::uint32_t> order(of.tasks().size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    const task &x = of.tasks()[a], &y = of.tasks()[b];
    return std::tie(x.number, x.rank) < std::tie(y.number, y.rank);
  });
  std::vector<ownership::request> requests;
  std::vector<ownership::effect> effects;
  std::vector<const access*> used;
  for (const std::uint32_t index : order) {
    const task& t = of.tasks()[index];
    requests.clear();
    used.clear();
    for (const access& a : of.accesses(t)) {
      if (a.handle >= slots.size() || of.data()[a.handle].home == ~std::uint32_t{0} || a.mode >= 3)
        continue;
      constexpr std::array modes{access_mode::read, access_mode::write, access_mode::read_write};
      requests.push_back({slots[a.handle], modes[a.mode]});
      used.push_back(&a);
    }
    effects.resize(requests.size());
    ledger.run(static_cast<std::uint32_t>(t.rank), requests, effects);
    for (std::size_t i = 0; i < used.size(); ++i) {
      const access& a = *used[i];
      if (!a.reads()) continue;
      const std::uint32_t prescribed = effects[i].version_read + ahead[a.handle];
      if (a.ver_in > prescribed) ahead[a.handle] += a.ver_in - prescribed;
      if (a.ver_in >= prescribed) continue;
      const std::uint32_t writer = of.writer(a.handle, prescribed);
      found.push_back({"read_sees_prescribed_version",
                       of.task_name(index) + " on rank " + std::to_string(t.rank) + " read " +
                           version_name(of, a.handle, a.ver_in) + " at " + say_time(t.begin) +
                           "; the sequence prescribes v" + std::to_string(prescribed) +
                           (writer == none ? "" : ", written by " + of.task_name(writer)),
                       a.handle, a.ver_in, t.rank, t.begin});
    }
  }
}

/// Who sends a version holds it, and who reads a version has it complete.
void copies_are_there(const model& of, ledger_replay& /*replay*/, found_list& found) {
  if (guarded(of.events())) return;  // Its ends count versions each in their own way.
  constexpr std::uint8_t user = 4;   // Messages: their ends name different data.
  // Versions have few transfers each, handles may have thousands.
  grouped by_version;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    by_version.add(version_key(of.transfers()[i].handle, of.transfers()[i].version), i);
  by_version.sort();
  const auto transfers_of = [&](std::uint32_t handle, std::uint32_t version) {
    return by_version.of(version_key(handle, version));
  };
  // A task on each of several ranks writes one version on all of them.
  grouped writers;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    for (const access& a : of.accesses(of.tasks()[i])) {
      if (a.writes()) writers.add(version_key(a.handle, a.ver_out), i);
    }
  }
  writers.sort();
  const auto written_on = [&](std::uint32_t handle, std::uint32_t version, int rank) {
    for (const std::uint32_t task : writers.of(version_key(handle, version)))
      if (of.tasks()[task].rank == rank) return task;
    return none;
  };
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    const datum& about = of.data()[h];
    if (!about.known || about.home == ~std::uint32_t{0}) continue;
    for (const std::uint32_t index : of.transfers_of(h)) {
      const transfer& x = of.transfers()[index];
      const std::int64_t sent = x.start;
      if (sent == never || x.reason == user) continue;
      // The version was there if it was the first one of its home, or written there, or received.
      bool held = x.version == 0 && static_cast<std::uint32_t>(x.src) == about.home;
      const std::uint32_t writer = of.writer(h, x.version);
      if (writer == none) held = true;  // Written outside tasks: not recorded, so not refutable.
      if (const std::uint32_t there = written_on(h, x.version, x.src); there != none)
        held = of.tasks()[there].end != never && of.tasks()[there].end <= sent;
      for (const std::uint32_t other : transfers_of(h, x.version)) {
        const transfer& y = of.transfers()[other];
        held |= y.dst == x.src && y.version == x.version && y.done_receive != never &&
                y.done_receive <= sent;
      }
      if (held) continue;
      found.push_back({"sender_holds_version",
                       "rank " + std::to_string(x.src) + " sent " + version_name(of, h, x.version) +
                           " to rank " + std::to_string(x.dst) + " at " + say_time(sent) +
                           ", but did not hold it: " + of.task_name(writer) +
                           " writes it on rank " + std::to_string(of.tasks()[writer].rank),
                       h, x.version, x.src, sent});
    }
  }
  for (std::uint32_t index = 0; index < of.tasks().size(); ++index) {
    const task& t = of.tasks()[index];
    if (t.begin == never) continue;
    for (const access& a : of.accesses(t)) {
      if (!a.reads()) continue;
      bool arrived = false, pending = false;
      for (const std::uint32_t other : transfers_of(a.handle, a.ver_in)) {
        const transfer& y = of.transfers()[other];
        if (y.dst != t.rank || y.version != a.ver_in || y.reason == user) continue;
        (y.done_receive != never && y.done_receive <= t.begin ? arrived : pending) = true;
      }
      if (!pending || arrived) continue;
      const std::uint32_t writer = of.writer(a.handle, a.ver_in);
      if (written_on(a.handle, a.ver_in, t.rank) != none) continue;
      // It was there from the start, and goes away and comes back later; or a write outside tasks
      // made it, perhaps right here.
      const bool of_home = a.handle < of.data().size() &&
                           of.data()[a.handle].home == static_cast<std::uint32_t>(t.rank);
      if (writer == none && (a.ver_in != 0 || of_home)) continue;
      bool posted_before = false;
      for (const std::uint32_t other : transfers_of(a.handle, a.ver_in)) {
        const transfer& y = of.transfers()[other];
        posted_before |= y.dst == t.rank && y.reason != user && y.post_receive != never &&
                         y.post_receive <= t.begin;
      }
      if (!posted_before) continue;
      found.push_back({"no_read_of_pending_copy",
                       of.task_name(index) + " on rank " + std::to_string(t.rank) + " began at " +
                           say_time(t.begin) + " before " + version_name(of, a.handle, a.ver_in) +
                           " had arrived",
                       a.handle, a.ver_in, t.rank, t.begin});
    }
  }
}

/// Every borrow ends before its rank's trace does.
void borrows_end(const model& of, ledger_replay& /*replay*/, found_list& found) {
  const run& r = of.events();
  const auto records = events_of_data(r, {record::borrow, record::release});
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    std::map<std::tuple<int, std::uint64_t, std::uint64_t>, std::vector<event>> open;
    for (const std::uint32_t index : records.of(h)) {
      const event e = r.events()[index];
      auto& mine = open[{r.rank_of(e), r.get(e, field::kind), r.get(e, field::holder)}];
      if (e.what == record::borrow) {
        mine.push_back(e);
      } else if (!mine.empty()) {
        mine.pop_back();
      }
    }
    for (const auto& [key, left] : open)
      for (const event& e : left) {
        const int rank = std::get<0>(key);
        if (!r.ranks()[static_cast<std::size_t>(rank)].ended) continue;  // Killed inside it.
        found.push_back({"borrow_ends",
                         "the borrow of " + of.handle_name(h) + " on rank " + std::to_string(rank) +
                             " at " + of.place(rank, r.get32(e, field::loc)) +
                             " never ends; it began at " + say_time(e.time),
                         h, 0, rank, e.time});
      }
  }
}

/// No task is submitted that uses a handle after it was unregistered on that rank. Those submitted
/// before run on.
void no_use_after_unregister(const model& of, ledger_replay& /*replay*/, found_list& found) {
  const run& r = of.events();
  std::map<std::pair<int, std::uint32_t>, std::int64_t> gone;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::handle_unregister) continue;
    const event e = r.events()[i];
    gone[{r.rank_of(e), r.get32(e, field::handle)}] = e.time;
  }
  if (gone.empty()) return;
  for (std::uint32_t index = 0; index < of.tasks().size(); ++index) {
    const task& t = of.tasks()[index];
    for (const access& a : of.accesses(t)) {
      const auto at = gone.find({t.rank, a.handle});
      if (at == gone.end() || t.submit == never || t.submit <= at->second) continue;
      found.push_back({"no_use_after_unregister",
                       of.task_name(index) + " on rank " + std::to_string(t.rank) + " uses " +
                           of.handle_name(a.handle) + ", submitted at " + say_time(t.submit) +
                           "; it was unregistered at " + say_time(at->second),
                       a.handle, a.ver_in, t.rank, t.begin});
    }
  }
}

/// Ranks agree, after each change and at each epoch, on what all must agree on.
void ledgers_agree(const model& of, ledger_replay& replay, found_list& found) {
  if (replay.guarded()) return;  // They need not.
  const run& r = of.events();
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, int>> first;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::ledger_digest) continue;
    const event e = r.events()[i];
    const auto [at, added] =
        first.try_emplace({r.get(e, field::epoch), r.get(e, field::step, trace::no_step)},
                          r.get(e, field::common), r.rank_of(e));
    if (added || at->second.first == r.get(e, field::common)) continue;
    found.push_back({"ledgers_agree",
                     "ranks " + std::to_string(at->second.second) + " and " +
                         std::to_string(r.rank_of(e)) + " disagree on ownership at epoch " +
                         std::to_string(at->first.first),
                     none, 0, r.rank_of(e), e.time});
  }
}

/// Nothing waits for itself at the end of the trace.
void no_deadlock(const model& of, ledger_replay& /*replay*/, found_list& found) {
  std::string circle;
  for (const wait_edge& each : wait_graph(of, of.events().end()))
    if (each.in_cycle)
      circle += (circle.empty() ? "" : "; ") + each.from + " waits for " + each.to + " (" +
                each.because + ")";
  if (!circle.empty())
    found.push_back({"no_deadlock", "a circle of waits: " + circle, none, 0, 0, of.events().end()});
}

struct named_rule {
  const char* name;
  const char* promise;
  void (*look)(const model&, ledger_replay&, found_list&);
};
constexpr std::array all_rules{
    named_rule{"one_owner", "one owner at a time; every change starts from it", one_owner},
    named_rule{"read_sees_prescribed_version",
               "every read sees the version that sequential order prescribes", reads_prescribed},
    named_rule{"ledger_mismatch",
               "what ranks recorded is what the ledger decides, change by change",
               as_the_ledger_decides},
    named_rule{"sender_holds_version",
               "the sender held the version it sent; nobody reads a pending copy",
               copies_are_there},
    named_rule{"borrow_ends", "no borrow outlives the run", borrows_end},
    named_rule{"no_use_after_unregister", "no use after unregister", no_use_after_unregister},
    named_rule{"ledgers_agree", "ranks agree on ownership at every epoch", ledgers_agree},
    named_rule{"no_deadlock", "nothing waits for itself", no_deadlock}};

}  // namespace

std::vector<rule> rules() {
  std::vector<rule> all;
  for (const named_rule& each : all_rules) all.push_back({each.name, each.promise});
  return all;
}

namespace {

/// One replay for all rules: it walks all events and runs the ledger. Only one rule runs it; the
/// others ask what it is, which stays as it is.
found_list look_at_all(const model& of, ledger_replay& replay) {
  std::array<found_list, all_rules.size()> of_rule;
  in_parallel(all_rules.size(), [&](std::size_t i) { all_rules[i].look(of, replay, of_rule[i]); });
  found_list found;
  for (found_list& each : of_rule) std::ranges::move(each, std::back_inserter(found));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return found;
}

}  // namespace

std::vector<finding> check(const model& of) {
  ledger_replay replay(of);
  return look_at_all(of, replay);
}

namespace {

/// Why nothing that was not found is proved: something may have happened that nobody recorded.
std::string why_unsure(const model& of) {
  const run& r = of.events();
  if (!r.incomplete().empty()) return "the trace is incomplete";
  for (const rank_info& each : r.ranks())
    if (!each.ended)
      return "rank " + std::to_string(each.rank) +
             " did not end its recording, it was killed or runs";
  for (std::size_t i = 0; i < r.events().size(); ++i)
    if (const record what = r.events().what(i);
        what == record::error || what == record::fatal_signal)
      return "the run failed before its end";
  return {};
}

/// One rank agrees with itself.
bool compares_ledgers(const model& of) {
  const run& r = of.events();
  if (r.ranks().size() < 2) return true;
  for (std::size_t i = 0; i < r.events().size(); ++i)
    if (r.events().what(i) == record::ledger_digest) return true;
  return false;
}

/// A finding about no datum is not what a query about data means.
bool told_in(const model& of, const run_part& part, const finding& each) {
  if (!part.touches(each.time, each.time) || !part.has_rank(each.rank)) return false;
  return !part.has_query() || part.has_datum(of, each.handle);
}

}  // namespace

answer say_check(const model& of, const std::string& only_rule, const run_part& part) {
  answer said;
  ledger_replay replay(of);
  const auto found = look_at_all(of, replay);
  // Rules that need the one sequence of all ranks.
  constexpr std::array<std::string_view, 3> of_one_sequence{
      "ledger_mismatch", "sender_holds_version", "ledgers_agree"};
  table proved{"rules", {"rule", "promise", "result"}, {}};
  const std::string unsure = why_unsure(of);
  for (const rule& each : rules()) {
    const auto broken = std::count_if(found.begin(), found.end(), [&](const finding& f) {
      return f.rule == each.name ||
             (each.name == "sender_holds_version" && f.rule == "no_read_of_pending_copy");
    });
    const bool by_replay = each.name == "ledger_mismatch";
    const bool whole = !by_replay || replay.replayed() == replay.recorded();
    const bool undecided = replay.guarded() && std::ranges::count(of_one_sequence, each.name) != 0;
    proved.rows.push_back({each.name, each.promise,
                           undecided     ? std::string("not decided: guards of the program")
                           : broken != 0 ? say_some(static_cast<std::uint64_t>(broken), "finding")
                           : by_replay && !replay.possible() ? "not recorded"
                           : each.name == "ledgers_agree" && !compares_ledgers(of)
                               ? "not recorded: no rank said what it believed"
                           : !unsure.empty() ? "nothing found; " + unsure
                           : whole           ? "proved"
                                             : "nothing found; the trace is incomplete"});
  }
  for (const finding& each : found)
    if ((only_rule.empty() || only_rule == each.rule) && told_in(of, part, each))
      said.sentences.push_back(each.rule + ": " + each.sentence);
  said.findings = !said.sentences.empty();
  if (!said.findings) said.sentences.push_back("nothing found");
  if (replay.guarded()) {
    said.sentences.push_back(
        "ranks left out tasks by guards of the program, without `session.relevant`: each counts "
        "changes and versions in its own way, so rules about all ranks are not decided");
  }
  if (replay.possible()) {
    said.sentences.push_back("the ledger was replayed for " + say_count(replay.replayed()) +
                             " of " + say_some(replay.recorded(), "change") +
                             " and compared with " + say_some(replay.digests_compared(), "digest"));
  }
  said.tables.push_back(std::move(proved));
  return said;
}

}  // namespace deed::viewer
