// SPDX-License-Identifier: MIT
#include "analysis/ask/collective_calls.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <cstdint>
#include <map>

namespace deed::viewer {
namespace {

std::map<std::string, std::uint64_t> count_calls(const model& of, const run_part& part) {
  std::map<std::string, std::uint64_t> found;
  for (const wait_span& each : of.waits()) {
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::collective) continue;
    if (!part.has_span(of, each.event, each.begin, each.end)) continue;
    const event begin = of.events().events()[each.event];
    const auto kind = trace::collective_call::of(of.events().get(begin, field::id)).kind;
    if (kind != trace::collective_kind::barrier) ++found[call_name(kind)];
  }
  return found;
}

}  // namespace

std::string say_collective_calls(const model& of, const run_part& part) {
  std::string text;
  for (const auto& [name, times] : count_calls(of, part))
    text += (text.empty() ? "" : ", ") + std::string(say_count(times)) + " " + name;
  if (text.empty()) return {};
  return text + ": programs stood in these calls, each rank counted; what they move is no transfer";
}

std::string say_not_taken_place(const model& of, std::uint64_t transfers) {
  return say_count(transfers) + (transfers == 1 ? " more was" : " more were") + " called for and " +
         (sliced_to(of.events()) ? "had not taken place when the slice ends" : "never took place");
}

}  // namespace deed::viewer
