// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include "settings.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Any lines as what a launcher hands to a program: the environment, the command line, and what the
/// first rank says of its own.

namespace {

using namespace deed::runtime;

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& lines) {
  std::vector<char*> all;
  for (std::string& each : lines) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

/// What was taken can be told to another rank, which takes the same.
void tell(const settings& all) {
  const std::string text = text_of(all);
  if (text_of(adopt_settings(all, text, {})) != text) std::abort();
  if (!settings_difference(text, text).empty()) std::abort();
  static_cast<void>(describe_settings(all));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] % 3 == 0) {
      static_cast<void>(adopt_settings({}, text, {}));
      return 0;
    }
    std::vector<std::string> lines = lines_in(text), none;
    lines.insert(lines.begin(), "program");
    std::vector<char*> given = pointers_to(lines), nothing = pointers_to(none);
    const int count = static_cast<int>(lines.size());
    tell(data[0] % 3 == 1 ? read_settings(count, given.data(), nothing.data())
                          : read_settings(0, nothing.data(), given.data()));
    static_cast<void>(read_session_settings(given.data(), {}));
  } catch (const deed::error&) {  // No such setting, or no such value.
  }
  return 0;
}
