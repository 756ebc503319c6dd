// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/access_mode.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// A random program, drawn before it runs. It is text, so that it can be kept, run again and
/// shrunk.

namespace oracle {

using deed::access_mode;

enum class form : std::uint8_t { number, list, record, tile };

/// A datum of a plan. Its index in `plan::data` is its name: `d3`.
struct datum {
  form is = form::number;
  int owner = 0;       ///< -1: one on every rank.
  bool given = true;   ///< Registered with a value.
  bool large = false;  ///< Its values cross the eager limit.
  std::optional<std::uint64_t> tag{};
  int rows = 0;  ///< Of a tile that is a part, or of a huge one; 0: as large as tiles are.
  friend bool operator==(const datum&, const datum&) = default;
};

struct use {
  int datum = 0;
  access_mode mode = access_mode::read;
};

enum class verb : std::uint8_t {
  add,
  end,
  task,
  prepare,
  submit,
  copy,
  take,
  group,
  observe,
  message,
  fetch,
  prefer,
  expect,
  migrate,
  flush,
  cache,
  read,
  write,
  collective,
  gather_list,
  scatter_list,
  partition,
  unite,
  wait,
  await,
  barrier,
  repeat,
  again
};
enum class placed : std::uint8_t { by_rule, on_rank, with_owner, on_each };
/// How both ends of a message are called.
enum class called : std::uint8_t { plain, requested, synchronous, with_callback };
enum class together : std::uint8_t {
  broadcast,
  all_gather,
  all_reduce,
  gather,
  scatter,
  reduce,
  all_to_all
};

/// One step of the sequence, as all ranks see it.
struct step {
  verb what = verb::wait;
  /// add, end, take, fetch, prefer, expect, migrate, flush, read, write, await; message: the
  /// sender's; collective: given; copy: read; group: its number; partition, unite: the whole.
  int datum = 0;
  /// read, write, await, observe: where; expect: how many readers; fetch: to whom, -1: all;
  /// migrate: the new owner; message: the sender; flush: -1: all data; cache: 1: on, 0: off;
  /// broadcast, lists: the root; prefer: the sender; repeat: how often what follows is done, up to
  /// `again`.
  int rank = 0;

  int task = 0;  ///< task, prepare, submit: its number, for its kernel.
  placed where = placed::by_rule;
  /// task: the rank or the datum of `where`; message: the receiver's datum; collective: taken;
  /// copy: written; observe: 1: from now on, 0: no more.
  int target = 0;
  bool pruned = false;      ///< task: ranks that take no part leave it out.
  bool typed = false;       ///< task: through the typed interface.
  bool listed = false;      ///< task: through the typed interface, its data in three lists.
  bool gated = false;       ///< task: behind a gate, opens another, and calls back.
  std::vector<use> uses{};  ///< task; lists; partition, unite: the parts.
  /// task on per-rank data: who inserts it; on each: where it runs; group: its members; partition:
  /// who owns the parts.
  std::vector<int> ranks{};
  int receiver = 0;                     ///< message
  int group = -1;                       ///< message, collective: of its ranks; -1: of all.
  bool among = false;                   ///< collective: the root may be outside of the group.
  std::uint64_t tag = 0;                ///< message
  called how = called::plain;           ///< message; fetch to one rank
  together kind = together::broadcast;  ///< collective
  int held = 0;                         ///< read: for how many more steps the borrow lives.
};

/// How urgent a task is: some are, or may wait. It changes when they run, and no value.
[[nodiscard]] inline int urgency_of(const step& task) noexcept {
  return task.task % 4 != 0 || task.typed ? 0 : task.task % 3 - 1;
}

/// How a run is made hard: fixed before it starts, too.
struct settings {
  int ranks = 1;
  std::uint64_t seed = 1;  ///< Of orders and delays.
  std::size_t window = 4096;
  std::size_t frame = 8192;                 ///< Bytes of a frame, so of an eager message, at most.
  std::size_t bulk = std::size_t{1} << 28;  ///< Bytes of a chunk of a large message, at most.
  std::uint64_t delay_one_in = 0;
  int workers = 1;               ///< Of a rank that is a thread.
  bool by_time = false;          ///< Messages arrive in the order of their time.
  bool cache = true;             ///< Copies are kept at the start.
  std::uint64_t budget = 0;      ///< Bytes of copies on a rank; 0: no limit.
  int devices = 0;               ///< Emulated ones, of each rank.
  std::size_t device_bytes = 0;  ///< Memory of each.
  bool direct = false;           ///< The network says that it reads that memory.
};

struct plan {
  settings how;
  std::vector<datum> data;
  std::vector<step> steps;

  [[nodiscard]] std::size_t tasks() const noexcept;
};

/// Whether `s.datum` names a datum.
[[nodiscard]] bool names_datum(const step& s) noexcept;
/// Whether its `target` is a datum.
[[nodiscard]] bool names_target(const step& s) noexcept;
/// The `again` that belongs to the `repeat` at `first`.
[[nodiscard]] std::size_t end_of_repetition(const plan& program, std::size_t first);
/// How many data it makes.
[[nodiscard]] std::size_t makes(const step& s) noexcept;
/// Whether it has a kernel and uses: a task, or a task in two steps.
[[nodiscard]] inline bool is_task(const step& s) noexcept {
  return s.what == verb::task || s.what == verb::prepare;
}

[[nodiscard]] std::string to_string(const plan& program);
[[nodiscard]] std::string to_string(const plan& program, const step& what);
/// @throws std::runtime_error that names the line, if the text is no plan.
[[nodiscard]] plan parse(std::string_view text);

}  // namespace oracle
