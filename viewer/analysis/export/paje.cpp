// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"
#include "analysis/say/sentence.hpp"

#include <array>
#include <cstdio>
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

}  // namespace

void export_paje(const model& of, std::ostream& out, const run_part& part) {
  const run& r = of.events();
  const auto seconds = [](std::int64_t time) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.9f", static_cast<double>(time) / 1e9);
    return std::string(text.data());
  };
  const auto event = [&](int id, const char* name, std::initializer_list<const char*> fields) {
    out << "%EventDef " << name << ' ' << id << '\n';
    for (const char* const each : fields) out << "% " << each << '\n';
    out << "%EndEventDef\n";
  };
  event(0, "PajeDefineContainerType", {"Alias string", "Type string", "Name string"});
  event(1, "PajeDefineStateType", {"Alias string", "Type string", "Name string"});
  event(2, "PajeDefineEntityValue", {"Alias string", "Type string", "Name string", "Color color"});
  event(3, "PajeCreateContainer",
        {"Time date", "Alias string", "Type string", "Container string", "Name string"});
  event(4, "PajeSetState", {"Time date", "Type string", "Container string", "Value string"});
  event(5, "PajeDestroyContainer", {"Time date", "Name string", "Type string"});
  out << "0 R 0 \"Rank\"\n0 W R \"Worker\"\n1 S W \"State\"\n2 idle S \"idle\" \"0.9 0.9 0.9\"\n";
  for (std::size_t c = 0; c < of.codelets().size(); ++c)
    out << "2 c" << c << " S " << paje_text(of.codelets()[c].name) << " \"0." << (c * 3 + 2) % 10
        << " 0." << (c * 5 + 4) % 10 << " 0." << (c * 7 + 1) % 10 << "\"\n";
  for (const rank_info& each : r.ranks())
    out << "3 0.0 r" << each.rank << " R 0 \"rank " << each.rank << "\"\n";
  constexpr std::uint32_t worker = 1;
  std::vector<bool> drawn(r.lanes().size());  // Workers, and who else runs tasks.
  for (std::size_t lane = 0; lane < drawn.size(); ++lane)
    drawn[lane] = r.lanes()[lane].kind == worker;
  for (const task& t : of.tasks())
    if (t.lane < drawn.size()) drawn[t.lane] = true;
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    if (drawn[lane])
      out << "3 0.0 l" << lane << " W r" << r.lanes()[lane].rank << ' '
          << paje_text(say_lane(r, lane)) << "\n4 0.0 S l" << lane << " idle\n";
  for (const auto& e : r.events()) {
    if (e.what != record::task_begin && e.what != record::task_end) continue;
    const std::uint32_t t = of.find_task(r.rank_of(e), r.get(e, field::task));
    if (t == none || of.tasks()[t].codelet == none || !part.has_task(of, t)) continue;
    out << "4 " << seconds(e.time) << " S l" << e.lane
        << (e.what == record::task_end ? std::string(" idle")
                                       : " c" + std::to_string(of.tasks()[t].codelet))
        << '\n';
  }
  for (std::size_t lane = 0; lane < r.lanes().size(); ++lane)
    if (drawn[lane]) out << "5 " << seconds(r.end()) << " l" << lane << " W\n";
}

}  // namespace deed::viewer
