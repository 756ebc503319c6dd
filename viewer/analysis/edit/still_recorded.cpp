// SPDX-License-Identifier: MIT
#include "analysis/edit/still_recorded.hpp"

#include "analysis/edit/unwritable.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/run.hpp"
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>

namespace deed::viewer {
namespace {

std::string this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// As a recording names it; nothing where the system does not tell.
std::optional<std::string> command_of(std::uint64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  if (words.empty()) return {};
  if (words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

/// Who else has got its number since is told apart by its command.
bool records(std::uint64_t process, const std::string& command) {
  if (process == 0) return false;
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno != EPERM) return false;
  const std::optional<std::string> running = command_of(process);
  return !running || *running == command;
}

std::string known(const outlined_rank& of, const char* key) {
  const auto found = of.environment.find(key);
  return found == of.environment.end() ? "" : found->second;
}

}  // namespace

void refuse_while_recorded(const std::string& run) {
  run_outline outline;
  try {
    outline = outline_of(run);
  } catch (const unreadable&) {
    return;  // Whoever changes it says so.
  }
  const std::string here = this_machine();
  for (const outlined_rank& each : outline.ranks) {
    if (!each.present || each.ended || known(each, "hostname") != here) continue;
    const std::uint64_t process = to_number(known(each, "pid"));
    if (records(process, known(each, "argv")))
      throw unwritable("`" + run + "` is still recorded, by process " + std::to_string(process) +
                       ": change it when that has ended");
  }
}

}  // namespace deed::viewer
