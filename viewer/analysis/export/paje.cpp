// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"
#include "analysis/say/sentence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <map>
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
  new_event
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

/// The events of a run, in time order: Paje's readers want that of all containers together.
class paje_writer {
 public:
  paje_writer(const model& of, std::ostream& out, const run_part& part)
      : of_(of), out_(out), part_(part), drawn_(of.events().lanes().size()) {
    const run& r = of.events();
    for (std::size_t lane = 0; lane < drawn_.size(); ++lane)
      drawn_[lane] = r.lanes()[lane].is_worker();
    for (const task& t : of.tasks())  // Who else runs tasks.
      if (t.lane < drawn_.size()) drawn_[t.lane] = true;
    for (const phase_span& each : of.phases()) {
      if (!part.has_span(of, each.event, each.begin, each.end)) continue;
      drawn_[each.lane] = true;
      phases_.place_of(phase_text(each));
      if (each.end_event == none) unended_.push_back(&each);
    }
    // Of a thread the innermost first.
    std::ranges::stable_sort(unended_, [](const phase_span* a, const phase_span* b) {
      return a->end != b->end ? a->end < b->end : a->depth > b->depth;
    });
    for (const value_series& each : of.values()) values_.place_of(of.value_name(each));
    std::ranges::merge(of.failures(), of.stops(), std::back_inserter(wrong_));
    std::erase_if(wrong_, [&](std::uint32_t index) { return !part.has(of, r.events()[index]); });
  }

  void write() {
    write_head();
    write_containers();
    for (std::uint32_t i = 0; i < of_.events().events().size(); ++i) write_event(i);
    end_phases(of_.events().end());
    for (std::size_t lane = 0; lane < drawn_.size(); ++lane)
      if (drawn_[lane])
        out_ << destroy << ' ' << seconds(of_.events().end()) << " l" << lane << " W\n";
  }

 private:
  [[nodiscard]] std::string phase_text(const phase_span& of) const {
    return say_field(of_, of_.events().events()[of.event], field::name);
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
    out_ << "0 R 0 \"Rank\"\n0 W R \"Worker\"\n1 S W \"State\"\n"
            "2 idle S \"idle\" \"0.9 0.9 0.9\"\n";
    if (!wrong_.empty()) out_ << define_event << " E R \"Error or stop\" \"0.7 0.0 0.1\"\n";
    for (const std::uint32_t index : wrong_)
      out_ << define_value << " e" << index << " E "
           << paje_text(say_event(of_, of_.events().events()[index])) << " \"0.7 0.0 0.1\"\n";
    for (std::size_t c = 0; c < of_.codelets().size(); ++c)
      out_ << "2 c" << c << " S " << paje_text(of_.codelets()[c].name) << " \"0."
           << (c * 3 + 2) % 10 << " 0." << (c * 5 + 4) % 10 << " 0." << (c * 7 + 1) % 10 << "\"\n";
    if (!phases_.all().empty()) out_ << "1 P W \"Phase\"\n";
    for (const auto& [name, place] : phases_.all())
      out_ << "2 p" << place << " P " << paje_text(name) << " \"0.6 0.6 0.6\"\n";
    for (const auto& [name, place] : values_.all())
      out_ << "8 v" << place << " R " << paje_text(name) << " \"0.3 0.3 0.3\"\n";
  }

  void write_containers() {
    const run& r = of_.events();
    for (const rank_info& each : r.ranks())
      out_ << "3 0.0 r" << each.rank << " R 0 \"rank " << each.rank << "\"\n";
    for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
      if (drawn_[lane])
        out_ << "3 0.0 l" << lane << " W r" << r.lanes()[lane].rank << ' '
             << paje_text(say_lane(r, lane)) << "\n4 0.0 S l" << lane << " idle\n";
  }

  void write_event(std::uint32_t index) {
    const record what = of_.events().events().what(index);
    if (std::ranges::binary_search(wrong_, index)) return write_wrong(index);
    if (what != record::task_begin && what != record::task_end && what != record::phase_push &&
        what != record::phase_pop && what != record::counter)
      return;
    const event e = of_.events().events()[index];
    end_phases(e.time - 1);
    if (what == record::counter)
      write_value(e, index);
    else if (what == record::phase_push || what == record::phase_pop)
      write_phase(e, index);
    else
      write_task(e);
  }

  void write_task(const event& e) {
    const run& r = of_.events();
    const std::uint32_t t = of_.find_task(r.rank_of(e), r.get(e, field::task));
    if (t == none || of_.tasks()[t].codelet == none || !part_.has_task(of_, t)) return;
    out_ << set_state << ' ' << seconds(e.time) << " S l" << e.lane
         << (e.what == record::task_end ? std::string(" idle")
                                        : " c" + std::to_string(of_.tasks()[t].codelet))
         << '\n';
  }

  void write_phase(const event& e, std::uint32_t index) {
    const phase_span* const phase = of_.phase_of(index);
    if (phase == nullptr || !part_.has_span(of_, phase->event, phase->begin, phase->end)) return;
    if (e.what == record::phase_push)
      out_ << push_state << ' ' << seconds(e.time) << " P l" << e.lane << " p"
           << phases_.place_of(phase_text(*phase)) << '\n';
    else
      out_ << pop_state << ' ' << seconds(e.time) << " P l" << e.lane << '\n';
  }

  /// On its rank: what ended it need not be a thread that has states.
  void write_wrong(std::uint32_t index) {
    const event e = of_.events().events()[index];
    end_phases(e.time - 1);
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

  /// Those without an end that last no longer than until `time`.
  void end_phases(std::int64_t time) {
    for (; ended_ < unended_.size() && unended_[ended_]->end <= time; ++ended_)
      out_ << pop_state << ' ' << seconds(unended_[ended_]->end) << " P l" << unended_[ended_]->lane
           << '\n';
  }

  const model& of_;
  std::ostream& out_;
  const run_part& part_;
  std::vector<bool> drawn_;  // By lane.
  known_names phases_, values_;
  std::vector<std::uint32_t> wrong_;        // Events of errors, signals and stops.
  std::vector<const phase_span*> unended_;  // By their end.
  std::size_t ended_ = 0;                   // Of these.
};

}  // namespace

void export_paje(const model& of, std::ostream& out, const run_part& part) {
  paje_writer(of, out, part).write();
}

}  // namespace deed::viewer
