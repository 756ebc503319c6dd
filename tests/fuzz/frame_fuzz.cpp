// SPDX-License-Identifier: MIT
#include <deed/base/clock.hpp>
#include <deed/base/error.hpp>
#include <deed/transport/detail/header.hpp>
#include <deed/transport/engine.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Any bytes as frames from a peer: an engine with open sends and receives reports them and goes
/// on. A byte before each frame says whether it is sealed anew, and what happens before it.

namespace {

using namespace deed;
using namespace deed::transport;

/// What a byte of the input says of the frame behind it.
enum : std::uint8_t {
  sealed_anew = 1,       ///< So that its fields are looked at.
  after_bulk = 2,        ///< Before it, what bulk there is ends,
  after_lost_bulk = 4,   ///< or fails.
  after_a_receive = 8,   ///< Before it, one more receive is opened, for which it may be late.
  after_lost_peer = 16,  ///< Before it, the peer is lost.
  swapped = 32,          ///< It has its neighbour's number: one of them is early.
  own_number = 64,       ///< Its number is what the input says.
};

struct arriving {
  std::vector<std::byte> bytes;
  std::uint8_t said = 0;
};

/// Delivers the frames of the input; what the engine sends goes nowhere.
class input_door final : public endpoint {
 public:
  const endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(rank, std::span<const std::byte>, const_memory_block) override {}
  void receive_bulk(rank, std::uint32_t, memory_block, std::uint64_t cookie) override {
    bulk_.push_back({event_kind::bulk_received, rank{1}, {}, cookie, nullptr});
  }
  void send_bulk(rank, std::uint32_t, const_memory_block, std::uint64_t cookie) override {
    bulk_.push_back({event_kind::bulk_sent, rank{1}, {}, cookie, nullptr});
  }
  void cancel_bulk(std::uint64_t cookie) override {
    for (event& each : bulk_) {
      if (each.cookie == cookie) fail(each);
    }
  }
  std::size_t poll(std::span<event> events) override {
    if (!lost && bulk_ends_ && !bulk_.empty()) {
      events[0] = bulk_.front();
      bulk_.pop_front();
      return 1;
    }
    if (std::exchange(lost, false)) {
      events[0] = {event_kind::peer_lost, rank{1}, {}, 0, nullptr};
      bulk_ends_ = true;
      for (event& each : bulk_) fail(each);
      return 1;
    }
    if (frames.empty()) return 0;
    bulk_ends_ = false;
    shown_ = std::move(frames.front().bytes);
    frames.pop_front();
    events[0] = {event_kind::frame, rank{1}, shown_, 0, nullptr};
    return 1;
  }
  std::size_t pending() const noexcept override { return 0; }
  std::uint64_t signals() const noexcept override { return 0; }
  void rest(std::chrono::nanoseconds, std::uint64_t) override {}
  void wake() noexcept override {}
  void close(bool) noexcept override {}

  void end_bulk(bool well) {
    bulk_ends_ = true;
    for (event& each : bulk_) {
      if (!well) fail(each);
    }
  }

  std::deque<arriving> frames;
  bool lost = false;

 private:
  static void fail(event& bulk) {
    bulk.kind = event_kind::bulk_failed;
    bulk.error = std::make_exception_ptr(
        error(error_code::message_damaged, "a bulk transfer failed", {}, "send it again"));
  }

  endpoint_limits limits_{.ranks = 3};
  std::vector<std::byte> shown_;
  std::deque<event> bulk_;
  bool bulk_ends_ = false;
};

/// Makes the frame pass the first checks; `number` is its place in the order.
void repair(std::vector<std::byte>& frame, std::optional<std::uint32_t> number) {
  transport::detail::header h;
  if (frame.size() < sizeof h) return;
  std::memcpy(&h, frame.data(), sizeof h);
  h.magic = transport::detail::wire_magic;
  h.protocol = transport::detail::wire_protocol;
  h.kind = static_cast<std::uint8_t>(1 + h.kind % 13);
  h.flags &= transport::detail::known_flags;
  h.header_bytes = (h.flags & transport::detail::flag_checksum) != 0 ? 72 : 64;
  h.origin %= 3;
  h.tag %= 4;
  h.version %= 4;
  h.sequence = number.value_or(h.sequence);
  if (h.kind == 1 || h.kind >= 12)
    h.bytes = frame.size() - std::min<std::size_t>(frame.size(), h.header_bytes);
  if (h.kind == 2 || h.kind == 3) h.chunk_log2 = static_cast<std::uint8_t>(6 + h.chunk_log2 % 25);
  transport::detail::seal(h);
  std::memcpy(frame.data(), &h, sizeof h);
}

void cut_into_frames(const std::uint8_t* data, std::size_t size, input_door& door) {
  std::uint32_t number = 0;
  while (size > 2) {
    const std::size_t length = std::min<std::size_t>(data[0], size - 2);
    const auto bytes = std::as_bytes(std::span(data + 2, length));
    std::vector<std::byte> frame(bytes.begin(), bytes.end());
    const std::uint32_t place = number ^ ((data[1] & swapped) != 0 ? 1 : 0);
    if ((data[1] & own_number) != 0) {
      repair(frame, std::nullopt);
    } else if ((data[1] & sealed_anew) != 0) {
      repair(frame, place), ++number;
    }
    door.frames.push_back({std::move(frame), data[1]});
    data += 2 + length;
    size -= 2 + length;
  }
}

/// So that what is beyond the limits is reached by short inputs.
const engine_options few_at_once{.unmatched_bytes = 64, .bulk_sends = 2, .bulk_receives = 2};

std::array<std::byte, 4096> memory;

/// One row, two with a gap, or, of 13 bytes, too few: as a program's own may be.
memory_block room_for(std::uint64_t bytes, bool strided) {
  if (bytes == 13) return {.address = memory.data(), .row_bytes = 12};
  if (!strided || bytes % 2 != 0) return {.address = memory.data(), .row_bytes = bytes};
  return {.address = memory.data(), .row_bytes = bytes / 2, .rows = 2, .pitch = bytes / 2 + 8};
}

void open(engine& wire, receive_operation& at, std::size_t i) {
  at.what = {.kind = i % 2 == 0 ? transfer_kind::datum : transfer_kind::message,
             .origin = 1,
             .tag = i % 8 / 2,
             .version = i % 2 == 0 ? 2u : 0u,
             .bytes = any_size};
  at.peer = rank{1};
  at.destination = [](receive_operation& operation, std::uint64_t bytes) {
    if (bytes > memory.size() - 8) {
      throw error(error_code::host_memory_exhausted, "no room", {}, "send less");
    }
    return room_for(bytes, operation.what.tag % 2 != 0);
  };
  at.completed = [](receive_operation&, const outcome&) noexcept {};
  wire.receive(at);
}

void open_sends(engine& wire, std::array<send_operation, 4>& sends) {
  for (send_operation& at : sends) {
    at.what.bytes = 100;
    at.peer = rank{1};
    at.source = room_for(100, &at == &sends.back());
    at.chunk_log2 = 6;
    at.synchronous = true;
    at.completed = [](send_operation&, const outcome&) noexcept {};
    wire.send(at);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const real_clock time;
  input_door door;
  cut_into_frames(data, size, door);
  std::array<receive_operation, 16> receives;
  std::array<send_operation, 4> sends;
  engine wire(door, few_at_once, time);
  wire.on_control([](rank, std::uint16_t, std::span<const std::byte>) {});
  wire.on_quiescence([] {});
  std::size_t opened = 0;
  while (opened < receives.size() / 2) open(wire, receives[opened], opened), ++opened;
  open_sends(wire, sends);
  wire.all_reduce(std::array<std::uint64_t, 2>{1, 2}, reduce_with::max,
                  [](std::span<const std::uint64_t>) {});
  while (!door.frames.empty()) {
    // Once: what comes before a frame does not come again while it waits.
    const std::uint8_t said = std::exchange(door.frames.front().said, std::uint8_t{0});
    if ((said & (after_bulk | after_lost_bulk)) != 0) door.end_bulk((said & after_bulk) != 0);
    if ((said & after_a_receive) != 0 && opened < receives.size())
      open(wire, receives[opened], opened), ++opened;
    if ((said & after_lost_peer) != 0) door.lost = true;
    wire.progress();
  }
  for (; opened < receives.size(); ++opened) open(wire, receives[opened], opened);
  door.end_bulk(true);
  for (int i = 0; i < 3; ++i) wire.progress();
  (void)wire.left_over();
  wire.abandon();
  return 0;
}
