// SPDX-License-Identifier: MIT
#include "analysis/generate/event_log.hpp"

#include <deed/base/random.hpp>

#include <algorithm>
#include <cassert>

namespace deed::viewer {

using namespace trace;

event_log::event_log(const std::string& path, int ranks, int workers, std::uint64_t seed) {
  recorder_options options;
  options.path = path;
  options.packet_bytes = std::size_t{64} << 10;
  for (int rank = 0; rank < ranks; ++rank) {
    recorders_.push_back(std::make_unique<recorder>(
        options, run_identity{{mix(seed, 1), mix(seed, 2)}, rank, ranks}, &clock_));
    auto& mine = streams_.emplace_back();
    mine.push_back(&recorders_.back()->open_stream(stream_kind::application, 0, "application"));
    mine.push_back(&recorders_.back()->open_stream(stream_kind::progress, 0, "progress"));
    for (int worker = 0; worker < workers; ++worker)
      mine.push_back(&recorders_.back()->open_stream(stream_kind::worker, worker,
                                                     "worker " + std::to_string(worker)));
  }
}

void event_log::add(std::int64_t time, int rank, int stream, record what,
                    std::initializer_list<std::uint64_t> fields) {
  pending p{time, static_cast<std::uint32_t>(rank), static_cast<std::uint16_t>(stream), what, {}};
  std::copy(fields.begin(), fields.end(), p.f.begin());
  pending_.push_back(p);
}

void event_log::flush() {
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const pending& each : pending_) {
    clock_.at = std::max(clock_.at, each.time);
    write(each);
  }
  events_ += pending_.size();
  pending_.clear();
}

void event_log::close() {
  flush();
  for (auto& each : recorders_) each->close();
}

void event_log::write(const pending& p) {
  stream& to = *streams_[p.rank][p.stream];
  const auto& f = p.f;
  const auto u8 = [&](std::size_t i) { return static_cast<std::uint8_t>(f[i]); };
  const auto u16 = [&](std::size_t i) { return static_cast<std::uint16_t>(f[i]); };
  const auto u32 = [&](std::size_t i) { return static_cast<std::uint32_t>(f[i]); };
  switch (p.what) {
    case record::task_submit:
      to.task_submit(f[0], u16(1), u32(2), static_cast<std::int16_t>(f[3]), u32(4), u16(5),
                     f[6] == 0 ? trace::no_step : f[6]);
      break;
    case record::task_access:
      to.task_access(f[0], u16(1), u32(2), access_kind{u8(3)}, u32(4), u32(5));
      break;
    case record::task_ready:
      to.task_ready(f[0], ready_cause{u8(1)}, f[2]);
      break;
    case record::task_begin:
      to.task_begin(f[0], u16(1));
      break;
    case record::task_end:
      to.task_end(f[0], task_status{u8(1)});
      break;
    case record::state:
      to.state(worker_state{u8(0)}, reason_kind{u8(1)}, f[2]);
      break;
    case record::gate_open:
      to.gate_open(f[0], gate_cause{u8(1)}, f[2]);
      break;
    case record::xfer_post:
      to.xfer_post(direction{u8(0)}, u32(1), u32(2), u32(3), u16(4), f[5], f[6],
                   transfer_reason{u8(7)}, f[8]);
      break;
    case record::xfer_start:
      to.xfer_start(u32(0), u32(1), u32(2), u16(3), direction{u8(4)}, transfer_status::ok,
                    trace::short_tag(f[5]));
      break;
    case record::xfer_done:
      to.xfer_done(u32(0), u32(1), u32(2), u16(3), direction{u8(4)}, transfer_status::ok,
                   trace::short_tag(f[5]), f[6]);
      break;
    case record::cache_lookup:
      to.cache_lookup(u32(0), u32(1), u32(2), lookup_result{u8(3)}, f[4]);
      break;
    case record::cache_insert:
      to.cache_insert(u32(0), u32(1), u32(2));
      break;
    case record::cache_drop:
      to.cache_drop(u32(0), u32(1), u32(2), drop_cause{u8(3)}, f[4]);
      break;
    case record::owner:
      to.owner(u32(0), u32(1), u32(2), u32(3), owner_cause{u8(4)}, f[5]);
      break;
    case record::borrow:
      to.borrow(u32(0), borrow_kind{u8(1)}, f[2], u32(3));
      break;
    case record::release:
      to.release(u32(0), borrow_kind{u8(1)}, f[2], u32(3));
      break;
    case record::wait_begin:
      // For a message, which is named behind: 1, one that comes; 2, one that is sent.
      to.wait_begin(wait_kind{u8(0)}, f[1], u32(2),
                    f[3] == 0   ? trace::awaited_message{}
                    : f[3] == 1 ? trace::awaited_message{u32(4), u32(5)}
                                : trace::awaited_message{u32(4), u32(5), u32(6), u32(7)},
                    u32(8) - 1);  // Of a collective call: the one behind its number.
      break;
    case record::wait_end:
      to.wait_end(wait_kind{u8(0)}, f[1]);
      break;
    case record::collective_call:
      to.collective_call(f[0], u32(1), u32(2));
      break;
    case record::collective_begin:
      to.collective_begin(f[0], u32(1));
      break;
    case record::ledger_step:
      to.ledger_step(f[0], trace::ledger_change{u8(1)}, u32(2), u32(3), u32(4), u32(5), u32(6));
      break;
    case record::ledger_digest:
      to.ledger_digest(u32(0), f[1], f[2], f[3] == 0 ? trace::no_step : f[3]);
      break;
    case record::clock_sync:
      to.clock_sync(u32(0), f[1], u32(2), u8(3));
      break;
    case record::counter:
      to.counter(u16(0), static_cast<std::int64_t>(f[1]));
      break;
    case record::phase_push:
      to.phase_push(u32(0), static_cast<std::int64_t>(f[1]));
      break;
    case record::phase_pop:
      to.phase_pop(u32(0), static_cast<std::int64_t>(f[1]));
      break;
    case record::error:
      to.error(u16(0), u32(1), u32(2), f[3], f[4], f[5], u32(6), u32(7));
      break;
    case record::fatal_signal:
      to.fatal_signal(u8(0), u32(1), signal_cause{u8(2)}, f[3]);
      break;
    case record::stop_run:
      to.stop_run(u8(0), u32(1));
      break;
    case record::handle_unregister:
      recorders_[p.rank]->handle_unregistered(u32(0), u32(1));
      break;
    default:
      assert(!"a record that the generator does not make");
  }
}

}  // namespace deed::viewer
