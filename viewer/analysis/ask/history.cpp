// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// What happened to a datum at one moment. Of what has one time, the end of a task comes first, and
/// a begin last: the end made what the others use.
struct moment_of_life {
  enum class place : std::uint8_t { ends, between, begins };
  std::int64_t time = 0;
  place order = place::between;
  bool inserted = false;
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

/// The life of one datum, or of one version of it.
class life_of_datum {
 public:
  life_of_datum(const model& of, std::uint32_t handle, const run_part& part,
                std::optional<std::uint32_t> version)
      : of_(of), handle_(handle), part_(part), version_(version) {}

  std::vector<moment_of_life> moments() {
    for (const std::uint32_t index : of_.events_of(handle_)) add_event(index);
    for (const access& a : of_.all_accesses())
      if (a.handle == handle_) add_run(a);
    for (const std::uint32_t i : of_.transfers_of(handle_)) add_leaving(i);
    std::ranges::stable_sort(
        found_, {}, [](const moment_of_life& each) { return std::pair(each.time, each.order); });
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
    found_.push_back({at, moment_of_life::place::between, is_inserted(e.what), say_event(of_, e)});
  }

  /// Its own record does not name the datum.
  void add_end_of_wait(std::uint32_t index, const event& e) {
    const auto& waits = of_.waits();
    const auto place = [](const wait_span& each) { return std::pair(each.lane, each.begin); };
    auto at = std::ranges::lower_bound(waits, std::pair(e.lane, e.time), {}, place);
    while (at != waits.end() && at->event != index && place(*at) == std::pair(e.lane, e.time)) ++at;
    if (at == waits.end() || at->event != index || !at->ended) return;
    if (!part_.touches(at->end, at->end) || !part_.chooses(of_, e)) return;
    found_.push_back({at->end, moment_of_life::place::between, false,
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
    found_.push_back({left, moment_of_life::place::between, false,
                      version_name(of_, handle_, x.version) + " leaves rank " +
                          std::to_string(x.src) + " for rank " + std::to_string(x.dst)});
  }

  /// When a task that uses it ran: insertion says what it will do.
  void add_run(const access& a) {
    constexpr std::uint32_t scratch = 4;
    if (a.mode == scratch || (version_ && a.ver_in != *version_ && a.ver_out != *version_)) return;
    const task& t = of_.tasks()[a.task];
    if (t.begin == never || t.lane == none || !part_.has_task(of_, a.task)) return;
    const std::string who = say_lane(of_.events(), t.lane), name = of_.task_label(a.task);
    if (part_.touches(t.begin, t.begin))
      found_.push_back({t.begin, moment_of_life::place::begins, false,
                        who + " began " + name + ", which " + say_use(a)});
    if (t.end == never || !part_.touches(t.end, t.end)) return;
    const bool at_once = t.end == t.begin;
    found_.push_back({t.end, at_once ? moment_of_life::place::begins : moment_of_life::place::ends,
                      false,
                      who + " ended " + name +
                          (a.writes() ? ": v" + std::to_string(a.ver_out) + " is there" : "")});
  }

  const model& of_;
  std::uint32_t handle_;
  const run_part& part_;
  std::optional<std::uint32_t> version_;
  std::vector<moment_of_life> found_;
};

}  // namespace

answer history(const model& of, std::uint32_t handle, const run_part& part,
               std::optional<std::uint32_t> version) {
  answer said;
  const std::string of_version = version ? " v" + std::to_string(*version) : "";
  table life{"life of " + of.handle_name(handle) + of_version, {"time", "stage", "what"}, {}};
  for (moment_of_life& each : life_of_datum(of, handle, part, version).moments())
    life.rows.push_back(
        {say_time(each.time), each.inserted ? "inserted" : "runs", std::move(each.what)});
  if (!life.rows.empty())
    said.sentences.emplace_back(
        "inserted: a program called for it, ahead of its tasks; runs: it happened then");
  said.tables.push_back(std::move(life));
  return said;
}

}  // namespace deed::viewer
