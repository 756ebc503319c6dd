// SPDX-License-Identifier: MIT
#include "analysis/read/still_recorded.hpp"

#include "analysis/read/rank_folder.hpp"
#include "analysis/read/slice_moments.hpp"
#include "analysis/read/told_losses.hpp"
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <limits>

namespace deed::viewer {
namespace {

using environment_of_rank = std::map<std::string, std::string>;

std::string this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// As a recording names it; empty: of one that has ended and was not yet waited for, or of the
/// system's own; nothing where the system does not tell.
std::optional<std::string> command_of(std::uint64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  if (!file) return {};
  std::string words{std::istreambuf_iterator<char>(file), {}};
  if (words.ends_with('\0')) words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

/// Who else has got its number since is told apart by its command.
bool records(std::uint64_t process, const std::string& command) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max());
  if (process == 0 || process > most) return false;
  // Before it is asked whether the process lives: one that ends between does not look hidden.
  const std::optional<std::string> running = command_of(process);
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno != EPERM) return false;
  return !running || (!running->empty() && *running == command);
}

/// Of ranks alone it has no range.
bool is_slice(const environment_of_rank& of) {
  const slice_moments part = slice_moments_in(of);
  return part.from || part.origin || part.left_open || part.goes_on || part.has_gaps;
}

std::string known(const environment_of_rank& of, const char* key) {
  const auto found = of.find(key);
  return found == of.end() ? "" : found->second;
}

}  // namespace

std::optional<std::uint64_t> recording_process(const environment_of_rank& environment) {
  if (!is_this_machine(known(environment, "hostname"))) return {};
  const std::uint64_t process = to_number(known(environment, "pid"));
  return records(process, known(environment, "argv")) ? std::optional(process) : std::nullopt;
}

bool is_this_machine(const std::string& host) { return host == this_machine(); }

described_rank describe(const std::function<trace_layout()>& read) {
  described_rank found{.layout = read()};
  const environment_of_rank& says = found.layout.environment;
  found.may_be_recorded =
      !is_slice(says) && (!is_this_machine(known(says, "hostname")) || recording_process(says));
  // It may have closed its recording and ended since these were read.
  if (!found.may_be_recorded && told_losses_in(found.layout).not_closed) found.layout = read();
  return found;
}

}  // namespace deed::viewer
