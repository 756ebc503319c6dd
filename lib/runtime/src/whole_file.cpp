// SPDX-License-Identifier: MIT
#include "whole_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace deed::runtime {
namespace {

using std::filesystem::file_type;
using std::filesystem::path;

bool write_to(const path& file, const std::string& text, std::ios::openmode how = std::ios::trunc) {
  std::ofstream out(file, std::ios::out | how);
  out << text << std::flush;
  out.close();
  return static_cast<bool>(out);
}

bool replace(const path& file, const std::string& text) {
  const path beside = file.string() + ".part";
  std::error_code failed;
  if (write_to(beside, text)) {
    std::filesystem::rename(beside, file, failed);
    if (!failed) return true;
    errno = failed.value();
  }
  const int why = errno;
  std::filesystem::remove(beside, failed);
  errno = why;
  return false;
}

/// `/dev/stderr` and its like: what the process has open, maybe a file with more in it.
bool is_open_file(const std::string& file) {
  std::error_code none;
  return (file.starts_with("/dev/") || file.starts_with("/proc/")) &&
         std::filesystem::is_symlink(file, none);
}

}  // namespace

bool write_whole(const std::string& file, const std::string& text) {
  std::error_code failed;
  const file_type is = std::filesystem::status(file, failed).type();
  if (is_open_file(file) || (is != file_type::regular && is != file_type::not_found))
    return write_to(file, text, std::ios::app);
  path target = file;  // Where no link stands any more; what a link names may not be there yet.
  while (std::filesystem::is_symlink(target, failed))
    target = target.parent_path() / std::filesystem::read_symlink(target, failed);
  return replace(target, text);
}

}  // namespace deed::runtime
