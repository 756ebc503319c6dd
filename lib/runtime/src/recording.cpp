// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/runtime/run.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "devices.hpp"
#include "report.hpp"

#include <algorithm>
#include <iostream>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>

/// @file
/// What the session tells the recorder. Each function is called only where recording is on, or
/// costs one branch where it is off.

namespace deed::runtime {
namespace {

trace::access_kind kind_of(access_mode mode) {
  switch (mode) {
    case access_mode::read:
      return trace::access_kind::read;
    case access_mode::write:
      return trace::access_kind::write;
    case access_mode::read_write:
      return trace::access_kind::read_write;
    case access_mode::commute:
      return trace::access_kind::commute;
    case access_mode::reduce:
      return trace::access_kind::reduce;
  }
  return trace::access_kind::read;
}

trace::borrow_kind kind_of_borrow(access_mode mode) {
  return writes(mode) ? trace::borrow_kind::mut : trace::borrow_kind::shared;
}

/// Of more virtual ranks each begins with smaller packets, unless another size is asked for.
constexpr int few_virtual_ranks = 64;
constexpr std::size_t small_packet = std::size_t{64} << 10;

constexpr std::size_t most_noted = 64;  // Accesses of a task whose copies are followed.

}  // namespace

/// Whether all ranks found `path` free; then it is this run's.
bool core::claim(const std::string& path) {
  // Nobody makes the folder before all have looked; another session of this job may look now, too.
  if (agree(collective::start, trace::path_taken(path) ? 1 : 0) != 0) return false;
  const bool lost = rank_ == 0 && !trace::take_path(path);
  return agree(collective::start, lost ? 1 : 0) == 0;
}

void core::start_recording() {
  if (options_.trace.path.empty()) return;
  trace::run_identity run{.run_id = {environment_.seed, 0}, .rank = rank_, .size = size()};
  if (!environment_.simulated) {
    // Rank 0 draws the number of the run; the others add nothing to it.
    std::random_device machine;
    run.run_id[0] =
        agree(collective::start, rank_ == 0 ? (std::uint64_t{machine()} << 32) + machine() : 0);
  }
  trace::recorder_options wanted = options_.trace;
  const bool usual = wanted.packet_bytes == trace::recorder_options{}.packet_bytes;
  if (environment_.simulated && size() > few_virtual_ranks && usual)
    wanted.packet_bytes = small_packet;
  for (std::uint64_t number = 0; !claim(wanted.path);) {
    const std::string& path = options_.trace.path;
    number = agree(collective::start, rank_ == 0 ? trace::free_number(path, run, number + 1) : 0);
    wanted.path = trace::other_path(path, run, number);
  }
  if (wanted.path != options_.trace.path && rank_ == 0 && logs(log_level::info))
    std::cerr << "deed: " + quoted(options_.trace.path) +
                     " is there already; this run is recorded in " + quoted(wanted.path) + "\n";
  if (hang_report_.empty()) hang_report_ = wanted.path + "/hang.json";
  recorder_ = std::make_unique<trace::recorder>(
      wanted, run, environment_.simulated ? environment_.time : nullptr);
  const auto& contexts = team_->contexts();
  contexts.front()->events = &recorder_->open_stream(trace::stream_kind::application, 0, "program");
  for (std::size_t i = 1; i < contexts.size(); ++i) {
    contexts[i]->events = &recorder_->open_stream(
        trace::stream_kind::worker, static_cast<int>(i - 1), "worker " + std::to_string(i - 1));
  }
  if (devices_ != nullptr) devices_->start_recording(*recorder_);
  if (app().enabled(trace::category::transfer)) {
    engine_->on_packed([this](deed::rank peer, std::uint32_t transfers, std::size_t bytes) {
      packs_.add(peer, transfers, bytes);
    });
  }
  // What a replay has to know of the ledger before its first change.
  const std::uint64_t budget = ledger_.budget().bytes();
  app().ledger_step(
      0, ledger_.keeps_copies() ? trace::ledger_change::keep : trace::ledger_change::keep_not,
      static_cast<std::uint32_t>(budget), static_cast<std::uint32_t>(budget >> 32), trace::nothing,
      0, trace::nothing);
  measure_clocks_with_all(collective::start);
}

void core::record_registration(ownership::slot datum) {
  if (recorder_ == nullptr) return;
  const datum_info& info = data_[datum];
  const bool private_here = ledger_.is_per_rank(datum);
  const std::uint32_t owner = private_here ? trace::every_rank : ledger_.owner(datum);
  const std::uint32_t where = recorder_->location(info.where);
  recorder_->handle_registered({.handle = info.number,
                                .name = info.name,
                                .bytes = bytes_of(datum),
                                .held = held_bytes(datum),
                                .i = info.i,
                                .j = info.j,
                                .home_rank = owner,
                                .tag = info.tag,
                                .loc = where});
  record_change(
      ledger_.initialised(datum) ? trace::ledger_change::add : trace::ledger_change::add_empty,
      datum, owner, info.where);
  if (private_here) return;
  submitter().owner(info.number, 0, trace::nothing, owner, trace::owner_cause::registration, where);
  if (ledger_.holds(datum, static_cast<std::uint32_t>(rank_))) {
    submitter().copy_state(info.number, 0, 0, trace::copy_status::owner,
                           trace::owner_cause::registration, where);
  }
}

/// Of the value that is here now, where its type knows them at once.
std::uint64_t core::held_bytes(ownership::slot datum) const {
  const datum_info& info = data_[datum];
  if (info.type->form == data::wire_form::fixed) return bytes_of(datum);
  const bool told = info.type->form == data::wire_form::resizable && info.here != nullptr &&
                    info.here->storage != nullptr;
  return told ? info.type->bytes(info.here->storage) : trace::no_size;
}

void core::record_change(trace::ledger_change what, ownership::slot datum, std::uint32_t rank,
                         place where) {
  const bool of_private = what == trace::ledger_change::write && ledger_.is_per_rank(datum);
  if (!of_private) ++steps_;
  if (recorder_ == nullptr || team_ == nullptr) return;
  submitter().ledger_step(of_private ? trace::no_step : steps_, what, data_[datum].number, datum,
                          rank, ledger_.version(datum), recorder_->location(where));
  record_step();
}

void core::record_step() {
  if (recorder_ == nullptr || team_ == nullptr) return;
  if (submitter().enabled(trace::category::digest)) record_digest();
  const bool of_program = submitter_ == &team_->main();
  if (of_program && app().wants_snapshot() && inserted_ >= next_snapshot_) record_snapshot();
}

void core::record_digest() {
  if (recorder_ == nullptr || !submitter().enabled(trace::category::ownership)) return;
  submitter().ledger_digest(static_cast<std::uint32_t>(epoch_), ledger_.own_digest(),
                            ledger_.digest(), steps_);
}

/// What a flight recorder has forgotten: the data that this rank owns, and its copies of others.
void core::record_snapshot() {
  const auto me = static_cast<std::uint32_t>(rank_);
  std::uint64_t written = 0;
  for (ownership::slot datum = 0; datum < data_.size(); ++datum) {
    const datum_info& info = data_[datum];
    if (info.type == nullptr) continue;
    const std::uint32_t version = ledger_.version(datum), owner = ledger_.owner(datum);
    const bool filled = ledger_.initialised(datum);
    if (owner == me || ledger_.is_per_rank(datum)) {
      submitter().ledger_step(
          steps_, filled ? trace::ledger_change::snapshot : trace::ledger_change::snapshot_empty,
          info.number, datum, owner, version, trace::nothing);
      for (const std::uint32_t holder : ledger_.others(datum)) {
        submitter().ledger_step(steps_, trace::ledger_change::snapshot_holder, info.number, datum,
                                holder, version, trace::nothing);
      }
    }
    if (ledger_.is_per_rank(datum)) continue;
    if (owner == me)
      submitter().owner(info.number, version, owner, owner, trace::owner_cause::snapshot, 0);
    if (ledger_.holds(datum, me)) {
      submitter().copy_state(info.number, version, 0,
                             owner == me ? trace::copy_status::owner : trace::copy_status::shared,
                             trace::owner_cause::snapshot, 0);
    }
    written += 4 + ledger_.others(datum).size();
  }
  // A snapshot must not fill a segment whose successor wants the next one.
  static_cast<void>(app().wants_snapshot());
  next_snapshot_ = inserted_ + written / 4;
}

void core::record_change_of_all(trace::ledger_change what, place where) {
  ++steps_;
  if (recorder_ == nullptr || team_ == nullptr) return;
  submitter().ledger_step(steps_, what, trace::nothing, 0, trace::nothing, 0,
                          recorder_->location(where));
  record_step();
}

/// Copies of this rank that go for another reason than a write.
void core::record_ended(std::span<const ownership::copy> ended, trace::drop_cause cause,
                        place where) {
  if (recorder_ == nullptr) return;
  for (const auto& [datum, rank] : ended) {
    if (static_cast<int>(rank) != rank_) continue;
    dropped_[data_[datum].number] = {ledger_.version(datum), cause};
    submitter().cache_drop(data_[datum].number, ledger_.version(datum), ledger_.owner(datum), cause,
                           recorder_->location(where));
  }
}

void core::record_migration(ownership::slot datum, std::uint32_t from, place where) {
  record_change(trace::ledger_change::migrate, datum, ledger_.owner(datum), where);
  if (recorder_ == nullptr) return;
  submitter().owner(data_[datum].number, ledger_.version(datum), from, ledger_.owner(datum),
                    trace::owner_cause::migrate_call, recorder_->location(where));
}

void core::record_end(std::uint32_t number, ownership::slot datum, place where) {
  ++steps_;
  if (recorder_ == nullptr || team_ == nullptr) return;
  const std::uint32_t at = recorder_->location(where);
  recorder_->handle_unregistered(number, at);
  if (broken_ || passes_exception()) return;  // This rank leaves its program: it is no common step.
  submitter().ledger_step(steps_, trace::ledger_change::remove, number, datum, trace::nothing, 0,
                          at);
  record_step();
}

void core::record_copies(std::span<const ownership::request> requests, std::uint64_t& held) const {
  for (std::size_t i = 0; i < std::min(requests.size(), most_noted); ++i)
    if (has_copy(requests[i].datum)) held |= std::uint64_t{1} << i;
}

bool core::has_copy(ownership::slot datum) const {
  const auto me = static_cast<std::uint32_t>(rank_);
  return ledger_.owner(datum) != me && !ledger_.is_per_rank(datum) && ledger_.holds(datum, me);
}

void core::record_insertion(const task_description& task, std::uint32_t executor, bool per_rank,
                            std::span<const ownership::effect> effects) {
  const std::uint64_t number = inserted_ - 1;
  submitter().task_submit(number, keep(task.codelet).number, executor,
                          static_cast<std::int16_t>(task.priority), recorder_->location(task.where),
                          static_cast<std::uint16_t>(effects.size()),
                          per_rank ? trace::no_step : steps_);
  if (executor != static_cast<std::uint32_t>(rank_)) return;
  if (submitter().enabled(trace::category::place)) record_placement(task, executor, per_rank);
  if (devices_ != nullptr && devices_->recording() != nullptr)
    devices_->recording()->inserted(number, effects);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const auto& [_, datum, mode, where, moved] = task.accesses[i];
    const std::uint32_t version = effects[i].version_read;
    submitter().task_access(number, static_cast<std::uint16_t>(i), data_[datum].number,
                            kind_of(mode), version, version + (writes(mode) ? 1 : 0));
  }
  if (!per_rank) record_misses(task, effects);
}

void core::record_placement(const task_description& task, std::uint32_t executor, bool per_rank) {
  const auto how = [&] {
    if (task.where_to_run.how == placement::kind::on_rank) return trace::placement_cause::on;
    if (task.where_to_run.how == placement::kind::on_owner_of)
      return trace::placement_cause::on_owner_of;
    const bool alone = per_rank || std::ranges::any_of(task.accesses, [&](const auto& each) {
                         return writes(each.mode) && ledger_.owner(each.datum) == executor;
                       });
    return alone ? trace::placement_cause::sole_owner : trace::placement_cause::policy;
  }();
  submitter().placement(inserted_ - 1, how, 0, executor);
}

/// Why this rank has no copy of the version that it needs.
trace::lookup_result core::why_missed(ownership::slot datum, std::uint32_t version) {
  using enum trace::lookup_result;
  if (const auto gone = dropped_.extract(data_[datum].number)) {
    const auto [had, cause] = gone.mapped();
    if (had == version) return cause == trace::drop_cause::capacity ? miss_capacity : miss_dropped;
  }
  // A replica without a use of it was made for this very task.
  return data_[datum].here != nullptr ? miss_version : miss_cold;
}

void core::record_misses(const task_description& task, std::span<const ownership::effect> effects) {
  const auto me = static_cast<std::uint32_t>(rank_);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const auto& [_, datum, mode, where, moved] = task.accesses[i];
    if (!reads(mode) || effects[i].owner == me) continue;
    submitter().cache_lookup(
        data_[datum].number, effects[i].version_read, effects[i].owner,
        effects[i].fetch ? why_missed(datum, effects[i].version_read) : trace::lookup_result::hit,
        inserted_ - 1);
  }
}

void core::record_drops(std::span<const ownership::request> requests, std::uint64_t held,
                        std::uint64_t task) {
  const auto me = static_cast<std::uint32_t>(rank_);
  for (std::size_t i = 0; held != 0; ++i, held >>= 1) {
    const ownership::slot datum = requests[i].datum;
    if ((held & 1) != 0 && !ledger_.holds(datum, me)) record_stale(datum, task);
  }
}

/// This rank had a copy of the version before.
void core::record_stale(ownership::slot datum, std::uint64_t task) {
  submitter().cache_drop(data_[datum].number, ledger_.version(datum) - 1, ledger_.owner(datum),
                         trace::drop_cause::invalidated_by_write, task);
}

namespace {

/// Whose tags a message has, in the bits that a record has for it; 0: of all ranks, and of what is
/// no message.
std::uint16_t group_of(const transport::transfer& what) {
  return what.kind == transport::transfer_kind::message ? static_cast<std::uint16_t>(what.version)
                                                        : std::uint16_t{0};
}

}  // namespace

void core::record_transfer(transfer_node& fresh, ownership::slot datum,
                           const transport::transfer& what, std::uint32_t peer,
                           trace::direction way, trace::transfer_reason reason, place where) {
  if (recorder_ == nullptr) return;
  const std::uint32_t handle = data_[datum].number;
  const bool message = what.kind == transport::transfer_kind::message;
  recorded_transfer& known = fresh.recorded;
  known.reason = reason;
  known.started = false;
  known.sequence = message ? numbers_.of_message(way, peer, what.tag, group_of(what))
                           : numbers_.of_version(way, peer, handle, fresh.version);
  const bool of_task = reason == trace::transfer_reason::task ||
                       reason == trace::transfer_reason::relay ||
                       reason == trace::transfer_reason::write_back;
  // How much a value of no fixed size takes is known when it leaves: `xfer_done` says it.
  const bool fixed = data_[datum].type->form == data::wire_form::fixed;
  const std::uint64_t bytes = what.bytes != transport::any_size ? what.bytes
                              : fixed                           ? bytes_of(datum)
                                                                : 0;
  submitter().xfer_post(way, handle, fresh.version, peer, known.sequence, bytes, what.tag, reason,
                        of_task ? inserted_ - 1
                        : message
                            ? trace::message_call{recorder_->location(where), group_of(what)}.word()
                            : trace::no_task);
}

namespace {

struct transfer_end {
  trace::direction way;
  const transport::transfer& what;
  std::uint32_t peer;
};

transfer_end end_of(const transfer_node& transfer) {
  if (transfer.kind == node_kind::receive) {
    return {trace::direction::receive, transfer.receiving.what,
            static_cast<std::uint32_t>(transfer.receiving.peer.value)};
  }
  return {trace::direction::send, transfer.sending.what,
          static_cast<std::uint32_t>(transfer.sending.peer.value)};
}

}  // namespace

void core::record_start(context& self, transfer_node& transfer) {
  if (!self.events->on()) return;
  const auto [way, what, peer] = end_of(transfer);
  if (way == trace::direction::receive) receiving_.fetch_add(1, std::memory_order_relaxed);
  recorded_transfer& known = transfer.recorded;
  known.started = true;
  self.events->xfer_start(transfer.only.datum().number, transfer.version, peer, known.sequence, way,
                          trace::transfer_status::ok, trace::short_tag(what.tag, group_of(what)));
}

void core::record_done(context& self, const transfer_node& transfer) {
  if (!self.events->on()) return;
  const auto [way, what, peer] = end_of(transfer);
  const recorded_transfer& known = transfer.recorded;
  if (way == trace::direction::receive && known.started)
    receiving_.fetch_sub(1, std::memory_order_relaxed);
  const std::uint32_t handle = transfer.only.datum().number;
  const bool whole = transfer.failure == nullptr && !transfer.cancelled;
  self.events->xfer_done(handle, transfer.version, peer, known.sequence, way,
                         transfer.cancelled ? trace::transfer_status::cancelled
                         : whole            ? trace::transfer_status::ok
                                            : trace::transfer_status::failed,
                         trace::short_tag(what.tag, group_of(what)),
                         whole ? status_of(transfer).bytes : 0);
  if (way == trace::direction::receive && whole && what.kind == transport::transfer_kind::datum &&
      known.reason != trace::transfer_reason::write_back)
    self.events->cache_insert(handle, transfer.version, peer);
}

recorded_wait core::record_wait(trace::wait_kind what, std::uint64_t id, place where) {
  const bool somewhere = recorder_ != nullptr && where.line() != 0;
  return {app(), what, id, somewhere ? recorder_->location(where) : trace::nothing};
}

recorded_wait core::record_wait(const request_state& what, place where) {
  if (what.collective != 0) {
    const std::uint32_t at = recorder_ == nullptr ? trace::nothing : recorder_->location(where);
    return {app(), trace::wait_kind::collective, what.collective, at, {}, what.number};
  }
  if (recorder_ == nullptr) return record_wait(trace::wait_kind::request, 0, where);
  return {app(), trace::wait_kind::request, recorder_->location(what.where),
          recorder_->location(where), what.message};
}

void core::record_group(const group_state& made, place where) {
  if (recorder_ == nullptr) return;
  recorder_->group_made(made.number, made.ranks, recorder_->location(where));
}

void core::record_call(const collective_run& made, place where) {
  if (recorder_ == nullptr) return;
  app().collective_call(made.recorded(), made.recorded_number(), recorder_->location(where));
}

void core::record_borrow(const borrow_node& asked, bool waits) {
  if (recorder_ == nullptr) return;
  const std::uint32_t handle = data_[asked.datum].number;
  const std::uint32_t where = recorder_->location(asked.where);
  if (waits) return app().wait_begin(trace::wait_kind::handle, handle, where);
  app().wait_end(trace::wait_kind::handle, handle);
  app().borrow(handle, kind_of_borrow(asked.mode), 0, where);
}

void core::record_return(const borrow_node& held) noexcept {
  if (recorder_ == nullptr || team_ == nullptr) return;
  app().release(data_[held.datum].number, kind_of_borrow(held.mode), 0, trace::nothing);
}

void core::record_activity(context& self, thread_activity what) {
  if (self.said == what || !self.events->enabled(trace::category::wait)) return;
  self.said = what;
  const auto state = [&] {
    switch (what) {
      case thread_activity::no_task:
        return trace::worker_state::idle_no_task;
      case thread_activity::dependency:
        return trace::worker_state::idle_dependency;
      case thread_activity::fetch:
        return trace::worker_state::fetch_wait;
      case thread_activity::scheduling:
      case thread_activity::running:
        return trace::worker_state::scheduling;
    }
    return trace::worker_state::scheduling;
  }();
  self.events->state(state, trace::reason_kind::none, 0);
}

/// Why there is nothing to do: no task at all, none whose data are here, or none whose turn it is.
void core::record_rest(context& self) {
  if (!self.events->enabled(trace::category::wait)) return;
  if (all_done()) return record_activity(self, thread_activity::no_task);
  record_activity(self, receiving_.load(std::memory_order_relaxed) > 0
                            ? thread_activity::fetch
                            : thread_activity::dependency);
}

about_datum core::about(ownership::slot datum) const {
  return {.handle = data_[datum].number, .version = ledger_.version(datum)};
}

about_datum core::about_tag(std::uint64_t tag) const {
  const std::optional<ownership::slot> datum = slot_with(tag);
  return datum ? about(*datum) : about_datum{};
}

/// `made`: where, if that is known.
void core::record_failure(context& self, const std::exception_ptr& reason, std::uint32_t handle,
                          std::uint64_t task, const call_stack& made) {
  if (recorder_ == nullptr || failure_recorded_.exchange(true)) return;
  trace::stream& to = *self.events;
  const auto record = [&](std::uint16_t code, const about_datum& what, std::uint32_t stack,
                          std::string_view text) {
    to.error(code, what.handle, what.version, task, what.expected, what.actual, stack,
             text.empty() ? trace::nothing : recorder_->text(text));
  };
  about_datum what{.handle = handle};
  try {
    std::rethrow_exception(reason);
  } catch (const error& known) {
    if (const auto* const named = dynamic_cast<const about_datum*>(&known)) what = *named;
    record(static_cast<std::uint16_t>(known.code()), what, recorder_->backtrace(made.addresses()),
           known.what());
  } catch (const stop_run& wanted) {
    to.stop_run(static_cast<std::uint8_t>(wanted.code()), recorder_->text(wanted.what()));
  } catch (const std::bad_alloc&) {
    record(static_cast<std::uint16_t>(error_code::host_memory_exhausted), what, trace::nothing,
           no_memory);
  } catch (const std::exception& other) {
    record(0, what, trace::nothing, other.what());
  } catch (...) {
    record(0, what, trace::nothing, no_standard_exception);
  }
}

/// Called by a thread of this session; of others nothing is recorded.
void core::note_end(const std::exception_ptr& reason) noexcept {
  if (recorder_ == nullptr || team_ == nullptr) return;
  const bool program = std::this_thread::get_id() == thread_;
  context* const self = program ? &team_->main() : team_->worker_that_calls();
  if (self == nullptr) return;
  try {
    record_failure(*self, reason, trace::nothing, trace::no_task, made_at(reason));
  } catch (...) {  // No memory for the text of a report that is printed anyway.
  }
}

void core::stop_recording() noexcept {
  if (recorder_ == nullptr) return;
  recorder_->close();
  const std::uint64_t lost = recorder_->discarded();
  if (lost == 0 || !logs(log_level::warning)) return;
  try {
    std::cerr << "rank " + std::to_string(rank_) + ": deed[D006] the trace in " +
                     quoted(options_.trace.path) + " lacks " + counted(lost, "event") +
                     ": the disk was full, or too slow for them\n";
  } catch (...) {  // No memory to say so.
  }
}

}  // namespace deed::runtime
