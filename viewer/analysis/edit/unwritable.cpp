// SPDX-License-Identifier: MIT
#include "analysis/edit/unwritable.hpp"

#include "analysis/read/outline.hpp"
#include "analysis/read/run.hpp"
#include "analysis/read/still_recorded.hpp"

#include <filesystem>
#include <system_error>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

bool is_run(const files::path& folder) {
  std::error_code failed;
  for (const auto& each : files::directory_iterator(folder, failed))
    if (each.path().filename().string().starts_with("rank-") &&
        files::exists(each.path() / "metadata", failed))
      return true;
  return false;
}

files::path whole_name(const std::string& place) {
  std::error_code failed;
  files::path name = files::weakly_canonical(files::absolute(place, failed), failed);
  return name.filename().empty() ? name.parent_path() : name;  // "run.deed/"
}

}  // namespace

void refuse_inside_of_run(const std::string& place) {
  files::path folder = whole_name(place);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (is_run(folder))
      throw unwritable("`" + place + "` lies in the recorded run `" + folder.string() +
                       "`: name a place outside of it");
  }
}

void refuse_recorded(const std::string& place) {
  if (is_run(whole_name(place)))
    throw unwritable("`" + place + "` is a recorded run: name another place");
  refuse_inside_of_run(place);
}

void refuse_while_recorded(const std::string& run) {
  run_outline outline;
  try {
    outline = outline_of(run);
  } catch (const unreadable&) {
    return;  // Whoever changes it says so.
  }
  for (const outlined_rank& each : outline.ranks)
    if (const auto process = recording_process(each.environment); process && !each.ended)
      throw unwritable("`" + run + "` is still recorded, by process " + std::to_string(*process) +
                       ": change it when that has ended");
}

}  // namespace deed::viewer
