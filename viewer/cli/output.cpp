// SPDX-License-Identifier: MIT
#include "cli/output.hpp"

#include "analysis/edit/unwritable.hpp"

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

}  // namespace

void refuse_recorded_output(const options& given) {
  const auto named = given.named.find("-o");
  if (named == given.named.end()) return;
  std::error_code failed;
  files::path to = files::weakly_canonical(files::absolute(named->second, failed), failed);
  if (to.filename().empty()) to = to.parent_path();  // "run.deed/"
  const bool adds_ranks = given.words[0] == "collect";
  if (!adds_ranks && is_run(to))
    throw unwritable("`" + named->second + "` is a recorded run: name another place");
  while (to.has_relative_path()) {
    to = to.parent_path();
    if (is_run(to))
      throw unwritable("`" + named->second + "` lies in the recorded run `" + to.string() +
                       "`: name a place outside of it");
  }
}

}  // namespace deed::viewer
