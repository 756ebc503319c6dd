// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// Where in the life of a datum something stands that has a version, so that of what happens at one
/// time the cause comes before what it brings about: virtual ranks do much at one time.
struct step_of_life {
  enum class step : std::uint8_t {
    unknown,
    added,       ///< A task that adds to the one before begins, and ends.
    part_ready,  ///< Of what other ranks add, as below.
    part_leaves,
    part_sent,
    part_arrives,
    written,  ///< A task that writes it begins, and ends.
    ready,    ///< Both ranks are, to move it.
    leaves,
    sent,
    arrives,
    kept,
    waited_for,
    read,
    gone
  };
  std::uint32_t version = 0;
  step what = step::unknown;
  friend auto operator<=>(const step_of_life&, const step_of_life&) = default;
};

/// What happened to a datum at one moment.
struct moment_of_life {
  /// Of what has one time, the end of a task that took some comes first: it made what others use.
  enum class part : std::uint8_t { ends, registered, inserted, runs };
  std::int64_t time = 0;
  part order = part::runs;
  step_of_life step;
  std::uint32_t event = none;  ///< Whose lane has an order; `none`: of no one record.
  std::string what;
};

/// Recorded by a program when it inserts a task or calls for something: its tasks come to that
/// later. The rest is recorded when it happens.
bool is_inserted(record what) {
  switch (what) {
    case record::task_access:
    case record::owner:
    case record::copy_state:
    case record::cache_lookup:
    case record::cache_drop:
    case record::ledger_step:
    case record::xfer_post:
      return true;
    default:
      return false;
  }
}

bool is_about(const run& r, const event& e, std::uint32_t version) {
  if (e.what == record::task_access)
    return r.get32(e, field::ver_in) == version || r.get32(e, field::ver_out) == version;
  return r.get(e, field::version, ~std::uint64_t{0}) == version;
}

/// "reads v1", "reads v1 and writes v2"; of a contribution, "adds to v1".
std::string say_use(const access& a) {
  const std::string from = "v" + std::to_string(a.ver_in), to = "v" + std::to_string(a.ver_out);
  if (!a.reads() && !a.writes()) return "adds to " + from;
  if (!a.writes()) return "reads " + from;
  return (a.reads() ? "reads " + from + " and writes " : "writes ") + to;
}

/// The ranks at the ends of a transfer of one datum, its version, and its number among those alike.
using transfer_name = std::tuple<int, int, std::uint32_t, std::uint16_t>;

transfer_name transfer_of(const run& r, const event& e) {
  constexpr std::uint64_t receive = 1;
  const int me = r.rank_of(e), peer = static_cast<int>(r.get32(e, field::peer));
  const bool receives = r.get(e, field::dir) == receive;
  return {receives ? peer : me, receives ? me : peer, r.get32(e, field::version),
          static_cast<std::uint16_t>(r.get(e, field::seq))};
}

/// `parts`: the transfers of what ranks add.
step_of_life step_of(const run& r, const event& e, const std::set<transfer_name>& parts) {
  using enum step_of_life::step;
  constexpr std::uint64_t receive = 1;
  const std::uint32_t version = r.get32(e, field::version);
  switch (e.what) {
    case record::copy_begin:
      return {version, ready};
    case record::xfer_start:
      return {version, parts.contains(transfer_of(r, e)) ? part_ready : ready};
    case record::xfer_done:
      if (parts.contains(transfer_of(r, e)))
        return {version, r.get(e, field::dir) == receive ? part_arrives : part_sent};
      return {version, r.get(e, field::dir) == receive ? arrives : sent};
    case record::copy_end:
      return {version, arrives};
    case record::cache_insert:
      return {version, kept};
    case record::handle_unregister:
      return {none, gone};
    default:
      return {};
  }
}

moment_of_life::part part_of(record what) {
  if (what == record::handle_register) return moment_of_life::part::registered;
  return is_inserted(what) ? moment_of_life::part::inserted : moment_of_life::part::runs;
}

/// What one thread did stays in its order: what has no version comes behind what its thread did
/// before it at this time. Of per-rank data each rank has versions of its own, which say nothing of
/// those of others. `at_once`: all that ran then.
void sort_by_cause(const run& r, std::span<moment_of_life> at_once, bool per_rank) {
  std::ranges::stable_sort(at_once, {}, &moment_of_life::event);
  std::map<std::uint32_t, step_of_life> reached;  // By lane.
  for (moment_of_life& each : at_once) {
    if (per_rank) each.step.version = 0;
    if (each.event == none) continue;
    step_of_life& mine = reached[r.events()[each.event].lane];
    each.step = mine = std::max(mine, each.step);
  }
  std::ranges::stable_sort(at_once, {}, &moment_of_life::step);
}

constexpr const char* word_of_failure = ": word that it failed";

/// The life of one datum, or of one version of it.
class life_of_datum {
 public:
  life_of_datum(const model& of, std::uint32_t handle, const run_part& part,
                std::optional<std::uint32_t> version)
      : of_(of), handle_(handle), part_(part), version_(version) {}

  std::vector<moment_of_life> moments() {
    for (const std::uint32_t i : of_.transfers_of(handle_))
      if (const transfer& x = of_.transfers()[i]; x.is(trace::transfer_reason::reduce))
        parts_.emplace(x.src, x.dst, x.version, x.seq);
    for (const std::uint32_t index : of_.events_of(handle_)) add_event(index);
    for (const access& a : of_.all_accesses())
      if (a.handle == handle_) add_run(a);
    for (const std::uint32_t i : of_.transfers_of(handle_)) add_leaving(i);
    find_records_of_runs();
    const auto when = [](const moment_of_life& each) { return std::pair(each.time, each.order); };
    std::ranges::stable_sort(found_, {}, when);
    for (auto at = found_.begin(); at != found_.end();) {
      const auto behind = std::ranges::upper_bound(at, found_.end(), when(*at), {}, when);
      if (at->order == moment_of_life::part::runs && behind - at > 1)
        sort_by_cause(of_.events(), {at, behind}, of_.data()[handle_].is_per_rank());
      at = behind;
    }
    return std::move(found_);
  }

 private:
  void add_event(std::uint32_t index) {
    const run& r = of_.events();
    const event e = r.events()[index];
    if (version_ && !is_about(r, e, *version_)) return;
    if (e.what == record::wait_begin) add_end_of_wait(index, e);
    // The definitions of a slice are whole: a datum may end behind it.
    if (e.time > r.end() || !part_.has(of_, e)) return;
    // Copies of devices are told when somebody looks; they were over before.
    const std::int64_t at = e.what == record::copy_end ? r.moment(e, field::t_end) : e.time;
    const bool moves = e.what == record::xfer_start || e.what == record::xfer_done;
    // In place of what was not written goes that it failed, which no rank keeps.
    const bool missing = is_missing(of_, handle_, r.get32(e, field::version));
    if (missing && e.what == record::cache_insert) return;
    found_.push_back({at, part_of(e.what), step_of(r, e, parts_), index,
                      say_event(of_, e) + (missing && moves ? word_of_failure : "")});
  }

  /// Its own record does not name the datum.
  void add_end_of_wait(std::uint32_t index, const event& e) {
    const auto& waits = of_.waits();
    const auto place = [](const wait_span& each) { return std::pair(each.lane, each.begin); };
    auto at = std::ranges::lower_bound(waits, std::pair(e.lane, e.time), {}, place);
    while (at != waits.end() && at->event != index && place(*at) == std::pair(e.lane, e.time)) ++at;
    if (at == waits.end() || at->event != index || !at->ended) return;
    if (!part_.touches(at->end, at->end) || !part_.chooses(of_, e)) return;
    const step_of_life step{of_.events().get32(e, field::version), step_of_life::step::waited_for};
    found_.push_back({at->end, moment_of_life::part::runs, step, none,
                      "rank " + std::to_string(of_.events().rank_of(e)) + " has waited " +
                          say_time(at->end - at->begin) + " for this message"});
  }

  /// Its sender may be ready long before its receiver is: what no record says alone.
  void add_leaving(std::uint32_t index) {
    const transfer& x = of_.transfers()[index];
    const std::int64_t left = x.left();
    if (left == never || !part_.has_transfer(of_, index) || (version_ && x.version != *version_) ||
        !part_.touches(left, left))
      return;
    found_.push_back({left,
                      moment_of_life::part::runs,
                      {x.version, parts_.contains({x.src, x.dst, x.version, x.seq})
                                      ? step_of_life::step::part_leaves
                                      : step_of_life::step::leaves},
                      none,
                      version_name(of_, handle_, x.version) + " leaves rank " +
                          std::to_string(x.src) + " for rank " + std::to_string(x.dst) +
                          (is_missing(of_, handle_, x.version) ? word_of_failure : "")});
  }

  /// When a task that uses it ran: insertion says what it will do.
  void add_run(const access& a) {
    constexpr std::uint32_t scratch = 4;
    if (a.mode == scratch || (version_ && a.ver_in != *version_ && a.ver_out != *version_)) return;
    const task& t = of_.tasks()[a.task];
    if (t.begin == never || t.lane == none || !part_.has_task(of_, a.task)) return;
    const std::string who = say_lane(of_.events(), t.lane), name = of_.task_label(a.task);
    // What is added to a version is a part of the next one.
    const bool adds = !a.reads() && !a.writes();
    const step_of_life step = adds         ? step_of_life{a.ver_in + 1, step_of_life::step::added}
                              : a.writes() ? step_of_life{a.ver_out, step_of_life::step::written}
                                           : step_of_life{a.ver_in, step_of_life::step::read};
    if (part_.touches(t.begin, t.begin) && !t.was_cancelled())
      add_moment(a.task, true,
                 {t.begin, moment_of_life::part::runs, step, none,
                  who + " began " + name + ", which " + say_use(a)});
    if (t.end == never || !part_.touches(t.end, t.end)) return;
    const bool at_once = t.end == t.begin;
    add_moment(
        a.task, false,
        {t.end, at_once ? moment_of_life::part::runs : moment_of_life::part::ends, step, none,
         (t.threw()           ? name + " threw on " + who
          : t.was_cancelled() ? name + " was cancelled on " + who
                              : who + " ended " + name) +
             (!a.writes() ? ""
                          : ": v" + std::to_string(a.ver_out) +
                                (t.failed() ? " is not there" : " is there"))});
  }

  void add_moment(std::uint32_t task, bool begins, moment_of_life what) {
    (begins ? begins_ : ends_)[task] = found_.size();
    found_.push_back(std::move(what));
  }

  /// Their records do not name the datum. Only virtual ranks do more than one of them at a time.
  void find_records_of_runs() {
    const run& r = of_.events();
    if (r.ranks().empty() || r.ranks().front().clock_kind != "virtual") return;
    for (std::uint32_t i = 0; i < r.events().size(); ++i) {
      const record what = r.events().what(i);
      if (what != record::task_begin && what != record::task_end) continue;
      const event e = r.events()[i];
      const auto& known = what == record::task_begin ? begins_ : ends_;
      const auto mine = known.find(of_.find_task(r.rank_of(e), r.get(e, field::task)));
      if (mine != known.end()) found_[mine->second].event = i;
    }
  }

  const model& of_;
  std::uint32_t handle_;
  const run_part& part_;
  std::optional<std::uint32_t> version_;
  std::set<transfer_name> parts_;
  std::vector<moment_of_life> found_;
  std::map<std::uint32_t, std::size_t> begins_, ends_;  // Of tasks: the place in `found_`.
};

}  // namespace

answer history(const model& of, std::uint32_t handle, const run_part& part,
               std::optional<std::uint32_t> version) {
  answer said;
  const std::string of_version = version ? " v" + std::to_string(*version) : "";
  table life{"life of " + of.handle_name(handle) + of_version, {"time", "stage", "what"}, {}};
  for (moment_of_life& each : life_of_datum(of, handle, part, version).moments())
    life.rows.push_back({say_time(each.time),
                         each.order == moment_of_life::part::inserted ? "inserted" : "runs",
                         std::move(each.what)});
  if (!life.rows.empty())
    said.sentences.emplace_back(
        "inserted: a program called for it, ahead of its tasks; runs: it happened then");
  said.tables.push_back(std::move(life));
  return said;
}

}  // namespace deed::viewer
