// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/random.hpp>
#include <deed/transport/endpoint.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// An endpoint that writes down what comes to its rank, and when.

namespace transport_test {

/// One event as a rank saw it.
struct seen_event {
  int rank = 0, peer = 0;
  deed::transport::event_kind kind{};
  std::int64_t time_ns = 0;
  std::uint64_t content = 0;  ///< A hash of the frame.

  friend bool operator==(const seen_event&, const seen_event&) = default;
};

/// Notes the events of one rank in a list that all ranks of a simulated world share: one runs at a
/// time, so the list is the order of the run.
/// Keeps: the caller the endpoint, the clock and the list.
class recording_endpoint final : public deed::transport::endpoint {
 public:
  recording_endpoint(endpoint& end, const deed::clock& time, std::vector<seen_event>& into)
      : end_(end), time_(time), into_(into) {}

  [[nodiscard]] const deed::transport::endpoint_limits& limits() const noexcept override {
    return end_.limits();
  }
  void send_frame(deed::rank peer, std::span<const std::byte> header,
                  deed::const_memory_block payload) override {
    end_.send_frame(peer, header, payload);
  }
  void receive_bulk(deed::rank peer, std::uint32_t tag, deed::memory_block room,
                    std::uint64_t cookie) override {
    end_.receive_bulk(peer, tag, room, cookie);
  }
  void send_bulk(deed::rank peer, std::uint32_t tag, deed::const_memory_block source,
                 std::uint64_t cookie) override {
    end_.send_bulk(peer, tag, source, cookie);
  }
  void cancel_bulk(std::uint64_t cookie) override { end_.cancel_bulk(cookie); }
  std::size_t poll(std::span<deed::transport::event> events) override {
    const std::size_t count = end_.poll(events);
    for (const deed::transport::event& each : events.first(count)) {
      std::uint64_t content = each.frame.size();
      for (const std::byte b : each.frame) {
        content = deed::mix(content, std::to_integer<std::uint64_t>(b));
      }
      into_.push_back(
          {limits().self.value, each.peer.value, each.kind, time_.now().count(), content});
    }
    return count;
  }
  [[nodiscard]] std::size_t pending() const noexcept override { return end_.pending(); }
  [[nodiscard]] std::uint64_t signals() const noexcept override { return end_.signals(); }
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) override {
    end_.rest(at_most, seen);
  }
  void wake() noexcept override { end_.wake(); }
  void close(bool orderly) noexcept override {
    ++closed_;
    end_.close(orderly);
  }
  [[nodiscard]] int closed() const noexcept { return closed_; }

 private:
  endpoint& end_;
  const deed::clock& time_;
  std::vector<seen_event>& into_;
  int closed_ = 0;
};

}  // namespace transport_test
