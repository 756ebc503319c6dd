// SPDX-License-Identifier: MIT
#include "analysis/export/copy_rows.hpp"
#include "analysis/export/export.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace deed::viewer {
namespace {

/// A string of Paje. The format has no escapes, and its readers lose count at an empty string:
/// quotes and control characters become others.
std::string paje_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text.empty() ? "no name" : text)
    quoted += c == '"' ? '\'' : static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return quoted + '"';
}

std::string seconds(std::int64_t time) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9f", static_cast<double>(time) / 1e9);
  return text.data();
}

/// The numbers of the events, as the head of the file says them.
enum paje : int {
  define_container,
  define_state,
  define_value,
  create,
  set_state,
  destroy,
  push_state,
  pop_state,
  define_variable,
  set_variable,
  define_event,
  new_event,
  push_copy,
  define_link,
  start_link,
  end_link
};

/// Names of phases or values, each once, and its place among them.
class known_names {
 public:
  std::size_t place_of(const std::string& name) {
    return place_.try_emplace(name, place_.size()).first->second;
  }
  [[nodiscard]] const std::map<std::string, std::size_t>& all() const { return place_; }

 private:
  std::map<std::string, std::size_t> place_;
};

/// A thread that runs tasks has states; a program that runs none has phases alone.
enum class thread_kind : std::uint8_t { not_drawn, worker, program };

/// What no record of that time says as it is: what a thread does from then on, the end of a phase
/// without one, copies of devices, and both ends of transfers.
struct paje_step {
  enum class kind : std::uint8_t {
    run_task,
    be_in_state,
    be_unknown,
    end_phase,
    begin_copy,
    end_copy,
    leave,
    arrive
  };
  std::int64_t time = 0;
  kind what = kind::end_phase;
  std::uint32_t row = 0;    // Of a copy; else the thread.
  std::uint32_t index = 0;  // Of a copy, in its row; of a transfer, in the model; of a task, its
                            // codelet; of a state, its kind.
};

/// The events of a run, in time order: Paje's readers want that of all containers together.
class paje_writer {
 public:
  paje_writer(const model& of, std::ostream& out, const run_part& part)
      : of_(of),
        out_(out),
        part_(part),
        threads_(of.events().lanes().size()),
        copies_(copy_rows(of, part)) {
    const run& r = of.events();
    for (std::size_t lane = 0; lane < threads_.size(); ++lane)
      if (r.lanes()[lane].is_worker()) threads_[lane] = thread_kind::worker;
    for (const task& t : of.tasks())  // Who else runs tasks.
      if (t.lane < threads_.size()) threads_[t.lane] = thread_kind::worker;
    for (const phase_span& each : of.phases()) {
      if (!part.has_span(of, each.event, each.begin, each.end)) continue;
      if (threads_[each.lane] == thread_kind::not_drawn) threads_[each.lane] = thread_kind::program;
      phases_.place_of(phase_text(each));
    }
    for (const value_series& each : of.values()) values_.place_of(of.value_name(each));
    std::ranges::merge(of.failures(), of.stops(), std::back_inserter(wrong_));
    std::erase_if(wrong_, [&](std::uint32_t index) { return !part.has(of, r.events()[index]); });
    find_steps();
  }

  void write() {
    write_head();
    write_containers();
    for (std::uint32_t i = 0; i < of_.events().events().size(); ++i) write_event(i);
    write_until(of_.events().end());
    for (std::size_t lane = 0; lane < threads_.size(); ++lane)
      if (threads_[lane] != thread_kind::not_drawn)
        out_ << destroy << ' ' << seconds(of_.events().end()) << " l" << lane << ' '
             << container_of(lane) << '\n';
    for (std::size_t row = 0; row < copies_.size(); ++row)
      out_ << destroy << ' ' << seconds(of_.events().end()) << " c" << row << " D\n";
  }

 private:
  [[nodiscard]] std::string phase_text(const phase_span& of) const {
    return say_field(of_, of_.events().events()[of.event], field::name);
  }

  [[nodiscard]] char container_of(std::size_t lane) const {
    return threads_[lane] == thread_kind::worker ? 'W' : 'A';
  }
  /// The phases of a container of that type: "P" of a worker.
  [[nodiscard]] const char* phases_of(std::size_t lane) const {
    return threads_[lane] == thread_kind::worker ? "P" : "Q";
  }

  void find_steps() {
    for (const timeline_lane& each : make_lanes(of_, part_))
      if (threads_[each.lane] == thread_kind::worker) add_states(each);
    add_ends_of_phases();
    for (std::uint32_t row = 0; row < copies_.size(); ++row)
      for (std::uint32_t i = 0; i < copies_[row].copies.size(); ++i) {
        add_step(copies_[row].copies[i].begin, paje_step::kind::begin_copy, row, i);
        add_step(copies_[row].copies[i].end, paje_step::kind::end_copy, row, i);
      }
    for (std::uint32_t i = 0; i < of_.transfers().size(); ++i) {
      const transfer& x = of_.transfers()[i];
      if (!has_both_ends(x) || !part_.has_transfer(of_, i)) continue;
      add_step(x.begin(), paje_step::kind::leave, 0, i);
      add_step(x.done_receive, paje_step::kind::arrive, 0, i);
    }
    std::ranges::stable_sort(steps_, {}, &paje_step::time);
  }
  /// As `breakdown` counts them: a state for each codelet, and for what a thread does between
  /// tasks.
  void add_states(const timeline_lane& of) {
    std::int64_t until = never;
    for (const track_span& each : of.tracks[0].spans()) {
      const bool task = each.type == span_type::task;
      if ((!task && each.type != span_type::state) || each.end < until) continue;
      if (task && of_.tasks()[each.ref].codelet == none) continue;
      if (until != never && each.begin > until)
        add_step(until, paje_step::kind::be_unknown, of.lane, 0);
      add_step(each.begin, task ? paje_step::kind::run_task : paje_step::kind::be_in_state, of.lane,
               each.kind);
      if (!task) states_.insert(each.kind);
      until = each.end;
    }
    if (until != never) add_step(until, paje_step::kind::be_unknown, of.lane, 0);
  }
  /// Of a thread the innermost first.
  void add_ends_of_phases() {
    std::vector<const phase_span*> unended;
    for (const phase_span& each : of_.phases())
      if (each.end_event == none && part_.has_span(of_, each.event, each.begin, each.end))
        unended.push_back(&each);
    std::ranges::stable_sort(unended, std::greater{}, &phase_span::depth);
    for (const phase_span* const each : unended)
      add_step(each->end, paje_step::kind::end_phase, each->lane, 0);
  }
  /// The clock of a device may be a little ahead of the run's end.
  void add_step(std::int64_t time, paje_step::kind what, std::uint32_t row, std::uint32_t index) {
    steps_.push_back({std::clamp<std::int64_t>(time, 0, of_.events().end()), what, row, index});
  }
  /// An arrow needs them.
  [[nodiscard]] bool has_both_ends(const transfer& x) const {
    const auto is_rank = [&](int rank) { return rank >= 0 && rank < of_.ranks(); };
    return x.done_receive != never && x.begin() <= x.done_receive && is_rank(x.src) &&
           is_rank(x.dst);
  }

  void define(paje number, const char* name, std::initializer_list<const char*> fields) {
    out_ << "%EventDef " << name << ' ' << number << '\n';
    for (const char* const each : fields) out_ << "% " << each << '\n';
    out_ << "%EndEventDef\n";
  }

  void write_head() {
    define(define_container, "PajeDefineContainerType",
           {"Alias string", "Type string", "Name string"});
    define(define_state, "PajeDefineStateType", {"Alias string", "Type string", "Name string"});
    define(define_value, "PajeDefineEntityValue",
           {"Alias string", "Type string", "Name string", "Color color"});
    define(create, "PajeCreateContainer",
           {"Time date", "Alias string", "Type string", "Container string", "Name string"});
    define(set_state, "PajeSetState",
           {"Time date", "Type string", "Container string", "Value string"});
    define(destroy, "PajeDestroyContainer", {"Time date", "Name string", "Type string"});
    define(push_state, "PajePushState",
           {"Time date", "Type string", "Container string", "Value string"});
    define(pop_state, "PajePopState", {"Time date", "Type string", "Container string"});
    define(define_variable, "PajeDefineVariableType",
           {"Alias string", "Type string", "Name string", "Color color"});
    define(set_variable, "PajeSetVariable",
           {"Time date", "Type string", "Container string", "Value double"});
    define(define_event, "PajeDefineEventType",
           {"Alias string", "Type string", "Name string", "Color color"});
    define(new_event, "PajeNewEvent",
           {"Time date", "Type string", "Container string", "Value string"});
    if (!copies_.empty())
      define(push_copy, "PajePushState",
             {"Time date", "Type string", "Container string", "Value string", "Version int",
              "Bytes string"});
    define(define_link, "PajeDefineLinkType",
           {"Alias string", "Type string", "StartContainerType string", "EndContainerType string",
            "Name string"});
    define(start_link, "PajeStartLink",
           {"Time date", "Type string", "Container string", "StartContainer string", "Value string",
            "Key string"});
    define(end_link, "PajeEndLink",
           {"Time date", "Type string", "Container string", "EndContainer string", "Value string",
            "Key string"});
    out_ << "0 R 0 \"Rank\"\n0 W R \"Worker\"\n1 S W \"State\"\n"
            "2 early S \"not started yet\" \"0.95 0.95 0.95\"\n"
            "2 unknown S \"not recorded\" \"0.9 0.9 0.9\"\n";
    if (!wrong_.empty()) out_ << define_event << " E R \"Error or stop\" \"0.7 0.0 0.1\"\n";
    for (const std::uint32_t index : wrong_)
      out_ << define_value << " e" << index << " E "
           << paje_text(say_event(of_, of_.events().events()[index])) << " \"0.7 0.0 0.1\"\n";
    for (std::size_t c = 0; c < of_.codelets().size(); ++c)
      out_ << "2 c" << c << " S " << paje_text(of_.codelets()[c].name) << " \"0."
           << (c * 3 + 2) % 10 << " 0." << (c * 5 + 4) % 10 << " 0." << (c * 7 + 1) % 10 << "\"\n";
    for (const std::uint16_t kind : states_)
      out_ << "2 s" << kind << " S " << paje_text(name_of_state(kind)) << " \"0.8 0.8 0.9\"\n";
    write_kinds_of_phases();
    for (const auto& [name, place] : values_.all())
      out_ << "8 v" << place << " R " << paje_text(name) << " \"0.3 0.3 0.3\"\n";
    write_kinds_of_copies();
    write_kinds_of_transfers();
  }

  void write_kinds_of_phases() {
    if (phases_.all().empty()) return;
    out_ << "1 P W \"Phase\"\n0 A R \"Program\"\n1 Q A \"Phase\"\n";
    for (const auto& [name, place] : phases_.all())
      for (const char type : {'P', 'Q'})
        out_ << "2 " << type << place << ' ' << type << ' ' << paje_text(name)
             << " \"0.6 0.6 0.6\"\n";
  }

  /// A state for each datum that devices copied.
  void write_kinds_of_copies() {
    if (copies_.empty()) return;
    out_ << "0 D R \"Copies of a device\"\n1 C D \"Copy\"\n";
    std::set<std::uint32_t> handles;
    for (const copy_row& row : copies_)
      for (const device_copy& each : row.copies) handles.insert(each.handle);
    for (const std::uint32_t each : handles)
      out_ << "2 d" << each << " C " << paje_text("copy " + of_.handle_name(each))
           << " \"0.4 0.6 0.8\"\n";
  }

  void write_kinds_of_transfers() {
    std::set<std::uint8_t> reasons;
    for (const paje_step& each : steps_)
      if (each.what == paje_step::kind::leave) reasons.insert(of_.transfers()[each.index].reason);
    if (reasons.empty()) return;
    out_ << define_link << " T 0 R R \"Transfer\"\n";
    for (const std::uint8_t each : reasons)
      out_ << "2 t" << unsigned{each} << " T " << paje_text(reason_name(each))
           << " \"0.2 0.2 0.2\"\n";
  }

  void write_containers() {
    const run& r = of_.events();
    for (const rank_info& each : r.ranks())
      out_ << "3 0.0 r" << each.rank << " R 0 \"rank " << each.rank << "\"\n";
    for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
      if (threads_[lane] != thread_kind::not_drawn) {
        out_ << "3 0.0 l" << lane << ' ' << container_of(lane) << " r" << r.lanes()[lane].rank
             << ' ' << paje_text(say_lane(r, lane)) << '\n';
        if (threads_[lane] == thread_kind::worker) out_ << "4 0.0 S l" << lane << " early\n";
      }
    for (std::size_t row = 0; row < copies_.size(); ++row)
      out_ << "3 0.0 c" << row << " D r" << copies_[row].rank << ' '
           << paje_text("rank " + std::to_string(copies_[row].rank) + " " + copies_[row].name)
           << '\n';
  }

  void write_event(std::uint32_t index) {
    const record what = of_.events().events().what(index);
    if (std::ranges::binary_search(wrong_, index)) return write_wrong(index);
    if (what != record::phase_push && what != record::phase_pop && what != record::counter) return;
    const event e = of_.events().events()[index];
    write_until(e.time - 1);
    if (what == record::counter)
      write_value(e, index);
    else
      write_phase(e, index);
  }

  void write_phase(const event& e, std::uint32_t index) {
    const phase_span* const phase = of_.phase_of(index);
    if (phase == nullptr || !part_.has_span(of_, phase->event, phase->begin, phase->end)) return;
    if (e.what == record::phase_push)
      out_ << push_state << ' ' << seconds(e.time) << ' ' << phases_of(e.lane) << " l" << e.lane
           << ' ' << phases_of(e.lane) << phases_.place_of(phase_text(*phase)) << '\n';
    else
      out_ << pop_state << ' ' << seconds(e.time) << ' ' << phases_of(e.lane) << " l" << e.lane
           << '\n';
  }

  /// On its rank: what ended it need not be a thread that has states.
  void write_wrong(std::uint32_t index) {
    const event e = of_.events().events()[index];
    write_until(e.time - 1);
    out_ << new_event << ' ' << seconds(e.time) << " E r" << of_.events().rank_of(e) << " e"
         << index << '\n';
  }

  void write_value(const event& e, std::uint32_t index) {
    const value_series* const series = of_.values_of(index);
    if (series == nullptr || !part_.has(of_, e)) return;
    out_ << set_variable << ' ' << seconds(e.time) << " v"
         << values_.place_of(of_.value_name(*series)) << " r" << series->rank << ' '
         << of_.value_of(index) << '\n';
  }

  void write_until(std::int64_t time) {
    for (; written_ < steps_.size() && steps_[written_].time <= time; ++written_)
      write_step(steps_[written_]);
  }

  void write_step(const paje_step& step) {
    const std::string when = ' ' + seconds(step.time);
    switch (step.what) {
      case paje_step::kind::run_task:
      case paje_step::kind::be_in_state:
        out_ << set_state << when << " S l" << step.row
             << (step.what == paje_step::kind::run_task ? " c" : " s") << step.index << '\n';
        return;
      case paje_step::kind::be_unknown:
        out_ << set_state << when << " S l" << step.row << " unknown\n";
        return;
      case paje_step::kind::end_phase:
        out_ << pop_state << when << ' ' << phases_of(step.row) << " l" << step.row << '\n';
        return;
      case paje_step::kind::begin_copy: {
        const device_copy& copy = copies_[step.row].copies[step.index];
        out_ << push_copy << when << " C c" << step.row << " d" << copy.handle << ' '
             << copy.version << ' ' << copy.bytes << '\n';
        return;
      }
      case paje_step::kind::end_copy:
        out_ << pop_state << when << " C c" << step.row << '\n';
        return;
      case paje_step::kind::leave:
        out_ << start_link << when << " T 0 r" << of_.transfers()[step.index].src;
        break;
      case paje_step::kind::arrive:
        out_ << end_link << when << " T 0 r" << of_.transfers()[step.index].dst;
        break;
    }
    out_ << " t" << unsigned{of_.transfers()[step.index].reason} << " x" << step.index << '\n';
  }

  const model& of_;
  std::ostream& out_;
  const run_part& part_;
  std::vector<thread_kind> threads_;  // By lane.
  known_names phases_, values_;
  std::set<std::uint16_t> states_;    // Their kinds.
  std::vector<std::uint32_t> wrong_;  // Events of errors, signals and stops.
  std::vector<copy_row> copies_;
  std::vector<paje_step> steps_;  // By time.
  std::size_t written_ = 0;       // Of these.
};

}  // namespace

void export_paje(const model& of, std::ostream& out, const run_part& part) {
  paje_writer(of, out, part).write();
}

}  // namespace deed::viewer
