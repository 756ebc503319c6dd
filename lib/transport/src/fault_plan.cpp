// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/transport/fault_plan.hpp>

#include <sstream>

namespace deed::transport {
namespace {

[[noreturn]] void refuse(const std::string& part) {
  throw error(error_code::bad_setting, "`" + part + "` is no fault",
              {{"valid",
                "delay N NS; stall R at NS for NS; kill R after N; skew R by NS; damage N; "
                "drop N; fail N"}},
              "correct the fault plan");
}

void parse_part(fault_plan& plan, const std::string& part) {
  std::istringstream in(part);
  std::string verb, word, other;
  std::int64_t a = 0, b = 0, c = 0;
  in >> verb >> a;
  if (verb == "delay") {
    in >> b;
    plan.delay_one_in = static_cast<std::uint64_t>(a);
    plan.delay_up_to = std::chrono::nanoseconds{b};
  } else if (verb == "stall") {
    in >> word >> b >> other >> c;
    plan.stalls.push_back(
        {static_cast<int>(a), std::chrono::nanoseconds{b}, std::chrono::nanoseconds{c}});
  } else if (verb == "kill") {
    in >> word >> b;
    plan.kills.push_back({static_cast<int>(a), static_cast<std::uint64_t>(b)});
  } else if (verb == "skew") {
    in >> word >> b;
    plan.skews.push_back({static_cast<int>(a), std::chrono::nanoseconds{b}});
  } else if (verb == "damage") {
    plan.damaged_frames.push_back(static_cast<std::uint64_t>(a));
  } else if (verb == "drop") {
    plan.dropped_frames.push_back(static_cast<std::uint64_t>(a));
  } else if (verb == "fail") {
    plan.failed_bulk.push_back(static_cast<std::uint64_t>(a));
  } else {
    refuse(part);
  }
  if (in.fail() || in >> word) refuse(part);
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

fault_plan parse(std::string_view text) {
  fault_plan plan;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, ';');) {
    if (part.find_first_not_of(' ') != std::string::npos) parse_part(plan, part);
  }
  return plan;
}

}  // namespace deed::transport
