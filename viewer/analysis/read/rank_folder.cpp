// SPDX-License-Identifier: MIT
#include "analysis/read/rank_folder.hpp"

#include "analysis/read/mapped_file.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/tail.hpp"
#include "analysis/read/unpacked.hpp"
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace deed::viewer {

std::uint64_t to_number(const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::vector<std::pair<int, std::string>> rank_folders(const std::string& run) {
  std::vector<std::pair<int, std::string>> folders;
  std::error_code failed;
  if (std::filesystem::is_regular_file(run, failed))
    throw unreadable("`" + run +
                     "` is a file, and a run is a folder; of a report of a deadlock, hang.json, "
                     "`deed-trace waits` tells all that it has");
  for (const auto& entry : std::filesystem::directory_iterator(run, failed)) {
    const std::string name = entry.path().filename().string();
    std::error_code unknown;  // Of a link to what may not be seen: the rank is there.
    if (name.starts_with("rank-") && (entry.is_directory(unknown) || unknown))
      folders.emplace_back(static_cast<int>(to_number(name.substr(5))), entry.path().string());
  }
  if (failed) throw unreadable("`" + run + "` cannot be opened: " + failed.message());
  if (folders.empty()) throw unreadable("`" + run + "` is no run: it has no folder rank-000000");
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string why_closed(const std::string& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return errno == ENOENT ? std::string{} : std::generic_category().message(errno);
  ::close(opened);
  return {};
}

std::string metadata_text(const std::string& folder) {
  const mapped_file file(folder + "/metadata");
  if (file.bytes().empty()) {
    const std::string why = why_closed(folder + "/metadata");
    throw unreadable(why.empty() ? "it has no metadata" : "its files cannot be read: " + why);
  }
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

segments segments_of(const std::string& folder,
                     const std::map<std::string, std::string>& environment) {
  segments found;
  const auto look = [&](const std::filesystem::directory_iterator& entries) {
    for (const auto& entry : entries) {
      std::string name = entry.path().filename().string();
      const bool packed = is_packed(name);
      if (packed) name.resize(name.size() - packed_suffix.size());
      const std::size_t dot = name.rfind('.');
      if (name.starts_with('.') || dot == std::string::npos) continue;
      const auto [at, added] = found[name.substr(0, dot)].try_emplace(
          to_number(name.substr(dot + 1)), entry.path().string());
      // Of both the original needs no memory of its own.
      if (!added && !packed && is_packed(at->second)) at->second = entry.path().string();
    }
  };
  std::error_code failed, gone;
  look(std::filesystem::directory_iterator(folder, failed));
  if (failed) throw unreadable("its files cannot be listed: " + failed.message());
  if (const std::string tail = tail_of(environment); !tail.empty())
    look(std::filesystem::directory_iterator(tail, gone));
  return found;
}

}  // namespace deed::viewer
