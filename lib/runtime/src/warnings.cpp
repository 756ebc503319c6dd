// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "mpi_start.hpp"
#include "report.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

/// @file
/// What is no error, and said once, on rank 0: all ranks see the same.

namespace deed::runtime {

void core::warn(const error& about) const {
  if (rank_ == 0 && logs(log_level::warning))
    std::cerr << std::string(about.what()) + "\n";  // At one go: others print, too.
}

void core::warn_of_workers() const {
  const bool knows_cores = static_cast<bool>(environment_.bind);
  if (!knows_cores || options_.workers <= environment_.cores) return;
  const std::string workers = std::to_string(options_.workers);
  const std::string cores = std::to_string(environment_.cores);
  const bool launched = under_launcher();
  warn({error_code::too_many_workers,
        "more workers than cores",
        {{"workers", workers},
         {"cores", cores + (launched ? " granted by the launcher" : " for each rank")}},
        launched ? "`--map-by slot:PE=" + workers + "`, or fewer workers"
                 : "`DEED_WORKERS=" + cores + "`, or leave it to the library"});
}

/// A datum in place that ends where its memory is not.
void core::warn_of_home(ownership::slot datum, place ends) const {
  const datum_info& info = data_[datum];
  if (rank_ != 0 || owner_of(datum) == static_cast<int>(info.home)) return;
  place migrated;
  for (std::uint64_t i = log_.steps_before(submission_log::latest); i-- > log_.first_step();) {
    const common_step step = *log_.step(i);
    if (step.is != common_step::kind::migration || step.tag != info.tag) continue;
    migrated = step.where;
    break;
  }
  const std::string home = "rank " + std::to_string(info.home);
  warn({error_code::ends_away_from_home,
        quoted(name_of(datum)) + " ends away from its memory",
        {{"ends", ends.line() == 0 ? "at the end of its scope" : to_string(ends)},
         {"migrated", to_string(migrated) + ", to rank " + std::to_string(owner_of(datum)) + "; " +
                          counted(bytes_of(datum), "byte") +
                          (bytes_of(datum) == 1 ? " moves" : " move")},
         {"memory", home + ", registered at " + to_string(info.where)}},
        "migrate back to " + home + " first"});
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
