// SPDX-License-Identifier: MIT
#include "analysis/ask/call_causes.hpp"

#include <deed/trace/events.hpp>

#include "analysis/match/meetings.hpp"

#include <algorithm>

namespace deed::viewer {

call_causes::call_causes(const model& of) : of_(of), calls_(of.met().calls()) {
  for (std::uint32_t i = 0; i < calls_.all().size(); ++i) read_call(i);
  if (!calls_.all().empty()) find_tasks();
}

void call_causes::read_call(std::uint32_t call) {
  const run& r = of_.events();
  const numbered_call& made = calls_.all()[call];
  bool on_data = false;
  for (std::size_t member = 0; member < made.parts.size(); ++member) {
    const call_part& each = made.parts[member];
    if (each.writes == none) continue;
    on_data = true;
    const std::uint32_t version = r.get32(r.events()[each.write], field::version);
    brings_[{made.rank(member), each.writes, version}] = {call, member};
    if (each.wait != none && each.until == never) waits_[each.wait] = {call, member};
  }
  on_data_.push_back(on_data);
}

void call_causes::find_tasks() {
  for (std::uint32_t i = 0; i < of_.tasks().size(); ++i) {
    const task& t = of_.tasks()[i];
    const auto is_given = [&](const access& a) {
      return a.writes() && a.handle < of_.data().size() && of_.data()[a.handle].is_per_rank();
    };
    if (t.end != never && std::ranges::any_of(of_.accesses(t), is_given))
      ended_[t.rank].emplace_back(t.end, i);
  }
  for (auto& [rank, each] : ended_) std::ranges::sort(each);
}

place_in_call call_causes::borrowed_in(std::uint32_t wait) const {
  const auto found = waits_.find(wait);
  return found == waits_.end() ? place_in_call{} : found->second;
}

place_in_call call_causes::that_released(const task& t) const {
  if (t.ready == never ||
      static_cast<trace::ready_cause>(t.ready_cause) != trace::ready_cause::user)
    return {};
  place_in_call last;
  std::int64_t came = never;
  for (const access& a : of_.accesses(t)) {
    if (!a.reads()) continue;
    const auto found = brings_.find({t.rank, a.handle, a.ver_in});
    if (found == brings_.end()) continue;
    const std::int64_t at = last_of(found->second).at;
    if (at > came && at <= t.ready) last = found->second, came = at;
  }
  return last;
}

last_to_come call_causes::last_of(const place_in_call& place) const {
  const numbered_call& call = calls_.all()[place.call];
  last_to_come last;
  bool is_whole = call.alike;
  const auto take = [&](std::size_t member) {
    const std::int64_t began = call.parts[member].began;
    is_whole &= began != never;
    if (began > last.at) last = {{place.call, member}, call.rank(member), began};
  };
  take(place.member);
  for_each_needed(call.what, call.parts.size(), place.member, take);
  return is_whole ? last : last_to_come{};
}

before_part call_causes::before(const place_in_call& place) const {
  const numbered_call& call = calls_.all()[place.call];
  const call_part& part = call.parts[place.member];
  const auto mine = ended_.find(call.rank(place.member));
  if (!on_data_[place.call] || part.called == never || mine == ended_.end()) return {};
  // On virtual ranks what the call brings may be read in the same moment.
  const auto is_behind = [&](const access& a) {
    const auto from =
        a.reads() ? brings_.find({call.rank(place.member), a.handle, a.ver_in}) : brings_.end();
    return from != brings_.end() && from->second.call == place.call;
  };
  auto each = std::ranges::upper_bound(mine->second, std::pair{part.began, none});
  while (each != mine->second.begin()) {
    const auto& [end, task] = *--each;
    if (end <= part.called) break;
    const std::int64_t submit = of_.tasks()[task].submit;
    if (submit != never && submit <= part.called &&
        std::ranges::none_of(of_.accesses(of_.tasks()[task]), is_behind))
      return {task, end};
  }
  return {};
}

}  // namespace deed::viewer
