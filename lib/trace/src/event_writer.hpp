// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "barectf.h"
#include "packet_layout.hpp"
#include "packet_supply.hpp"
#include "stamp.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// @file
/// barectf's context over prepared packets.

namespace deed::trace::detail {

inline void open_packet(deed_ctf_events_ctx& context, std::uint32_t kind, std::uint32_t index) {
  deed_ctf_events_open_packet(&context, kind, index);
}
inline void open_packet(deed_ctf_definitions_ctx& context, std::uint32_t kind,
                        std::uint32_t index) {
  deed_ctf_definitions_open_packet(&context, kind, index);
}
inline void close_packet(deed_ctf_events_ctx& context) { deed_ctf_events_close_packet(&context); }
inline void close_packet(deed_ctf_definitions_ctx& context) {
  deed_ctf_definitions_close_packet(&context);
}

/// Writes the events of one stream. `Context` is barectf's for the stream type.
template <class Context>
class packet_writer {
 public:
  packet_writer(const supply_settings& settings, packet_supply::identity who,
                const stamp_source& stamps)
      : kind_(who.kind),
        index_(who.index),
        settings_(settings),
        stamps_(stamps),
        supply_(settings, std::move(who)) {
    packet_bytes_ = static_cast<std::uint32_t>(settings.packet_bytes);
    deed_ctf_init(&context_, nullptr, packet_bytes_, callbacks(), this);
    context_.cur_last_event_ts = stamps_.now();
    next_ = supply_.take();
    if (next_ != nullptr) {
      open();
    } else {
      context_.parent.at = context_.parent.packet_size;  // Full: asks again at the first event.
    }
    supply_.prepare();
  }
  packet_writer(const packet_writer&) = delete;
  packet_writer& operator=(const packet_writer&) = delete;

  [[nodiscard]] Context* context() noexcept { return &context_; }
  [[nodiscard]] packet_supply& supply() noexcept { return supply_; }
  [[nodiscard]] bool new_segment() noexcept { return supply_.new_segment(); }
  [[nodiscard]] std::uint64_t discarded() const noexcept {
    return context_.parent.events_discarded;
  }

  /// Those that no packet says: there never was one.
  [[nodiscard]] std::uint64_t unplaced() const noexcept {
    return header_ == nullptr ? discarded() : 0;
  }

  /// Makes what was written part of the trace: first the end stamp, then the size, so that a reader
  /// of a killed run never finds an event later than its packet's end.
  void commit() noexcept {
    if (header_ == nullptr) return;
    if (context_.parent.packet_is_open != 0) {
      std::atomic_ref{header_->end}.store(context_.cur_last_event_ts, std::memory_order_relaxed);
      std::atomic_ref{header_->content_bits}.store(context_.parent.at, std::memory_order_release);
    }
    if (context_.parent.events_discarded != header_->discarded) [[unlikely]] {
      std::atomic_ref{header_->discarded}.store(context_.parent.events_discarded,
                                                std::memory_order_relaxed);
    }
  }

  /// In a handler of signals, whose thread may stand in the middle of an event or between two
  /// packets: that event never was, and the last one, `fatal_signal` or `error`, takes its place.
  /// False: it has none.
  [[nodiscard]] bool drop_unfinished() noexcept {
    if (header_ == nullptr) return false;
    const std::uint32_t end = 8 * packet_bytes_;
    const std::uint64_t whole = std::atomic_ref{header_->content_bits}.load();
    if (whole + std::uint64_t{8} * last_event_bytes > end) return false;
    deed_ctf_packet_set_buf(&context_, reinterpret_cast<std::uint8_t*>(header_), packet_bytes_);
    context_.parent.packet_is_open = 1;
    context_.parent.at = static_cast<std::uint32_t>(whole);
    return true;
  }

  /// Whether an event of so many bytes needs no other packet.
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return header_ != nullptr && context_.parent.packet_is_open != 0 &&
           context_.parent.at + std::uint64_t{8} * bytes < context_.parent.packet_size &&
           stamps_.now() - context_.cur_last_event_ts <= longest_silence;
  }

  /// Writes again four bytes of what was committed last, `before_end` of its end.
  void replace_field(std::uint32_t before_end, std::uint32_t value) noexcept {
    if (header_ == nullptr) return;
    const std::uint64_t end = std::atomic_ref{header_->content_bits}.load() / 8;
    std::memcpy(reinterpret_cast<std::byte*>(header_) + end - before_end, &value, sizeof value);
  }

  void close() noexcept {
    if (closed_) return;
    closed_ = true;
    context_.cur_last_event_ts = std::max(stamps_.now(), context_.cur_last_event_ts);
    if (context_.parent.packet_is_open != 0) end_packet();
    header_ = nullptr;
    supply_.finish();
  }

 private:
  /// Left free in each packet for the one event that cannot wait for another packet.
  static constexpr std::uint32_t last_event_bytes = 48;

  static packet_writer& self(void* data) noexcept { return *static_cast<packet_writer*>(data); }
  static deed_ctf_platform_callbacks callbacks() noexcept {
    return {.stamp_clock_get_value = [](void* data) { return self(data).stamp(); },
            .is_backend_full = [](void* data) { return self(data).full() ? 1 : 0; },
            .open_packet = [](void* data) { self(data).open(); },
            .close_packet = [](void* data) { close_packet(self(data).context_); }};
  }

  /// Of the event that comes, and not earlier than the one before.
  std::uint64_t stamp() noexcept {
    const std::uint64_t now = stamps_.now();
    if (now - context_.cur_last_event_ts > longest_silence) [[unlikely]]
      return rare_stamp(now);
    return now;
  }
  /// After a silence, or of a clock that went back.
  [[gnu::noinline, gnu::cold]] std::uint64_t rare_stamp(std::uint64_t now) noexcept {
    if (now < context_.cur_last_event_ts) return context_.cur_last_event_ts;
    if (context_.parent.packet_is_open != 0) end_packet();  // barectf opens the next one.
    return now;
  }

  void end_packet() noexcept {
    context_.parent.use_cur_last_event_ts = 1;  // Without another look at the clock.
    close_packet(context_);
    context_.parent.use_cur_last_event_ts = 0;
  }

  bool full() noexcept {
    if (next_ == nullptr) next_ = supply_.take();
    if (next_ != nullptr) return false;
    if (!std::exchange(lost_some_, true)) settings_.lost(stamps_.now());
    return true;
  }

  void open() noexcept {
    std::byte* const packet = std::exchange(next_, nullptr);
    deed_ctf_packet_set_buf(&context_, reinterpret_cast<std::uint8_t*>(packet), packet_bytes_);
    open_packet(context_, kind_, index_);
    context_.parent.packet_size -= 8 * last_event_bytes;  // The header names the whole.
    auto* const opened = reinterpret_cast<packet_header*>(packet);
    std::atomic_ref{opened->end}.store(opened->begin, std::memory_order_release);
    header_ = opened;
    supply_.opened();
  }

  Context context_{};
  packet_header* header_ = nullptr;
  std::byte* next_ = nullptr;
  std::uint32_t packet_bytes_ = 0;
  std::uint32_t kind_;
  std::uint32_t index_;
  bool closed_ = false;
  bool lost_some_ = false;
  const supply_settings& settings_;
  const stamp_source& stamps_;
  packet_supply supply_;
};

class event_writer : public packet_writer<deed_ctf_events_ctx> {
 public:
  using packet_writer::packet_writer;
};

using definition_writer = packet_writer<deed_ctf_definitions_ctx>;

}  // namespace deed::trace::detail
