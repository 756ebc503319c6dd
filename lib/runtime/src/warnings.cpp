// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

/// @file
/// What is no error, and said once, on rank 0: all ranks see the same.

namespace deed::runtime {

void core::warn(const error& about) const {
  if (rank_ == 0) std::cerr << std::string(about.what()) + "\n";  // At one go: others print, too.
}

void core::warn_of_workers() const {
  const bool knows_cores = static_cast<bool>(environment_.bind);
  if (!knows_cores || options_.workers <= environment_.cores) return;
  warn({error_code::too_many_workers,
        "more workers than cores",
        {{"workers", std::to_string(options_.workers)},
         {"cores", std::to_string(environment_.cores) + " granted by the launcher"}},
        "`--map-by slot:PE=" + std::to_string(options_.workers) + "`, or fewer workers"});
}

void core::warn_of_name(const ownership::codelet_info& codelet) const {
  const auto twin = std::ranges::find_if(codelets_, [&](const known_codelet& known) {
    const std::string_view file = known.where.file_name();
    const bool same =
        file == codelet.where.file_name() && known.where.line() == codelet.where.line();
    return known.name == codelet.name && !same;
  });
  if (twin == codelets_.end()) return;
  warn({error_code::name_used_twice,
        "one task name, two codelets",
        {{"this name", quoted(codelet.name) + ", at " + to_string(codelet.where)},
         {"first used", to_string(twin->where)}},
        "rename one"});
}

}  // namespace deed::runtime
