// SPDX-License-Identifier: MIT
#include "facts/root.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace deed::check {
namespace {

namespace fs = std::filesystem;

bool holds_one(const fs::path& folder, const std::vector<std::string>& units) {
  return std::ranges::any_of(units,
                             [&](const std::string& u) { return lies_in(u, folder.string()); });
}

/// The folder that all of them lie in.
std::string common_folder(const std::vector<std::string>& units) {
  if (units.empty()) return {};
  fs::path common = fs::path(units[0]).parent_path();
  for (const std::string& unit : units) {
    while (common != common.parent_path() && !lies_in(unit, common.string()))
      common = common.parent_path();
  }
  return common.string();
}

}  // namespace

std::string real_folder(const std::string& folder) {
  std::error_code failed;
  const fs::path real = fs::canonical(folder, failed);
  return failed ? folder : real.string();
}

bool lies_in(const std::string& file, const std::string& folder) {
  if (!file.starts_with(folder)) return false;
  return file.size() == folder.size() || folder.ends_with('/') || file[folder.size()] == '/';
}

std::string likely_root(const std::string& build_folder, const std::vector<std::string>& units) {
  const std::string build = real_folder(build_folder);
  std::vector<std::string> all, written;
  for (const std::string& unit : units) {
    all.push_back(real_folder(unit));
    if (!lies_in(all.back(), build)) written.push_back(all.back());
  }
  if (written.empty()) written = all;
  const fs::path here = real_folder(".");
  if (holds_one(here, written)) return here.string();
  for (fs::path above = fs::path(build).parent_path(); above != above.parent_path();
       above = above.parent_path()) {
    if (holds_one(above, written)) return above.string();
  }
  return common_folder(written);
}

}  // namespace deed::check
