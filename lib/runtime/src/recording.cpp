// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <random>

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
  }
  return trace::access_kind::read;
}

}  // namespace

void core::start_recording() {
  if (options_.trace.path.empty()) return;
  trace::run_identity run{.run_id = {environment_.seed, 0}, .rank = rank_, .size = size()};
  if (!environment_.simulated) {
    // Rank 0 draws the number of the run; the others add nothing to it.
    std::random_device machine;
    run.run_id[0] =
        agree(collective::start, rank_ == 0 ? (std::uint64_t{machine()} << 32) + machine() : 0,
              place::current());
  }
  trace::recorder_options wanted = options_.trace;
  if (agree(collective::start, trace::path_taken(wanted.path) ? 1 : 0, place::current()) != 0) {
    wanted.path = trace::other_path(wanted.path, run);
  }
  agree(collective::start, 0, place::current());  // Nobody makes the folder before all have looked.
  recorder_ = std::make_unique<trace::recorder>(
      wanted, run, environment_.simulated ? environment_.time : nullptr);
  const auto& contexts = team_->contexts();
  contexts.front()->events = &recorder_->open_stream(trace::stream_kind::application, 0, "program");
  for (std::size_t i = 1; i < contexts.size(); ++i) {
    contexts[i]->events = &recorder_->open_stream(
        trace::stream_kind::worker, static_cast<int>(i - 1), "worker " + std::to_string(i - 1));
  }
}

void core::record_registration(ownership::slot datum) {
  if (recorder_ == nullptr) return;
  const datum_info& info = data_[datum];
  const bool private_here = ledger_.is_per_rank(datum);
  recorder_->handle_registered(
      {.handle = info.number,
       .name = info.name,
       .bytes = bytes_of(datum),
       .i = info.i,
       .j = info.j,
       .home_rank = private_here ? trace::every_rank : ledger_.owner(datum),
       .tag = info.tag,
       .loc = recorder_->location(info.where)});
  if (!private_here) {
    submitter().owner(info.number, 0, trace::nothing, ledger_.owner(datum),
                      trace::owner_cause::registration, recorder_->location(info.where));
  }
}

void core::record_end(ownership::slot datum, place where) {
  if (recorder_ == nullptr) return;
  recorder_->handle_unregistered(data_[datum].number, recorder_->location(where));
}

void core::record_migration(ownership::slot datum, std::uint32_t from, place where) {
  if (recorder_ == nullptr) return;
  app().owner(data_[datum].number, ledger_.version(datum), from, ledger_.owner(datum),
              trace::owner_cause::migrate_call, recorder_->location(where));
}

void core::record_insertion(const task_description& task, std::uint32_t executor,
                            std::span<const ownership::effect> effects) {
  if (recorder_ == nullptr) return;
  const auto me = static_cast<std::uint32_t>(rank_);
  bool concerned = executor == me;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    concerned = concerned || effects[i].owner == me || ledger_.holds(task.accesses[i].datum, me);
  }
  if (!concerned) return;
  const std::uint64_t number = inserted_ - 1;
  submitter().task_submit(number, keep(task.codelet).number, executor,
                          static_cast<std::int16_t>(task.priority), recorder_->location(task.where),
                          static_cast<std::uint16_t>(effects.size()));
  if (executor != me) return;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const auto& [_, datum, mode, where] = task.accesses[i];
    const std::uint32_t version = effects[i].version_read;
    submitter().task_access(number, static_cast<std::uint16_t>(i), data_[datum].number,
                            kind_of(mode), version, version + (writes(mode) ? 1 : 0));
    const bool looked_up =
        reads(mode) && effects[i].owner != me && effects[i].owner != ownership::ledger::everywhere;
    if (!looked_up) continue;
    submitter().cache_lookup(
        data_[datum].number, version, effects[i].owner,
        effects[i].fetch ? trace::lookup_result::miss_version : trace::lookup_result::hit, number);
  }
}

void core::record_transfer(ownership::slot datum, const transport::transfer& what,
                           std::uint32_t peer, trace::direction way,
                           trace::transfer_reason reason) {
  if (recorder_ == nullptr) return;
  submitter().xfer_post(way, data_[datum].number, static_cast<std::uint32_t>(what.version), peer, 0,
                        what.bytes == transport::any_size ? bytes_of(datum) : what.bytes, what.tag,
                        reason, inserted_ == 0 ? trace::no_task : inserted_ - 1);
}

void core::record_done(context& self, const transfer_node& transfer) {
  const bool receives = transfer.kind == node_kind::receive;
  const transport::transfer& what = receives ? transfer.receiving.what : transfer.sending.what;
  const auto peer = static_cast<std::uint32_t>(receives ? transfer.receiving.peer.value
                                                        : transfer.sending.peer.value);
  const replica& copy = transfer.only.datum();
  const auto version = static_cast<std::uint32_t>(what.version);
  self.events->xfer_done(
      copy.number, version, peer, 0, receives ? trace::direction::receive : trace::direction::send,
      transfer.failure == nullptr ? trace::transfer_status::ok : trace::transfer_status::failed);
  if (receives) self.events->cache_insert(copy.number, version, peer);
}

void core::stop_recording() noexcept {
  if (recorder_ == nullptr) return;
  recorder_->close();
}

}  // namespace deed::runtime
