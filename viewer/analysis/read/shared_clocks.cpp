// SPDX-License-Identifier: MIT
#include "analysis/read/shared_clocks.hpp"

#include <cmath>

namespace deed::viewer {

std::string shared_counter(const trace_layout& of) {
  const auto text = [&](const char* key) {
    const auto found = of.environment.find(key);
    return found == of.environment.end() ? std::string{} : found->second;
  };
  const std::string boot = text("boot_id"), kind = text("clock_kind");
  return boot.empty() || (kind != "tsc" && kind != "monotonic") ? "" : kind + boot;
}

void shared_clocks::share(trace_layout& of) {
  const std::string counter = shared_counter(of);
  if (counter.empty()) return;
  const translation own{of.hertz, of.offset_seconds, of.offset_stamps};
  const auto [first, fresh] = firsts_.try_emplace(counter, own);
  const translation& shared = first->second;
  if (fresh ||
      std::abs(static_cast<double>(own.hertz) / static_cast<double>(shared.hertz) - 1) > most_drift)
    return;
  of.hertz = shared.hertz;
  of.offset_seconds = shared.offset_seconds;
  of.offset_stamps = shared.offset_stamps;
}

}  // namespace deed::viewer
