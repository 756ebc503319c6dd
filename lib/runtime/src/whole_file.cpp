// SPDX-License-Identifier: MIT
#include "whole_file.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace deed::runtime {
namespace {

using std::filesystem::file_type;
using std::filesystem::path;

bool write_to(const path& file, const std::string& text) {
  std::ofstream out(file);
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
  }
  std::filesystem::remove(beside, failed);
  return false;
}

}  // namespace

bool write_whole(const std::string& file, const std::string& text) {
  std::error_code failed;
  const file_type is = std::filesystem::status(file, failed).type();
  if (is != file_type::regular && is != file_type::not_found) return write_to(file, text);
  const path behind_links = std::filesystem::weakly_canonical(file, failed);
  return replace(failed ? path(file) : behind_links, text);
}

}  // namespace deed::runtime
