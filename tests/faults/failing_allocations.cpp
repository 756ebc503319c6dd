// SPDX-License-Identifier: MIT
// F2: each allocation of a small run fails once. The run ends well or with a report and an exit
// code; it never crashes, hangs, or computes something else.
#include <deed/deed.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t never = ~std::uint64_t{0};
std::atomic<std::uint64_t> allocations{0}, failing{never};

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations.fetch_add(1, std::memory_order_relaxed) == failing) throw std::bad_alloc();
  void* const memory =
      alignment == 0
          ? std::malloc(bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using numbers = std::vector<long>;
constexpr int rounds = 25, wrong_result = 9;

constexpr deed::codelet grow{"grow", [](numbers& to, const numbers& from) {
                               to.resize(from.size() + 1, 1);
                               for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
                             }};
constexpr deed::codelet total{"total", [](long& sum, const numbers& all) {
                                for (const long each : all) sum += each;
                              }};

/// What one rank computes.
long expected() {
  numbers a(4, 1), b(4, 1);
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    numbers& to = round % 2 == 0 ? b : a;
    const numbers from = round % 2 == 0 ? a : b;
    to.resize(from.size() + 1, 1);
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
    for (const long each : to) sum += each;
  }
  return sum;
}

/// Fifty tasks, most of whose data come from the other rank.
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, numbers(4, 1), {.name = "a"});
  auto b = session.register_data(deed::owner{session.size() - 1}, numbers(4, 1), {.name = "b"});
  auto sum = session.register_data(deed::owner{0}, 0L, {.name = "sum"});
  for (int round = 0; round < rounds; ++round) {
    auto& to = round % 2 == 0 ? b : a;
    auto& from = round % 2 == 0 ? a : b;
    session.insert_task(grow, deed::read_write(to), deed::read(from));
    session.insert_task(total, deed::read_write(sum), deed::read(to));
  }
  session.wait();
  if (session.owns(sum) && *session.borrow(deed::read(sum)) != expected())
    throw deed::stop_run(static_cast<deed::exit_code>(wrong_result), "a wrong sum");
}

/// Runs it in a process of its own. @return the status of that process, and what it printed.
int run_failing(std::uint64_t which, const char* ranks, std::string& said) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  std::fflush(nullptr);  // Or it is printed once more.
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(20);  // A hang ends with a signal.
    std::string name = "failing_allocations", option = std::string("--deed-ranks=") + ranks;
    char* words[] = {name.data(), option.data(), nullptr};
    allocations = 0;
    failing = which;
    const int code = deed::run(2, words, program);
    std::_Exit(failing < allocations ? code : code == 0 ? 100 : code);
  }
  close(ends[1]);
  said.clear();
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    said.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

/// `failing_allocations RANKS [FIRST]`. Allocation 0 is that of the function that `deed::run` is
/// given.
int main(int argc, char** words) {
  const char* const ranks = words[1];
  std::map<std::string, int> outcomes;
  int wrong = 0;
  std::string said;
  for (std::uint64_t k = argc > 2 ? std::stoull(words[2]) : 1;; ++k) {
    const int status = run_failing(k, ranks, said);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (code == 100) break;  // There is no k-th allocation.
    ++outcomes["status " + std::to_string(code) + ": " + said.substr(0, said.find('\n'))];
    const bool told = said.find('\n') != std::string::npos;
    if (code == 0 || (code > 0 && code != wrong_result && told)) continue;
    ++wrong;
    std::printf("allocation %llu: status %d, said: %s\n", static_cast<unsigned long long>(k), code,
                said.c_str());
  }
  for (const auto& [what, how_often] : outcomes) std::printf("%s: %d\n", what.c_str(), how_often);
  return wrong == 0 ? 0 : 1;
}
