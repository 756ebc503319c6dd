// SPDX-License-Identifier: MIT
#include <deed/base/call_stack.hpp>
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "babeltrace.hpp"
#include "symbol_file.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::trace;
using testing::HasSubstr;
using testing::Not;

class virtual_clock final : public deed::clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds{++ticks_};
  }

 private:
  mutable std::int64_t ticks_ = 1000;
};

recorder_options into(const scratch_folder& folder) {
  recorder_options options;
  options.path = folder.path();
  options.packet_bytes = 64 << 10;
  return options;
}

// One of several records, so that sizes differ.
void write_event(stream& to, std::uint64_t n) {
  const auto small = static_cast<std::uint32_t>(n);
  switch (n % 4) {
    case 0:
      to.task_begin(n, 7);
      break;
    case 1:
      to.task_end(n, task_status::ok);
      break;
    case 2:
      to.xfer_post(direction::send, small, 3, 1, 0, 4096, 9, transfer_reason::task, n);
      break;
    default:
      to.cache_lookup(small, 4, 2, lookup_result::miss_version, n);
  }
}

std::string hex_of_process() {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%x", static_cast<unsigned>(::getpid()));
  return digits.data();
}

TEST(stream, records_nothing_by_default) {
  stream silent;
  EXPECT_FALSE(silent.enabled(category::task));
  silent.task_begin(1, 2);
  silent.error(306, 1, 2, 3, 4, 5, nothing, nothing);
  EXPECT_FALSE(silent.wants_snapshot());
}

TEST(recorder, records_nothing_without_a_path) {
  recorder off({}, {});
  stream& silent = off.open_stream(stream_kind::worker, 0);
  silent.task_begin(1, 2);
  EXPECT_FALSE(off.on());
  EXPECT_FALSE(silent.on());
  EXPECT_EQ(off.location(deed::place::current()), nothing);
}

TEST(recorder, writes_what_babeltrace_reads) {
  const scratch_folder folder;
  recorder to(into(folder), {.run_id = {1, 2}, .rank = 3, .size = 4});
  stream& worker = to.open_stream(stream_kind::worker, 0, "worker 0");
  const std::uint16_t gemm = to.codelet("gemm", deed::place::current());
  EXPECT_EQ(to.codelet("gemm", deed::place::current()), gemm + 1) << "another line";
  to.handle_registered({.handle = 5, .name = "A", .bytes = 2048, .i = 3, .j = 2});
  to.handle_registered({.handle = 6, .name = "v", .bytes = 24, .held = 8000});
  to.group_made(2, std::array{9, 0, 2, 4, 6, 7}, 1);
  worker.task_begin(77, gemm);
  worker.task_end(77, task_status::threw);
  worker.collective_call(4098, 5, 1);
  worker.collective_begin(4098, 5);
  worker.owner(5, 4, 0, 3, owner_cause::migrate_call, 9);
  to.close();
  const std::string read = babeltrace_text(folder.path());
  EXPECT_THAT(read, HasSubstr("task_begin: "));
  EXPECT_THAT(read, HasSubstr("{ task = 77, codelet = 0 }"));
  EXPECT_THAT(read, HasSubstr("{ task = 77, status = 1 }"));
  EXPECT_THAT(read, HasSubstr("{ handle = 5, version = 4, from = 0, to = 3, cause = 1, by = 9 }"));
  EXPECT_THAT(read, HasSubstr("held = 2048, name = \"A\""));
  EXPECT_THAT(read, HasSubstr("held = 8000, name = \"v\""));
  EXPECT_THAT(read, HasSubstr("{ id = 2, size = 6, loc = 1, members = \"9,0-6/2,7\" }"));
  EXPECT_THAT(read, HasSubstr("collective_call: "));
  EXPECT_THAT(read, HasSubstr("{ id = 4098, number = 5, loc = 1 }"));
  EXPECT_THAT(read, HasSubstr("{ id = 4098, number = 5 }"));
}

TEST(recorder, writes_an_error_of_a_handler_with_its_text_and_where_it_was) {
  const scratch_folder folder;
  recorder to(into(folder), {});
  stream& worker = to.open_stream(stream_kind::worker, 0);
  EXPECT_EQ(to.text("before"), 0u);
  ASSERT_TRUE(worker.last_error(201, 5, no_version, 77, "deed[D201] of a handler"));
  worker.add_backtrace(deed::call_stack::of_caller().addresses());
  EXPECT_EQ(to.text("after"), 2u) << "it took the number between";
  worker.stop_run(66, 0);
  to.close();
  const std::string read = babeltrace_text(folder.path());
  EXPECT_THAT(read, HasSubstr("code = 201, handle = 5, version = 4294967295, task = 77, "
                              "expected = 0, actual = 0, backtrace = 0, msg = 1 }"));
  EXPECT_THAT(read, HasSubstr("text = \"deed[D201] of a handler\""));
  EXPECT_THAT(read, HasSubstr("{ exit_code = 66, msg = 0 }"));
}

TEST(recorder, leaves_out_a_category_that_is_off) {
  const scratch_folder folder;
  auto options = into(folder);
  options.set("events", "task,xfer");
  recorder to(options, {});
  stream& worker = to.open_stream(stream_kind::worker, 0);
  EXPECT_TRUE(worker.enabled(category::transfer));
  EXPECT_FALSE(worker.enabled(category::wait));
  worker.wait_begin(wait_kind::all, 1, nothing);
  worker.task_begin(1, 1);
  worker.error(306, 1, 1, 1, 1, 1, nothing, nothing);
  to.close();
  const std::string read = babeltrace_text(folder.path());
  EXPECT_THAT(read, Not(HasSubstr("wait_begin")));
  EXPECT_THAT(read, HasSubstr("error: ")) << "errors are always on";
}

TEST(recorder, gives_equal_bytes_for_equal_runs_on_a_virtual_clock) {
  const scratch_folder one, two;
  for (const scratch_folder* folder : {&one, &two}) {
    const virtual_clock ticks;
    recorder to(into(*folder), {}, &ticks);
    stream& worker = to.open_stream(stream_kind::worker, 0);
    for (std::uint64_t n = 0; n < 20'000; ++n) write_event(worker, n);
    to.close();
    EXPECT_EQ(to.discarded(), 0u);
  }
  int compared = 0;
  for (const auto& file : files_below(one.path())) {
    if (file.ends_with("metadata")) continue;  // Names the process.
    EXPECT_EQ(file_text(one.path() + file), file_text(two.path() + file)) << file;
    ++compared;
  }
  EXPECT_GT(compared, 3);
}

TEST(recorder, counts_every_event_also_with_the_helper_thread) {
  const scratch_folder folder;
  recorder to(into(folder), {});
  constexpr std::uint64_t each = 50'000;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    stream& mine = to.open_stream(stream_kind::worker, i);
    threads.emplace_back([&mine] {
      for (std::uint64_t n = 0; n < each; ++n) write_event(mine, n);
    });
  }
  threads.clear();
  to.close();
  EXPECT_EQ(babeltrace_count(folder.path()) + to.discarded(), 3 * each);
}

TEST(recorder, keeps_the_last_three_quarters_of_a_ring) {
  const scratch_folder folder;
  auto options = into(folder);
  options.set("mode", "ring:1M");
  options.synchronous = true;
  recorder to(options, {});
  stream& worker = to.open_stream(stream_kind::worker, 0);
  constexpr std::uint64_t written = 200'000;  // 3.4 MB.
  int snapshots = 0;
  for (std::uint64_t n = 0; n < written; ++n) {
    worker.task_begin(n, 1);
    snapshots += worker.wants_snapshot() ? 1 : 0;
  }
  to.close();
  EXPECT_EQ(to.discarded(), 0u);
  EXPECT_GT(snapshots, 3);
  const std::uint64_t kept = babeltrace_count(folder.path());
  EXPECT_GT(kept, (768u << 10) / 17 * 9 / 10);
  EXPECT_LT(kept, (1100u << 10) / 17);
  EXPECT_THAT(babeltrace_text(folder.path()), HasSubstr("{ task = 199999, codelet = 1 }"));
}

// Its segments are one packet long: the helper thread is often behind.
TEST(recorder, loses_no_new_event_of_a_small_ring) {
  const scratch_folder folder;
  auto options = into(folder);
  options.set("mode", "ring:256K");
  options.set("packet", "64K");
  recorder to(options, {});
  constexpr std::uint64_t written = 200'000;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    stream& mine = to.open_stream(stream_kind::worker, i);
    threads.emplace_back([&mine] {
      for (std::uint64_t n = 0; n < written; ++n) mine.task_begin(n, 1);
    });
  }
  threads.clear();
  to.close();
  EXPECT_EQ(to.discarded(), 0u);
  EXPECT_GT(babeltrace_count(folder.path()), 3 * (192u << 10) / 17 * 9 / 10);
  const std::string text = babeltrace_text(folder.path());
  std::size_t newest = 0;
  for (std::size_t at = 0; (at = text.find("{ task = 199999,", at)) != std::string::npos; ++at)
    ++newest;
  EXPECT_EQ(newest, 3u);
}

TEST(recorder, goes_on_when_the_disk_is_full) {
  const scratch_folder folder;
  auto options = into(folder);
  options.synchronous = true;
  recorder to(options, {});
  stream& worker = to.open_stream(stream_kind::worker, 0);
  std::uint64_t written = 0;
  for (; written < 2'000; ++written) write_event(worker, written);
  std::filesystem::permissions(folder.path() + "/rank-000000", std::filesystem::perms::none);
  if (::access((folder.path() + "/rank-000000").c_str(), W_OK) == 0) {
    // Root may write anywhere: take the folder away instead.
    std::filesystem::rename(folder.path() + "/rank-000000", folder.path() + "/moved");
  }
  for (; written < 100'000; ++written) write_event(worker, written);
  EXPECT_GT(to.discarded(), 10'000u);
}

/// The metadata of a recording for which no packet can be made, and which ends by `end`.
template <class End>
std::string metadata_without_room(const End& end) {
  const scratch_folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit less_than_a_packet{48 << 10, 48 << 10};
    ::setrlimit(RLIMIT_FSIZE, &less_than_a_packet);
    recorder to(into(folder), {});
    stream& worker = to.open_stream(stream_kind::worker, 0);
    for (std::uint64_t n = 0; n < 500; ++n) write_event(worker, n);
    end(to);
    std::_Exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  std::ifstream file(folder.path() + "/rank-000000/metadata");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(recorder, counts_what_it_lost_where_no_packet_could_be_made) {
  const std::string closed = metadata_without_room([](recorder& to) { to.close(); });
  EXPECT_THAT(closed, HasSubstr("unplaced = \"00000000000000000501\"")) << "and the worker's name";
  EXPECT_THAT(closed, Not(HasSubstr("lost_from = \"00000000000000000000\"")));
}

TEST(recorder, says_since_when_it_lost_events_when_it_is_killed) {
  const std::string killed = metadata_without_room([](recorder&) { ::kill(::getpid(), SIGKILL); });
  EXPECT_THAT(killed, HasSubstr("unplaced = \"not counted         \""));
  EXPECT_THAT(killed, Not(HasSubstr("lost_from = \"00000000000000000000\"")));
}

// The child writes `total` events and is killed; the parent counts what is left.
void survives_a_kill(std::uint64_t total, bool synchronous) {
  const scratch_folder folder;
  auto* const shared = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = ::fork();
  if (child == 0) {
    auto options = into(folder);
    options.synchronous = synchronous;
    recorder to(options, {});
    stream& worker = to.open_stream(stream_kind::worker, 0);
    for (std::uint64_t n = 0; n < total; ++n) write_event(worker, n);
    shared->store(to.discarded());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(babeltrace_count(folder.path()) + shared->load(), total) << "at count " << total;
  ::munmap(shared, 4096);
}

TEST(recorder, loses_nothing_when_killed_at_any_count) {
  deed::random_source draw{11};
  for (int i = 0; i < 10; ++i) survives_a_kill(draw.below(8'000), true);
  for (int i = 0; i < 4; ++i) survives_a_kill(draw.below(40'000), false);
}

stream* interrupted = nullptr;  // Of a child: a handler is given nothing else.

/// A child records by `write(recorder, n)`, n = 0, 1, …, and gets `signal` when it has come to
/// `enough`; a `handler` ends it. @return how far it came.
template <class Write>
std::uint64_t recorded_until(int signal, void (*handler)(int), std::uint64_t enough,
                             const scratch_folder& folder, const Write& write) {
  auto* const written = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = ::fork();
  if (child == 0) {
    auto options = into(folder);
    options.synchronous = true;
    recorder to(options, {});
    interrupted = &to.open_stream(stream_kind::worker, 0);
    ::signal(signal, handler);
    for (std::uint64_t n = 0;; ++n) {
      write(to, n);
      written->store(n + 1, std::memory_order_release);
    }
  }
  while (written->load(std::memory_order_acquire) < enough) {
  }
  ::kill(child, signal);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status), handler != SIG_DFL);
  const std::uint64_t before = written->load();
  ::munmap(written, 4096);
  return before;
}

void write_to_it(recorder&, std::uint64_t n) { write_event(*interrupted, n); }

TEST(recorder, leaves_a_valid_trace_when_killed_at_any_instant) {
  deed::random_source draw{5};
  for (int i = 0; i < 8; ++i) {
    const scratch_folder folder;
    const std::uint64_t before =
        recorded_until(SIGKILL, SIG_DFL, 1 + draw.below(30'000), folder, write_to_it);
    const std::uint64_t read = babeltrace_count(folder.path());
    EXPECT_GE(read, before);
    EXPECT_LE(read, before + 1);
  }
}

/// The signal comes in the middle of an event, most times: that one never was.
TEST(recorder, ends_with_a_fatal_signal_whatever_it_interrupts) {
  const auto tell = [](int number) {
    interrupted->fatal_signal(static_cast<std::uint8_t>(number), 0);
    ::_exit(0);
  };
  deed::random_source draw{17};
  for (int i = 0; i < 40; ++i) {
    const scratch_folder folder;
    const std::uint64_t before =
        recorded_until(SIGABRT, tell, 1 + draw.below(12'000), folder, write_to_it);
    const std::uint64_t read = babeltrace_count(folder.path());
    EXPECT_GE(read, before + 1) << "the signal, and all that was written";
    EXPECT_LE(read, before + 2);
    EXPECT_THAT(output_of("babeltrace2 2>/dev/null " + folder.path() + " | tail -n 1"),
                HasSubstr("fatal_signal"));
  }
}

/// The signal comes while something is defined, most times: then there is no backtrace, and never
/// half of one.
TEST(recorder, has_a_backtrace_of_a_fatal_signal_unless_it_interrupts_a_definition) {
  const auto tell = [](int number) {
    const deed::call_stack here = deed::call_stack::of_caller();
    if (interrupted->fatal_signal(static_cast<std::uint8_t>(number), nothing,
                                  signal_cause::aborted))
      interrupted->add_backtrace(here.addresses());
    ::_exit(0);
  };
  deed::random_source draw{19};
  int known = 0;
  for (int i = 0; i < 20; ++i) {
    const scratch_folder folder;
    const bool defines = i % 2 == 0;
    recorded_until(SIGABRT, tell, 1 + draw.below(3'000), folder, [&](recorder& to, std::uint64_t) {
      if (defines) to.handle_registered({.handle = 1, .name = "of some length"});
    });
    const std::string read = output_of("babeltrace2 2>/dev/null " + folder.path());
    const bool has_it = read.find("backtrace: ") != std::string::npos;
    EXPECT_THAT(
        read, HasSubstr(has_it ? "{ signo = 6, backtrace = 0, cause = 6, address = 0 }"
                               : "{ signo = 6, backtrace = 4294967295, cause = 6, address = 0 }"));
    if (!defines) {
      EXPECT_TRUE(has_it) << "nothing was defined";
    }
    known += has_it ? 1 : 0;
  }
  EXPECT_GE(known, 10);
}

[[gnu::noinline]] deed::call_stack made_by_a_function_of_this_name() {
  deed::call_stack found = deed::call_stack::of_caller();
  asm volatile("" ::: "memory");
  return found;
}

[[gnu::noinline]] deed::call_stack caller_of_it() {
  deed::call_stack found = made_by_a_function_of_this_name();
  asm volatile("" ::: "memory");
  return found;
}

TEST(recorder, names_the_functions_of_a_backtrace) {
  const scratch_folder folder;
  recorder to(into(folder), {});
  const deed::call_stack here = caller_of_it();
  EXPECT_EQ(to.backtrace(here.addresses()), 0u);
  const int on_the_stack = 0;
  const void* const no_code[]{nullptr, &on_the_stack, here.addresses()[0]};
  EXPECT_EQ(to.backtrace(no_code), 1u);
  EXPECT_EQ(to.backtrace(deed::call_stack().addresses()), nothing);
  to.close();
  EXPECT_EQ(to.backtrace(here.addresses()), nothing);
  const std::string read = babeltrace_text(folder.path());
  EXPECT_THAT(read, testing::ContainsRegex("id = 0, frames = \"trace_test\\+0x[0-9a-f]+ "
                                           "\\([A-Za-z0-9_]*caller_of_it[A-Za-z0-9_]*\\+0x"));
  EXPECT_THAT(read, testing::ContainsRegex("id = 1, frames = \"0x0.ntrace_test\\+0x[0-9a-f]+ "))
      << "of what is no code, the first alone";
}

/// One that was built anew since it was loaded has other functions at these places.
TEST(symbol_file, names_nothing_of_another_file) {
  constexpr const char* self = "/proc/self/exe";
  detail::symbol_file other(self, 1);
  EXPECT_EQ(other.find(1).name, "");
  detail::symbol_file none("/dev/null/file", 0), text("/proc/self/status", 0);
  EXPECT_EQ(none.find(1).name, "");
  EXPECT_EQ(text.find(1).name, "");
}

TEST(recorder_options, refuses_what_it_does_not_know_and_changes_nothing) {
  recorder_options options;
  options.set("packet", "1M");
  EXPECT_EQ(options.packet_bytes, std::size_t{1} << 20);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"packet", "100K"},
                                                        {"packet", "64"},
                                                        {"mode", "loop"},
                                                        {"events", "task,tusk"},
                                                        {"io", "tape"},
                                                        {"sync", "5"},
                                                        {"sync", "0s"},
                                                        {"sync", "-1s"},
                                                        {"x", "1"}}) {
    try {
      options.set(name, value);
      ADD_FAILURE() << name << " took " << value;
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::bad_setting);
    }
  }
  EXPECT_EQ(options.packet_bytes, std::size_t{1} << 20);
  EXPECT_EQ(options.mode, recording::full);
  EXPECT_EQ(options.io, packet_place::folder);
  options.set("sync", "5s");
  EXPECT_EQ(options.sync, std::chrono::seconds(5));
  options.set("sync", "250ms");
  EXPECT_EQ(options.sync, std::chrono::milliseconds(250));
}

TEST(recorder, says_what_to_do_where_its_folder_cannot_be_made) {
  recorder_options options;
  options.path = "/dev/null/run";
  try {
    const recorder refused(options, run_identity{});
    ADD_FAILURE() << "a folder in a file";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::cannot_write);
    EXPECT_THAT(refused.what(), testing::HasSubstr("name another folder"));
  }
}

TEST(recorder, says_why_its_folder_cannot_be_made) {
  for (const std::string path : {"/dev/null/run", "/sys/run"}) {
    ASSERT_NE(::mkdir(path.c_str(), 0700), 0) << path;
    const std::string why = std::strerror(errno);
    recorder_options options;
    options.path = path;
    try {
      const recorder refused(options, run_identity{});
      ADD_FAILURE() << "a folder " << path;
    } catch (const deed::error& refused) {
      EXPECT_THAT(refused.what(), testing::HasSubstr(why));
    }
  }
}

TEST(recorder, leaves_no_memory_where_it_is_refused) {
  recorder_options options;
  options.path = "/dev/null/run";
  options.set("io", "shm");
  EXPECT_THROW(const recorder refused(options, {.run_id = {9, 10}}), deed::error);
  EXPECT_FALSE(path_taken("/dev/shm/deed-0000000000000009000000000000000a-" + hex_of_process()));
}

TEST(recorder, has_a_path_for_one_run) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/new/run";
  EXPECT_FALSE(path_taken(path));
  EXPECT_TRUE(take_path(path));
  EXPECT_FALSE(take_path(path));  // A session that looked at the same time.
  EXPECT_TRUE(path_taken(path));
}

class set_clock final : public deed::clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override { return at; }
  std::chrono::nanoseconds at{};
};

// Of a stamp an event has 48 bits, three days and six hours of nanoseconds.
TEST(recorder, stamps_are_told_apart_after_days_of_silence) {
  const scratch_folder folder;
  set_clock clock;
  auto options = into(folder);
  options.synchronous = true;
  recorder to(options, {}, &clock);
  stream& worker = to.open_stream(stream_kind::worker, 0);
  std::uint64_t task = 0;
  for (const int hours : {1, 39, 79, 90, 400, 401}) {
    clock.at = std::chrono::hours{hours};
    worker.task_begin(++task, 1);
  }
  clock.at = std::chrono::hours{2};  // A clock that goes back does not.
  worker.task_begin(no_task, 1);
  to.close();
  const std::string read = output_of("babeltrace2 --clock-seconds " + folder.path());
  for (const char* const each :
       {"[3600.000000000]", "[140400.000000000]", "[284400.000000000]", "[324000.000000000]",
        "[1440000.000000000]", "[1443600.000000000] (+0.000000000)"})
    EXPECT_THAT(read, HasSubstr(each));
  EXPECT_THAT(read, HasSubstr("{ task = 281474976710655, codelet = 1 }")) << "none, of six bytes";
}

TEST(recorder, names_the_version_that_a_task_waited_for) {
  const scratch_folder folder;
  recorder to(into(folder), {});
  constexpr std::uint64_t datum = 70'000, version = 5;  // More than 2^16 of them.
  to.open_stream(stream_kind::worker, 0)
      .task_ready(1, ready_cause::transfer, datum << 32 | version);
  to.close();
  EXPECT_THAT(babeltrace_text(folder.path()), HasSubstr("cause_id = 300647710720005 }"));
}

class each_way : public testing::TestWithParam<const char*> {};

// Segments that are done with are copied while others are written; a ring removes both.
TEST_P(each_way, gives_the_same_files_in_shared_memory_as_in_the_folder) {
  const scratch_folder one, two;
  for (const scratch_folder* folder : {&one, &two}) {
    const virtual_clock ticks;
    auto options = into(*folder);
    options.set("mode", GetParam());
    if (folder == &two) options.set("io", "shm");
    recorder to(options, {.run_id = {7, 8}}, &ticks);
    stream& worker = to.open_stream(stream_kind::worker, 0);
    for (std::uint64_t n = 0; n < 60'000; ++n) write_event(worker, n);
    to.close();
  }
  EXPECT_EQ(babeltrace_text(one.path()), babeltrace_text(two.path()));
  EXPECT_FALSE(path_taken("/dev/shm/deed-00000000000000070000000000000008-" + hex_of_process()));
}

INSTANTIATE_TEST_SUITE_P(recorder, each_way, testing::Values("full", "ring:512K"));

TEST(recorder, brings_to_the_disk_while_it_records) {
  const scratch_folder folder;
  auto options = into(folder);
  options.set("sync", "1ms");
  recorder to(options, {});
  stream& worker = to.open_stream(stream_kind::worker, 0);
  for (std::uint64_t n = 0; n < 200'000; ++n) write_event(worker, n);
  to.close();
  EXPECT_GT(babeltrace_text(folder.path()).size(), 0u);
}

}  // namespace
