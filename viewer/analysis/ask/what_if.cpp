// SPDX-License-Identifier: MIT
#include "analysis/ask/what_if.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

std::int64_t scaled(std::int64_t time, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(time) * factor));
}

/// What every transfer takes, whatever its size: as long as the shortest one at most.
std::int64_t fixed_part(const model& of) {
  std::int64_t least = never;
  for (const transfer& x : of.transfers())
    if (x.done_receive != never && x.begin() != never && x.done_receive >= x.on_the_wire())
      if (const std::int64_t took = x.done_receive - x.on_the_wire();
          least == never || took < least)
        least = took;
  return std::max<std::int64_t>(0, least);
}

bool has_a_time(const task& t) { return t.begin != never && t.end != never && !t.was_cancelled(); }

class schedule {
 public:
  schedule(const model& of, const changes& wanted)
      : of_(of),
        wanted_(wanted),
        fixed_(fixed_part(of)),
        ends_(of.tasks().size(), 0),
        free_(of.events().lanes().size(), 0) {}

  std::int64_t length() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < of_.tasks().size(); ++i)
      if (has_a_time(of_.tasks()[i])) order.push_back(i);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const task &x = of_.tasks()[a], &y = of_.tasks()[b];
      return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
    });
    std::int64_t last = 0;
    for (const std::uint32_t i : order) last = std::max(last, place(i));
    return last;
  }

 private:
  std::int64_t place(std::uint32_t index) {
    const task& t = of_.tasks()[index];
    std::int64_t begin = 0;
    for (const access& a : of_.accesses(t))
      if (a.reads()) begin = std::max(begin, there(a, t.rank));
    const bool on_lane = t.lane < free_.size() && !wanted_.endless_workers;
    if (on_lane) begin = std::max(begin, free_[t.lane]);
    const auto factor = wanted_.codelets.find(codelet_of(of_, t));
    ends_[index] =
        begin + scaled(t.end - t.begin, factor == wanted_.codelets.end() ? 1 : factor->second);
    if (on_lane) free_[t.lane] = ends_[index];
    return ends_[index];
  }

  /// When a value can be read on a rank.
  std::int64_t there(const access& a, int rank) {
    const std::uint32_t writer = of_.writer(a.handle, a.ver_in);
    const std::int64_t written = writer == none ? 0 : ends_[writer];
    if (writer != none && of_.tasks()[writer].rank == rank) return written;
    const transfer* const x = arrival(of_, a.handle, a.ver_in, rank);
    if (x == nullptr) return written;
    const std::int64_t took = std::max<std::int64_t>(0, x->done_receive - x->on_the_wire());
    const std::int64_t fixed = std::min(took, fixed_);
    return written + scaled(fixed, wanted_.latency) + scaled(took - fixed, 1 / wanted_.bandwidth);
  }

  const model& of_;
  const changes& wanted_;
  std::int64_t fixed_;
  std::vector<std::int64_t> ends_;  // By task; before it is placed: 0.
  std::vector<std::int64_t> free_;  // By lane: when its last task ended.
};

/// What is said of a run is said of the tasks that ended: of the others nobody knows how long they
/// take, nor what would have come after them. Empty: all ended.
std::string say_of_which(const model& of, std::uint64_t ended) {
  const std::uint64_t all = of.tasks().size();
  if (all == 0) return "the run has no task";
  if (ended == all) return {};
  if (ended == 0)
    return "none of " + say_some(all, "task") + " ended: how long they would take is not known";
  return "of " + say_some(all, "task") + " " + say_count(ended) +
         " ended, and the times are of these alone: what the others would take, and what the "
         "program would have done after them, is not known";
}

std::uint64_t ended_tasks(const model& of) {
  return static_cast<std::uint64_t>(std::ranges::count_if(of.tasks(), has_a_time));
}

}  // namespace

std::int64_t shortest_time(const model& of, const changes& wanted) {
  return schedule(of, wanted).length();
}

std::string say_what_if(const model& of, const changes& wanted,
                        std::optional<std::int64_t> unchanged) {
  if (auto missing = not_recorded(of, {"task", "access", "xfer"}))
    return missing->sentences.empty() ? "not recorded" : missing->sentences.front();
  const std::uint64_t ended = ended_tasks(of);
  if (ended == 0) return say_of_which(of, ended);
  const std::int64_t before = unchanged ? *unchanged : shortest_time(of, {}),
                     after = shortest_time(of, wanted);
  return (ended == of.tasks().size() ? "at least " : "of the tasks that ended, at least ") +
         say_time(after) + ", without changes at least " + say_time(before) + ": " +
         say_share(after, before);
}

std::vector<std::string> caveats_of_what_if(const model& of) {
  std::vector<std::string> said = caveats(of);
  if (std::string none_there = say_no_time_on_devices(of); !none_there.empty())
    said.push_back(std::move(none_there));
  if (std::string which = say_of_which(of, ended_tasks(of)); !which.empty())
    said.push_back(std::move(which));
  return said;
}

answer what_if(const model& of, const changes& wanted) {
  if (auto missing = not_recorded(of, {"task", "access", "xfer"})) return std::move(*missing);
  answer said;
  said.sentences = caveats_of_what_if(of);
  if (ended_tasks(of) == 0) return said;
  const time_range known = known_part(of.events());
  const std::int64_t run = known.to - known.from, before = shortest_time(of, {}),
                     after = shortest_time(of, wanted);
  said.sentences.push_back(
      after == before
          ? "with these changes the run is bound by the same " + say_time(before)
          : "with these changes the run takes at least " + say_time(after) +
                ", without them at least " + say_time(before) + ": " + say_share(after, before));
  said.sentences.emplace_back(what_if_is_a_bound);
  said.tables = {{"",
                  {"what", "time", "of the run"},
                  {{"the run as recorded", say_time(run), say_share(run, run)},
                   {"at least, as it was", say_time(before), say_share(before, run)},
                   {"at least, with the changes", say_time(after), say_share(after, run)}}}};
  return said;
}

}  // namespace deed::viewer
