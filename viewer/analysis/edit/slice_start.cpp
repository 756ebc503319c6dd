// SPDX-License-Identifier: MIT
#include "analysis/edit/slice_start.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/state_at.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/read/event_walk.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// What each event before the slice is about, and whether that goes on in it.
class looking_back {
 public:
  looking_back(const model& of, std::int64_t from, std::int64_t to)
      : of_(of), run_(of.events()), from_(from), to_(to), tasks_(of.tasks().size()) {
    for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
      if (goes_on(of.tasks()[i])) tasks_[i] = needed::whole;
    find_waiting();
    for (const transfer& x : of.transfers())
      if (goes_on(x)) add_name(x);
    find_calls();
  }

  void goes_on(std::uint32_t event) { open_.insert(event); }
  void writes_last(std::uint32_t task) {
    if (tasks_[task] == needed::no) tasks_[task] = needed::its_end;
  }

  [[nodiscard]] std::int64_t to() const { return to_; }
  std::vector<std::uint32_t> events() {
    find_last_of_lanes();
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < run_.events().size() && run_.events().time(i) < from_; ++i)
      if (needs(i)) found.push_back(i);
    return found;
  }

 private:
  enum class needed : std::uint8_t { no, its_submit, its_end, whole };
  using transfer_name = std::tuple<int, int, std::uint16_t, std::uint64_t, std::uint64_t>;

  [[nodiscard]] bool inside(std::int64_t time) const { return time >= from_ && time <= to_; }
  [[nodiscard]] bool goes_on(const task& t) const {
    const bool runs_on = t.begin != never && t.begin < from_ && (t.end == never || t.end > to_);
    return runs_on || inside(t.ready) || inside(t.begin) || inside(t.end);
  }
  [[nodiscard]] bool goes_on(const transfer& x) const {
    return x.done_receive == never ||
           std::max({x.start, x.start_receive, x.done_send, x.done_receive}) >= from_;
  }

  /// Of each rank, one that waits all the time tells as well as all that its threads had something
  /// to wait for; a program may have inserted a million of them.
  void find_waiting() {
    std::set<int> known;
    for (std::uint32_t i = 0; i < of_.tasks().size(); ++i) {
      const task& t = of_.tasks()[i];
      const bool submitted = t.submit != never && t.submit < from_;
      const bool later = (t.begin == never || t.begin > to_) && (t.end == never || t.end > to_);
      if (submitted && later && tasks_[i] == needed::no && known.insert(t.rank).second)
        tasks_[i] = needed::its_submit;
    }
  }

  /// Who had come to a call in which a program stands in the slice; and the last call of each rank,
  /// since who has not come to the next one has made no other behind it.
  void find_calls() {
    std::map<std::pair<int, std::uint32_t>, std::uint32_t> last;  // By rank and group.
    for (const numbered_call& call : of_.met().calls().all()) {
      const bool stood = std::ranges::any_of(call.parts, [&](const call_part& each) {
        if (each.wait == none) return false;
        const wait_span& wait = of_.waits()[each.wait];
        return wait.begin <= to_ && (!wait.ended || wait.end >= from_);
      });
      for (std::size_t member = 0; member < call.parts.size(); ++member) {
        const int rank = call.rank(member);
        const std::int64_t called = call.parts[member].called;
        if (stood) calls_.insert({rank, call.what.group, call.number});
        if (stood && call.parts[member].write != none) open_.insert(call.parts[member].write);
        if (called != never && called < from_) last[{rank, call.what.group}] = call.number;
      }
    }
    for (const auto& [of_rank, number] : last)
      calls_.insert({of_rank.first, of_rank.second, number});
  }

  void add_name(const transfer& x) {
    names_.insert({x.src, x.dst, x.seq, x.handle, x.version});
    if (x.is_message()) tags_.insert({x.src, x.dst, x.seq, of_.short_tag_of(x), 0});
  }
  [[nodiscard]] bool is_under_way(const event& e) const {
    const int me = run_.rank_of(e), peer = static_cast<int>(run_.get32(e, field::peer));
    const bool sends = run_.get(e, field::dir) == 0;
    const int src = sends ? me : peer, dst = sends ? peer : me;
    const auto seq = static_cast<std::uint16_t>(run_.get(e, field::seq));
    return names_.contains(
               {src, dst, seq, run_.get32(e, field::handle), run_.get32(e, field::version)}) ||
           tags_.contains({src, dst, seq, short_tag_of(run_, e), 0});
  }

  /// What is open on each lane when the slice begins, and what its thread did last.
  void find_last_of_lanes() {
    std::map<std::uint32_t, std::uint32_t> states, ends;
    std::map<std::uint32_t, std::vector<std::uint32_t>> waits, lent;
    for (std::uint32_t i = 0; i < run_.events().size() && run_.events().time(i) < from_; ++i) {
      const record what = run_.events().what(i);
      if (what == record::state) states[run_.events()[i].lane] = i;
      if (what == record::task_end) ends[run_.events()[i].lane] = i;
      if (what == record::wait_begin || what == record::wait_end)
        follow(waits, i, what == record::wait_begin, {field::what, field::id});
      if (what == record::borrow || what == record::release)
        follow(lent, i, what == record::borrow, {field::handle, field::kind, field::holder});
    }
    for (const auto* const each : {&waits, &lent})
      for (const auto& [lane, open] : *each) open_.insert(open.begin(), open.end());
    for (const auto& [lane, last] : states) open_.insert(last);
    const std::set<std::uint32_t> speaking = lanes_with_states();
    for (const auto& [lane, last] : ends) {
      const event e = run_.events()[last];
      const std::uint32_t task = of_.find_task(run_.rank_of(e), run_.get(e, field::task));
      const auto said = states.find(lane);
      // Until it says otherwise, its thread looks for the next one.
      const bool looks = said == states.end() ? speaking.contains(lane) : said->second < last;
      if (task != none && looks) writes_last(task);
    }
  }
  /// Of threads that say what they do in the slice, it is known before they do, too.
  [[nodiscard]] std::set<std::uint32_t> lanes_with_states() const {
    std::set<std::uint32_t> found;
    walk(
        run_.events(), [](record what) { return what == record::state; },
        [&](std::uint32_t i) {
          const event e = run_.events()[i];
          if (inside(e.time)) found.insert(e.lane);
        });
    return found;
  }
  void follow(std::map<std::uint32_t, std::vector<std::uint32_t>>& of, std::uint32_t index,
              bool begins, std::initializer_list<field> same) const {
    const event e = run_.events()[index];
    std::vector<std::uint32_t>& mine = of[e.lane];
    if (begins) return mine.push_back(index);
    const auto began = std::find_if(mine.rbegin(), mine.rend(), [&](std::uint32_t each) {
      const event b = run_.events()[each];
      return std::ranges::all_of(same, [&](field f) { return run_.get(b, f) == run_.get(e, f); });
    });
    if (began != mine.rend()) mine.erase(std::next(began).base());
  }

  [[nodiscard]] bool needs(std::uint32_t index) const {
    if (open_.contains(index)) return true;
    switch (const record what = run_.events().what(index); what) {
      case record::task_submit:
      case record::task_access:
      case record::task_ready:
      case record::task_begin:
      case record::task_end:
      case record::kernel: {
        const event e = run_.events()[index];
        const std::uint32_t task = of_.find_task(run_.rank_of(e), run_.get(e, field::task));
        if (task == none || tasks_[task] == needed::no) return false;
        if (tasks_[task] == needed::its_submit) return what == record::task_submit;
        // Without its begin, one that had ended is none that the slice counts.
        const bool of_its_run = what == record::task_ready || what == record::task_begin;
        return !of_its_run || tasks_[task] == needed::whole;
      }
      case record::xfer_post:
      case record::xfer_start:
      case record::xfer_done:
        return is_under_way(run_.events()[index]);
      case record::collective_call:
      case record::collective_begin: {
        const event e = run_.events()[index];
        const auto call = trace::collective_call::of(run_.get(e, field::id));
        return calls_.contains({run_.rank_of(e), call.group, run_.get32(e, field::number)});
      }
      default:
        return false;
    }
  }

  const model& of_;
  const run& run_;
  const std::int64_t from_, to_;
  std::vector<needed> tasks_;
  std::set<transfer_name> names_, tags_;                           // Of transfers that go on.
  std::set<std::tuple<int, std::uint32_t, std::uint32_t>> calls_;  // By rank, group, number.
  std::set<std::uint32_t> open_;                                   // Events.
};

void add_state(const model& of, std::uint32_t handle, std::int64_t when, slice_start& to,
               looking_back& back) {
  datum_walk walk(of, handle);
  walk.advance(when);
  const datum_state state = walk.state(false);
  const bool per_rank = of.data()[handle].is_per_rank();
  const bool known = state.all_known && state.version_known && state.owner_known;
  if (state.writer != none) back.writes_last(state.writer);
  for (const copy_end& each : walk.ending())  // All definitions are in it: that a datum ends, too.
    if (each.time <= back.to() && each.version != none) back.goes_on(each.event);
  for (const owner_move& each : walk.moves_to_come())
    if (each.time <= back.to())
      for (const std::uint32_t event : each.events)
        if (of.events().events().time(event) <= when) back.goes_on(event);
  if (!known || state.ended || (state.owner == none && !per_rank)) return;
  const std::uint32_t owner = per_rank ? trace::every_rank : state.owner;
  for (std::size_t rank = 0; rank < state.copies.size(); ++rank)
    if (const copy_at& copy = state.copies[rank]; copy.kind != copy_kind::absent)
      to.states.push_back(
          {former_state::kind::copy, static_cast<int>(rank), handle, copy.version, owner});
  to.states.push_back({former_state::kind::owner, per_rank ? 0 : static_cast<int>(owner), handle,
                       state.version, owner});
}

void put(std::vector<std::byte>& into, std::size_t at, const field_place& where,
         std::uint64_t value) {
  if (where.offset < 0) return;
  std::memcpy(into.data() + at + where.offset, &value,
              std::min<std::size_t>(where.bytes, sizeof value));
}

}  // namespace

slice_start start_of_slice(const model& of, std::int64_t from, std::int64_t to) {
  slice_start found;
  if (from <= 0) return found;
  looking_back back(of, from, to);
  if (from - 1 >= of.events().known_from())
    for (std::uint32_t h = 0; h < of.data().size(); ++h)
      if (of.data()[h].known) add_state(of, h, from - 1, found, back);
  found.events = back.events();
  return found;
}

made_event record_of(const former_state& state, const rank_layout& layout, std::uint64_t stream,
                     std::int64_t time, std::uint64_t after) {
  const bool of_copy = state.what == former_state::kind::copy;
  const record what = of_copy ? record::copy_state : record::owner;
  const auto& shapes = layout.shapes.at(stream);
  const auto shape = std::ranges::find(shapes, what, &event_shape::what);
  if (shape == shapes.end() || !shape->known || shape->texts) return {};
  constexpr std::size_t before = 8;  // A number is read from the eight bytes that end with it.
  made_event made;
  made.fields = before + layout.event_header_bytes;
  made.bytes.resize(made.fields + shape->bytes);
  made.bytes[before] = static_cast<std::byte>(shape - shapes.begin());
  const std::uint64_t stamp = std::max(stamp_at(layout, time), after);
  std::memcpy(made.bytes.data() + before + 1, &stamp, layout.stamp_bytes);
  const auto& places = layout.known[static_cast<std::size_t>(what)].places;
  const auto set = [&](field f, std::uint64_t value) {
    put(made.bytes, made.fields, places[static_cast<std::size_t>(f)], value);
  };
  set(field::handle, state.handle);
  set(field::version, state.version);
  set(field::from, state.owner);
  set(field::to, state.owner);
  const bool owns = state.owner == static_cast<std::uint32_t>(state.rank);
  set(field::state,
      static_cast<std::uint64_t>(owns ? trace::copy_status::owner : trace::copy_status::shared));
  set(field::cause, static_cast<std::uint64_t>(trace::owner_cause::snapshot));
  set(field::by, as_it_was);
  return made;
}

}  // namespace deed::viewer
