// SPDX-License-Identifier: MIT
#include "analysis/match/match_events.hpp"

#include "analysis/match/first_mentions.hpp"
#include "analysis/match/pair_moves.hpp"
#include "analysis/match/rank_work.hpp"
#include "analysis/match/shared_rows.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/store/give_back.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <future>
#include <iterator>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

enum class use : std::uint8_t { none, work, move };

/// By record.
constexpr auto uses = [] {
  std::array<use, record_count + 1> made{};
  for (std::size_t what = 0; what < made.size(); ++what)
    made[what] = rank_work::wants(static_cast<record>(what)) ? use::work
                 : is_move(static_cast<record>(what))        ? use::move
                                                             : use::none;
  return made;
}();

/// One of all, put together once.
struct numbered_event {
  event what;
  std::uint32_t number = 0;
};

/// Takes the events piece by piece: first what each rank recorded, rank beside rank, then what was
/// said of transfers, pair of ranks beside pair of ranks. In the files, the records of one rank are
/// near each other; and of a piece, what one step brings into the cache is there for the next.
class matching {
 public:
  matching(const run& of, const codelet_numbers& codelets) : run_(of) {
    for (const rank_info& each : of.ranks())
      if (each.events != 0) ranks_.push_back(each.rank);
    for (const lane& each : of.lanes())
      place_of_lane_.push_back(
          static_cast<std::uint32_t>(std::ranges::lower_bound(ranks_, each.rank) - ranks_.begin()));
    for (const int each : ranks_) work_.emplace_back(of, each, codelets, tasks_);
    // A pair of few ranks is alone in its part.
    constexpr std::size_t most_parts = 256;
    pairs_.assign(std::min(most_parts, ranks_.size() * ranks_.size()), pair_moves(transfers_));
    moves_.resize(ranks_.size(), std::vector<std::vector<move>>(pairs_.size()));
    // As many as began, and of transfers both ends.
    std::uint64_t tasks = 0, ends = 0;
    for (const lane& each : of.lanes()) {
      tasks += each.count(record::task_begin);
      ends += each.count(record::xfer_done);
    }
    tasks_.reserve(tasks);
    transfers_.reserve(ends / 2);
  }

  void read(std::size_t piece) {
    constexpr std::size_t until_rest = std::size_t{1} << 22;  // What was read is not needed soon.
    const std::size_t size = run_.events().size();
    std::size_t settled = 0;
    for (std::size_t begin = 0; begin < size; begin += piece) {
      const std::size_t end = std::min(size, begin + piece);
      read_piece(begin, end);
      // A piece later: most that is said of a transfer is said soon.
      settle(settled, begin);
      settled = begin;
      if (begin / until_rest != end / until_rest) run_.rest_files();
    }
    settle(settled, size);
  }

  matched_events take(const std::function<std::int64_t(int)>& known_until) {
    for (std::size_t place = 0; place < ranks_.size(); ++place)
      work_[place].end(known_until(ranks_[place]));
    matched_events taken;
    taken.tasks = std::move(tasks_);
    taken.transfers = std::move(transfers_);
    give_back(halves_);
    give_back(moves_);
    give_back(pairs_);
    std::future<void> beside = std::async(std::launch::async, [&] { take_spans(taken); });
    // Of a large run one after the other: what was freed is in pieces that nothing else fits into.
    const bool large = run_.is_large();
    if (large) beside.wait();
    if (large) run_.rest();
    take_accesses(taken);
    beside.get();
    return taken;
  }

 private:
  using events_by_rank = std::vector<std::vector<numbered_event>>;  // By the place of a rank.

  [[nodiscard]] std::size_t part_of(std::uint32_t one, std::uint32_t other) const {
    return (std::size_t{std::min(one, other)} * ranks_.size() + std::max(one, other)) %
           pairs_.size();
  }

  void read_piece(std::size_t begin, std::size_t end) {
    in_parallel(halves_.size(), [&](std::size_t half) {
      const std::size_t size = end - begin, n = halves_.size();
      sort_by_rank(begin + size * half / n, begin + size * (half + 1) / n, halves_[half]);
    });
    in_parallel(ranks_.size(), [&](std::size_t place) {
      for (auto& each : moves_[place]) each.clear();
      for (const events_by_rank& half : halves_) read_rank(place, half[place]);
    });
    in_parallel(pairs_.size(), [&](std::size_t part) { read_pairs(part); });
  }

  /// Tasks and transfers that events from `begin` to `end` named first get their numbers. The
  /// tables grow before the threads begin, each of which writes what nobody else does.
  void settle(std::size_t begin, std::size_t end) {
    first_mentions of_tasks(end - begin), of_transfers(end - begin);
    for (const rank_work& each : work_) each.tasks.tell(begin, end, of_tasks);
    for (const pair_moves& each : pairs_) each.transfers.tell(begin, end, of_transfers);
    of_tasks.count();
    of_transfers.count();
    const std::size_t tasks = tasks_.size(), transfers = transfers_.size();
    tasks_.resize(tasks + of_tasks.size());
    transfers_.resize(transfers + of_transfers.size());
    in_parallel(work_.size() + pairs_.size(), [&](std::size_t i) {
      if (i < work_.size())
        work_[i].tasks.settle(begin, end, of_tasks, tasks);
      else
        pairs_[i - work_.size()].transfers.settle(begin, end, of_transfers, transfers);
    });
  }

  void sort_by_rank(std::size_t begin, std::size_t end, events_by_rank& into) const {
    const event_list& events = run_.events();
    into.resize(ranks_.size());
    for (auto& each : into) each.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (uses[static_cast<std::size_t>(events.what(i))] == use::none) continue;
      const event e = events[i];
      into[place_of_lane_[e.lane]].push_back({e, static_cast<std::uint32_t>(i)});
    }
  }

  void read_rank(std::size_t place, std::span<const numbered_event> mine) {
    constexpr std::size_t ahead = 16;
    const auto rank = static_cast<std::uint32_t>(ranks_[place]);
    for (std::size_t n = 0; n < mine.size(); ++n) {
      if (n + ahead < mine.size()) fetch_fields(mine[n + ahead].what.payload);
      const auto& [e, number] = mine[n];
      if (uses[static_cast<std::size_t>(e.what)] == use::work) {
        work_[place].read(e, number);
      } else {
        const move m = read_move(run_, e, number);
        moves_[place][part_of(rank, m.peer)].push_back(m);
      }
    }
  }

  /// What all ranks said, in the order of time.
  void read_pairs(std::size_t part) {
    using turn = std::pair<std::uint32_t, std::size_t>;  // The event, and the place of its rank.
    std::priority_queue<turn, std::vector<turn>, std::greater<>> next;
    std::vector<std::size_t> done(ranks_.size());
    for (std::size_t place = 0; place < ranks_.size(); ++place)
      if (!moves_[place][part].empty()) next.emplace(moves_[place][part].front().event, place);
    while (!next.empty()) {
      const std::size_t place = next.top().second;
      next.pop();
      const std::vector<move>& mine = moves_[place][part];
      std::size_t& n = done[place];
      pairs_[part].read(mine[n++], static_cast<std::uint32_t>(ranks_[place]));
      if (n != mine.size()) next.emplace(mine[n].event, place);
    }
  }

  void take_spans(matched_events& into) {
    std::vector<std::vector<state_span>> states;
    for (rank_work& each : work_) {
      std::ranges::move(each.take_states(), std::back_inserter(states));
      into.waits.insert(into.waits.end(), each.waits.begin(), each.waits.end());
      into.phases.insert(into.phases.end(), each.phases.begin(), each.phases.end());
      std::ranges::move(each.values, std::back_inserter(into.values));
      std::ranges::move(each.failures, std::back_inserter(into.failures));
      std::ranges::move(each.stops, std::back_inserter(into.stops));
    }
    std::ranges::sort(into.failures);
    std::ranges::sort(into.stops);
    std::erase_if(states, [](const auto& each) { return each.empty(); });
    std::ranges::sort(states, {}, [](const auto& each) { return std::uint32_t{each[0].lane}; });
    std::size_t size = 0;
    for (const auto& each : states) size += each.size();
    into.states.reserve(size);
    for (auto& each : states) {
      into.states.insert(into.states.end(), each.begin(), each.end());
      give_back(each);
    }
    std::ranges::stable_sort(
        into.waits, {}, [](const wait_span& each) { return std::tuple(each.lane, each.begin); });
    std::ranges::sort(into.phases, {},
                      [](const phase_span& each) { return std::tuple(each.lane, each.event); });
  }

  void take_accesses(matched_events& into) {
    std::uint32_t accesses = 0;
    for (task& t : into.tasks) {
      t.first_access = accesses;
      accesses += t.accesses;
      t.accesses = 0;
    }
    into.accesses.resize(accesses);
    in_parallel(ranks_.size(), [&](std::size_t place) {
      const std::vector<access> mine = std::exchange(work_[place].accesses, {});
      for (access each : mine) {
        const std::uint32_t number = work_[place].tasks.number_of(each.task);
        task& t = into.tasks[number];
        each.task = number % access::most_tasks;
        into.accesses[t.first_access + t.accesses] = each;
        ++t.accesses;
      }
    });
  }

  const run& run_;
  std::vector<task> tasks_;
  std::vector<transfer> transfers_;
  std::vector<int> ranks_;                    // Those that recorded something, in order.
  std::vector<std::uint32_t> place_of_lane_;  // The place of its rank among them.
  std::vector<rank_work> work_;               // By the place of a rank.
  std::vector<pair_moves> pairs_;             // By part.
  // Of a piece; they keep their memory for the next.
  std::array<events_by_rank, 2> halves_;
  std::vector<std::vector<std::vector<move>>> moves_;  // By the place of a rank, and part.
};

}  // namespace

matched_events match_events(const run& of, const codelet_numbers& codelets,
                            const std::function<std::int64_t(int)>& known_until,
                            std::size_t piece) {
  matching all(of, codelets);
  all.read(piece);
  return all.take(known_until);
}

}  // namespace deed::viewer
