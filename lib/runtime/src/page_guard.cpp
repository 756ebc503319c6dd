// SPDX-License-Identifier: MIT
#include "page_guard.hpp"

#include <deed/base/random.hpp>

#include "about_datum.hpp"
#include "crash_note.hpp"
#include "plain_text.hpp"
#include "report.hpp"
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace deed::runtime {
namespace {

struct range {
  std::uintptr_t begin = 0, end = 0;
};

/// Whole pages that a running task reads. What a signal handler prints is written before.
struct closed_range {
  std::atomic<pid_t> thread{0};  // 0: free. Written last, with release.
  range where;
  std::uint32_t handle = trace::nothing;
  std::array<char, 96> datum{}, task{};
  std::array<char, 768> report{};  // If the task itself writes.
};

/// Where a view was that a task had.
struct ended_range {
  std::atomic<std::uint64_t> number{0};  // Which one it was; 0: none. Written last, with release.
  const kept_views* of = nullptr;
  range where;
  std::array<char, 512> report{};
};

/// State of the process, as crash_note.cpp has (docs/decisions/0007): a handler of SIGSEGV is given
/// an address and nothing else, and there is one for all sessions.
struct guard_table {
  std::mutex mutex;  // Of all but `thread` and `number`, which the handler reads.
  std::array<closed_range, 1024> closed;
  std::array<ended_range, 2048> ended;
  std::uint64_t views_ended = 0;
  std::size_t in_use = 0;
  struct sigaction before{};
};

guard_table& table() {
  static guard_table only;
  return only;
}

/// Says it, records it, and ends the process: as for all that happens in a codelet.
[[noreturn]] void refuse(error_code code, std::uint32_t handle, const plain_text& report,
                         const void* context) noexcept {
  report.print();
  // A recording knows its rank.
  const std::size_t begin = std::min(report.view().find("deed["), report.view().size());
  crash_note::record_error(code, handle, report.data() + begin, context);
  _exit(70);
}

/// Ends the process if a view was there. Addresses come again, after very many others: the last
/// counts.
void refuse_kept_view(const guard_table& all, std::uintptr_t address, const void* context) {
  const ended_range* last = nullptr;
  std::uint64_t latest = 0;
  for (const ended_range& each : all.ended) {
    const std::uint64_t number = each.number.load(std::memory_order_acquire);
    if (number <= latest || address < each.where.begin || each.where.end <= address) continue;
    last = &each;
    latest = number;
  }
  if (last == nullptr) return;
  plain_text report;
  report << last->report.data();
  if (const task_node* const user = crash_note::task_of_this_thread())
    report << "  used by     task `" << user->codelet->name << "`\n";
  report << "  help: copy the values, or make it a datum\n";
  refuse(error_code::view_escapes, trace::nothing, report, context);
}

/// Nothing but what may be called in a handler.
void refuse_access(int signal, siginfo_t* what, void* context) {
  guard_table& all = table();
  const auto address = reinterpret_cast<std::uintptr_t>(what->si_addr);
  const pid_t self = gettid();
  const closed_range *hit = nullptr, *running = nullptr;
  for (const closed_range& each : all.closed) {
    const pid_t thread = each.thread.load(std::memory_order_acquire);
    if (thread == 0) continue;
    if (thread == self) running = &each;
    const bool inside = each.where.begin <= address && address < each.where.end;
    if (inside && (hit == nullptr || thread == self)) hit = &each;
  }
  if (hit == nullptr) refuse_kept_view(all, address, context);
  if (hit == nullptr) {  // Not ours: it happens again, and whoever was here before hears of it.
    sigaction(signal, &all.before, nullptr);
    return;
  }
  plain_text report;
  if (hit->thread.load(std::memory_order_relaxed) == self)
    refuse(error_code::write_through_read, hit->handle, report << hit->report.data(), context);
  report << "deed[D204] undeclared write to " << hit->datum.data() << "\n  written     by "
         << (running == nullptr ? "a thread that runs no task that reads" : running->task.data())
         << "\n  read by     " << hit->task.data()
         << ", at the same time\n  help: add `deed::read_write(h)` to the task that writes it\n";
  refuse(error_code::undeclared_access, hit->handle, report, context);
}

template <std::size_t n>
void put(std::array<char, n>& into, const std::string& text) {
  const std::size_t length = std::min(text.size(), n - 1);
  std::memcpy(into.data(), text.data(), length);
  into[length] = '\0';
}

void protect(const range& pages, int how) {
  mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, how);
}

/// The whole pages of a payload in one piece. Empty: there are none.
range whole_pages(const const_memory_block& payload) {
  if (payload.address == nullptr || payload.bytes() != payload.row_bytes * payload.rows ||
      (payload.rows > 1 && payload.pitch != payload.row_bytes))
    return {};
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(payload.address);
  const range found{(first + page - 1) / page * page, (first + payload.bytes()) / page * page};
  return found.begin < found.end ? found : range{};
}

std::uint64_t hash_of(const std::byte* first, std::size_t count) {
  std::uint64_t hash = count;
  for (; count >= sizeof(std::uint64_t); first += sizeof hash, count -= sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, first, sizeof word);
    hash = mix(hash, word);
  }
  for (; count > 0; ++first, --count) hash = mix(hash, static_cast<std::uint64_t>(*first));
  return hash;
}

/// Of what no page protects.
std::uint64_t look_at(const replica& copy) {
  const const_memory_block payload = copy.type->source(copy.storage);
  if (payload.address == nullptr) {
    data::packed_buffer packed;
    copy.type->pack(copy.storage, packed);
    return hash_of(packed.bytes().data(), packed.bytes().size());
  }
  const range pages = whole_pages(payload);
  if (pages.begin == 0) {
    std::uint64_t hash = 0;
    for (std::size_t row = 0; row < payload.rows; ++row)
      hash = mix(hash, hash_of(payload.address + row * payload.pitch, payload.row_bytes));
    return hash;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(payload.address);
  const std::byte* const behind = payload.address + (pages.end - first);
  return mix(hash_of(payload.address, pages.begin - first),
             hash_of(behind, payload.bytes() - (pages.end - first)));
}

std::vector<error::fact> facts_of(const task_node& task, const replica& copy) {
  return {{"task", quoted(task.codelet->name) + " #" + std::to_string(task.number) +
                       ", inserted at " + to_string(task.where)},
          {"declared", "read of " + copy.label()},
          {"registered", to_string(copy.where)}};
}

error written(const task_node& task, const replica& copy) {
  return {error_code::write_through_read,
          "task " + quoted(task.codelet->name) + " writes " + copy.label() +
              ", which it declares as read",
          facts_of(task, copy),
          "declare `deed::read_write(h)`, and take the parameter without const"};
}

/// With the table's lock: there is one more reason to hear of faults.
void watch_faults(guard_table& all) {
  if (all.in_use++ != 0) return;
  struct sigaction ours{};
  ours.sa_sigaction = &refuse_access;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, &all.before);
}

void stop_watching(guard_table& all) {
  if (--all.in_use == 0) sigaction(SIGSEGV, &all.before, nullptr);
}

/// The place in the table; none if it is full, and then nothing is protected.
std::optional<std::size_t> close(const range& pages, const replica& copy, const std::string& task,
                                 const std::string& report) {
  guard_table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto free = std::ranges::find_if(all.closed, [](const closed_range& each) {
    return each.thread.load(std::memory_order_relaxed) == 0;
  });
  if (free == all.closed.end()) return std::nullopt;
  watch_faults(all);
  free->where = pages;
  free->handle = copy.number;
  put(free->datum, copy.label());
  put(free->task, task);
  put(free->report, report);
  free->thread.store(gettid(), std::memory_order_release);
  protect(pages, PROT_READ);
  return static_cast<std::size_t>(free - all.closed.begin());
}

void open(std::size_t at) {
  guard_table& all = table();
  const std::lock_guard lock(all.mutex);
  closed_range& mine = all.closed[at];
  const range pages = mine.where;
  mine.thread.store(0, std::memory_order_release);
  const bool still_read = std::ranges::any_of(all.closed, [&](const closed_range& each) {
    return each.thread.load(std::memory_order_relaxed) != 0 && each.where.begin < pages.end &&
           pages.begin < each.where.end;
  });
  if (!still_read) protect(pages, PROT_READ | PROT_WRITE);
  stop_watching(all);
}

}  // namespace

page_guard::page_guard(int rank, const task_node& task, std::span<const node_access> accesses)
    : task_(task) {
  for (const node_access& each : accesses) {
    const replica& copy = each.datum();
    if (!each.reads() || each.writes() || copy.storage == nullptr || copy.pool != nullptr) continue;
    looked_at_.push_back({&copy, look_at(copy)});
    const range pages = whole_pages(copy.type->source(copy.storage));
    if (pages.begin == 0) continue;
    const std::string report = "rank " + std::to_string(rank) + ": " + written(task, copy).what();
    const std::string name =
        "task " + quoted(task.codelet->name) + ", inserted at " + to_string(task.where);
    if (const auto at = close(pages, copy, name, report + "\n")) closed_.push_back(*at);
  }
}

page_guard::~page_guard() {
  for (const std::size_t each : closed_) open(each);
}

void page_guard::check() const {
  for (const auto& [copy, hash] : looked_at_) {
    if (look_at(*copy) != hash)
      throw error_about(about_datum{.handle = copy->number}, written(task_, *copy));
  }
}

void kept_views::add(const gpu::ended_view& ended) {
  const std::string report = "rank " + std::to_string(rank_) + ": deed[D211] view of " +
                             quoted(ended.handle) + " escapes task " + quoted(ended.task) +
                             "\n  task        #" + std::to_string(ended.number) + ", inserted at " +
                             to_string(ended.inserted) + ", on " + ended.device +
                             "\n  registered  " + to_string(ended.registered) + "\n";
  const auto first = reinterpret_cast<std::uintptr_t>(ended.pages.data());
  guard_table& all = table();
  const std::lock_guard lock(all.mutex);
  if (!std::exchange(watches_, true)) watch_faults(all);
  ended_range& oldest = all.ended[all.views_ended++ % all.ended.size()];
  oldest.number.store(0, std::memory_order_relaxed);
  oldest.of = this;
  oldest.where = {first, first + ended.pages.size()};
  put(oldest.report, report);
  oldest.number.store(all.views_ended, std::memory_order_release);
}

kept_views::~kept_views() {
  guard_table& all = table();
  const std::lock_guard lock(all.mutex);
  for (ended_range& each : all.ended) {
    if (each.of == this) each.number.store(0, std::memory_order_relaxed);
  }
  if (watches_) stop_watching(all);
}

}  // namespace deed::runtime
