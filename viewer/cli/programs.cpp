// SPDX-License-Identifier: MIT
#include "cli/programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace deed::viewer {
namespace {

constexpr int not_started = 127;

/// With `in` and `out` as its standard input and output; -1 leaves them as they are.
pid_t start(const std::vector<std::string>& words, int in, int out) {
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  if (in >= 0) ::posix_spawn_file_actions_adddup2(&streams, in, STDIN_FILENO);
  if (out >= 0) ::posix_spawn_file_actions_adddup2(&streams, out, STDOUT_FILENO);
  std::vector<char*> list;
  for (const std::string& each : words) list.push_back(const_cast<char*>(each.c_str()));
  list.push_back(nullptr);
  pid_t started = -1;
  if (::posix_spawnp(&started, list[0], &streams, nullptr, list.data(), environ) != 0) started = -1;
  ::posix_spawn_file_actions_destroy(&streams);
  return started;
}

int status_of(pid_t program) {
  int status = 0;
  if (program < 0 || ::waitpid(program, &status, 0) != program) return not_started;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_program(const std::vector<std::string>& words) { return status_of(start(words, -1, -1)); }

int run_pipe(const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started;
  const pid_t writer = start(from, -1, ends[1]);
  const pid_t reader = start(to, ends[0], -1);
  ::close(ends[0]);
  ::close(ends[1]);
  const int wrote = status_of(writer), read = status_of(reader);
  return wrote != 0 ? wrote : read;
}

std::string program_beside(const std::string& name) {
  std::error_code failed;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto there = here.parent_path() / name;
  return !failed && std::filesystem::exists(there, failed) ? there.string() : std::string{};
}

}  // namespace deed::viewer
