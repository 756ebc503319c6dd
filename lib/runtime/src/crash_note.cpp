// SPDX-License-Identifier: MIT
#include "crash_note.hpp"

#include <deed/base/call_stack.hpp>

#include "interrupted_stack.hpp"
#include "node.hpp"
#include "plain_text.hpp"
#include <ucontext.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
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
  trace::signal_cause of_fault;  // Where what the thread did brought it.
  struct sigaction before{};
};

/// What a handler is told, beside the number.
struct reason {
  trace::signal_cause cause = trace::signal_cause::unknown;
  std::uint64_t address = 0;
};

/// A frame is less than that, and what it touches is near the top of the stack.
constexpr std::uintptr_t near = std::uintptr_t{64} << 10;

reason reason_of(const fatal_signal& signal, const siginfo_t& what, std::uintptr_t top) noexcept {
  if (what.si_code > 0) {
    const auto at = reinterpret_cast<std::uintptr_t>(what.si_addr);
    const bool of_stack = signal.number == SIGSEGV && top != 0 && at - (top - near) < 2 * near;
    return {of_stack ? trace::signal_cause::stack_ends : signal.of_fault, at};
  }
  if (what.si_pid != getpid())
    return {trace::signal_cause::sent, static_cast<std::uint64_t>(what.si_pid)};
  if (signal.number == SIGABRT && what.si_code == SI_TKILL) return {signal.of_fault, 0};
  return {};
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

/// Of who calls this, or a little below.
std::uintptr_t here_on_the_stack() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

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

  /// What the thread that stands at `top` of its stack is at, and records to.
  struct recorded_work {
    trace::stream* events = nullptr;  // Null: nothing of a session.
    std::uint64_t task = trace::no_task;
  };
  [[nodiscard]] recorded_work work_at(std::uintptr_t top) const noexcept {
    if (const crash_note* const mine = of_this_thread())
      return {mine->events_.load(std::memory_order_relaxed),
              mine->task_.load(std::memory_order_relaxed)->number};
    const crash_note* const program = of_program(top);
    return program == nullptr ? recorded_work{} : recorded_work{*program->events_of_program_};
  }

  void record_error(error_code code, std::uint32_t handle, const char* text,
                    const void* context) noexcept {
    const auto [events, task] = work_at(top_of_stack(context));
    if (events != nullptr &&
        events->last_error(static_cast<std::uint16_t>(code), handle, trace::no_version, task, text))
      add_stack(*events, context);
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
    const std::uintptr_t top = top_of_stack(context);
    const reason why = reason_of(*signal, *what, top);
    if (const crash_note* const mine = all().of_this_thread()) {
      const task_node& task = *mine->task_.load(std::memory_order_relaxed);
      plain_text line = begin_of(*mine, *signal);
      line << " in task `" << task.codelet->name << "` #";
      line.put(task.number) << ", inserted at ";
      end(line.put(task.where), why);
      all().record(*mine->events_.load(std::memory_order_relaxed), number, why, context);
    } else if (const crash_note* const program = all().of_program(top)) {
      const place last = *program->last_call_.load(std::memory_order_relaxed);
      plain_text line = begin_of(*program, *signal);
      line << " outside of tasks, ";
      if (last.line() == 0) {
        line << "before the first call of the session";
      } else {
        line << "in or after the call at ";
        line.put(last);
      }
      end(line, why);
      all().record(**program->events_of_program_, number, why, context);
    } else if (all().any()) {
      plain_text line;
      end(line << "deed: " << signal->name << " in a thread of no rank", why);
      all().let_a_rank_record(number, why, context);
    }
    sigaction(number, &signal->before, nullptr);
    // A fault happens again when this returns; what another process sent does not.
    if (what->si_code <= 0) raise(number);
  }

  /// The signal first, whatever the stack is like that is looked at then.
  void record(trace::stream& events, int number, const reason& why, const void* context) noexcept {
    if (tell_in(events, number, why)) add_stack(events, context);
  }

  [[nodiscard]] static bool tell_in(trace::stream& events, int number, const reason& why) noexcept {
    return events.fatal_signal(static_cast<std::uint8_t>(number), trace::nothing, why.cause,
                               why.address);
  }

  void add_stack(trace::stream& events, const void* context) noexcept {
    if (recording_.test_and_set(std::memory_order_acquire)) return;  // Another thread crashes, too.
    stack_.find(context);
    events.add_backtrace(stack_.addresses());
    recording_.clear(std::memory_order_release);
  }

  /// The signal met a thread of no rank, such as the one that waits for ranks that are threads. A
  /// rank's thread records it, since no other may write to its stream, and this one waits for that
  /// before it ends the process.
  void let_a_rank_record(int number, const reason& why, const void* context) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);  // So that the rank stays.
    const crash_note* const rank = lock ? lowest_that_records() : nullptr;
    if (rank == nullptr || recording_.test_and_set(std::memory_order_acquire)) return;
    stack_.find(context);
    told_ = why;
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
    if (tell_in(events, number, told_)) events.add_backtrace(stack_.addresses());
    asked_.store(nullptr, std::memory_order_release);
    // What was interrupted may be an event that is half written, and gone: it does not go on before
    // the process has had the time to end.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return true;
  }

  static plain_text begin_of(const crash_note& mine, const fatal_signal& signal) noexcept {
    plain_text line;
    line << "deed: rank ";
    line.put(static_cast<std::uint64_t>(mine.rank_)) << ": " << signal.name;
    return line;
  }

  static void end(plain_text& line, const reason& why) noexcept {
    line << trace::said_cause(why.cause);
    if (why.cause == trace::signal_cause::sent) {
      (line << " ").put(why.address);
    } else if (trace::has_address(why.cause)) {
      (line << " 0x").put(why.address, 16);
    }
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
  reason told_;                                    // That thread's, too.
  std::atomic<const crash_note*> asked_{nullptr};  // The rank that is to record for this thread.
  std::atomic<crash_note*> first_{nullptr};
  std::array<fatal_signal, 5> signals_{{{SIGSEGV, "SIGSEGV", trace::signal_cause::no_memory},
                                        {SIGBUS, "SIGBUS", trace::signal_cause::nothing_behind},
                                        {SIGFPE, "SIGFPE", trace::signal_cause::no_result},
                                        {SIGILL, "SIGILL", trace::signal_cause::no_instruction},
                                        {SIGABRT, "SIGABRT", trace::signal_cause::aborted}}};
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

void crash_note::record_error(error_code code, std::uint32_t handle, const char* text,
                              const void* context) noexcept {
  crash_notes::all().record_error(code, handle, text, context);
}

void crash_note::record_exit(error_code code, const char* text) noexcept {
  const call_stack stack = call_stack::of_caller();
  const auto notes = crash_notes::all().locked();
  if (!notes) return;
  const auto [events, task] = crash_notes::all().work_at(here_on_the_stack());
  if (events != nullptr && events->last_error(static_cast<std::uint16_t>(code), trace::nothing,
                                              trace::no_version, task, text))
    events->add_backtrace(stack.addresses());
}

void crash_note::record_stop(int status, const char* text) noexcept {
  const auto notes = crash_notes::all().locked();
  if (!notes) return;
  const auto events = crash_notes::all().work_at(here_on_the_stack()).events;
  if (events != nullptr) events->last_stop(static_cast<std::uint8_t>(status), text);
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
  if (const crash_note* const program = crash_notes::all().of_program(here_on_the_stack())) {
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
