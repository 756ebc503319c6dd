// SPDX-License-Identifier: MIT
#include "analysis/ask/slack.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/gate_openers.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/program_spare.hpp"
#include "analysis/ask/program_waits.hpp"
#include "analysis/match/meetings.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace deed::viewer {
namespace {

class backward_pass {
 public:
  explicit backward_pass(const model& of)
      : of_(of),
        openers_(gate_openers(of)),
        calls_(of),
        waits_(of, calls_),
        programs_(static_cast<std::size_t>(std::max(0, of.ranks()))),
        for_all_(programs_.size()) {
    for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
      const task& t = of.tasks()[i];
      if (t.begin == never || t.end == never) continue;
      order_.push_back(i);
      last_ = std::max(last_, t.end);
      for (const access& a : of.accesses(t))
        if (a.reads()) readers_.emplace_back(a.handle, a.ver_in, t.rank, i);
    }
    std::ranges::sort(readers_);
    // Who follows another begins later than it.
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const task &x = of.tasks()[a], &y = of.tasks()[b];
      return std::tuple(y.begin, y.end, b) < std::tuple(x.begin, x.end, a);
    });
    find_moments();
  }

  std::vector<std::int64_t> run() {
    latest_.assign(of_.tasks().size(), last_);
    for (const path_step& each : critical_path(of_))  // Their slack is none, whatever else is.
      if (each.kind == "compute") before(each.task, of_.tasks()[each.task].end);
    auto next = moments_.begin();
    for (const std::uint32_t each : order_) {
      for (; next != moments_.end() && next->at > of_.tasks()[each].begin; ++next)
        next->wait == nullptr ? meet(met_[next->meeting]) : go_on_from(*next->wait);
      pull(each);
    }
    std::vector<std::int64_t> slack(of_.tasks().size(), never);
    for (const std::uint32_t each : order_)
      slack[each] = std::max<std::int64_t>(0, latest_[each] - of_.tasks()[each].end);
    return slack;
  }

 private:
  using reader = std::tuple<std::uint32_t, std::uint32_t, int, std::uint32_t>;

  /// The programs that stood for a rank until it came.
  struct meeting {
    std::int64_t since = 0;
    int awaited = -1;
    std::vector<std::pair<int, time_range>> stays;
  };
  /// The end of a wait of a program; or when the last one came to a meeting.
  struct moment {
    std::int64_t at = 0;
    const wait_span* wait = nullptr;
    std::size_t meeting = 0;
  };

  void find_moments() {
    std::map<std::pair<std::int64_t, int>, std::size_t> numbers;
    for (int rank = 0; rank < of_.ranks(); ++rank)
      for (const meeting_stay& each : of_.met().of_rank(rank)) {
        const auto [at, added] = numbers.try_emplace({each.since, each.awaited}, met_.size());
        if (added) met_.push_back({each.since, each.awaited, {}});
        met_[at->second].stays.emplace_back(rank, each.time);
      }
    for (std::size_t i = 0; i < met_.size(); ++i) moments_.push_back({met_[i].since, nullptr, i});
    for (const wait_span& each : of_.waits())
      if (each.ended && of_.events().lanes()[each.lane].is_program() &&
          is_rank(of_.events().lanes()[each.lane].rank))
        moments_.push_back({each.end, &each, 0});
    std::ranges::stable_sort(moments_, std::greater{}, &moment::at);
  }

  /// All go on when the last has come: it may come as late as the first to be missed then.
  void meet(const meeting& at) {
    std::int64_t spare = program_spare::unlimited;
    for (const auto& [rank, time] : at.stays)
      spare = std::min(spare, program(rank).go_back_to(time.to));
    for (const auto& [rank, time] : at.stays) {
      program(rank).forget();
      program(rank).demand(time.from, at.since + spare);
    }
    program_before(at.awaited, at.since, at.since + spare);
  }

  /// A wait for tasks or transfers. A program that came early may come when the last of them ends.
  void go_on_from(const wait_span& wait) {
    const int rank = of_.events().lanes()[wait.lane].rank;
    const bool for_all = static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::all;
    std::optional<held_up> held = waits_.why(wait, rank);
    if (held && held->task != none && for_all && of_.tasks()[held->task].rank != rank) held = {};
    const std::int64_t cause = held ? std::max(held->cause, wait.begin) : wait.begin;
    const std::int64_t latest = cause + program(rank).go_back_to(wait.end);
    if (for_all) for_all_[static_cast<std::size_t>(rank)].add(wait.end, latest);
    if (held && held->task != none) before(held->task, latest);
    if (held && held->transfer != none)
      transfer_before(of_.transfers()[held->transfer], cause, latest);
    if (static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::handle)
      borrowed_sum_before(wait, rank, latest);
    program(rank).stood(cause - wait.begin);
  }

  /// What has to end before a task begins.
  void pull(std::uint32_t index) {
    const task& t = of_.tasks()[index];
    if (is_rank(t.rank)) before(index, for_all_[static_cast<std::size_t>(t.rank)].latest(t.end));
    if (const auto next = begin_on_lane_.find(t.lane); next != begin_on_lane_.end())
      before(index, next->second);
    const std::int64_t begin = latest_[index] - (t.end - t.begin);
    begin_on_lane_[t.lane] = begin;
    program_before(t.rank, t.submit, begin);
    for (const access& a : of_.accesses(t)) {
      if (a.reads()) datum_before(a, t.rank, begin);
      if (a.reads()) opener_before(a, t.rank, begin);
      if (a.writes()) readers_before(a, index, begin);
    }
  }
  /// Who wrote what a task reads, and whose programs sent it and asked for it.
  void datum_before(const access& a, int rank, std::int64_t begin) {
    const std::uint32_t writer = of_.writer(a.handle, a.ver_in);
    const auto parts =
        writer == none ? added_up(of_, rank, a.handle, a.ver_in) : std::span<const contribution>();
    if (!parts.empty()) return parts_before(parts, {rank, a.handle}, begin, of_.ranks());
    const bool is_here = writer != none && of_.tasks()[writer].rank == rank;
    const transfer* const x = is_here ? nullptr : arrival(of_, a.handle, a.ver_in, rank);
    if (x != nullptr)
      transfer_before(*x, x->done_receive, begin);
    else if (writer != none)
      before(writer, begin);
  }
  /// Of a reduction, all that a rank adds up. Many may need the sum: who has to have it first is
  /// what counts.
  void parts_before(std::span<const contribution> parts, std::pair<int, std::uint32_t> of,
                    std::int64_t latest, int hops) {
    const auto [known, added] =
        summed_.try_emplace({of.first, of.second, parts.front().version}, latest);
    if ((!added && known->second <= latest) || hops == 0) return;
    known->second = latest;
    for (const contribution& each : parts) {
      if (each.task != none) before(each.task, latest);
      if (each.transfer != none)
        transfer_before(of_.transfers()[each.transfer], each.at, latest, hops - 1);
    }
  }
  void borrowed_sum_before(const wait_span& wait, int rank, std::int64_t latest) {
    const std::uint32_t handle = of_.events().get32(of_.events().events()[wait.event], field::id);
    const contribution last = of_.contributed().last_value(rank, handle, wait.end);
    if (last.at == never) return;
    const auto parts = added_up(of_, rank, handle, last.version);
    if (!parts.empty()) parts_before(parts, {rank, handle}, latest, of_.ranks());
  }
  /// What was done at a moment may have been at `latest`, on the wire for as long: and so what was
  /// before it, of one that is passed on the transfer that brought it.
  void transfer_before(const transfer& x, std::int64_t done, std::int64_t latest) {
    transfer_before(x, done, latest, of_.ranks());
  }
  void transfer_before(const transfer& x, std::int64_t done, std::int64_t latest, int hops) {
    const transfer* way = &x;
    for (; way != nullptr && hops > 0; --hops) {
      const std::int64_t left = std::min(done, way->on_the_wire()), spare = latest - done;
      const auto parts = added_up_at_sender(of_, *way);
      if (!parts.empty()) parts_before(parts, {way->src, way->handle}, left + spare, hops);
      if (const std::uint32_t writer = writer_of(of_, *way); writer != none)
        before(writer, left + spare);
      program_before(way->src, way->post_send, left + spare);
      program_before(way->dst, way->post_receive, std::max(left, way->post_receive) + spare);
      if (!parts.empty()) break;
      const std::uint32_t first = came_to_sender(of_, *way);
      way = first == none ? nullptr : &of_.transfers()[first];
      if (way == nullptr || way->done_receive > left) break;
      done = way->done_receive;
      latest = left + spare;
    }
  }
  /// Who opened the gate of the message that brought it.
  void opener_before(const access& a, int rank, std::int64_t begin) {
    if (openers_.empty()) return;
    const transfer* const x = arrival(of_, a.handle, a.ver_in, rank);
    if (x == nullptr) return;
    const auto gate = openers_.find(static_cast<std::uint32_t>(x - of_.transfers().data()));
    if (gate == openers_.end()) return;
    const std::int64_t opened = of_.tasks()[gate->second.task].end;
    before(gate->second.task, begin - std::max<std::int64_t>(0, x->done_receive - opened));
  }
  /// On other ranks tasks read copies, which nobody overwrites.
  void readers_before(const access& a, std::uint32_t index, std::int64_t begin) {
    const auto key = std::tuple(a.handle, a.ver_in, of_.tasks()[index].rank);
    const auto same = [](const reader& each) {
      return std::tuple(std::get<0>(each), std::get<1>(each), std::get<2>(each));
    };
    for (const reader& each : std::ranges::equal_range(readers_, key, {}, same))
      if (std::get<3>(each) != index) before(std::get<3>(each), begin);
  }
  void before(std::uint32_t index, std::int64_t latest) {
    latest_[index] = std::min(latest_[index], latest);
  }
  void program_before(int rank, std::int64_t at, std::int64_t latest) {
    if (at != never && is_rank(rank)) program(rank).demand(at, latest);
  }
  program_spare& program(int rank) { return programs_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_rank(int rank) const { return 0 <= rank && rank < of_.ranks(); }

  const model& of_;
  const std::unordered_map<std::uint32_t, gate_opener> openers_;  // Of the gates of transfers.
  const call_causes calls_;
  program_waits waits_;
  std::vector<program_spare> programs_;  // By rank.
  std::vector<waits_for_all> for_all_;   // By rank.
  std::vector<meeting> met_;
  std::vector<moment> moments_;       // The last one first.
  std::vector<std::uint32_t> order_;  // The same.
  std::vector<reader> readers_;
  std::vector<std::int64_t> latest_;  // By task: when it may end.
  // By rank, datum and version of a reduction: when the sum has to be there.
  std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::int64_t> summed_;
  std::map<std::uint32_t, std::int64_t>
      begin_on_lane_;  // When the task that was placed last may begin.
  std::int64_t last_ = 0;
};

}  // namespace

std::vector<std::int64_t> slack(const model& of) { return backward_pass(of).run(); }

}  // namespace deed::viewer
