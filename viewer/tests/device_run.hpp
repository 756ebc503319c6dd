// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/recorder.hpp>

#include "analysis/generate/event_log.hpp"
#include "analysis/model.hpp"
#include "scratch_folder.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// @file
/// A run of one rank with a device that a test writes by hand.

namespace deed::viewer {

/// Its datum is x. Times are nanoseconds, and must not lie before earlier ones.
class device_run {
 public:
  explicit device_run(const std::string& device = "cuda 0", std::uint32_t home = 0) : to_(made()) {
    to_->memory_node(0, trace::memory_kind::host, 0, 0, "host");
    to_->memory_node(1, trace::memory_kind::device, 0, 0, device);
    to_->handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = home});
    codelet_ = to_->codelet("work", place::current());
    app = &to_->open_stream(trace::stream_kind::application, 0, "app");
    worker = &to_->open_stream(trace::stream_kind::worker, 0, "w00");
    device_ = &to_->open_stream(trace::stream_kind::gpu, 0, "gpu0");
  }
  device_run(const device_run&) = delete;
  device_run& operator=(const device_run&) = delete;

  /// The task uses x; `version` is what it reads.
  void insert(std::int64_t at, std::uint64_t task, trace::access_kind mode, std::uint32_t version) {
    const bool reads = mode == trace::access_kind::read;
    clock_.at = at;
    app->task_submit(task, codelet_, 0, 0, 0, 1);
    app->task_access(task, 0, 0, mode, version, reads ? version : version + 1);
  }
  void ready(std::int64_t at, std::uint64_t task, std::uint64_t after) {
    clock_.at = at;
    worker->task_ready(task, trace::ready_cause::task, after);
  }
  void run_on_worker(std::uint64_t task, std::int64_t begin, std::int64_t end) {
    clock_.at = begin;
    worker->task_begin(task, codelet_);
    clock_.at = end;
    worker->task_end(task, trace::task_status::ok);
  }
  void kernel(std::uint64_t task, std::uint64_t begin, std::uint64_t end, std::uint16_t queue = 0) {
    clock_.at = static_cast<std::int64_t>(end);
    device_->kernel(task, queue, begin, end);
  }
  /// The program writes x: it borrows it, or it is in a collective call.
  void write_by_program(std::int64_t at, std::uint32_t version) {
    clock_.at = at;
    app->ledger_step(~std::uint64_t{0}, trace::ledger_change::write, 0, 0, none, version, none);
  }
  void drop(std::int64_t at, std::uint32_t version) {
    clock_.at = at;
    app->cache_drop(0, version, 0, trace::drop_cause::capacity, 0);
  }
  /// Of x, there or back.
  void copy(bool to_device, std::uint32_t version, std::uint64_t begin, std::uint64_t end) {
    const std::uint16_t from = to_device ? 0 : 1, to = to_device ? 1 : 0;
    clock_.at = static_cast<std::int64_t>(begin);
    device_->copy_begin(0, version, from, to, 24, 0, ~std::uint64_t{0}, {});
    clock_.at = static_cast<std::int64_t>(end);
    device_->copy_end(0, version, from, to, 24, begin, end);
  }
  void alloc(std::int64_t at) {
    clock_.at = at;
    device_->alloc(1, 0, 24, trace::memory_cause::use);
  }
  void free(std::int64_t at) {
    clock_.at = at;
    device_->free(1, 0, 24, trace::memory_cause::end);
  }
  /// The run ends here.
  [[nodiscard]] const model& opened(std::int64_t end) {
    run_.emplace(closed(end));
    return model_.emplace(*run_);
  }
  /// Where it lies.
  [[nodiscard]] std::string closed(std::int64_t end) {
    clock_.at = end;
    app->state(trace::worker_state::scheduling, trace::reason_kind::none, 0);
    to_->close();
    return folder_.path() + "/run.deed";
  }

  trace::stream* app = nullptr;
  trace::stream* worker = nullptr;

 private:
  [[nodiscard]] std::unique_ptr<trace::recorder> made() {
    trace::recorder_options options;
    options.path = folder_.path() + "/run.deed";
    return std::make_unique<trace::recorder>(options, trace::run_identity{{1, 2}, 0, 1}, &clock_);
  }

  scratch_folder folder_;
  manual_clock clock_;
  std::unique_ptr<trace::recorder> to_;
  std::uint16_t codelet_ = 0;
  trace::stream* device_ = nullptr;
  std::optional<run> run_;
  std::optional<model> model_;
};

}  // namespace deed::viewer
