// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/tail.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

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
  std::ranges::sort(found);
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

/// Adds the segments that a rank left in shared memory and that its folder has not. Each has a
/// hidden name until it is whole.
void copy_tail(const std::vector<files::path>& left, const files::path& to,
               std::error_code& failed) {
  for (const files::path& each : left) {
    const files::path hidden = to / ("." + each.filename().string());
    if (!failed) files::copy_file(each, hidden, files::copy_options::overwrite_existing, failed);
    if (!failed) files::rename(hidden, to / each.filename(), failed);
  }
}

bool holds_same(const files::path& a, const files::path& b) {
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  using each = std::istreambuf_iterator<char>;
  return files::file_size(a) == files::file_size(b) && std::equal(each(one), each(), each(other));
}

/// Whether all that the folder of a rank has is in its copy. That may have more: what lay in shared
/// memory then.
bool is_there(const files::path& rank, const files::path& copy) {
  for (const auto& entry : files::directory_iterator(rank)) {
    const files::path mine = copy / entry.path().filename();
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') &&
        !(files::is_regular_file(mine) && holds_same(entry.path(), mine)))
      return false;
  }
  return true;
}

int number_of(const files::path& rank) {
  constexpr std::size_t prefix = std::string_view("rank-").size();
  return static_cast<int>(to_number(rank.filename().string().substr(prefix)));
}

enum class outcome { copied, there, differs };

outcome bring(const files::path& rank, const std::string& root, const std::string& run,
              std::error_code& failed) {
  const files::path to = files::path(run) / rank.filename();
  const std::string tail = tail_of(environment_of(rank), root);
  const auto say_repairs = [&] {
    if (!failed) copy_repairs(rank.parent_path().string(), run, {number_of(rank)});
  };
  if (files::exists(to)) {
    if (!is_there(rank, to)) return outcome::differs;
    const auto left = left_in(tail, to);
    copy_tail(left, to, failed);
    say_repairs();  // A copy that ended early may not have come to it.
    return left.empty() ? outcome::there : outcome::copied;
  }
  // Under a hidden name until it is whole: a copy that ends early leaves no half rank.
  const files::path hidden = files::path(run) / ("." + rank.filename().string());
  files::remove_all(hidden);
  files::copy(rank, hidden, files::copy_options::recursive, failed);
  if (!failed) copy_tail(left_in(tail, hidden), hidden, failed);
  if (!failed) files::rename(hidden, to, failed);
  say_repairs();
  return outcome::copied;
}

}  // namespace

collected collect(const std::string& run, const std::vector<std::string>& from,
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
  collected done;
  std::error_code failed;
  files::create_directories(run, failed);
  for (const files::path& each : wanted) {
    if (failed) break;
    const outcome what = bring(each, root, run, failed);
    if (failed) break;
    const int rank = number_of(each);
    if (what == outcome::copied) done.copied.insert(rank);
    if (what == outcome::there) done.there.insert(rank);
    if (what == outcome::differs) done.differ[each.parent_path().string()].insert(rank);
  }
  if (failed) throw unwritable("`" + run + "` cannot be written: " + failed.message());
  for (const int each : done.copied) done.there.erase(each);
  return done;
}

}  // namespace deed::viewer
