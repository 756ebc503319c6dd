// SPDX-License-Identifier: MIT
#include "crash_note.hpp"

#include "node.hpp"
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

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
  static void tell(int number, siginfo_t* what, void*) {
    fatal_signal* signal = nullptr;
    for (fatal_signal& each : all().signals_) {
      if (each.number == number) signal = &each;
    }
    if (const crash_note* const mine = all().of_this_thread()) {
      print(*mine, *signal, *what);
      mine->events_.load(std::memory_order_relaxed)
          ->fatal_signal(static_cast<std::uint8_t>(number), 0);
    }
    sigaction(number, &signal->before, nullptr);
    // A fault happens again when this returns; what another process sent does not.
    if (what->si_code <= 0) raise(number);
  }

  static void print(const crash_note& mine, const fatal_signal& signal, const siginfo_t& what) {
    const task_node& task = *mine.task_.load(std::memory_order_relaxed);
    plain_line line;
    line << "deed: rank ";
    line.put(static_cast<std::uint64_t>(mine.rank_))
        << ": " << signal.name << " in task `" << task.codelet->name << "` #";
    line.put(task.number) << ", inserted at " << file_of(task.where) << ":";
    line.put(task.where.line());
    if (what.si_code > 0) {
      line << ": " << signal.help << " 0x";
      line.put(reinterpret_cast<std::uintptr_t>(what.si_addr), 16);
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
  std::atomic<crash_note*> first_{nullptr};
  std::array<fatal_signal, 4> signals_{
      {{SIGSEGV, "SIGSEGV", "there is no memory that it may use at"},
       {SIGBUS, "SIGBUS", "no memory lies behind"},
       {SIGFPE, "SIGFPE", "an integer division that has no result, at"},
       {SIGILL, "SIGILL", "this processor does not know the instruction at"}}};
};

crash_note::crash_note(int rank) : rank_(rank) { crash_notes::all().add(*this); }
crash_note::~crash_note() { crash_notes::all().remove(*this); }

const task_node* crash_note::task_of_this_thread() noexcept {
  const crash_note* const mine = crash_notes::all().of_this_thread();
  return mine == nullptr ? nullptr : mine->task_.load(std::memory_order_relaxed);
}

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
