// SPDX-License-Identifier: MIT
#include "crash_note.hpp"

#include "interrupted_stack.hpp"
#include "node.hpp"
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <type_traits>

namespace deed::runtime {
namespace {

struct fatal_signal {
  int number;
  std::string_view name;
  std::string_view help;
  struct sigaction before{};
};

std::string_view file_of(place where) noexcept {
  const std::string_view path = where.file_name();
  return path.substr(path.rfind('/') + 1);
}

/// Where the code that was interrupted stands on its stack; the handler may have another one. 0 on
/// other processors: right where a thread has one program.
std::uintptr_t top_of_stack(const void* context) noexcept {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine.sp);
#else
  return 0;
#endif
}

/// A line made without the heap, a lock or a locale.
class plain_line {
 public:
  plain_line& operator<<(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - length_);
    std::memcpy(text_.data() + length_, text.data(), fits);
    length_ += fits;
    return *this;
  }
  plain_line& put(std::uint64_t number, int base = 10) noexcept {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  plain_line& put(place where) noexcept {
    return (*this << file_of(where) << ":").put(where.line());
  }
  void print() const noexcept { static_cast<void>(!::write(STDERR_FILENO, text_.data(), length_)); }

 private:
  std::array<char, 1024> text_{};
  std::size_t length_ = 0;
};

}  // namespace

/// State of the process, as page_guard.cpp has (docs/decisions/0009): a handler is given
/// nothing that leads to a session.
class crash_notes {
 public:
  static crash_notes& all() noexcept {
    static crash_notes only;
    return only;
  }

  [[nodiscard]] const crash_note* of_this_thread() const noexcept {
    const pthread_t self = pthread_self();
    for (const crash_note* at = first_.load(std::memory_order_acquire); at != nullptr;
         at = at->next_.load(std::memory_order_acquire)) {
      if (at->task_.load(std::memory_order_relaxed) != nullptr &&
          pthread_equal(at->thread_.load(std::memory_order_relaxed), self) != 0)
        return at;
    }
    return nullptr;
  }

  /// Of the program that stands at `top` of its stack: of those of this thread, the one that began
  /// nearest above it. Null: none.
  [[nodiscard]] const crash_note* of_program(std::uintptr_t top) const noexcept {
    const pthread_t self = pthread_self();
    const crash_note* nearest = nullptr;
    for (const crash_note* at = first_.load(std::memory_order_acquire); at != nullptr;
         at = at->next_.load(std::memory_order_acquire)) {
      if (at->last_call_.load(std::memory_order_acquire) != nullptr &&
          pthread_equal(at->thread_.load(std::memory_order_relaxed), self) != 0 &&
          (nearest == nullptr || at->stack_ - top < nearest->stack_ - top))
        nearest = at;
    }
    return nearest;
  }

  [[nodiscard]] bool any() const noexcept {
    return first_.load(std::memory_order_acquire) != nullptr;
  }

  /// No note comes or goes. Not locked: this thread may have it already, by `exit` in a handler of
  /// signals. No `timed_mutex`: GCC 12's sanitizer of threads does not see it locked.
  [[nodiscard]] std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    for (int tries = 0; !lock && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      static_cast<void>(lock.try_lock());
    }
    return lock;
  }

  void add(crash_note& note) {
    const std::lock_guard lock(mutex_);
    if (first_.load(std::memory_order_relaxed) == nullptr) install();
    note.next_.store(first_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first_.store(&note, std::memory_order_release);
  }

  void remove(crash_note& note) {
    const std::lock_guard lock(mutex_);
    std::atomic<crash_note*>* at = &first_;
    while (at->load(std::memory_order_relaxed) != &note)
      at = &at->load(std::memory_order_relaxed)->next_;
    at->store(note.next_.load(std::memory_order_relaxed), std::memory_order_release);
    if (first_.load(std::memory_order_relaxed) == nullptr) uninstall();
  }

 private:
  /// Nothing but what may be called in a handler.
  static void tell(int number, siginfo_t* what, void* context) {
    all().stack_.go_on();
    if (all().records_for_another(number, *what)) return;
    fatal_signal* signal = nullptr;
    for (fatal_signal& each : all().signals_) {
      if (each.number == number) signal = &each;
    }
    const auto kind = static_cast<std::uint8_t>(number);
    const std::uintptr_t top = top_of_stack(context);
    if (const crash_note* const mine = all().of_this_thread()) {
      const task_node& task = *mine->task_.load(std::memory_order_relaxed);
      plain_line line = begin_of(*mine, *signal);
      line << " in task `" << task.codelet->name << "` #";
      line.put(task.number) << ", inserted at ";
      end(line.put(task.where), *signal, *what, top);
      all().record(*mine->events_.load(std::memory_order_relaxed), kind, context);
    } else if (const crash_note* const program = all().of_program(top)) {
      const place last = *program->last_call_.load(std::memory_order_relaxed);
      plain_line line = begin_of(*program, *signal);
      line << " outside of tasks, ";
      if (last.line() == 0) {
        line << "before the first call of the session";
      } else {
        line << "in or after the call at ";
        line.put(last);
      }
      end(line, *signal, *what, top);
      all().record(**program->events_of_program_, kind, context);
    } else if (all().any()) {
      plain_line line;
      line << "deed: " << signal->name << " in a thread of no rank";
      if (what->si_code <= 0 && what->si_pid != getpid())
        (line << ", sent by process ").put(static_cast<std::uint64_t>(what->si_pid));
      end(line, *signal, *what, top);
      all().let_a_rank_record(number, context);
    }
    sigaction(number, &signal->before, nullptr);
    // A fault happens again when this returns; what another process sent does not.
    if (what->si_code <= 0) raise(number);
  }

  /// The signal first, whatever the stack is like that is looked at then.
  void record(trace::stream& events, std::uint8_t kind, const void* context) noexcept {
    if (!events.fatal_signal(kind, trace::nothing)) return;
    if (recording_.test_and_set(std::memory_order_acquire)) return;  // Another thread crashes, too.
    stack_.find(context);
    events.add_backtrace(stack_.addresses());
    recording_.clear(std::memory_order_release);
  }

  /// The signal met a thread of no rank, such as the one that waits for ranks that are threads. A
  /// rank's thread records it, since no other may write to its stream, and this one waits for that
  /// before it ends the process.
  void let_a_rank_record(int number, const void* context) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);  // So that the rank stays.
    const crash_note* const rank = lock ? lowest_that_records() : nullptr;
    if (rank == nullptr || recording_.test_and_set(std::memory_order_acquire)) return;
    stack_.find(context);
    asked_.store(rank, std::memory_order_release);
    if (pthread_kill(rank->thread_.load(std::memory_order_relaxed), number) == 0) {
      for (int tries = 0; tries < 100 && asked_.load(std::memory_order_acquire) != nullptr; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    asked_.store(nullptr, std::memory_order_relaxed);
    recording_.clear(std::memory_order_release);
  }

  [[nodiscard]] const crash_note* lowest_that_records() const noexcept {
    const crash_note* lowest = nullptr;
    for (const crash_note* at = first_.load(std::memory_order_acquire); at != nullptr;
         at = at->next_.load(std::memory_order_acquire)) {
      if (at->last_call_.load(std::memory_order_acquire) != nullptr &&
          (*at->events_of_program_)->on() && (lowest == nullptr || at->rank_ < lowest->rank_))
        lowest = at;
    }
    return lowest;
  }

  /// Whether the signal came from there, and this is the rank.
  bool records_for_another(int number, const siginfo_t& what) noexcept {
    const crash_note* const me = asked_.load(std::memory_order_acquire);
    if (me == nullptr || what.si_code != SI_TKILL || what.si_pid != getpid() ||
        pthread_equal(me->thread_.load(std::memory_order_relaxed), pthread_self()) == 0)
      return false;
    trace::stream& events = **me->events_of_program_;
    if (events.fatal_signal(static_cast<std::uint8_t>(number), trace::nothing))
      events.add_backtrace(stack_.addresses());
    asked_.store(nullptr, std::memory_order_release);
    // What was interrupted may be an event that is half written, and gone: it does not go on before
    // the process has had the time to end.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return true;
  }

  static plain_line begin_of(const crash_note& mine, const fatal_signal& signal) noexcept {
    plain_line line;
    line << "deed: rank ";
    line.put(static_cast<std::uint64_t>(mine.rank_)) << ": " << signal.name;
    return line;
  }

  /// A frame is less than that, and what it touches is near the top of the stack.
  static constexpr std::uintptr_t near = std::uintptr_t{64} << 10;

  static void end(plain_line& line, const fatal_signal& signal, const siginfo_t& what,
                  std::uintptr_t top) noexcept {
    if (what.si_code > 0) {
      const auto at = reinterpret_cast<std::uintptr_t>(what.si_addr);
      const bool of_stack = signal.number == SIGSEGV && top != 0 && at - (top - near) < 2 * near;
      line << ": "
           << (of_stack ? "the stack ends there: a recursion without end, or large locals, at"
                        : signal.help)
           << " 0x";
      line.put(at, 16);
    }
    if (signal.number == SIGABRT && what.si_code == SI_TKILL && what.si_pid == getpid())
      line << ": " << signal.help;
    line << "\n";
    line.print();
  }

  void install() {
    for (fatal_signal& each : signals_) {
      struct sigaction ours{};
      ours.sa_sigaction = &tell;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigaction(each.number, &ours, &each.before);
    }
  }

  void uninstall() {
    for (fatal_signal& each : signals_) {
      struct sigaction now{};
      if (sigaction(each.number, nullptr, &now) == 0 && now.sa_sigaction == &tell)
        sigaction(each.number, &each.before, nullptr);
    }
  }

  std::mutex mutex_;  // Of all but what the handler reads.
  std::atomic_flag recording_;
  interrupted_stack stack_;                        // Of the thread that has set `recording_`.
  std::atomic<const crash_note*> asked_{nullptr};  // The rank that is to record for this thread.
  std::atomic<crash_note*> first_{nullptr};
  std::array<fatal_signal, 5> signals_{
      {{SIGSEGV, "SIGSEGV", "there is no memory that it may use at"},
       {SIGBUS, "SIGBUS", "no memory lies behind"},
       {SIGFPE, "SIGFPE", "an integer division that has no result, at"},
       {SIGILL, "SIGILL", "this processor does not know the instruction at"},
       {SIGABRT, "SIGABRT", "abort(): of the program, an assertion, or std::terminate"}}};
};

static_assert(std::is_trivially_destructible_v<crash_notes>, "hooks of `exit` read it late");

crash_note::crash_note(int rank) : rank_(rank) { crash_notes::all().add(*this); }
crash_note::~crash_note() { crash_notes::all().remove(*this); }

void crash_note::of_program(const place& last_call, trace::stream* const& events, bool in_run,
                            const void* frame) noexcept {
  thread_.store(pthread_self(), std::memory_order_relaxed);
  events_of_program_ = &events;
  // The program's own frames may begin above that of the constructor that it called. It is less
  // than the guard page between two stacks.
  constexpr std::uintptr_t of_constructors = 2048;
  stack_ = reinterpret_cast<std::uintptr_t>(frame) + of_constructors;
  in_run_ = in_run;
  last_call_.store(&last_call, std::memory_order_release);
}

const task_node* crash_note::task_of_this_thread() noexcept {
  const crash_note* const mine = crash_notes::all().of_this_thread();
  return mine == nullptr ? nullptr : mine->task_.load(std::memory_order_relaxed);
}

std::optional<crash_note::work> crash_note::work_of_this_thread() noexcept {
  const auto notes = crash_notes::all().locked();  // Sessions of other threads may end meanwhile.
  if (!notes) return std::nullopt;
  if (const crash_note* const mine = crash_notes::all().of_this_thread())
    return work{mine->rank_, mine->task_.load(std::memory_order_relaxed), {}, false};
  const auto top = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (const crash_note* const program = crash_notes::all().of_program(top)) {
    const place* const last_call = program->last_call_.load(std::memory_order_relaxed);
    return work{program->rank_, nullptr, *last_call, program->in_run_};
  }
  return std::nullopt;
}

bool crash_note::any() noexcept { return crash_notes::all().any(); }

signal_stack::signal_stack() {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  memory_.reset(new (std::nothrow) std::byte[bytes]);
  if (memory_ == nullptr) return;
  const stack_t mine{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = bytes};
  sigaltstack(&mine, nullptr);
}

signal_stack::~signal_stack() {
  if (memory_ == nullptr) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
}

}  // namespace deed::runtime
