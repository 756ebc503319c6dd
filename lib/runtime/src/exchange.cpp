// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "resting.hpp"

#include <atomic>
#include <exception>
#include <memory>

/// @file
/// Bytes between two ranks that are no datum: a rank gives while it takes.

namespace deed::runtime {
namespace {

/// In the place of a communicator's number, of which there are fewer, and below the collectives.
constexpr std::uint64_t exchange_channel = std::uint64_t{1} << 62;

transport::transfer message_from(int rank, std::uint64_t bytes) {
  return {.kind = transport::transfer_kind::message,
          .origin = static_cast<std::uint32_t>(rank),
          .version = exchange_channel,
          .bytes = bytes};
}

}  // namespace

/// The messages of one call. The engine uses them until `open` is 0, or until it ends.
struct core::two_messages {
  explicit two_messages(core& of) : home(of) {}

  static memory_block make_room(transport::receive_operation& operation, std::uint64_t bytes) {
    auto& room = static_cast<two_messages*>(operation.context)->arrived;
    if (bytes == 0) return {};
    room.resize(bytes);
    return {.address = room.data(), .row_bytes = bytes, .rows = 1, .pitch = bytes};
  }
  static void sent(transport::send_operation& operation,
                   const transport::outcome& result) noexcept {
    auto& self = *static_cast<two_messages*>(operation.context);
    self.not_sent = result.error;
    self.end();
  }
  static void received(transport::receive_operation& operation,
                       const transport::outcome& result) noexcept {
    auto& self = *static_cast<two_messages*>(operation.context);
    self.not_received = result.error;
    self.end();
  }
  void end() noexcept {
    core& waits = home;                            // Who waits may end this object then.
    open.fetch_sub(1, std::memory_order_acq_rel);  // Pairs with the acquire in `exchange`.
    waits.team_->wake_everybody();
  }

  core& home;
  std::vector<std::byte> given, arrived;
  transport::send_operation send;
  transport::receive_operation receive;
  std::exception_ptr not_sent, not_received;
  std::atomic<int> open{0};
};

std::vector<std::byte> core::exchange(int to, std::span<const std::byte> given, int from) {
  if (to == rank_ && from == rank_) return {given.begin(), given.end()};
  exchanged_ = std::make_shared<two_messages>(*this);
  two_messages& both = *exchanged_;
  both.open = (to != nobody ? 1 : 0) + (from != nobody ? 1 : 0);
  if (from != nobody) {
    both.receive.what = message_from(from, transport::any_size);
    both.receive.peer = deed::rank{from};
    both.receive.destination = &two_messages::make_room;
    both.receive.completed = &two_messages::received;
    both.receive.context = &both;
    engine_->receive(both.receive);
  }
  if (to != nobody) {
    both.given.assign(given.begin(), given.end());
    both.send.what = message_from(rank_, given.size());
    both.send.peer = deed::rank{to};
    both.send.source = {both.given.data(), both.given.size()};
    both.send.completed = &two_messages::sent;
    both.send.context = &both;
    engine_->send(both.send);
  }
  help_until([&] { return both.open.load(std::memory_order_acquire) == 0; });
  for (const std::exception_ptr& failure : {both.not_sent, both.not_received}) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  return std::move(both.arrived);
}

}  // namespace deed::runtime
