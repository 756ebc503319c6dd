// SPDX-License-Identifier: MIT
#include "analysis/generate/generate.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/generate/event_log.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <source_location>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

using namespace trace;

constexpr std::uint32_t no_loc = ~std::uint32_t{0};
constexpr std::int64_t submit_cost = 400, latency = 2'000;
constexpr std::uint64_t tile_bytes = 200 * 200 * 8;
constexpr std::int64_t bytes_per_us = 10'000;  // 10 GB/s

enum class kernel : std::uint8_t { potrf, trsm, syrk, gemm };
constexpr std::array<const char*, 4> kernel_names{"potrf", "trsm", "syrk", "gemm"};
constexpr std::array<std::int64_t, 4> kernel_times{40'000, 60'000, 60'000, 100'000};

struct copy {
  std::int64_t available = -1;  // -1: no copy.
  std::int64_t last_use = 0;
  std::uint32_t version = 0;
};

struct tile {
  int i = 0;
  int j = 0;
  int owner = 0;
  std::uint32_t version = 0;
  std::vector<copy> copies;
  std::uint64_t writer = no_task;
  int writer_rank = -1;
};

class simulation {
 public:
  explicit simulation(const generator_options& options)
      : options_(options),
        draw_(mix(options.seed, 77)),
        log_(options.path, options.ranks, options.workers, options.seed),
        left_(options.inject),
        worker_free_(static_cast<std::size_t>(options.ranks * options.workers)),
        sends_until_(static_cast<std::size_t>(options.ranks)) {
    define();
  }

  truth run();

 private:
  void define();
  void factorise();
  void begin_epoch();
  void end_epoch();
  void insert(kernel what, std::uint32_t written, const std::vector<std::uint32_t>& read);
  std::int64_t fetch(std::uint32_t handle, int to, std::uint64_t for_task, std::int64_t submitted);
  std::int64_t send(std::uint32_t handle, int from, int to, std::uint64_t for_task,
                    std::int64_t asked, transfer_reason reason);
  void invalidate(std::uint32_t handle, std::uint64_t by, int executor);
  void inject_at_end();
  void deadlock();

  bool wants(const char* fault) {
    const auto at = left_.find(fault);
    return at != left_.end() && at->second > 0;
  }
  // A few chances are let pass, so that faults spread over the run.
  bool strikes(const char* fault) { return wants(fault) && draw_.one_in(4); }
  void struck(const char* fault, std::uint32_t handle, std::uint32_t version, int src, int dst,
              std::int64_t at) {
    --left_[fault];
    truth_.faults.push_back({fault, handle, version, src, dst, at});
  }
  std::uint32_t id(int i, int j) const { return static_cast<std::uint32_t>(i * (i + 1) / 2 + j); }
  copy& copy_of(std::uint32_t handle, int rank) {
    return tiles_[handle].copies[static_cast<std::size_t>(rank)];
  }

  generator_options options_;
  random_source draw_;
  event_log log_;
  std::map<std::string, int> left_;
  std::vector<tile> tiles_;
  std::vector<std::int64_t> worker_free_;
  std::vector<std::int64_t> sends_until_;
  std::array<std::uint16_t, 4> codelets_{};
  std::array<std::uint32_t, 4> lines_{};
  std::uint32_t flush_line_ = 0, wait_line_ = 0, borrow_line_ = 0, register_line_ = 0,
                migrate_line_ = 0, step_ = 0;
  std::set<std::uint32_t> spoilt_;  // Tiles with a fault: one fault per tile keeps causes apart.
  std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, std::uint16_t> sequence_;
  std::uint64_t next_task_ = 1;
  std::uint64_t epoch_ = 0;
  std::int64_t submitted_ = 1'000;
  std::int64_t latest_ = 0;
  truth truth_;
};

void simulation::define() {
  for (int i = 0; i < options_.tiles; ++i)
    for (int j = 0; j <= i; ++j) {
      tile t{i, j, 0, 0, std::vector<copy>(static_cast<std::size_t>(options_.ranks)), no_task, -1};
      t.owner = (i + 2 * j) % options_.ranks;
      t.copies[static_cast<std::size_t>(t.owner)] = {0, 0, 0};
      tiles_.push_back(std::move(t));
    }
  // Lines of this file stand for lines of a program.
  for (int rank = 0; rank < options_.ranks; ++rank) {
    recorder& to = log_.rank(rank);
    for (std::size_t k = 0; k < kernel_names.size(); ++k)
      codelets_[k] = to.codelet(kernel_names[k], place::current());
    register_line_ = to.location(place::current());
    flush_line_ = to.location(place::current());
    wait_line_ = to.location(place::current());
    borrow_line_ = to.location(place::current());
    migrate_line_ = to.location(place::current());
    lines_[0] = to.location(place::current());
    lines_[1] = to.location(place::current());
    lines_[2] = to.location(place::current());
    lines_[3] = to.location(place::current());
    step_ = to.text("factorisation");
    for (const tile& t : tiles_)
      to.handle_registered({.handle = id(t.i, t.j),
                            .name = "A",
                            .bytes = tile_bytes,
                            .i = t.i,
                            .j = t.j,
                            .home_rank = static_cast<std::uint32_t>(t.owner),
                            .tag = id(t.i, t.j),
                            .parent = nothing,
                            .loc = register_line_});
  }
}

std::int64_t simulation::send(std::uint32_t handle, int from, int to, std::uint64_t for_task,
                              std::int64_t asked, transfer_reason reason) {
  const std::uint32_t version = tiles_[handle].version;
  const std::uint16_t seq = sequence_[{handle, version, from, to}]++;
  const auto f = static_cast<std::uint64_t>(from), t = static_cast<std::uint64_t>(to);
  std::int64_t& busy = sends_until_[static_cast<std::size_t>(from)];
  const std::int64_t ready = std::max(copy_of(handle, from).available, asked);
  const std::int64_t start = std::max({ready, busy, asked + 200});
  const auto wire = static_cast<std::int64_t>(tile_bytes) * 1'000 / bytes_per_us;
  busy = start + wire;
  const std::int64_t arrived = start + wire + latency;
  const auto why = static_cast<std::uint64_t>(reason);
  constexpr int comm = event_log::progress;
  const std::uint64_t send_dir = 0, receive_dir = 1;
  log_.add(asked, to, comm, record::xfer_post,
           {receive_dir, handle, version, f, seq, tile_bytes, handle, why, for_task});
  log_.add(asked + 100, from, comm, record::xfer_post,
           {send_dir, handle, version, t, seq, tile_bytes, handle, why, no_task});
  log_.add(start, from, comm, record::xfer_start, {handle, version, t, seq, send_dir});
  log_.add(start + wire, from, comm, record::xfer_done, {handle, version, t, seq, send_dir});
  log_.add(arrived, to, comm, record::xfer_done, {handle, version, f, seq, receive_dir});
  copy& source = copy_of(handle, from);
  source.last_use = std::max(source.last_use, start + wire);
  ++truth_.transfers;
  truth_.bytes += tile_bytes;
  latest_ = std::max(latest_, arrived);
  return arrived;
}

// When the current version is at `to`; sends it if it is not on its way.
std::int64_t simulation::fetch(std::uint32_t handle, int to, std::uint64_t for_task,
                               std::int64_t submitted) {
  tile& t = tiles_[handle];
  copy& mine = copy_of(handle, to);
  if (to == t.owner) return mine.available;
  const auto owner = static_cast<std::uint64_t>(t.owner);
  constexpr int comm = event_log::progress;
  bool held = mine.available >= 0 && mine.version == t.version;
  lookup_result result = held             ? lookup_result::hit
                         : t.version == 0 ? lookup_result::miss_cold
                                          : lookup_result::miss_version;
  if (held && !spoilt_.contains(handle)) {
    for (const auto& [fault, cause] : {std::pair{"dup_flush", drop_cause::flush_call},
                                       std::pair{"dup_capacity", drop_cause::capacity}}) {
      if (!held || !strikes(fault)) continue;
      const std::int64_t at = std::max(mine.available, mine.last_use) + 50;
      log_.add(at, to, comm, record::cache_drop,
               {handle, t.version, owner, static_cast<std::uint64_t>(cause), flush_line_});
      held = false;
      mine.available = -1;
      submitted = std::max(submitted, at + 100);
      result = cause == drop_cause::capacity ? lookup_result::miss_capacity
                                             : lookup_result::miss_dropped;
      spoilt_.insert(handle);
      struck(fault, handle, t.version, t.owner, to, at);
    }
    if (held && mine.available > submitted + 500 && strikes("dup_race")) {
      const std::int64_t arrived =
          send(handle, t.owner, to, for_task, submitted, transfer_reason::task);
      spoilt_.insert(handle);
      struck("dup_race", handle, t.version, t.owner, to, submitted);
      return std::max(mine.available, arrived);
    }
  }
  log_.add(submitted, to, comm, record::cache_lookup,
           {handle, t.version, static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(result),
            for_task});
  if (held) return mine.available;
  mine = {send(handle, t.owner, to, for_task, submitted, transfer_reason::task), 0, t.version};
  log_.add(mine.available + 1, to, comm, record::cache_insert, {handle, t.version, owner});
  return mine.available;
}

void simulation::invalidate(std::uint32_t handle, std::uint64_t by, int executor) {
  tile& t = tiles_[handle];
  for (int rank = 0; rank < options_.ranks; ++rank) {
    copy& held = copy_of(handle, rank);
    if (rank == executor || held.available < 0) continue;
    log_.add(std::max({held.available + 2, held.last_use, submitted_}), rank, event_log::progress,
             record::cache_drop,
             {handle, held.version, static_cast<std::uint64_t>(t.owner), 0, by});
    held = {};
  }
}

void simulation::insert(kernel what, std::uint32_t written,
                        const std::vector<std::uint32_t>& read) {
  const auto k = static_cast<std::size_t>(what);
  const std::uint64_t task = next_task_++;
  tile& out = tiles_[written];
  const int rank = out.owner;
  submitted_ += submit_cost;
  constexpr int app = event_log::application;
  log_.add(submitted_, rank, app, record::task_submit,
           {task, codelets_[k], static_cast<std::uint64_t>(rank), 0, lines_[k], 1 + read.size()});
  std::int64_t ready = submitted_;
  std::uint64_t cause = 0, cause_id = 0;
  std::uint32_t waited = written;
  bool waits_for_network = false;
  std::uint16_t arg = 0;
  const auto wait_for = [&](std::int64_t until, std::uint32_t handle, bool network) {
    if (until <= ready) return;
    ready = until;
    waited = handle;
    waits_for_network = network;
    cause = static_cast<std::uint64_t>(network ? ready_cause::transfer : ready_cause::task);
    cause_id = network ? handle : tiles_[handle].writer;
  };
  for (const std::uint32_t handle : read) {
    wait_for(fetch(handle, rank, task, submitted_), handle, tiles_[handle].owner != rank);
    std::uint64_t seen = tiles_[handle].version;
    if (seen > 0 && !spoilt_.contains(handle) && strikes("stale_read")) {
      --seen;
      spoilt_.insert(handle);
      struck("stale_read", handle, static_cast<std::uint32_t>(seen), -1, rank, submitted_);
    }
    log_.add(submitted_, rank, app, record::task_access, {task, arg++, handle, 0, seen, seen});
  }
  copy& own = copy_of(written, rank);
  wait_for(std::max(own.available, own.last_use), written, false);
  log_.add(submitted_, rank, app, record::task_access,
           {task, arg, written, 2, out.version, out.version + 1});

  const auto first = worker_free_.begin() + rank * options_.workers;
  const auto worker = std::min_element(first, first + options_.workers);
  const int lane = event_log::first_worker + static_cast<int>(worker - first);
  const std::int64_t idle_since = *worker;
  const std::int64_t begin = std::max(ready + 300, *worker + 200);
  const auto jitter = static_cast<std::int64_t>(draw_.below(20'000));
  const std::int64_t end = begin + kernel_times[k] + jitter;
  if (begin - idle_since > 1'000) {
    const worker_state state = submitted_ > idle_since && ready <= submitted_
                                   ? worker_state::idle_no_task
                               : waits_for_network ? worker_state::fetch_wait
                                                   : worker_state::idle_dependency;
    const std::uint64_t kind = state == worker_state::fetch_wait        ? 2
                               : state == worker_state::idle_dependency ? 1
                                                                        : 0;
    log_.add(idle_since + 100, rank, lane, record::state,
             {static_cast<std::uint64_t>(state), kind,
              kind == 2   ? waited
              : kind == 1 ? task
                          : 0});
  }
  log_.add(ready, rank, event_log::progress, record::task_ready, {task, cause, cause_id});
  log_.add(begin, rank, lane, record::task_begin, {task, codelets_[k]});
  log_.add(end, rank, lane, record::task_end, {task, 0});
  *worker = end;
  for (const std::uint32_t handle : read) {
    copy& used = copy_of(handle, rank);
    used.last_use = std::max(used.last_use, end);
  }
  invalidate(written, task, rank);
  ++out.version;
  out.writer = task;
  out.writer_rank = rank;
  own = {end, end, out.version};
  latest_ = std::max(latest_, end);
  ++truth_.tasks;
}

void simulation::begin_epoch() {
  const std::int64_t now = std::max(submitted_, latest_) + 2'000;
  submitted_ = now;
  for (int rank = 0; rank < options_.ranks; ++rank)
    log_.add(now, rank, event_log::application, record::phase_push, {step_, epoch_});
  // The application looks at one tile, and one tile moves to the next rank.
  const auto seen = static_cast<std::uint32_t>(draw_.below(tiles_.size()));
  log_.add(now + 100, tiles_[seen].owner, event_log::application, record::borrow,
           {seen, 0, 0, borrow_line_});
  log_.add(now + 5'100, tiles_[seen].owner, event_log::application, record::release,
           {seen, 0, 0, borrow_line_});
  submitted_ += 6'000;
  if (options_.ranks < 2) return;
  const auto moved = static_cast<std::uint32_t>(draw_.below(tiles_.size()));
  tile& t = tiles_[moved];
  const int from = t.owner, to = (t.owner + 1) % options_.ranks;
  copy& there = copy_of(moved, to);
  if (there.available < 0 || there.version != t.version)
    there = {send(moved, from, to, no_task, submitted_, transfer_reason::migrate), 0, t.version};
  // The new owner records it once it holds the value.
  log_.add(std::max(submitted_, there.available) + 10, to, event_log::progress, record::owner,
           {moved, t.version, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
            static_cast<std::uint64_t>(owner_cause::migrate_call), migrate_line_});
  t.owner = to;
  submitted_ = std::max(submitted_, there.available) + 1'000;
}

void simulation::end_epoch() {
  const std::int64_t now = std::max(submitted_, latest_) + 1'000;
  std::uint64_t digest = 0;
  for (const tile& t : tiles_)
    digest = mix(digest, mix(t.version, static_cast<std::uint64_t>(t.owner)));
  for (int rank = 0; rank < options_.ranks; ++rank) {
    log_.add(submitted_ + 500, rank, event_log::application, record::wait_begin,
             {2, epoch_, wait_line_});
    log_.add(now, rank, event_log::application, record::wait_end, {2, epoch_});
    log_.add(now + 100, rank, event_log::application, record::ledger_digest,
             {epoch_, mix(digest, static_cast<std::uint64_t>(rank)), digest});
    log_.add(now + 200, rank, event_log::application, record::phase_pop, {step_, epoch_});
  }
  submitted_ = now + 1'000;
  ++epoch_;
}

void simulation::factorise() {
  const int n = options_.tiles;
  for (int k = 0; k < n; ++k) {
    insert(kernel::potrf, id(k, k), {});
    for (int i = k + 1; i < n; ++i) insert(kernel::trsm, id(i, k), {id(k, k)});
    for (int i = k + 1; i < n; ++i) {
      insert(kernel::syrk, id(i, i), {id(i, k)});
      for (int j = k + 1; j < i; ++j) insert(kernel::gemm, id(i, j), {id(i, k), id(j, k)});
    }
  }
}

void simulation::inject_at_end() {
  const auto ranks = static_cast<std::uint32_t>(options_.ranks);
  std::int64_t now = submitted_;
  const auto unspoilt = [&]() -> std::optional<std::uint32_t> {
    for (int tries = 0; tries < 1'000; ++tries) {
      const auto h = static_cast<std::uint32_t>(draw_.below(tiles_.size()));
      if (!spoilt_.contains(h) && tiles_[h].version > 0) {
        spoilt_.insert(h);
        return h;
      }
    }
    return {};
  };
  const auto each_wanted = [&](const char* fault, auto&& make) {
    while (wants(fault)) {
      const auto h = unspoilt();
      if (!h) return;
      now += 1'000;
      make(*h);
    }
  };
  each_wanted("two_owners", [&](std::uint32_t h) {
    const auto owner = static_cast<std::uint32_t>(tiles_[h].owner);
    const std::uint32_t from = (owner + 1) % ranks, to = ranks > 2 ? (owner + 2) % ranks : from;
    log_.add(now, static_cast<int>(from), event_log::application, record::owner,
             {h, tiles_[h].version, from, to, 1, migrate_line_});
    struck("two_owners", h, tiles_[h].version, static_cast<int>(from), static_cast<int>(to), now);
  });
  each_wanted("borrow_leak", [&](std::uint32_t h) {
    log_.add(now, tiles_[h].owner, event_log::application, record::borrow, {h, 1, 0, borrow_line_});
    struck("borrow_leak", h, 0, -1, tiles_[h].owner, now);
  });
  each_wanted("unheld_send", [&](std::uint32_t h) {
    const tile& t = tiles_[h];
    int liar = -1;
    for (int rank = 0; rank < options_.ranks; ++rank)
      if (rank != t.owner && rank != t.writer_rank && copy_of(h, rank).available < 0) liar = rank;
    if (liar < 0) return spoilt_.erase(h), void();
    const auto to = static_cast<std::uint64_t>(t.owner);
    const std::uint64_t prefetch = 1;
    log_.add(now, liar, event_log::progress, record::xfer_post,
             {0, h, t.version, to, 0, tile_bytes, h, prefetch, no_task});
    log_.add(now + 10, liar, event_log::progress, record::xfer_start, {h, t.version, to, 0, 0});
    log_.add(now + 20, liar, event_log::progress, record::xfer_done, {h, t.version, to, 0, 0});
    log_.add(now + 5'000, t.owner, event_log::progress, record::xfer_done,
             {h, t.version, static_cast<std::uint64_t>(liar), 0, 1});
    struck("unheld_send", h, t.version, liar, t.owner, now + 10);
  });
  submitted_ = std::max(submitted_, now) + 10'000;
  latest_ = std::max(latest_, submitted_);
  if (wants("deadlock") && options_.ranks >= 2) deadlock();
}

// Two ranks receive from each other before they send: nobody ever sends.
void simulation::deadlock() {
  const auto a = static_cast<int>(draw_.below(static_cast<std::uint64_t>(options_.ranks)));
  const int b = (a + 1) % options_.ranks;
  const std::int64_t now = submitted_;
  const std::uint64_t user = 4, receive_dir = 1, wait_for_handle = 1;
  for (const auto& [me, other] : {std::pair{a, b}, std::pair{b, a}}) {
    std::uint32_t handle = 0;
    while (tiles_[handle].owner != me && handle + 1 < tiles_.size()) ++handle;
    const auto peer = static_cast<std::uint64_t>(other);
    log_.add(now, me, event_log::progress, record::xfer_post,
             {receive_dir, handle, tiles_[handle].version + 1, peer, 0, tile_bytes, 1000 + peer,
              user, no_task});
    log_.add(now + 200, me, event_log::application, record::wait_begin,
             {wait_for_handle, handle, wait_line_});
    const std::uint32_t words = log_.rank(me).text("a circle of waits");
    log_.add(now + 900'000, me, event_log::application, record::error,
             {511, handle, tiles_[handle].version, no_task, tiles_[handle].version + 1,
              tiles_[handle].version, no_loc, words});
  }
  struck("deadlock", ~std::uint32_t{0}, 0, a, b, now);
}

truth simulation::run() {
  truth_.seed = options_.seed;
  do {
    begin_epoch();
    factorise();
    end_epoch();
    log_.flush();
  } while (log_.events() < options_.events);
  inject_at_end();
  truth_.events = log_.events();
  log_.close();
  for (const auto& [fault, count] : left_)
    if (count > 0) truth_.not_injected.push_back(fault);
  return truth_;
}

void write_truth(const std::string& path, const truth& known) {
  std::ofstream file(path + "/truth.json");
  file << "{\"format\": 1, \"seed\": " << known.seed << ", \"events\": " << known.events
       << ", \"tasks\": " << known.tasks << ", \"transfers\": " << known.transfers
       << ", \"bytes\": " << known.bytes << ",\n \"faults\": [";
  for (std::size_t i = 0; i < known.faults.size(); ++i) {
    const injected_fault& f = known.faults[i];
    file << (i == 0 ? "\n" : ",\n") << "  {\"kind\": \"" << f.kind << "\", \"handle\": " << f.handle
         << ", \"version\": " << f.version << ", \"src\": " << f.src << ", \"dst\": " << f.dst
         << ", \"at\": " << f.at << "}";
  }
  file << "]}\n";
}

}  // namespace

std::vector<std::string> fault_names() {
  return {"dup_flush",  "dup_capacity", "dup_race",    "stale_read",
          "two_owners", "borrow_leak",  "unheld_send", "deadlock"};
}

truth generate(const generator_options& options) {
  const truth known = simulation(options).run();
  write_truth(options.path, known);
  return known;
}

}  // namespace deed::viewer
