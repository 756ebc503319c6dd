// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/model.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

/// @file
/// Runs that a test writes by hand, event by event, and opens.

namespace deed::viewer {

inline constexpr int app = event_log::application, net = event_log::progress,
                     worker = event_log::first_worker;
inline constexpr std::uint64_t send = 0, receive = 1;
inline constexpr std::uint64_t fetch_wait = 1;
inline constexpr std::uint64_t read_it = 0, write_it = 1;
inline constexpr std::uint64_t nobody = ~std::uint64_t{0};

/// How the ranks of a run left their recording: ended, or not, with a process that is gone or one
/// that goes on.
enum class left { closed, killed, recorded };

/// A recording that is opened.
class opened {
 public:
  opened(const scratch_folder& folder, event_log& log, left how = left::closed)
      : events_(path_of(folder, log, how)), things_(events_) {}
  [[nodiscard]] const run& events() const { return events_; }
  [[nodiscard]] const model& things() const { return things_; }

 private:
  static void replace(std::string& text, const std::string& was, const std::string& by) {
    text.replace(text.find(was), was.size(), by);
  }
  /// Only of ranks that are processes one can be killed.
  static void make_real(const std::filesystem::path& rank, left how) {
    std::ifstream in(rank / "metadata");
    std::string text(std::istreambuf_iterator<char>(in), {});
    replace(text, "clock_kind = \"virtual\"", "clock_kind = \"tsc\"");
    const std::string more_than_any = "999999999";
    if (how == left::killed)
      replace(text, "pid = " + std::to_string(::getpid()), "pid = " + more_than_any);
    std::ofstream(rank / "metadata") << text;
  }
  static std::string path_of(const scratch_folder& folder, event_log& log, left how) {
    std::string path = folder.path() + "/run.deed";
    if (how != left::closed) {
      log.flush();
      std::filesystem::copy(path, folder.path() + "/killed.deed",
                            std::filesystem::copy_options::recursive);
      path = folder.path() + "/killed.deed";
      for (const auto& each : std::filesystem::directory_iterator(path))
        make_real(each.path(), how);
    }
    log.close();
    return path;
  }
  run events_;
  model things_;
};

/// Of a run that was closed: as if DEED_TRACE_EVENTS had left out a category.
inline void leave_out(const std::string& path, const std::string& category) {
  for (const auto& each : std::filesystem::directory_iterator(path)) {
    const std::filesystem::path file = each.path() / "metadata";
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::size_t list = text.find("events = \""), at = text.find(category, list);
    ASSERT_TRUE(list != std::string::npos && at < text.find('\n', list)) << category;
    std::ofstream(file) << text.replace(at, category.size(), "-");
  }
}

inline std::string text_of(const answer& said) { return render(said, style::text, {}, 1'000); }

struct way {
  std::int64_t asked, left, looked, came;  // `looked` -1: not recorded.
};

/// A datum of rank 1 that goes to rank 0, for a task.
inline void write_transfer(event_log& log, std::uint64_t handle, std::uint64_t seq,
                           std::uint64_t task, const way& when) {
  log.add(when.asked, 0, app, record::xfer_post, {receive, handle, 0, 1, seq, 24, handle, 0, task});
  log.add(when.left - 1, 1, app, record::xfer_post, {send, handle, 0, 0, seq, 24, handle, 0, task});
  log.add(when.left, 1, net, record::xfer_start, {handle, 0, 0, seq, send, handle});
  if (when.looked >= 0)
    log.add(when.looked, 0, app, record::xfer_start, {handle, 0, 1, seq, receive, handle});
  log.add(when.came, 0, app, record::xfer_done, {handle, 0, 1, seq, receive, handle});
}

inline void write_task(event_log& log, std::uint64_t number, std::uint64_t reads,
                       std::int64_t begin, std::int64_t end) {
  log.add(500, 0, app, record::task_submit, {number, 0, 0, 0, 0, 1});
  log.add(500, 0, app, record::task_access, {number, 0, reads, read_it, 0, 0});
  log.add(begin, 0, app, record::task_begin, {number, 0});
  log.add(end, 0, app, record::task_end, {number, 0});
}

inline void register_two(event_log& log) {
  for (const std::uint32_t handle : {0u, 1u})
    log.rank(1).handle_registered(
        {.handle = handle, .name = handle == 0 ? "weights" : "other", .bytes = 24, .home_rank = 1});
}

/// What the threads of a rank that run tasks did, and for how long.
inline std::map<std::string, std::int64_t> parts_of_rank(const model& m, int rank,
                                                         const run_part& part = {}) {
  std::map<std::string, std::int64_t> found;
  for (const worker_time& each : shares(m, part).workers)
    if (m.events().lanes()[each.lane].rank == rank)
      for (const auto& [what, time] : each.parts) found[what] += time;
  return found;
}

/// Rank 0: a writes x, b reads it; rank 1: c reads it, too.
inline void write_three_tasks(event_log& log) {
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  const auto insert = [&](int rank, std::uint64_t number, std::uint64_t mode,
                          std::uint64_t version) {
    log.add(1, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(1, rank, app, record::task_access,
            {number, 0, 0, mode, version, mode == write_it ? version + 1 : version});
  };
  insert(0, 0, write_it, 0);
  insert(0, 1, read_it, 1);
  insert(1, 2, read_it, 1);
  const auto run_it = [&](int rank, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    log.add(begin, rank, worker, record::task_begin, {number, 0});
    log.add(end, rank, worker, record::task_end, {number, 0});
  };
  run_it(0, 0, 1'000, 101'000);
  run_it(0, 1, 121'000, 151'000);
  run_it(1, 2, 301'000, 401'000);
  log.add(101'000, 0, net, record::xfer_post, {send, 0, 1, 1, 0, 24, 0, 0, ~0ull});
  log.add(151'000, 0, net, record::xfer_start, {0, 1, 1, 0, send, 0});
  log.add(2'000, 1, net, record::xfer_post, {receive, 0, 1, 0, 0, 24, 0, 0, 2});
  log.add(251'000, 1, net, record::xfer_done, {0, 1, 0, 0, receive, 0});
}

}  // namespace deed::viewer
