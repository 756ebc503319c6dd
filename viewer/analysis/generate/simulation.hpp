// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/base/random.hpp>

#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// The run that the generator makes up: ranks, tiles, their copies, and what goes wrong.

namespace deed::viewer {

inline constexpr std::uint64_t tile_bytes = 200 * 200 * 8;

enum class made_kernel : std::uint8_t { potrf, trsm, syrk, gemm, smooth, pass };
inline constexpr std::size_t made_kernels = 6;
inline constexpr std::array<const char*, made_kernels> made_kernel_names{"potrf", "trsm",   "syrk",
                                                                         "gemm",  "smooth", "pass"};

/// A program that is made up, apart from what it computes in which order.
struct made_program {
  const char* data;  ///< The name of its tiles.
  const char* step;  ///< What it does again and again.
  std::vector<made_kernel> kernels;
};
[[nodiscard]] const made_program& program_of(made_app app);

struct made_copy {
  std::int64_t available = -1;  ///< -1: no copy.
  std::int64_t last_use = 0;
  std::uint32_t version = 0;
  std::int64_t asked = -1;  ///< When its transfer was asked for; -1: it was not sent.
};

/// When a version was there for a task, and when the transfer that brought it was asked for; -1: it
/// was not sent.
struct made_arrival {
  std::int64_t at = -1, asked = -1;
};

struct made_task {
  std::uint64_t number = 0;
  int rank = 0;
  std::int64_t submitted = 0, begin = 0, end = 0;
  /// What it had to wait for last: a transfer that was asked for, or the task that wrote it here.
  std::int64_t came = -1, asked = -1;
  std::uint64_t writer = trace::no_task;
};

/// What a worker that ran a task does until it says what it waits for, or runs the next: it looks
/// for one. One that never said what it does may do anything.
struct made_worker {
  bool says = false;
  std::int64_t looks_since = -1;  ///< -1: it does not.
};

/// A wait of all programs for all tasks.
struct made_wait {
  std::int64_t begin = 0, end = 0;
  std::uint64_t last_task = trace::no_task;
};

struct made_tile {
  int i = 0;
  int j = 0;
  int owner = 0;
  std::uint32_t version = 0;
  std::vector<made_copy> copies;  ///< By rank.
  std::uint64_t writer = trace::no_task;
  int writer_rank = -1;
};

/// Where the program that is made up registers, submits, waits.
struct made_lines {
  place kernels, registration, flush, wait, borrow, migrate, release;
  std::array<place, made_kernels> submit;  ///< By kernel.
};
[[nodiscard]] made_lines lines_of_the_program();

class simulation {
 public:
  /// `links`: those that may be slow; none: any.
  explicit simulation(const generator_options& options,
                      std::optional<std::set<std::pair<int, int>>> links = {})
      : options_(options),
        links_(std::move(links)),
        program_(program_of(options.app)),
        draw_(mix(options.seed, 77)),
        log_(options.path, options.ranks, options.workers, options.seed),
        left_(options.inject),
        worker_free_(static_cast<std::size_t>(options.ranks * options.workers)),
        workers_(worker_free_.size()),
        sends_until_(static_cast<std::size_t>(options.ranks)) {
    define();
  }

  truth run();
  /// Of what ran: `truth` names each link that is slow.
  [[nodiscard]] bool tells_its_links() const;
  /// By which enough messages go both ways, so that the link can be told to be slow.
  [[nodiscard]] static std::set<std::pair<int, int>> busy_links(const truth& of);

 private:
  void define();
  void lay_out();
  void add_tile(int i, int j, int owner);
  void compute();
  void factorise();
  void sweep();
  void go_round();
  void begin_epoch();
  void end_epoch();
  void insert(made_kernel what, std::uint32_t written, const std::vector<std::uint32_t>& read);
  made_arrival fetch(std::uint32_t handle, int to, std::uint64_t for_task, std::int64_t submitted);
  std::int64_t send(std::uint32_t handle, int from, int to, std::uint64_t for_task,
                    std::int64_t asked, trace::transfer_reason reason);
  std::int64_t migrate(std::uint32_t handle, int to, std::int64_t asked);
  void invalidate(std::uint32_t handle, std::uint64_t by, int executor);

  [[nodiscard]] std::uint64_t ledger_digest() const;
  void ran(const made_task& what, int worker, std::size_t kernel);
  void says(int rank, int worker, trace::worker_state state, std::int64_t from, std::int64_t to);
  void looked(int rank, int worker, std::int64_t until);
  void look_until_the_end();
  void came(made_task& to, std::uint32_t handle, const made_arrival& read);
  [[nodiscard]] std::vector<known_step> critical_path() const;

  void choose_slow_links();
  void tell_slow_links();
  [[nodiscard]] bool needs_messages();
  void inject_at_end();
  std::optional<std::uint32_t> unspoilt_tile();
  template <class Make>
  void inject_each(const char* fault, Make&& make);
  std::int64_t run_alone(std::uint32_t h, int rank, trace::access_kind mode,
                         std::int64_t submitted);
  bool two_owners(std::uint32_t h);
  bool borrow_leak(std::uint32_t h);
  bool unheld_send(std::uint32_t h);
  bool use_after_release(std::uint32_t h);
  bool pending_read(std::uint32_t h);
  void divergent_submit();
  bool lost_receive(std::uint32_t h);
  bool ping_pong(std::uint32_t h);
  bool unused_prefetch(std::uint32_t h);
  void deadlock();
  void damage();
  void set_clocks();
  void compare_clocks(std::int64_t at);
  void lose_ranks(std::vector<int>& present);
  void damage_file(const char* fault, int rank, const std::string& name);
  [[nodiscard]] double amount_of(const std::string& fault, double drawn) const;
  [[nodiscard]] std::size_t event_at(const std::string& fault, std::size_t count) const;

  bool wants(const char* fault) {
    const auto at = left_.find(fault);
    return at != left_.end() && at->second > 0;
  }
  // A few chances are let pass, so that faults spread over the run.
  bool strikes(const char* fault) { return wants(fault) && draw_.one_in(4); }
  void struck(const char* fault, std::uint32_t handle, std::uint32_t version, int src, int dst,
              std::int64_t at) {
    --left_[fault];
    truth_.faults.push_back({fault, handle, version, src, dst, at, {}, 0});
  }
  void count_message(int from, int to, bool in_vain) {
    sent_messages& pair = truth_.comm_matrix[{from, to}];
    ++pair.messages;
    pair.bytes += tile_bytes;
    if (in_vain) pair.redundant += tile_bytes;
  }
  std::uint32_t id(int i, int j) const { return static_cast<std::uint32_t>(i * (i + 1) / 2 + j); }
  made_worker& worker_of(int rank, int worker) {
    return workers_[static_cast<std::size_t>(rank * options_.workers + worker)];
  }
  made_copy& copy_of(std::uint32_t handle, int rank) {
    return tiles_[handle].copies[static_cast<std::size_t>(rank)];
  }

  generator_options options_;
  std::optional<std::set<std::pair<int, int>>> links_;  // The lower rank first.
  const made_program& program_;
  random_source draw_;
  event_log log_;
  std::map<std::string, int> left_;
  std::vector<made_tile> tiles_;
  std::vector<std::int64_t> worker_free_;
  std::vector<made_worker> workers_;
  std::vector<std::int64_t> sends_until_;
  std::array<std::uint16_t, made_kernels> codelets_{};
  std::array<std::uint32_t, made_kernels> lines_{};
  std::uint32_t flush_line_ = 0, wait_line_ = 0, borrow_line_ = 0, register_line_ = 0,
                migrate_line_ = 0, step_ = 0;
  std::set<std::pair<int, int>> slow_links_;  // The lower rank first.
  std::set<std::uint32_t> spoilt_;  // Tiles with a fault: one fault per tile keeps causes apart.
  std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, std::uint16_t> sequence_;
  std::uint64_t comparisons_ = 0;
  std::uint64_t next_task_ = 1;
  std::vector<made_task> ran_;                // By number, from 1 on.
  std::uint64_t last_task_ = trace::no_task;  // Of those that ran, the last to end.
  std::vector<made_wait> waits_;
  std::uint64_t epoch_ = 0;
  std::int64_t submitted_ = 1'000;
  std::int64_t latest_ = 0;
  std::int64_t fault_at_ = 0;  // When the next fault after the factorisation is.
  truth truth_;
};

}  // namespace deed::viewer
