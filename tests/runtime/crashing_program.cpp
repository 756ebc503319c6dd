// SPDX-License-Identifier: MIT
// A codelet, or the program itself, that crashes or leaves the process on rank 1; the argument says
// how.
#include <deed/deed.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

enum class end { segv, fpe, ill, bus, overflow, sent, abort, exit, nowhere, smashed };

int deeper(const volatile int* above, int depth) {
  const std::array<volatile int, 256> room{depth};
  return *above < 0 ? 0 : deeper(room.data(), depth + 1) + room[0];
}

/// Where it came from is overwritten.
[[gnu::noinline]] int returns_to_nowhere(int x) {
  auto* const frame = static_cast<volatile std::uintptr_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 4; ++i) frame[i] = 0x1234567;
  return x;
}

void crash(end how, int& x) {
  volatile int zero = 0;
  volatile int* volatile nowhere = nullptr;
  switch (how) {
    case end::segv:
      *nowhere = x;
      return;
    case end::fpe:
      x /= zero;
      return;
    case end::ill:
      __builtin_trap();
    case end::bus: {
      const int file = memfd_create("empty", 0);
      auto* const page = static_cast<volatile int*>(
          mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
      *page = x;
      return;
    }
    case end::overflow:
      x = deeper(&zero, 1);
      return;
    case end::sent:
      raise(SIGSEGV);
      return;
    case end::abort:
      std::abort();
    case end::exit:
      std::exit(3);
    case end::nowhere: {
      int (*volatile function)(int) = nullptr;
      x = function(x) + 1;
      return;
    }
    case end::smashed:
      x = returns_to_nowhere(x) + 1;
      return;
  }
}

constexpr deed::codelet fail{"fail", [](int& x, end how) { crash(how, x); }};

void of_the_program(int) {
  static_cast<void>(!write(STDERR_FILENO, "own handler\n", 12));
  _exit(3);
}

void crash_as_told(deed::session& session, deed::arguments words) {
  const std::string_view how = words.empty() ? std::string_view{} : std::string_view{words[0]};
  const bool here = session.rank() == session.size() - 1;
  int mine = 1;
  if (how == "at_once" && here) crash(end::segv, mine);
  auto x = session.register_data(deed::owner{session.size() - 1}, 1, {.name = "x"});
  if (how == "outside" || how == "too_deep") {
    session.wait();  // The last call.
    if (here) crash(how == "outside" ? end::segv : end::overflow, mine);
  }
  if (how == "leave" || how == "leave_3") {
    session.wait();  // The last call before it leaves.
    if (here) std::exit(how == "leave" ? 0 : 3);
  }
  const end wanted = how == "fpe"        ? end::fpe
                     : how == "ill"      ? end::ill
                     : how == "bus"      ? end::bus
                     : how == "overflow" ? end::overflow
                     : how == "sent"     ? end::sent
                     : how == "abort"    ? end::abort
                     : how == "exit"     ? end::exit
                     : how == "nowhere"  ? end::nowhere
                     : how == "smashed"  ? end::smashed
                                         : end::segv;
  session.insert_task(fail, deed::read_write(x), deed::value(wanted));  // The line that is named.
  session.wait();
}

}  // namespace

int main(int argc, char** argv) {
  if (std::string_view(argv[argc - 1]) == "own_handler") std::signal(SIGSEGV, of_the_program);
  return deed::run(argc, argv, crash_as_told);
}
