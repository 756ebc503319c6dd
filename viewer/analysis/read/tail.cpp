// SPDX-License-Identifier: MIT
#include "analysis/read/tail.hpp"

#include <string_view>
#include <system_error>

namespace deed::viewer {

std::string tail_of(const std::map<std::string, std::string>& environment,
                    const std::string& root) {
  const auto found = environment.find("tail");
  // A trace must not make its reader look elsewhere.
  constexpr std::string_view allowed = "/dev/shm/deed-";
  if (found == environment.end() || !found->second.starts_with(allowed) ||
      found->second.find("..") != std::string::npos)
    return {};
  return root + found->second;
}

std::vector<std::filesystem::path> left_in(const std::string& tail,
                                           const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code gone;
  if (tail.empty()) return found;
  for (const auto& entry : std::filesystem::directory_iterator(tail, gone)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && entry.is_regular_file(gone) &&
        !std::filesystem::exists(folder / name, gone))
      found.push_back(entry.path());
  }
  return found;
}

}  // namespace deed::viewer
