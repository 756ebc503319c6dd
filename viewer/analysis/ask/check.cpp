// SPDX-License-Identifier: MIT
#include <deed/ownership/ledger.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/agreed_ledgers.hpp"
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/ask/left_out_calls.hpp"
#include "analysis/ask/phases_then.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/read/shared_clocks.hpp"
#include "analysis/replay/ledger_replay.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "analysis/store/bucketed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

using found_list = std::vector<finding>;

std::uint64_t version_key(std::uint32_t handle, std::uint32_t version) {
  return std::uint64_t{handle} << 32 | version;
}

/// Records of these kinds, by the datum they name, in time order.
bucketed<std::uint32_t> events_of_data(const model& of, std::initializer_list<record> kinds) {
  const run& r = of.events();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // The datum, the event.
  for (std::uint32_t i = 0; i < r.events().size(); ++i) {
    if (std::ranges::find(kinds, r.events().what(i)) == kinds.end()) continue;
    const std::uint32_t handle = r.get32(r.events()[i], field::handle);
    if (handle < of.data().size()) found.emplace_back(handle, i);
  }
  return {of.data().size(), [&](const auto& add) {
            for (const auto& [handle, event] : found) add(handle, event);
          }};
}

/// What is missing of a rank's events may be what would refute a finding: of it none is made.
bool lost(const model& of, int rank) {
  const auto& all = of.events().ranks();
  return rank < 0 || static_cast<std::size_t>(rank) >= all.size() ||
         all[static_cast<std::size_t>(rank)].lost;
}

bool lost_any(const model& of) {
  return std::ranges::any_of(of.events().ranks(), &rank_info::lost);
}

/// The ledger decides again as it decided in the run, and the records say what the ranks did.
void as_the_ledger_decides(const model& /*of*/, ledger_replay& replay, found_list& found) {
  for (finding& each : replay.compare()) found.push_back(std::move(each));
}

/// How far the clocks of two ranks may be apart, as far as messages tell. Of virtual ranks and of
/// those that read one counter: not at all.
std::int64_t clock_doubt(const model& of) {
  const run& r = of.events();
  std::set<std::string> counters;
  for (const rank_info& each : r.ranks()) {
    if (each.clock_kind == "virtual") return 0;
    const trace_layout* const clock = r.clock_of(each.rank);
    counters.insert(clock == nullptr ? std::string{} : shared_counter(*clock));
  }
  if (counters.size() == 1 && !counters.begin()->empty()) return 0;
  const clock_fit told = fit_clocks(of, clock_correction::messages);
  std::int64_t most = 0, least = 0;
  for (std::size_t rank = 0; rank < told.shifts.size(); ++rank) {
    const clock_shift& each = told.shifts[rank];
    const auto drifted =
        static_cast<std::int64_t>(std::abs(each.rate) * static_cast<double>(r.end()));
    const std::int64_t error = std::max<std::int64_t>(0, told.errors[rank]) + drifted;
    most = std::max(most, each.ahead + error);
    least = std::min(least, each.ahead - error);
  }
  return most - least;
}

/// The changes of owner of one datum, as the ranks tell them.
///
/// Each rank may record all changes, some or none, and be ahead of others when it does: what one
/// rank says has to come next in what all said so far, or be the next change of it. Where clocks
/// may be wrong, another rank may have said something before, and be stamped later.
class owners_of_datum {
 public:
  /// `versions`: all ranks count them alike.
  owners_of_datum(const model& of, std::uint32_t handle, bool versions)
      : of_(of), handle_(handle), versions_(versions) {}

  void add(const event& e) { said_[of_.events().rank_of(e)].push_back(e); }

  void look(std::int64_t doubt, found_list& found) {
    changes_.clear();
    for (auto& [rank, mine] : said_) next_[rank] = passed_[rank] = 0;
    while (const event* const first = earliest()) {
      if (take_one(first->time + doubt)) continue;
      found.push_back(say(*first));
      const int rank = of_.events().rank_of(*first);
      passed_[rank] = changes_.size();
      ++next_[rank];
    }
  }

 private:
  struct change {
    std::uint32_t from = 0, to = 0, version = 0;
    friend bool operator==(const change&, const change&) = default;
  };

  [[nodiscard]] const event* next_of(int rank) const {
    const auto& mine = said_.at(rank);
    return next_.at(rank) < mine.size() ? &mine[next_.at(rank)] : nullptr;
  }
  [[nodiscard]] const event* earliest() const {
    const event* first = nullptr;
    for (const auto& [rank, mine] : said_)
      if (const event* const each = next_of(rank);
          each != nullptr && (first == nullptr || each->time < first->time))
        first = each;
    return first;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return changes_.empty() ? of_.data()[handle_].home : changes_.back().to;
  }
  [[nodiscard]] change change_of(const event& e) const {
    const run& r = of_.events();
    return {r.get32(e, field::from), r.get32(e, field::to),
            versions_ ? r.get32(e, field::version) : 0};
  }

  /// The earliest that fits, of those until a moment.
  bool take_one(std::int64_t until) {
    std::vector<std::pair<std::int64_t, int>> order;
    for (const auto& [rank, mine] : said_)
      if (const event* const each = next_of(rank); each != nullptr && each->time <= until)
        order.emplace_back(each->time, rank);
    std::ranges::sort(order);
    return std::ranges::any_of(order, [&](const auto& each) { return take(each.second); });
  }
  bool take(int rank) {
    const change said = change_of(*next_of(rank));
    const auto known = std::find(changes_.begin() + static_cast<std::ptrdiff_t>(passed_[rank]),
                                 changes_.end(), said);
    if (known == changes_.end() && said.from != owner()) return false;
    passed_[rank] = static_cast<std::size_t>(known - changes_.begin()) + 1;
    ++next_[rank];
    if (known == changes_.end()) changes_.push_back(said);
    return true;
  }

  [[nodiscard]] finding say(const event& e) const {
    const run& r = of_.events();
    const change said = change_of(e);
    return {"one_owner",
            of_.handle_name(handle_) + " has two owners at " + say_time(e.time) + ": rank " +
                std::to_string(r.rank_of(e)) + " gives it from rank " + std::to_string(said.from) +
                " to rank " + std::to_string(said.to) + ", but rank " + std::to_string(owner()) +
                " owns it",
            handle_,
            r.get32(e, field::version),
            r.rank_of(e),
            e.time};
  }

  const model& of_;
  const std::uint32_t handle_;
  const bool versions_;
  std::map<int, std::vector<event>> said_;  // By rank, in its order.
  std::map<int, std::size_t> next_;         // Of what it said.
  std::map<int, std::size_t> passed_;       // How many changes it has said or passed over.
  std::vector<change> changes_;
};

/// Every change of owner starts from the one owner there is.
void one_owner(const model& of, ledger_replay& replay, found_list& found) {
  if (lost_any(of)) return;
  const run& r = of.events();
  const auto records = events_of_data(of, {record::owner});
  std::optional<std::int64_t> doubt;  // Known where something is found.
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    const datum& about = of.data()[h];
    if (!about.known || about.is_per_rank()) continue;
    owners_of_datum owners(of, h, !replay.guarded() && !replay.of_groups().data().contains(h));
    for (const std::uint32_t index : records.of(h)) {
      const event e = r.events()[index];
      const auto cause = static_cast<trace::owner_cause>(r.get(e, field::cause));
      if (cause != trace::owner_cause::snapshot && cause != trace::owner_cause::registration)
        owners.add(e);
    }
    found_list mine;
    owners.look(0, mine);
    if (!mine.empty() && !doubt) doubt = clock_doubt(of);
    if (!mine.empty() && *doubt != 0) {
      mine.clear();
      owners.look(*doubt, mine);
    }
    std::ranges::move(mine, std::back_inserter(found));
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
                         of.task_on_rank(index) + " read " + version_name(of, a.handle, a.ver_in) +
                             " at " + say_time(t.begin) + "; an earlier task there saw v" +
                             std::to_string(seen),
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
  if (replay.possible() || lost_any(of)) return;  // See `as_the_ledger_decides`.
  ownership::ledger ledger(std::max(1, of.ranks()));
  std::vector<ownership::slot> slots(of.data().size());
  std::vector<std::uint32_t> ahead(of.data().size());  // Versions that writes outside tasks made.
  for (std::uint32_t h = 0; h < of.data().size(); ++h)
    slots[h] = ledger.add(of.data()[h].known ? of.data()[h].home : 0, true);

  std::vector<std::tuple<std::uint64_t, int, std::uint32_t>> order;  // Number, rank, task.
  order.reserve(of.tasks().size());
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    order.emplace_back(of.tasks()[i].number, of.tasks()[i].rank, i);
  std::ranges::sort(order);
  std::vector<ownership::request> requests;
  std::vector<ownership::effect> effects;
  std::vector<const access*> used;
  for (const auto& [number, rank, index] : order) {
    const task& t = of.tasks()[index];
    requests.clear();
    used.clear();
    for (const access& a : of.accesses(t)) {
      if (a.handle >= slots.size() || of.data()[a.handle].is_per_rank() || a.mode >= 3) continue;
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
                       of.task_on_rank(index) + " read " + version_name(of, a.handle, a.ver_in) +
                           " at " + say_time(t.begin) + "; the sequence prescribes v" +
                           std::to_string(prescribed) +
                           (writer == none ? "" : ", written by " + of.task_name(writer)),
                       a.handle, a.ver_in, t.rank, t.begin});
    }
  }
}

/// What is known of the copies of one datum, or of all that nobody registered: it lies together,
/// and is looked at together.
class copies_of_datum {
 public:
  /// `place`: its number, of which those that nobody registered have the last. What it was used for
  /// and how it moved is told by accesses and transfers.
  copies_of_datum(const model& of, std::size_t place, std::span<const std::uint32_t> transfers,
                  std::span<const std::uint32_t> accesses)
      : of_(of), place_(place) {
    constexpr std::size_t ahead = 8;  // Rows from the look for them to their turn.
    moves_.reserve(transfers.size());
    for (std::size_t n = 0; n < transfers.size(); ++n) {
      if (n + ahead < transfers.size()) fetch(of.transfers()[transfers[n + ahead]]);
      const std::uint32_t each = transfers[n];
      const transfer& x = of.transfers()[each];
      moves_.push_back({version_key(x.handle, x.version), x.start, x.post_receive, x.done_receive,
                        each, x.src, x.dst, x.is_message()});
    }
    if (moves_.empty()) return;
    reads_.reserve(accesses.size());
    for (std::size_t n = 0; n < accesses.size(); ++n) {
      if (n + 2 * ahead < accesses.size()) fetch(of.all_accesses()[accesses[n + 2 * ahead]]);
      if (n + ahead < accesses.size())
        fetch(of.tasks()[of.all_accesses()[accesses[n + ahead]].task]);
      const access& a = of.all_accesses()[accesses[n]];
      const task& t = of.tasks()[a.task];
      if (a.writes()) writes_.push_back({version_key(a.handle, a.ver_out), t.end, t.rank});
      if (a.reads() && t.begin != never)
        reads_.push_back({version_key(a.handle, a.ver_in), t.begin, t.rank, accesses[n]});
    }
    std::ranges::stable_sort(moves_, {}, &one_move::version);
    std::ranges::stable_sort(writes_, {}, &one_write::version);
  }

  /// `late`: accesses that began before what they read was there.
  void look(found_list& found, std::vector<std::uint32_t>& late) const {
    if (moves_.empty()) return;
    if (place_ < of_.data().size()) senders_hold(found);
    for (const one_read& each : reads_)
      if (arrives_after(each)) late.push_back(each.access);
  }

 private:
  // `version`: which one, of which datum.
  struct one_move {
    std::uint64_t version = 0;
    std::int64_t start = never, post_receive = never, done_receive = never;
    std::uint32_t transfer = none;
    int src = 0, dst = 0;
    bool of_the_program = false;  // A message: its ends name different data.
  };
  struct one_write {
    std::uint64_t version = 0;
    std::int64_t end = never;  // Of its task.
    int rank = 0;
  };
  struct one_read {
    std::uint64_t version = 0;
    std::int64_t begin = never;  // Of its task.
    int rank = 0;
    std::uint32_t access = 0;
  };

  template <class Row>
  static void fetch(const Row& of) {
    __builtin_prefetch(&of);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(&of + 1) - 1);
  }
  [[nodiscard]] auto moves_of(std::uint64_t version) const {
    return std::ranges::equal_range(moves_, version, {}, &one_move::version);
  }
  /// A task on each of several ranks writes one version on all of them.
  [[nodiscard]] const one_write* written_on(std::uint64_t version, int rank) const {
    for (const one_write& each :
         std::ranges::equal_range(writes_, version, {}, &one_write::version))
      if (each.rank == rank) return &each;
    return nullptr;
  }

  void senders_hold(found_list& found) const {
    const datum& about = of_.data()[place_];
    if (!about.known || about.is_per_rank()) return;
    std::set<std::uint32_t> wrong;
    for (const one_move& each : moves_)
      if (each.start != never && !each.of_the_program && !lost(of_, each.src) &&
          !held(each, about.home))
        wrong.insert(each.transfer);
    if (wrong.empty()) return;
    for (const std::uint32_t index : of_.transfers_of(static_cast<std::uint32_t>(place_)))
      if (wrong.contains(index)) found.push_back(say_not_held(of_.transfers()[index]));
  }

  /// The version was there if it was the first one of its home, or written there, or received.
  [[nodiscard]] bool held(const one_move& sent, std::uint32_t home) const {
    const auto version = static_cast<std::uint32_t>(sent.version);
    bool there = version == 0 && static_cast<std::uint32_t>(sent.src) == home;
    // Written outside tasks: not recorded, so not refutable.
    if (of_.writer(static_cast<std::uint32_t>(sent.version >> 32), version) == none) there = true;
    if (const one_write* const write = written_on(sent.version, sent.src); write != nullptr)
      there = write->end != never && write->end <= sent.start;
    for (const one_move& other : moves_of(sent.version))
      there |=
          other.dst == sent.src && other.done_receive != never && other.done_receive <= sent.start;
    return there;
  }

  [[nodiscard]] finding say_not_held(const transfer& x) const {
    const std::uint32_t writer = of_.writer(x.handle, x.version);
    return {"sender_holds_version",
            "rank " + std::to_string(x.src) + " sent " + version_name(of_, x.handle, x.version) +
                " to rank " + std::to_string(x.dst) + " at " + say_time(x.start) +
                ", but did not hold it: " + of_.task_label(writer) + " writes it on rank " +
                std::to_string(of_.tasks()[writer].rank),
            x.handle,
            x.version,
            x.src,
            x.start};
  }

  [[nodiscard]] bool arrives_after(const one_read& read) const {
    bool arrived = false, pending = false, posted_before = false;
    for (const one_move& each : moves_of(read.version)) {
      if (each.dst != read.rank || each.of_the_program) continue;
      (each.done_receive != never && each.done_receive <= read.begin ? arrived : pending) = true;
      posted_before |= each.post_receive != never && each.post_receive <= read.begin;
    }
    if (!pending || arrived || !posted_before || lost(of_, read.rank)) return false;
    if (written_on(read.version, read.rank) != nullptr) return false;
    // It was there from the start, and goes away and comes back later; or a write outside tasks
    // made it, perhaps right here.
    const bool of_home = place_ < of_.data().size() &&
                         of_.data()[place_].home == static_cast<std::uint32_t>(read.rank);
    const access& a = of_.all_accesses()[read.access];
    return of_.writer(a.handle, a.ver_in) != none || (a.ver_in == 0 && !of_home);
  }

  const model& of_;
  std::size_t place_;
  std::vector<one_move> moves_;    // By version.
  std::vector<one_write> writes_;  // As these.
  std::vector<one_read> reads_;
};

finding say_late(const model& of, const access& a) {
  const task& t = of.tasks()[a.task];
  return {"no_read_of_pending_copy",
          of.task_on_rank(a.task) + " began at " + say_time(t.begin) + " before " +
              version_name(of, a.handle, a.ver_in) + " had arrived",
          a.handle,
          a.ver_in,
          t.rank,
          t.begin};
}

/// Who sends a version holds it, and who reads a version has it complete.
void copies_are_there(const model& of, ledger_replay& replay, found_list& found) {
  if (replay.guarded()) return;  // Its ends count versions each in their own way.
  const std::size_t unregistered = of.data().size();
  const auto place_of = [&](std::uint32_t handle) {
    return std::min<std::size_t>(handle, unregistered);
  };
  const bucketed<std::uint32_t> accesses(unregistered + 1, [&](const auto& add) {
    for (std::uint32_t i = 0; i < of.all_accesses().size(); ++i)
      add(place_of(of.all_accesses()[i].handle), i);
  });
  std::vector<std::uint32_t> moves_of_unregistered;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (place_of(of.transfers()[i].handle) == unregistered) moves_of_unregistered.push_back(i);
  // Datum beside datum: each thread has places of its own to write to.
  struct found_of_datum {
    found_list not_held;
    std::vector<std::uint32_t> late;
  };
  std::vector<found_of_datum> all(unregistered + 1);
  in_parallel(all.size(), [&](std::size_t place) {
    if (replay.of_groups().data().contains(static_cast<std::uint32_t>(place))) return;
    const std::span<const std::uint32_t> moves =
        place == unregistered ? moves_of_unregistered
                              : of.transfers_of(static_cast<std::uint32_t>(place));
    copies_of_datum(of, place, moves, accesses.of(place))
        .look(all[place].not_held, all[place].late);
  });
  std::vector<std::uint32_t> late;
  for (found_of_datum& each : all) {
    std::ranges::move(each.not_held, std::back_inserter(found));
    late.insert(late.end(), each.late.begin(), each.late.end());
  }
  std::ranges::sort(late);
  for (const std::uint32_t each : late) found.push_back(say_late(of, of.all_accesses()[each]));
}

/// `copies_are_there` finds both, in one pass over the accesses.
void found_with_sender_holds_version(const model&, ledger_replay&, found_list&) {}

/// Every borrow ends before its rank's trace does.
void borrows_end(const model& of, ledger_replay& /*replay*/, found_list& found) {
  const run& r = of.events();
  const auto records = events_of_data(of, {record::borrow, record::release});
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
        if (r.ranks()[static_cast<std::size_t>(rank)].is_left_open() || lost(of, rank)) continue;
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
                       of.task_on_rank(index) + " uses " + of.handle_name(a.handle) +
                           ", inserted at " + say_time(t.submit) + "; it was unregistered at " +
                           say_time(at->second),
                       a.handle, a.ver_in, t.rank, t.begin});
    }
  }
}

/// Two digests of one epoch, of ranks that count the same changes: the first, and another one.
struct two_digests {
  std::uint64_t epoch = 0;
  int first_rank = 0;
  std::uint64_t first = 0;
  event other;
};

/// Calls `met` with each pair that can be compared.
template <class Met>
void for_each_two_digests(const model& of, const group_writes& of_groups, Met met) {
  const run& r = of.events();
  std::map<std::array<std::uint64_t, 3>, std::pair<std::uint64_t, int>> first;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::ledger_digest) continue;
    const event e = r.events()[i];
    const int rank = r.rank_of(e);
    const std::uint64_t step = r.get(e, field::step, trace::no_step);
    const std::uint64_t common = step == trace::no_step ? step : of_groups.common(rank, step);
    const auto [at, added] =
        first.try_emplace({r.get(e, field::epoch), common, of_groups.which(rank, step)},
                          r.get(e, field::common), rank);
    if (!added) met(two_digests{at->first[0], at->second.second, at->second.first, e});
  }
}

/// Ranks agree, after each change and at each epoch, on what all must agree on.
void ledgers_agree(const model& of, ledger_replay& replay, found_list& found) {
  if (replay.guarded()) return;  // They need not.
  const run& r = of.events();
  for_each_two_digests(of, replay.of_groups(), [&](const two_digests& both) {
    const int rank = r.rank_of(both.other);
    if (both.first == r.get(both.other, field::common)) return;
    found.push_back({"ledgers_agree",
                     "ranks " + std::to_string(both.first_rank) + " and " + std::to_string(rank) +
                         " disagree on ownership at epoch " + std::to_string(both.epoch),
                     none, 0, rank, both.other.time});
  });
}

/// Nothing waits for itself at the end of the trace. Of what makes no circle of data, as a barrier
/// that one rank leaves out, the ranks themselves told.
void no_deadlock(const model& of, ledger_replay& /*replay*/, found_list& found) {
  std::string circle;
  for (const wait_edge& each : wait_graph(of, of.events().end()))
    if (each.in_cycle && !lost(of, each.waits) && !lost(of, each.awaited))
      circle += (circle.empty() ? "" : "; ") + each.from + " waits for " + each.to + " (" +
                each.because + ")";
  if (!circle.empty())
    found.push_back({"no_deadlock", "a circle of waits: " + circle, none, 0, 0, of.events().end()});
  else if (ended_in_deadlock(of))
    found.push_back({"no_deadlock", "the ranks found a deadlock: " + say_deadlock(of), none, 0, 0,
                     of.events().end()});
}

/// "rank 0 at gather.cpp:12, at 40.0 us".
std::string say_who_called(const model& of, const numbered_call& call, std::size_t member) {
  const call_part& part = call.parts[member];
  const event e = of.events().events()[part.event];
  return "rank " + std::to_string(call.rank(member)) + " made at " +
         of.place(call.rank(member), of.events().get32(e, field::loc)) + ", at " +
         say_time(part.called);
}

/// A rank that was killed, or goes on behind a slice, might have made more calls.
bool goes_no_further(const run& in, int rank) {
  const rank_info& mine = in.ranks()[static_cast<std::size_t>(rank)];
  return !mine.is_left_open() && !mine.goes_on;
}

/// The members of a group make its calls in one order. Of each member the first is told that it
/// never made. A run that failed or was stopped before explains what is missing itself; in a
/// deadlock ranks make no more calls, though their error leaves their recordings open.
void all_call(const model& of, ledger_replay& /*replay*/, found_list& found) {
  const bool deadlock = ended_in_deadlock(of);
  const bool stopped = !of.stops().empty() || (!of.failures().empty() && !deadlock);
  for (left_out_call& each : left_out_calls(of))
    found.push_back({"all_call", std::move(each.sentence), none, 0, each.rank, each.time});
  std::set<std::pair<const recorded_group*, std::size_t>> told;
  for (const numbered_call& call : of.met().calls().all()) {
    const auto made =
        std::ranges::find_if(call.parts, [](const call_part& each) { return each.event != none; });
    if (made == call.parts.end()) continue;
    const auto first = static_cast<std::size_t>(made - call.parts.begin());
    const auto name = [&](std::size_t member) {
      return "`" + name_of_call(of, of.events().events()[call.parts[member].event]) + "`";
    };
    for (std::size_t member = 0; member < call.parts.size(); ++member) {
      const call_part& part = call.parts[member];
      const int rank = call.rank(member);
      if (told.contains({call.group, member})) continue;
      if (part.event != none && !call.alike && member != first && name(member) != name(first)) {
        told.insert({call.group, member});
        found.push_back(
            {"all_call",
             "ranks make different calls as call #" + std::to_string(call.number) +
                 (call.what.group == 0 ? " of all ranks" : " of " + say_group(*call.group)) + ": " +
                 name(first) + ", which " + say_who_called(of, call, first) + ", and " +
                 name(member) + ", which " + say_who_called(of, call, member),
             none, 0, rank, part.called});
      } else if (!stopped && of.met().calls().never_called(of, call, member) &&
                 (deadlock || goes_no_further(of.events(), rank))) {
        told.insert({call.group, member});
        found.push_back({"all_call",
                         "rank " + std::to_string(rank) + " never made " + name(first) +
                             ", its call #" + std::to_string(call.number) + ", which " +
                             say_who_called(of, call, first),
                         none, 0, rank, call.parts[first].called});
      }
    }
  }
}

struct named_rule {
  const char* name;
  const char* promise;
  void (*look)(const model&, ledger_replay&, found_list&);
  std::array<std::string_view, 3> needs{};  // Categories without which it cannot be decided.
};
constexpr std::array all_rules{
    named_rule{
        "one_owner", "one owner at a time; every change starts from it", one_owner, {"owner"}},
    named_rule{"read_sees_prescribed_version",
               "every read sees the version that sequential order prescribes",
               reads_prescribed,
               {"task", "access"}},
    named_rule{"ledger_mismatch",
               "what ranks recorded is what the ledger decides, change by change",
               as_the_ledger_decides,
               {"task", "access", "owner"}},
    named_rule{"sender_holds_version",
               "the sender held the version it sent",
               copies_are_there,
               {"task", "access", "xfer"}},
    named_rule{"no_read_of_pending_copy",
               "nobody reads a copy that has not arrived",
               found_with_sender_holds_version,
               {"task", "access", "xfer"}},
    named_rule{"borrow_ends", "no borrow outlives the run", borrows_end, {"owner"}},
    named_rule{"no_use_after_unregister",
               "no use after unregister",
               no_use_after_unregister,
               {"task", "access", "owner"}},
    named_rule{"ledgers_agree", "ranks agree on ownership at every epoch", ledgers_agree},
    named_rule{
        "all_call", "all members of a group make its calls, the same ones", all_call, {"wait"}},
    named_rule{"no_deadlock", "nothing waits for itself", no_deadlock, {"xfer"}}};

/// The first that was not recorded; empty: all were.
std::string_view not_recorded(const run& r, const named_rule& of) {
  for (const std::string_view each : of.needs)
    if (!each.empty() && !r.records(each)) return each;
  return {};
}

}  // namespace

std::vector<rule> rules() {
  std::vector<rule> all;
  for (const named_rule& each : all_rules) all.push_back({each.name, each.promise});
  return all;
}

namespace {

/// Rules that need the one sequence of all ranks.
constexpr std::array<std::string_view, 4> of_one_sequence{
    "ledger_mismatch", "sender_holds_version", "no_read_of_pending_copy", "ledgers_agree"};
bool needs_one_sequence(std::string_view rule) {
  return std::ranges::find(of_one_sequence, rule) != of_one_sequence.end();
}

/// What ranks number differently behind the last epoch in which they compared, in a run that ended
/// early, may be what guards of the program left out: then it decides nothing from there on.
/// @return whether there was such.
bool drop_undecided(const model& of, found_list& found) {
  const std::vector<std::int64_t> agreed = ledgers_agreed_until(of);
  const auto is_behind = [&](const finding& each) {
    const auto rank = static_cast<std::size_t>(each.rank);
    return rank < agreed.size() && agreed[rank] < each.time;
  };
  const auto undecided = [&](const finding& each) {
    return (each.rule == "ledger_mismatch" || each.rule == "read_sees_prescribed_version") &&
           is_behind(each);
  };
  if (std::erase_if(found, undecided) == 0) return false;
  std::erase_if(
      found, [&](const finding& each) { return needs_one_sequence(each.rule) && is_behind(each); });
  return true;
}

struct looked_for {
  found_list found;
  bool undecided = false;  ///< As `drop_undecided`.
};

/// In which phase the program of its rank was; of a deadlock, those of all.
void tell_phases(const model& of, found_list& found) {
  for (finding& each : found) {
    const bool of_all = each.rule == "no_deadlock";
    const std::string phases = of_all ? say_phases_at(of, deadlock_told(of).value_or(each.time))
                                      : phases_of_program(of, each.rank, each.time);
    if (phases.empty()) continue;
    each.sentence += "; phase then: " + phases;
    if (!of_all) each.sentence += ", on rank " + std::to_string(each.rank);
  }
}

/// One replay for all rules: it walks all events and runs the ledger. Only one rule runs it; the
/// others ask what it is, which stays as it is.
looked_for look_at_all(const model& of, ledger_replay& replay) {
  std::array<found_list, all_rules.size()> of_rule;
  in_parallel(all_rules.size(), [&](std::size_t i) {
    // Of a deadlock the ranks may have told, whatever they recorded.
    if (all_rules[i].look == no_deadlock || not_recorded(of.events(), all_rules[i]).empty())
      all_rules[i].look(of, replay, of_rule[i]);
  });
  looked_for all;
  for (found_list& each : of_rule) std::ranges::move(each, std::back_inserter(all.found));
  all.undecided = replay.possible() && drop_undecided(of, all.found);
  std::ranges::stable_sort(all.found, {}, &finding::time);
  tell_phases(of, all.found);
  return all;
}

/// Why nothing that was not found is proved: something may have happened that nobody recorded.
std::string why_unsure(const model& of) {
  const run& r = of.events();
  if (!r.incomplete().empty()) return "the trace is incomplete";
  if (r.known_from() != 0) return "it is recorded from " + say_time(r.known_from()) + " on";
  if (!of.failures().empty()) return "the run failed, " + say_first_failure(of);
  if (first_stop(of) != none) return "the run ended early, " + say_stop(of);
  return say_left_open(r);
}

/// Recordings of before know no such record.
bool numbers_calls(const run& in) {
  constexpr auto call = static_cast<std::size_t>(record::collective_call);
  return std::ranges::all_of(
      in.sources(), [](const lane_source& each) { return each.layout->payloads[call] != nullptr; });
}

std::uint64_t digests_in(const run& of) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < of.events().size(); ++i)
    count += of.events().what(i) == record::ledger_digest ? 1u : 0u;
  return count;
}

/// Why no ledger of a rank was compared with that of another; empty: some were. One rank agrees
/// with itself.
std::string why_not_compared(const model& of, const ledger_replay& replay) {
  const run& r = of.events();
  if (r.ranks().size() < 2) return {};
  bool any = false;
  for_each_two_digests(of, replay.of_groups(), [&](const two_digests& both) {
    any |= both.first_rank != r.rank_of(both.other);
  });
  if (any) return {};
  return digests_in(r) == 0 ? "not recorded: no rank said what it believed"
                            : "not compared: no two ranks said it of the same changes";
}

/// Where calls of groups write, a digest may be of a rank that has not made all of them.
std::string say_digests(const run& of, const ledger_replay& replay) {
  const std::uint64_t recorded = digests_in(of);
  return replay.digests_compared() == 0 && recorded != 0
             ? "none of " + say_some(recorded, "digest") + ", of which none is of all changes"
             : say_some(replay.digests_compared(), "digest");
}

/// "3 findings, 1 in this part".
std::string say_findings(const found_list& all, const found_list& in_part, std::string_view rule) {
  const auto count = [&](const found_list& among) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(among, [&](const finding& each) { return each.rule == rule; }));
  };
  const std::uint64_t broken = count(all), here = count(in_part);
  if (broken == 0) return {};
  std::string text = say_some(broken, "finding");
  if (here != broken)
    text += ", " + (here == 0 ? "none" : std::string(say_count(here))) + " in this part";
  return text;
}

/// Where nothing was found against a rule: "proved", or why it is not. `undecided`: as
/// `drop_undecided`; `unsure`: as `why_unsure`.
std::string result_without_findings(const named_rule& rule, const model& of,
                                    const ledger_replay& replay, bool undecided, bool unsure) {
  const bool by_replay = rule.look == as_the_ledger_decides;
  const bool of_all = std::ranges::count(of_one_sequence, std::string_view(rule.name)) != 0;
  const bool reads = rule.look == reads_prescribed;  // Decided by the replay, where there is one.
  if (replay.guarded() && of_all) return "not decided: guards of the program";
  if (undecided && (of_all || reads))
    return "not decided: the run ended before its ranks compared their ledgers";
  if (const std::string_view missing = not_recorded(of.events(), rule); !missing.empty())
    return "not recorded: category " + std::string(missing);
  if (by_replay && !replay.possible()) return "not recorded";
  if (rule.look == all_call && !numbers_calls(of.events()))
    return "not recorded: calls had no numbers";
  if (rule.look == ledgers_agree)
    if (std::string why = why_not_compared(of, replay); !why.empty()) return why;
  if (by_replay && replay.digests_compared() == 0 && digests_in(of.events()) != 0)
    return "nothing found: no digest was compared";
  const bool whole = !by_replay || replay.replayed() == replay.recorded();
  if (unsure || !whole) return "nothing found";
  if (!(of_all || reads) || !replay.of_groups().any()) return "proved";
  return rule.look == ledgers_agree ? "proved, among members where groups write"
                                    : "proved, of what no group writes";
}

/// "calls of groups write all, which their members count alone: …"; "" where there is none.
std::string say_written_by_groups(const model& of, const group_writes& writes) {
  constexpr std::size_t few = 8;
  std::string names;
  std::size_t count = 0;
  for (const std::uint32_t each : writes.data())
    if (++count <= few) names += (names.empty() ? "" : ", ") + of.handle_name(each);
  if (names.empty()) return {};
  if (count > few) names += " and " + say_count(count - few) + " more";
  return "calls that the members of groups alone make write " + names +
         ": other ranks do not count that, and have other versions";
}

void keep_told(const model& of, const std::string& only_rule, const run_part& part,
               found_list& among) {
  std::erase_if(among, [&](const finding& each) {
    return (!only_rule.empty() && each.rule != only_rule) || !lies_in(of, part, each);
  });
}

}  // namespace

/// A finding about no datum is not what a query about data means.
bool lies_in(const model& of, const run_part& part, const finding& each) {
  if (!part.touches(each.time, each.time) || !part.has_rank(each.rank)) return false;
  return !part.has_query() || part.has_datum(of, each.handle);
}

std::vector<finding> check(const model& of, const std::string& only_rule, const run_part& part) {
  ledger_replay replay(of);
  found_list found = look_at_all(of, replay).found;
  keep_told(of, only_rule, part, found);
  return found;
}

answer say_check(const model& of, const std::string& only_rule, const run_part& part) {
  answer said;
  ledger_replay replay(of);
  const auto [all, unlike] = look_at_all(of, replay);
  found_list found = all;
  keep_told(of, {}, part, found);
  table proved{"rules", {"rule", "promise", "result"}, {}};
  const std::string unsure = why_unsure(of);
  for (const named_rule& each : all_rules) {
    std::string result = say_findings(all, found, each.name);
    if (result.empty()) result = result_without_findings(each, of, replay, unlike, !unsure.empty());
    proved.rows.push_back({each.name, each.promise, std::move(result)});
  }
  keep_told(of, only_rule, part, found);
  for (const finding& each : found) said.sentences.push_back(each.rule + ": " + each.sentence);
  said.findings = !said.sentences.empty();
  if (!said.findings)
    said.sentences.push_back(part.is_whole() ? "nothing found" : "nothing found in this part");
  if (!unsure.empty())
    said.sentences.push_back("where nothing was found, that is no proof: " + unsure);
  if (unlike)
    said.sentences.emplace_back(
        "ranks number the same changes differently, and the run ended before the next `wait()` in "
        "which they compare them: guards of the program may have left out tasks, so rules about "
        "all ranks are not decided from there on");
  if (replay.guarded()) {
    said.sentences.push_back(
        "ranks left out tasks by guards of the program, without `session.relevant`: each counts "
        "changes and versions in its own way, so rules about all ranks are not decided");
  }
  if (std::string wrote = say_written_by_groups(of, replay.of_groups()); !wrote.empty())
    said.sentences.push_back(std::move(wrote));
  if (replay.possible()) {
    said.sentences.push_back("the ledger was replayed for " + say_count(replay.replayed()) +
                             " of " + say_some(replay.recorded(), "change") +
                             " and compared with " + say_digests(of.events(), replay));
  }
  said.tables.push_back(std::move(proved));
  return said;
}

}  // namespace deed::viewer
