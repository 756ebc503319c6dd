// SPDX-License-Identifier: MIT
#include "device_recording.hpp"

#include <algorithm>
#include <utility>

namespace deed::runtime {
namespace {

/// The host is 0, devices follow.
std::uint16_t node_of(int watched) { return static_cast<std::uint16_t>(watched + 1); }

std::uint32_t version_of(const gpu::copy_seen& copy) {
  return copy.version == gpu::no_number ? trace::no_version
                                        : static_cast<std::uint32_t>(copy.version);
}

trace::copy_cause cause_of(gpu::copy_reason reason) {
  switch (reason) {
    case gpu::copy_reason::prefetch:
      return trace::copy_cause::prefetch;
    case gpu::copy_reason::write_back:
      return trace::copy_cause::write_back;
    case gpu::copy_reason::clean:
      return trace::copy_cause::cleaning;
    case gpu::copy_reason::fetch:
      break;
  }
  return trace::copy_cause::fetch;
}

}  // namespace

void device_recording::start(trace::recorder& to, const gpu::device_set& all) {
  to.memory_node(0, trace::memory_kind::host, 0, 0, "host");
  for (int i = 0; i < all.size(); ++i) {
    const gpu::device_info& device = all[gpu::device_id{i}];
    to.memory_node(node_of(i), trace::memory_kind::device, static_cast<std::uint16_t>(i), 0,
                   device.name);
    has_time_.push_back(in_our_time_ || device.made_by != gpu::backend::emulated);
    streams_.push_back(&to.open_stream(trace::stream_kind::gpu, i, device.name));
    // As its lane is called: that stands beside the curve.
    in_use_.push_back(static_cast<std::uint16_t>(to.text("bytes on gpu" + std::to_string(i))));
  }
  recorder_ = &to;
}

void device_recording::inserted(std::uint64_t task, std::span<const ownership::effect> effects) {
  std::vector<std::uint64_t> versions;
  for (const ownership::effect& each : effects) versions.push_back(each.version_read);
  const std::lock_guard lock(mutex_);
  versions_.emplace(task, std::move(versions));
}

std::vector<std::uint64_t> device_recording::take_versions(std::uint64_t task, std::size_t data) {
  std::vector<std::uint64_t> found;
  {
    const std::lock_guard lock(mutex_);
    if (auto known = versions_.extract(task)) found = std::move(known.mapped());
  }
  found.resize(data, gpu::no_number);
  return found;
}

device_recording::stamps device_recording::stamps_of(std::size_t device,
                                                     const gpu::device_times& when) const noexcept {
  // A device's clock drifts against the machine's; what was heard of has happened.
  const auto now = time_.now();
  const auto end = has_time_[device] ? std::min(when.end, now) : now;
  const auto begin = has_time_[device] ? std::min(when.begin, end) : end;
  const std::uint64_t last = recorder_->stamp_of(end);  // Each asks the clock anew.
  return {std::min(recorder_->stamp_of(begin), last), last};
}

bool device_recording::wants_copies() noexcept {
  const bool measured = next_ != nullptr && next_->wants_copies();
  const bool recorded =
      recorder_ != nullptr && !streams_.empty() && streams_.front()->enabled(trace::category::gpu);
  return measured || recorded;
}

void device_recording::ran(const gpu::task_seen& what) noexcept {
  if (next_ != nullptr) next_->ran(what);
  if (recorder_ == nullptr) return;
  const auto device = static_cast<std::size_t>(what.device.value);
  trace::stream& to = *streams_[device];
  if (!to.enabled(trace::category::gpu)) return;
  const auto [begin, end] = stamps_of(device, what.when);
  to.kernel(what.number, static_cast<std::uint16_t>(what.queue), begin, end);
}

void device_recording::copying(const gpu::copy_seen& what) noexcept {
  if (next_ != nullptr) next_->copying(what);
  if (recorder_ == nullptr) return;
  streams_[maker_of(what)]->copy_begin(static_cast<std::uint32_t>(what.number), version_of(what),
                                       node_of(what.from), node_of(what.to), what.bytes,
                                       what.pinned ? 1 : 0, what.for_task, cause_of(what.reason));
}

void device_recording::copied(const gpu::copy_seen& what) noexcept {
  if (next_ != nullptr) next_->copied(what);
  if (recorder_ == nullptr) return;
  trace::stream& to = *streams_[maker_of(what)];
  if (!to.enabled(trace::category::gpu)) return;
  const auto [begin, end] = stamps_of(maker_of(what), what.when);
  to.copy_end(static_cast<std::uint32_t>(what.number), version_of(what), node_of(what.from),
              node_of(what.to), what.bytes, begin, end);
}

void device_recording::evicted(const gpu::eviction_seen& what) noexcept {
  if (next_ != nullptr) next_->evicted(what);
  if (recorder_ == nullptr) return;
  streams_[static_cast<std::size_t>(what.device.value)]->evict(
      node_of(what.device.value), static_cast<std::uint32_t>(what.number), what.bytes,
      trace::drop_cause::capacity);
}

void device_recording::took_memory(const gpu::memory_seen& what) noexcept {
  if (next_ != nullptr) next_->took_memory(what);
  if (recorder_ == nullptr) return;
  streams_[static_cast<std::size_t>(what.device.value)]->alloc(
      node_of(what.device.value), static_cast<std::uint32_t>(what.number), what.bytes,
      trace::memory_cause::use);
  count_memory(what);
}

void device_recording::gave_memory(const gpu::memory_seen& what) noexcept {
  if (next_ != nullptr) next_->gave_memory(what);
  if (recorder_ == nullptr) return;
  streams_[static_cast<std::size_t>(what.device.value)]->free(
      node_of(what.device.value), static_cast<std::uint32_t>(what.number), what.bytes,
      what.evicted ? trace::memory_cause::room : trace::memory_cause::end);
  count_memory(what);
}

void device_recording::count_memory(const gpu::memory_seen& what) noexcept {
  const auto device = static_cast<std::size_t>(what.device.value);
  streams_[device]->counter(in_use_[device], static_cast<std::int64_t>(what.used));
}

}  // namespace deed::runtime
