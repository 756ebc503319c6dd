// SPDX-License-Identifier: MIT
#include "analysis/generate/generate.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/generate/event_log.hpp"
#include "analysis/generate/simulation.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

namespace deed::viewer {
namespace {

using namespace trace;

constexpr std::int64_t submit_cost = 400, latency = 2'000;
constexpr std::int64_t bytes_per_us = 10'000;  // 10 GB/s

constexpr std::array<std::int64_t, made_kernels> kernel_times{40'000,  60'000, 60'000,
                                                              100'000, 80'000, 50'000};

}  // namespace

void simulation::define() {
  lay_out();
  const made_lines program = lines_of_the_program();
  for (int rank = 0; rank < options_.ranks; ++rank) {
    recorder& to = log_.rank(rank);
    for (const made_kernel each : program_.kernels) {
      const auto k = static_cast<std::size_t>(each);
      codelets_[k] = to.codelet(made_kernel_names[k], program.kernels);
    }
    register_line_ = to.location(program.registration);
    flush_line_ = to.location(program.flush);
    wait_line_ = to.location(program.wait);
    borrow_line_ = to.location(program.borrow);
    migrate_line_ = to.location(program.migrate);
    for (const made_kernel each : program_.kernels) {
      const auto k = static_cast<std::size_t>(each);
      lines_[k] = to.location(program.submit[k]);
    }
    step_ = to.text(program_.step);
    for (std::uint32_t handle = 0; handle < tiles_.size(); ++handle) {
      const made_tile& t = tiles_[handle];
      to.handle_registered({.handle = handle,
                            .name = program_.data,
                            .bytes = tile_bytes,
                            .i = t.i,
                            .j = t.j,
                            .home_rank = static_cast<std::uint32_t>(t.owner),
                            .tag = handle,
                            .parent = nothing,
                            .loc = register_line_});
    }
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
  const std::int64_t slower = slow_links_.contains(std::minmax(from, to)) ? 8 : 1;
  const auto wire = slower * static_cast<std::int64_t>(tile_bytes) * 1'000 / bytes_per_us;
  busy = start + wire;
  const std::int64_t arrived = start + wire + slower * latency;
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
  made_copy& source = copy_of(handle, from);
  source.last_use = std::max(source.last_use, start + wire);
  ++truth_.transfers;
  truth_.bytes += tile_bytes;
  count_message(from, to, seq > 0);
  latest_ = std::max(latest_, arrived);
  return arrived;
}

// When the current version is at `to`; sends it if it is not on its way.
made_arrival simulation::fetch(std::uint32_t handle, int to, std::uint64_t for_task,
                               std::int64_t submitted) {
  made_tile& t = tiles_[handle];
  made_copy& mine = copy_of(handle, to);
  if (to == t.owner) return {mine.available, mine.asked};
  const auto owner = static_cast<std::uint64_t>(t.owner);
  constexpr int comm = event_log::progress;
  bool held = mine.available >= 0 && mine.version == t.version;
  lookup_result result = held             ? lookup_result::hit
                         : t.version == 0 ? lookup_result::miss_cold
                                          : lookup_result::miss_version;
  // A copy that it kept when it gave the tile away was not sent to it.
  const bool was_sent = sequence_.contains({handle, t.version, t.owner, to});
  if (held && was_sent && !spoilt_.contains(handle)) {
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
      if (arrived > mine.available) return {arrived, submitted};
      return {mine.available, mine.asked};
    }
  }
  log_.add(submitted, to, comm, record::cache_lookup,
           {handle, t.version, static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(result),
            for_task});
  if (held) return {mine.available, mine.asked};
  mine = {send(handle, t.owner, to, for_task, submitted, transfer_reason::task), 0, t.version,
          submitted};
  log_.add(mine.available + 1, to, comm, record::cache_insert, {handle, t.version, owner});
  return {mine.available, mine.asked};
}

void simulation::invalidate(std::uint32_t handle, std::uint64_t by, int executor) {
  made_tile& t = tiles_[handle];
  for (int rank = 0; rank < options_.ranks; ++rank) {
    made_copy& held = copy_of(handle, rank);
    if (rank == executor || held.available < 0) continue;
    log_.add(std::max({held.available + 2, held.last_use, submitted_}), rank, event_log::progress,
             record::cache_drop,
             {handle, held.version, static_cast<std::uint64_t>(t.owner), 0, by});
    held = {};
  }
}

void simulation::insert(made_kernel what, std::uint32_t written,
                        const std::vector<std::uint32_t>& read) {
  const auto k = static_cast<std::size_t>(what);
  const std::uint64_t task = next_task_++;
  made_tile& out = tiles_[written];
  const int rank = out.owner;
  submitted_ += submit_cost;
  constexpr int app = event_log::application;
  log_.add(submitted_, rank, app, record::task_submit,
           {task, codelets_[k], static_cast<std::uint64_t>(rank), 0, lines_[k], 1 + read.size()});
  made_task made{.number = task, .rank = rank, .submitted = submitted_};
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
    cause_id =
        network ? std::uint64_t{handle} << 32 | tiles_[handle].version : tiles_[handle].writer;
  };
  for (const std::uint32_t handle : read) {
    const made_arrival there = fetch(handle, rank, task, submitted_);
    wait_for(there.at, handle, tiles_[handle].owner != rank);
    came(made, handle, there);
    std::uint64_t seen = tiles_[handle].version;
    if (seen > 0 && !spoilt_.contains(handle) && strikes("stale_read")) {
      --seen;
      spoilt_.insert(handle);
      struck("stale_read", handle, static_cast<std::uint32_t>(seen), -1, rank, submitted_);
    }
    log_.add(submitted_, rank, app, record::task_access, {task, arg++, handle, 0, seen, seen});
  }
  made_copy& own = copy_of(written, rank);
  wait_for(std::max(own.available, own.last_use), written, false);
  came(made, written, {own.available, own.asked});
  log_.add(submitted_, rank, app, record::task_access,
           {task, arg, written, 2, out.version, out.version + 1});

  const auto first = worker_free_.begin() + rank * options_.workers;
  const auto worker = std::min_element(first, first + options_.workers);
  const int lane = event_log::first_worker + static_cast<int>(worker - first);
  const std::int64_t idle_since = *worker;
  std::int64_t begin = std::max(ready + 300, *worker + 200);
  if (strikes("late_task")) {
    begin += 10 * kernel_times[k];
    struck("late_task", written, out.version + 1, -1, rank, begin);
  }
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
    const std::int64_t said = std::max(idle_since + 100, log_.recorded_until());
    log_.add(said, rank, lane, record::state,
             {static_cast<std::uint64_t>(state), kind,
              kind == 2   ? waited
              : kind == 1 ? task
                          : 0});
    says(rank, lane - event_log::first_worker, state, said, begin);
  }
  log_.add(ready, rank, event_log::progress, record::task_ready, {task, cause, cause_id});
  log_.add(begin, rank, lane, record::task_begin, {task, codelets_[k]});
  log_.add(end, rank, lane, record::task_end, {task, 0});
  *worker = end;
  made.begin = begin;
  made.end = end;
  ran(made, lane - event_log::first_worker, k);
  for (const std::uint32_t handle : read) {
    made_copy& used = copy_of(handle, rank);
    used.last_use = std::max(used.last_use, end);
  }
  invalidate(written, task, rank);
  ++out.version;
  out.writer = task;
  out.writer_rank = rank;
  own = {end, end, out.version};
  latest_ = std::max(latest_, end);
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
  submitted_ = migrate(moved, (tiles_[moved].owner + 1) % options_.ranks, submitted_) + 1'000;
}

/// Returns when the new owner holds the value, and records that it owns the tile.
std::int64_t simulation::migrate(std::uint32_t handle, int to, std::int64_t asked) {
  made_tile& t = tiles_[handle];
  const int from = t.owner;
  made_copy& there = copy_of(handle, to);
  if (there.available < 0 || there.version != t.version)
    there = {send(handle, from, to, no_task, asked, transfer_reason::migrate), 0, t.version, asked};
  const std::int64_t held = std::max(asked, there.available);
  log_.add(held + 10, to, event_log::progress, record::owner,
           {handle, t.version, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
            static_cast<std::uint64_t>(owner_cause::migrate_call), migrate_line_});
  t.owner = to;
  return held;
}

std::uint64_t simulation::ledger_digest() const {
  std::uint64_t digest = 0;
  for (const made_tile& t : tiles_)
    digest = add_to_digest(digest, t.version, static_cast<std::uint32_t>(t.owner));
  return digest;
}

void simulation::end_epoch() {
  const std::int64_t now = std::max(submitted_, latest_) + 1'000;
  const std::uint64_t digest = ledger_digest();
  truth_.states.push_back({now, digest});
  waits_.push_back({submitted_ + 500, now, last_task_});
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

truth simulation::run() {
  truth_.seed = options_.seed;
  choose_slow_links();
  do {
    begin_epoch();
    if (epoch_ == 0) compare_clocks(submitted_);
    compute();
    end_epoch();
    log_.flush();
  } while (log_.events() < options_.events || needs_messages());
  tell_slow_links();
  inject_at_end();
  truth_.critical_path = critical_path();
  compare_clocks(log_.recorded_until());
  truth_.events = log_.events();
  log_.close();
  look_until_the_end();
  damage();
  for (const auto& [fault, count] : left_)
    if (count > 0) truth_.not_injected.push_back(fault);
  return truth_;
}

namespace {

void write_answers(std::ostream& file, const truth& known) {
  const char* before = "\n";
  file << "],\n \"breakdown\": [";
  for (const auto& [worker, parts] : known.breakdown) {
    file << std::exchange(before, ",\n") << "  {\"rank\": " << worker.first
         << ", \"worker\": " << worker.second;
    for (const auto& [what, time] : parts) file << ", \"" << what << "\": " << time;
    file << "}";
  }
  before = "\n";
  file << "],\n \"states\": [";
  for (const known_state& each : known.states)
    file << std::exchange(before, ",\n") << "  {\"t\": " << each.at
         << ", \"digest\": " << each.digest << "}";
  before = "\n";
  file << "],\n \"critical_path\": [";
  for (const known_step& each : known.critical_path)
    file << std::exchange(before, ",\n") << "  {\"kind\": \"" << each.kind
         << "\", \"task\": " << each.task << ", \"begin\": " << each.begin
         << ", \"end\": " << each.end << "}";
}

void write_truth(const std::string& path, const truth& known) {
  std::ofstream file(path + "/truth.json");
  file << "{\"format\": 1, \"seed\": " << known.seed << ", \"events\": " << known.events
       << ", \"tasks\": " << known.tasks << ", \"transfers\": " << known.transfers
       << ", \"bytes\": " << known.bytes << ",\n \"comm_matrix\": [";
  bool first = true;
  for (const auto& [pair, sent] : known.comm_matrix) {
    file << (first ? "\n" : ",\n") << "  {\"src\": " << pair.first << ", \"dst\": " << pair.second
         << ", \"messages\": " << sent.messages << ", \"bytes\": " << sent.bytes
         << ", \"redundant\": " << sent.redundant << "}";
    first = false;
  }
  write_answers(file, known);
  file << "],\n \"faults\": [";
  for (std::size_t i = 0; i < known.faults.size(); ++i) {
    const injected_fault& f = known.faults[i];
    file << (i == 0 ? "\n" : ",\n") << "  {\"kind\": \"" << f.kind << "\", \"handle\": " << f.handle
         << ", \"version\": " << f.version << ", \"src\": " << f.src << ", \"dst\": " << f.dst
         << ", \"at\": " << f.at;
    if (!f.file.empty()) file << ", \"file\": \"" << f.file << "\", \"byte\": " << f.byte;
    file << "}";
  }
  file << "]}\n";
}

/// Which links carry enough messages is known when the run is made. One that is slow and carries
/// too few would be a fault that nobody can find: then others are chosen, or none.
truth simulated(const generator_options& options) {
  const bool fresh = !std::filesystem::exists(options.path);
  std::optional<std::set<std::pair<int, int>>> links;
  for (;;) {
    simulation made(options, links);
    truth known = made.run();
    if (made.tells_its_links() || !fresh) return known;
    links = links ? std::set<std::pair<int, int>>{} : simulation::busy_links(known);
    std::filesystem::remove_all(options.path);
  }
}

}  // namespace

truth generate(const generator_options& options) {
  const truth known = simulated(options);
  write_truth(options.path, known);
  return known;
}

}  // namespace deed::viewer
