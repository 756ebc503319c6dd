// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/tail.hpp"

#include <filesystem>
#include <map>
#include <set>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

std::vector<files::path> ranks_in(const std::string& folder) {
  std::vector<files::path> found;
  std::error_code failed;
  for (const auto& entry : files::directory_iterator(folder, failed))
    if (entry.is_directory() && entry.path().filename().string().starts_with("rank-"))
      found.push_back(entry.path());
  if (failed) throw unreadable("`" + folder + "` cannot be opened: " + failed.message());
  return found;
}

std::map<std::string, std::string> environment_of(const files::path& rank) {
  return parse_metadata(metadata_text(rank.string())).environment;
}

std::string run_of(const files::path& rank) {
  const auto known = environment_of(rank);
  const auto id = known.find("run_id");
  return id == known.end() ? std::string{} : id->second;
}

/// Adds the segments that a rank left in shared memory and that its folder has not.
void copy_tail(const std::string& tail, const files::path& to, std::error_code& failed) {
  for (const files::path& each : left_in(tail, to))
    if (!failed) files::copy_file(each, to / each.filename(), failed);
}

}  // namespace

std::uint64_t collect(const std::string& run, const std::vector<std::string>& from,
                      const std::string& root) {
  std::vector<files::path> wanted;
  std::set<std::string> runs;
  if (files::exists(run))
    for (const files::path& each : ranks_in(run)) runs.insert(run_of(each));
  for (const std::string& folder : from) {
    const auto there = ranks_in(folder);
    if (there.empty()) throw unreadable("`" + folder + "` is no run: it has no folder rank-000000");
    for (const files::path& each : there) {
      runs.insert(run_of(each));
      if (runs.size() > 1) throw unreadable("`" + each.string() + "` is of another run");
      wanted.push_back(each);
    }
  }
  std::uint64_t copied = 0;
  std::error_code failed;
  files::create_directories(run, failed);
  for (const files::path& each : wanted) {
    const files::path to = files::path(run) / each.filename();
    if (failed || files::exists(to)) continue;
    // Under a hidden name until it is whole: a copy that ends early leaves no half rank.
    const files::path hidden = files::path(run) / ("." + each.filename().string());
    files::remove_all(hidden);
    files::copy(each, hidden, files::copy_options::recursive, failed);
    if (!failed) copy_tail(tail_of(environment_of(each), root), hidden, failed);
    if (!failed) files::rename(hidden, to, failed);
    if (!failed) ++copied;
  }
  if (failed) throw unwritable("`" + run + "` cannot be written: " + failed.message());
  return copied;
}

}  // namespace deed::viewer
