// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/transport/fault_plan.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

namespace deed::transport {
namespace {

[[noreturn]] void refuse(const std::string& part) {
  throw error(error_code::bad_setting, "`" + part + "` is no fault",
              {{"valid",
                "delay N NS; stall R at NS for NS; kill R after N; skew R by NS; damage N; "
                "drop N; fail N"},
               {"where", "N from 1, after it from 0; R a rank, NS nanoseconds"}},
              "correct the fault plan");
}

using numbers = std::array<std::int64_t, 3>;

/// Whether `part` has the words of `form`, and in place of each `#` a number, which `found` is.
bool has_form(const std::string& part, const char* form, numbers& found) {
  std::istringstream in(part), wanted(form);
  std::size_t count = 0;
  for (std::string word, here; wanted >> word;) {
    if (word == "#" ? !(in >> found[count++]) : !(in >> here) || here != word) return false;
  }
  return (in >> std::ws).eof();
}

void parse_part(fault_plan& plan, const std::string& part) {
  using std::chrono::nanoseconds;
  numbers n{};
  const auto is = [&](const char* form) { return has_form(part, form, n); };
  const auto is_for_rank = [&](const char* form) {
    return is(form) && n[0] >= 0 && n[0] <= std::numeric_limits<int>::max();
  };
  const auto rank = [&n] { return static_cast<int>(n[0]); };
  const auto nth = [&n] { return static_cast<std::uint64_t>(n[0]); };
  if (is("delay # #") && n[0] > 0 && n[1] >= 0) {
    plan.delay_one_in = nth();
    plan.delay_up_to = nanoseconds{n[1]};
  } else if (is_for_rank("stall # at # for #") && n[1] >= 0 && n[2] >= 0) {
    plan.stalls.push_back({rank(), nanoseconds{n[1]}, nanoseconds{n[2]}});
  } else if (is_for_rank("kill # after #") && n[1] >= 0) {
    plan.kills.push_back({rank(), static_cast<std::uint64_t>(n[1])});
  } else if (is_for_rank("skew # by #")) {
    plan.skews.push_back({rank(), nanoseconds{n[1]}});
  } else if (is("damage #") && n[0] > 0) {
    plan.damaged_frames.push_back(nth());
  } else if (is("drop #") && n[0] > 0) {
    plan.dropped_frames.push_back(nth());
  } else if (is("fail #") && n[0] > 0) {
    plan.failed_bulk.push_back(nth());
  } else {
    refuse(part);
  }
}

}  // namespace

std::string to_string(const fault_plan& plan) {
  std::ostringstream out;
  const auto next = [&out]() -> std::ostream& {
    if (out.tellp() > 0) out << "; ";
    return out;
  };
  if (plan.delay_one_in != 0) {
    next() << "delay " << plan.delay_one_in << ' ' << plan.delay_up_to.count();
  }
  for (const auto& [rank, at, lasts] : plan.stalls) {
    next() << "stall " << rank << " at " << at.count() << " for " << lasts.count();
  }
  for (const auto& [rank, after] : plan.kills) next() << "kill " << rank << " after " << after;
  for (const auto& [rank, ahead] : plan.skews) next() << "skew " << rank << " by " << ahead.count();
  for (const auto n : plan.damaged_frames) next() << "damage " << n;
  for (const auto n : plan.dropped_frames) next() << "drop " << n;
  for (const auto n : plan.failed_bulk) next() << "fail " << n;
  return out.str();
}

int last_rank(const fault_plan& plan) noexcept {
  int last = -1;
  const auto look = [&last](const auto& faults) {
    for (const auto& each : faults) last = std::max(last, each.rank);
  };
  look(plan.stalls);
  look(plan.kills);
  look(plan.skews);
  return last;
}

fault_plan parse(std::string_view text) {
  fault_plan plan;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, ';');) {
    part.erase(0, part.find_first_not_of(' '));
    if (!part.empty()) parse_part(plan, part);
  }
  return plan;
}

}  // namespace deed::transport
