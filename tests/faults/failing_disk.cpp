// SPDX-License-Identifier: MIT
// F13: the disk of a recorded run is full from its k-th change on, for each k, or one change alone
// fails. The run goes on to its result, or says at its start that it cannot record; what was
// recorded until then can be read.
//   failing_disk RANKS IO [DEED_TRACE]
#include <deed/deed.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace {

constexpr long never = 1L << 40;
std::atomic<long> changes{0};
long first_failing = never, last_failing = never;

/// Whether the next change of the disk fails.
bool fails() {
  const long now = changes.fetch_add(1);
  return now >= first_failing && now <= last_failing;
}

/// The function that this program has put itself before.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) != 0 && fails()) {
    errno = ENOSPC;
    return -1;
  }
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

int posix_fallocate(int file, off_t begin, off_t bytes) {
  return fails() ? ENOSPC : real<int(int, off_t, off_t)>("posix_fallocate")(file, begin, bytes);
}

int rename(const char* from, const char* to) noexcept {
  if (!fails()) return real<int(const char*, const char*)>("rename")(from, to);
  errno = ENOSPC;
  return -1;
}

int truncate(const char* path, off_t bytes) noexcept {
  if (!fails()) return real<int(const char*, off_t)>("truncate")(path, bytes);
  errno = EIO;
  return -1;
}

/// A short one.
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* to) {
  const auto write = real<std::size_t(const void*, std::size_t, std::size_t, FILE*)>("fwrite");
  if (to == stdout || to == stderr || !fails()) return write(from, size, count, to);
  errno = ENOSPC;
  return write(from, size, count / 2, to);
}

}  // extern "C"

namespace {

constexpr int tasks = 4000, wrong_result = 9, not_reached = 100;
constexpr deed::codelet add{"add", [](long& sum, long more) { sum += more; }};

/// Some thousand events of each rank, each with data of the other.
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1L, {.name = "a"});
  auto b = session.register_data(deed::owner{session.size() - 1}, 1L, {.name = "b"});
  for (int i = 0; i < tasks; ++i)
    session.insert_task(add, deed::read_write(i % 2 == 0 ? a : b), deed::value(1L));
  session.wait();
  for (const auto* each : {&a, &b}) {
    if (session.owns(*each) && *session.borrow(deed::read(*each)) != 1 + tasks / 2)
      throw deed::stop_run(static_cast<deed::exit_code>(wrong_result), "a wrong sum");
  }
}

/// Runs it in a process of its own. @return its status, and what it printed.
int run_failing(const std::string& folder, const char* ranks, const char* io, pid_t& child,
                std::string& said) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  std::fflush(nullptr);
  child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(60);  // A hang ends with a signal.
    std::string words[] = {"failing_disk", std::string("--deed-ranks=") + ranks,
                           "--deed-trace=" + folder, std::string("--deed-trace-io=") + io,
                           "--deed-trace-packet=64K"};
    char* pointers[] = {words[0].data(), words[1].data(), words[2].data(),
                        words[3].data(), words[4].data(), nullptr};
    changes = 0;
    const int code = deed::run(5, pointers, program);
    std::_Exit(code == 0 && changes <= first_failing ? not_reached : code);
  }
  close(ends[1]);
  said.clear();
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    said.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Packets that could not be copied to the folder lie in memory still, where a reader finds them.
void forget_packets(pid_t of) {
  std::array<char, 16> end{};
  std::snprintf(end.data(), end.size(), "-%x", static_cast<unsigned>(of));
  for (const auto& each : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = each.path().filename().string();
    if (name.starts_with("deed-") && name.ends_with(end.data()))
      std::filesystem::remove_all(each.path());
  }
}

/// The run did as it should, and what it left can be read.
bool is_well(int code, const std::string& said, const std::string& folder, const char* tool) {
  constexpr int cannot_write = 74;
  if (code != 0 && code != not_reached)
    return code == cannot_write && said.find("the trace cannot be written") != said.npos;
  if (tool == nullptr) return true;
  const std::string look = std::string(tool) + " info " + folder + " >/dev/null 2>&1";
  return std::system(look.c_str()) == 0;  // NOLINT(cert-env33-c): the test's own arguments.
}

}  // namespace

int main(int argc, char** words) {
  const char* const tool = argc > 3 ? words[3] : nullptr;
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("deed_disk." + std::to_string(getpid()))).string();
  const std::string missing = "status 0, events are missing";
  std::map<std::string, int> outcomes;
  int wrong = 0;
  for (const bool for_good : {true, false}) {
    for (long k = 0;; ++k) {
      first_failing = never;  // For what this process does itself.
      std::filesystem::remove_all(folder);
      first_failing = k;
      last_failing = for_good ? never : k;
      std::string said;
      pid_t child = 0;
      const int code = run_failing(folder, words[1], words[2], child, said);
      first_failing = never;
      const bool well = is_well(code, said, folder, tool);
      forget_packets(child);
      if (code == not_reached) break;
      const bool told = said.find("lacks") != said.npos;
      ++outcomes[code == 0 && told ? missing : "status " + std::to_string(code)];
      if (well) continue;
      ++wrong;
      std::printf("%s change %ld: status %d, said: %s\n", for_good ? "from" : "only", k, code,
                  said.c_str());
    }
  }
  std::filesystem::remove_all(folder);
  for (const auto& [what, how_often] : outcomes) std::printf("%s: %d\n", what.c_str(), how_often);
  return wrong == 0 && outcomes.contains(missing) ? 0 : 1;
}
